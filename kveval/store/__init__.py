"""The files of a run: where they are, the one type of each record, and how they are read and written.

run_directory.py    paths and files of an accuracy run
bench_directory.py  paths and files of a throughput pass
json_files.py       JSON and JSON Lines on disk
record.py           what every record has in common
manifest.py         manifest.json
run_records.py      samples, documents, outputs, engines, scores
report_schema.py    report.json: cells and the facts shown with them
bench_records.py    requests, rounds and manifest of a throughput pass
bench_results_schema.py  throughput.json
memory_record.py    the KV cache of one GPU
doctor_schema.py    doctor.json
migrations.py       steps from an older schema to the next
"""
