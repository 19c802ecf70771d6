"""Options shared by several commands, exit codes, and the message after Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

FAILED_GATE, INCOMPLETE, INTERRUPTED = 1, 3, 130

SAMPLES, DEMO_SAMPLES = 200, 8
"""Questions per task and length: for verdicts, and for a demonstration that takes minutes on a CPU."""

Margin = Annotated[float, typer.Option(metavar="POINTS", help="Largest accepted loss, in points out of 100.")]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="VERDICTS", help="Exit with 1 if one of these occurs: degraded, inconclusive, weak-baseline, invalid."
    ),
]

Tasks = Annotated[str, typer.Option(help="Built-in tasks or task files, separated by commas.")]
Lengths = Annotated[str, typer.Option(help="Lengths in tokens, prompt plus answer, separated by commas.")]
ModelName = Annotated[
    str | None,
    typer.Option(help="Checkpoint folder, or a model name that vLLM resolves.", show_default="probe"),
]
KVDtypes = Annotated[
    str | None,
    typer.Option(
        help="KV-cache dtypes by their vLLM names, separated by commas; auto is the baseline.", show_default="auto,fp8"
    ),
]
Control = Annotated[
    bool, typer.Option("--control/--no-control", help="Run the baseline a second time to measure the engine's noise.")
]
Samples = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Questions per task and length.",
        show_default="200; 8 without --model on a machine without a GPU",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed for documents, questions and request order.")]
EngineArgs = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="vLLM argument for every arm; may be repeated."),
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARM=URL",
        help="Server that is already running, for one arm (auto, fp8, …); repeat it for each arm.",
    ),
]
SCENARIOS = "short,long,very-long,shared"
LOADS = "single,concurrency=8,rate=1,rate=2,rate=4,rate=8,rate=16"
Scenarios = Annotated[
    str,
    typer.Option(
        help="Scenarios by name (short, long, very-long, shared), or as input:output tokens: 8k:256, or 8k+512:256 with a "
        "shared prefix of 8k. The suffix -mixed varies the lengths."
    ),
]
Loads = Annotated[
    str, typer.Option(help="single, concurrency=N (in flight) or rate=N (per second), separated by commas.")
]
Prompts = Annotated[str, typer.Option(help="Prompts: random (token ids) or accuracy (documents of the accuracy run).")]


@contextmanager
def interruptible(out: Path) -> Iterator[None]:
    """On Ctrl-C, print how to resume and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. To resume, run the same command with --out {out}.")
        raise typer.Exit(INTERRUPTED) from None
