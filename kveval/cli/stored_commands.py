"""`kveval score` and `kveval show`: commands on a stored run, which do not need an engine."""

from pathlib import Path
from typing import Annotated

import typer

from kveval.cli.bench_command import print_bench
from kveval.cli.options import FailOn, Margin
from kveval.cli.run_command import print_run
from kveval.errors import UsageError


def score(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    margin: Margin = 2.0,
    fail_on: FailOn = "",
) -> None:
    """Score a stored run again, without an engine, and print its report."""
    from kveval.config import parse_fail_on, parse_margin
    from kveval.store.bench_directory import BenchDirectory
    from kveval.store.run_directory import RunDirectory

    accepted, gates = parse_margin(margin), parse_fail_on(fail_on)
    if BenchDirectory(directory).manifest.exists() and not RunDirectory(directory).manifest.exists():
        if fail_on:
            raise UsageError(
                f"--fail-on applies to accuracy, but {directory} contains only a throughput pass: leave it out."
            )
        print_bench(directory)
    else:
        print_run(directory, accepted, gates)


def show(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    sample_id: Annotated[str, typer.Argument(metavar="ID", help="Sample id, as shown in reports.")],
    document: Annotated[bool, typer.Option("--document", help="Also print the document.")] = False,
    curl: Annotated[
        bool, typer.Option("--curl", help="Print only a shell script that sends the request again.")
    ] = False,
    arm: Annotated[str, typer.Option(help="Arm whose request --curl prints.")] = "auto",
) -> None:
    """Show one sample of a run: its question, the answer of every arm, and how each answer was scored."""
    from kveval.report.sample_view import document_of, find_sample, sample_lines
    from kveval.store.run_directory import RunDirectory

    run_directory = RunDirectory(directory)
    sample = find_sample(run_directory, sample_id)
    if curl:
        from kveval.runner.replay import replay_script

        typer.echo(replay_script(run_directory, sample, arm))
        return
    for line in sample_lines(run_directory, sample):
        typer.echo(line)
    if document:
        typer.echo(f"\n{document_of(run_directory, sample)}")
