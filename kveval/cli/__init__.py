"""The `kveval` command: each module parses options, calls one function, prints, and exits.

app.py              all commands; errors become one sentence and an exit code
options.py          options that several commands have
run_command.py      `kveval run`
plan_command.py     `kveval plan`
stored_commands.py  `kveval score` and `kveval show`
bench_command.py    `kveval bench`
doctor_command.py   `kveval doctor`
compare_command.py  `kveval compare`
task_commands.py    `kveval tasks`, `kveval tasks new` and `kveval check`
check.py            what `kveval check` says about a file without faults
new_task.py         a task file and a data file to start from
"""
