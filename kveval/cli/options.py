"""The options that several commands have, and how commands end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

FAILED_GATE, INCOMPLETE, INTERRUPTED = 1, 3, 130

SAMPLES, SAMPLES_TO_SEE = 200, 8
"""Questions of each task and length: to judge by, and to see on a CPU in minutes how a run works."""

Margin = Annotated[float, typer.Option(metavar="POINTS", help="Loss that is still accepted, in points.")]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="VERDICTS", help="Exit with 1 where one comes up: degraded, inconclusive, weak-baseline, invalid."
    ),
]

Tasks = Annotated[str, typer.Option(help="Built-in tasks or task files, separated by commas.")]
Lengths = Annotated[str, typer.Option(help="Tokens of prompt and answer together, separated by commas.")]
KVDtypes = Annotated[
    str | None,
    typer.Option(help="KV-cache dtypes as vLLM names them; auto is the baseline.", show_default="auto,fp8"),
]
Control = Annotated[
    bool, typer.Option("--control/--no-control", help="Run the baseline a second time, to measure the engine's noise.")
]
Samples = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Questions of each task at each length.",
        show_default="200; where no model is named and no GPU is, 8",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of documents, questions and orders.")]
EngineArgs = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Argument for vLLM, for every arm alike; may be repeated."),
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARM=URL",
        help="A server that runs already, for one arm (auto, fp8, …); may be repeated, one for each arm.",
    ),
]
SCENARIOS = "short,long,very-long,shared"
LOADS = "single,concurrency=8,rate=1,rate=2,rate=4,rate=8,rate=16"
Scenarios = Annotated[
    str,
    typer.Option(
        help="By name (short, long, very-long, shared), or as tokens in and out: 8k:256, or 8k+512:256 where 8k are shared. "
        "With -mixed lengths vary."
    ),
]
Loads = Annotated[
    str, typer.Option(help="single, concurrency=N (in flight) or rate=N (a second), separated by commas.")
]
Prompts = Annotated[str, typer.Option(help="random token ids, or accuracy: the documents of the accuracy run.")]


@contextmanager
def interruptible(out: Path) -> Iterator[None]:
    """Leave on Ctrl-C with what to do to go on."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. The same command with --out {out} goes on where this one stopped.")
        raise typer.Exit(INTERRUPTED) from None
