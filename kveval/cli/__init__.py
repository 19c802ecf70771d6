"""The `kveval` command.

app.py            parses, calls one function, prints, returns an exit code
bench_command.py  `kveval bench`
options.py        options that several commands have
check.py          `kveval check`
new_task.py       `kveval tasks new`
"""
