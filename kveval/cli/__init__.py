"""The `kveval` command: each module parses options, calls one function, prints, and exits.

app.py              all commands; turns errors into one sentence and an exit code
options.py          options shared by several commands
run_command.py      `kveval run`
plan_command.py     `kveval plan`
stored_commands.py  `kveval score` and `kveval show`
bench_command.py    `kveval bench`
doctor_command.py   `kveval doctor`
compare_command.py  `kveval compare`
task_commands.py    `kveval tasks`, `kveval tasks new` and `kveval check`
check.py            report lines of `kveval check` for a file without faults
new_task.py         starter files for a task: a task file and a data file
"""
