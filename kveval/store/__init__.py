"""The files of a run: their paths, their records, and how they are read and written.

run_directory.py    paths of an accuracy run; JSON and JSON Lines on disk
schema.py           records of an accuracy run
bench_directory.py  paths of a throughput pass
bench_schema.py     records of a throughput pass
"""
