"""Options shared by several commands, and exit codes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

FAILED_GATE, INCOMPLETE, INTERRUPTED = 1, 3, 130

SAMPLES, SAMPLES_TO_SEE = 200, 8
"""Questions per task and length: enough for verdicts, and few enough for a CPU demo in minutes."""

Margin = Annotated[float, typer.Option(metavar="POINTS", help="Acceptable loss, in percentage points.")]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="VERDICTS",
        help="Exit with 1 if any cell has one of these: degraded, inconclusive, weak-baseline, invalid.",
    ),
]

Tasks = Annotated[str, typer.Option(help="Built-in tasks, task files or data files, comma-separated.")]
Lengths = Annotated[str, typer.Option(help="Context lengths: tokens of prompt and answer together, comma-separated.")]
KVDtypes = Annotated[
    str | None,
    typer.Option(help="KV-cache dtypes by their vLLM names; auto is the baseline.", show_default="auto,fp8"),
]
Control = Annotated[
    bool, typer.Option("--control/--no-control", help="Run the baseline a second time to measure the engine's noise.")
]
Samples = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Questions per task and length.",
        show_default="200; 8 without --model and without a GPU",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed for documents, questions and their order.")]
EngineArgs = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="vLLM argument for every arm; repeatable."),
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARM=URL",
        help="A running server to use for one arm (auto, fp8, …); repeatable, once per arm.",
    ),
]
SCENARIOS = "short,long,very-long,shared"
LOADS = "single,concurrency=8,rate=1,rate=2,rate=4,rate=8,rate=16"
Scenarios = Annotated[
    str,
    typer.Option(
        help="Names (short, long, very-long, shared) or input:output tokens, such as 8k:256, or 8k+512:256 with 8k shared. "
        "The suffix -mixed varies the lengths."
    ),
]
Loads = Annotated[str, typer.Option(help="single, concurrency=N (in flight) or rate=N (per second), comma-separated.")]
Prompts = Annotated[str, typer.Option(help="random: random token ids; accuracy: the prompts of the accuracy run.")]


@contextmanager
def interruptible(out: Path) -> Iterator[None]:
    """On Ctrl-C, print how to resume and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. To resume, run the same command with --out {out}.")
        raise typer.Exit(INTERRUPTED) from None
