"""Presents stored results; computes none.

publish.py        from a stored run to its written reports
tables.py         tables as text, for every form of the report
console.py        the terminal: progress and report
markdown.py       report.md
html.py           report.html, from the Markdown and the charts
charts.py         charts of losses by length and by depth
speed_charts.py   chart of the time per token
chart_canvas.py   what every chart shares
difference.py     two texts side by side
sample_view.py    one sample, for `kveval show`
bench_report.py   a throughput pass, for the terminal and Markdown
bench_tables.py   its tables
doctor_report.py  an examination
plan_report.py    a plan
"""
