"""`kveval run`, and what it shares with `plan`, `score` and `compare`: building a configuration, reporting, exit codes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kveval.cli.bench_command import bench_config
from kveval.cli.options import (
    DEMO_SAMPLES,
    FAILED_GATE,
    INCOMPLETE,
    LOADS,
    SAMPLES,
    SCENARIOS,
    Control,
    Endpoints,
    EngineArgs,
    FailOn,
    KVDtypes,
    Lengths,
    Loads,
    Margin,
    ModelName,
    Prompts,
    Samples,
    Scenarios,
    Seed,
    Tasks,
    interruptible,
)
from kveval.errors import UsageError

if TYPE_CHECKING:
    from kveval.config import RunConfig
    from kveval.store.report_schema import Cell


def run(
    tasks: Tasks = "evidence,copy",
    lengths: Lengths = "8k,16k,32k",
    model: ModelName = None,
    kv_dtypes: KVDtypes = None,
    control: Control = True,
    samples: Samples = None,
    seed: Seed = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Maximum number of requests in flight.")] = 8,
    engine_arg: EngineArgs = None,
    endpoint: Endpoints = None,
    throughput: Annotated[
        bool, typer.Option("--throughput", help="After the accuracy run, measure speed as kveval bench does.")
    ] = False,
    scenarios: Scenarios = SCENARIOS,
    loads: Loads = LOADS,
    prompts: Prompts = "random",
    margin: Margin = 2.0,
    fail_on: FailOn = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run directory; resumes a stopped run in this directory.", show_default="a new reports/MODEL-N"
        ),
    ] = None,
) -> None:
    """Run tasks through vLLM with each KV-cache dtype, and report by task and length what the quantized caches lose."""
    from kveval.config import default_out, parse_fail_on, parse_margin
    from kveval.report.console import ConsoleProgress, plain_console
    from kveval.runner.run import run as run_arms

    config = run_config(model, tasks, lengths, kv_dtypes, control, samples, seed, engine_arg, concurrency, endpoint)
    if not throughput and (scenarios, loads, prompts) != (SCENARIOS, LOADS, "random"):
        raise UsageError("--scenarios, --loads and --prompts apply only to the throughput pass: add --throughput.")
    load_pass = bench_config(config, scenarios, loads, prompts) if throughput else None
    accepted, gates = parse_margin(margin), parse_fail_on(fail_on)
    path = out or default_out(config.model)
    console = plain_console()
    if model is None:
        console.print(
            f"No --model given: running the bundled probe ({config.samples} questions per cell). It checks the engine only; "
            "pass --model to evaluate yours."
        )
    with interruptible(path), ConsoleProgress(console) as progress:
        run_arms(config, path, progress, throughput=load_pass)
    print_run(path, accepted, gates)


def run_config(
    model: str | None,
    tasks: str,
    lengths: str,
    kv_dtypes: str | None,
    control: bool,
    samples: int | None,
    seed: int,
    engine_arg: list[str] | None,
    concurrency: int = 8,
    endpoint: list[str] | None = None,
) -> "RunConfig":
    """Build the configuration of a run from the options of `run` and `plan`."""
    from kveval.config import RunConfig, parse_engine_args, parse_lengths, split_names
    from kveval.engine.endpoint import kv_dtypes_of, parse_endpoints
    from kveval.hardware.host import serves_on_gpu
    from kveval.models import probe

    if samples is None:
        samples = SAMPLES if model is not None or serves_on_gpu() else DEMO_SAMPLES
    endpoints = parse_endpoints(endpoint or [])
    return RunConfig(
        model=probe.NAME if model is None else model,
        tasks=split_names(tasks, "--tasks"),
        lengths=parse_lengths(lengths),
        kv_dtypes=kv_dtypes_of(kv_dtypes, endpoints),
        endpoints=endpoints,
        control=control,
        samples=samples,
        seed=seed,
        concurrency=concurrency,
        engine_args=parse_engine_args(engine_arg or []),
    )


def print_run(path: Path, margin: float, fail_on: frozenset[str]) -> None:
    """Publish a stored run and print its report; exit with 3 if the run is incomplete, with 1 if a gate fails."""
    from kveval.report.bench_report import print_throughput
    from kveval.report.console import plain_console, print_report
    from kveval.report.publish import publish_run

    published = publish_run(path, margin=margin)
    console = plain_console()
    print_report(console, published.report, str(published.html))
    if published.throughput:
        print_throughput(console, published.throughput, str(published.html))
    exit_with_gates(published.report.cells, fail_on, incomplete=published.incomplete)


def exit_with_gates(cells: "Sequence[Cell]", fail_on: frozenset[str], *, incomplete: bool) -> None:
    """Print the cells whose verdict is in `fail_on`; exit with 3 if the run is incomplete, with 1 if there are such cells."""
    from kveval.wording.format import place

    failed = [cell for cell in cells if cell.verdict in fail_on]
    for cell in failed:
        typer.echo(f"--fail-on: {cell.arm} is {cell.verdict} on {place(cell)}", err=True)
    if incomplete:
        raise typer.Exit(INCOMPLETE)
    if failed:
        raise typer.Exit(FAILED_GATE)
