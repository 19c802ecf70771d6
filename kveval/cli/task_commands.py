"""`kveval tasks`, `kveval tasks new` and `kveval check`."""

from pathlib import Path
from typing import Annotated

import typer

from kveval.errors import KVEvalError

tasks_app = typer.Typer(
    invoke_without_command=True, help="List the built-in tasks; `tasks new NAME` creates a task of your own."
)


@tasks_app.callback()
def list_tasks(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from kveval.tasks import described_tasks

        for name, description in described_tasks():
            typer.echo(f"{name:<12} {description}")


@tasks_app.command("new")
def new_task(name: Annotated[str, typer.Argument(help="Name of the task and of both files.")]) -> None:
    """Write a commented NAME.yaml and a two-row NAME.jsonl as a starting point."""
    from kveval.cli.new_task import start_task

    task, data = start_task(name, Path())
    typer.echo(f"Wrote {task} and {data}. Put your rows into {data}, then run: kveval check {task}")


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Data files, task files or names of built-in tasks.")
    ],
) -> None:
    """Check data files and task files and report all their faults, without starting an engine."""
    from kveval.cli.check import check_file

    faulty = False
    for file in files:
        try:
            for line in check_file(file):
                typer.echo(line)
        except KVEvalError as error:
            faulty = True
            typer.echo(str(error), err=True)
    if faulty:
        raise typer.Exit(KVEvalError.exit_code)
