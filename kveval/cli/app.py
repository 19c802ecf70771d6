"""The `kveval` command: registers the subcommands, and turns errors into one sentence and an exit code.

Exit codes: 0 success; 1 a verdict listed in --fail-on occurred; 2 usage, task-file or environment error; 3 incomplete run;
130 interrupted. Commands import their dependencies when they run, so that `kveval --help` starts at once.
"""

import io
import sys
from typing import Annotated

import typer

from kveval import __version__
from kveval.cli.bench_command import bench
from kveval.cli.compare_command import compare
from kveval.cli.doctor_command import doctor
from kveval.cli.plan_command import plan
from kveval.cli.run_command import run
from kveval.cli.stored_commands import score, show
from kveval.cli.task_commands import check, tasks_app
from kveval.errors import KVEvalError

app = typer.Typer(
    name="kveval",
    help="Can I turn on a quantized KV cache for my model, my tasks and my context lengths?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point of the `kveval` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal whose encoding lacks − still shows the report
    try:
        app()
    except KVEvalError as error:
        typer.echo(f"kveval: {error}", err=True)
        raise SystemExit(error.exit_code) from None
    except OSError as error:
        if error.filename is None:
            raise
        typer.echo(f"kveval: {error.filename}: {error.strerror}.", err=True)
        raise SystemExit(KVEvalError.exit_code) from None


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"kveval {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


for command in (run, plan, score, show, bench, check, doctor, compare):
    app.command()(command)
app.add_typer(tasks_app, name="tasks")

if __name__ == "__main__":
    main()
