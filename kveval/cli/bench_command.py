"""The command `kveval bench`, and the throughput pass of `kveval run --throughput`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kveval.cli.options import (
    INCOMPLETE,
    LOADS,
    SCENARIOS,
    Endpoints,
    EngineArgs,
    KVDtypes,
    Loads,
    ModelName,
    Scenarios,
    Seed,
    interruptible,
)

if TYPE_CHECKING:
    from kveval.config import RunConfig
    from kveval.throughput.bench_config import BenchConfig


def bench(
    scenarios: Scenarios = SCENARIOS,
    loads: Loads = LOADS,
    model: ModelName = None,
    kv_dtypes: KVDtypes = None,
    held_pool: Annotated[
        bool,
        typer.Option(
            "--held-pool/--no-held-pool", help="Also run each quantized cache with as many KV tokens as auto."
        ),
    ] = True,
    rounds: Annotated[
        int, typer.Option(min=1, help="Rounds of each scenario and load, in each of an arm's two periods.")
    ] = 3,
    requests: Annotated[
        int, typer.Option(min=2, help="Requests per round; a single-stream round has a quarter of them.")
    ] = 32,
    seconds: Annotated[float, typer.Option(help="Minimum duration of each open-loop round, in seconds.")] = 20.0,
    arrivals: Annotated[
        str, typer.Option(help="Arrival process of open-loop rounds: poisson or constant.")
    ] = "poisson",
    seed: Seed = 0,
    engine_arg: EngineArgs = None,
    endpoint: Endpoints = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(
            metavar="TB/S",
            help="Memory bandwidth of one GPU, for the decode limit.",
            show_default="from the GPU's name",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run directory, which may be that of an accuracy run; resumes a stopped pass in this directory.",
            show_default="a new reports/MODEL-N",
        ),
    ] = None,
) -> None:
    """Measure latency, throughput and KV pool size with each KV-cache dtype on identical requests, and report differences."""
    from kveval.config import check_positive, default_out, parse_engine_args
    from kveval.engine.endpoint import kv_dtypes_of, parse_endpoints
    from kveval.hardware.gpus import TERA
    from kveval.models import probe
    from kveval.report.console import ConsoleProgress, plain_console
    from kveval.throughput.bench import bench as run_bench
    from kveval.throughput.bench_config import ENGINE_ARGS, BenchConfig, parse_arrivals
    from kveval.throughput.scenarios import parse_loads, parse_scenarios

    check_positive(bandwidth=bandwidth, seconds=seconds)
    endpoints = parse_endpoints(endpoint or [])
    config = BenchConfig(
        model=probe.NAME if model is None else model,
        kv_dtypes=kv_dtypes_of(kv_dtypes, endpoints),
        seed=seed,
        engine_args=parse_engine_args(engine_arg or [], allowed=ENGINE_ARGS),
        endpoints=endpoints,
        scenarios=tuple(scenario.name for scenario in parse_scenarios(scenarios)),
        loads=tuple(load.name for load in parse_loads(loads)),
        rounds=rounds,
        requests=requests,
        seconds=seconds,
        arrivals=parse_arrivals(arrivals),
        held=held_pool,
    )
    path = out or default_out(config.model)
    with interruptible(path), ConsoleProgress(plain_console()) as progress:
        run_bench(config, path, progress)
    print_bench(path, bandwidth and bandwidth * TERA)


def print_bench(path: Path, bandwidth: float | None = None) -> None:
    """Publish a stored pass and print its report; exit with 3 if it is incomplete.

    `bandwidth` is the memory bandwidth of one GPU in bytes per second; without it, the GPU's name determines it.
    """
    from kveval.report.bench_report import print_throughput
    from kveval.report.console import plain_console
    from kveval.report.publish import publish_bench

    published = publish_bench(path, bandwidth=bandwidth)
    print_throughput(plain_console(), published.results, str(published.html))
    if published.incomplete:
        raise typer.Exit(INCOMPLETE)


def bench_config(config: "RunConfig", scenarios: str, loads: str, prompts: str) -> "BenchConfig":
    """Build the throughput pass of an accuracy run, with the same model and engines."""
    from kveval.throughput.bench_config import BenchConfig, parse_prompts
    from kveval.throughput.scenarios import parse_loads, parse_scenarios

    return BenchConfig(
        model=config.model,
        kv_dtypes=config.kv_dtypes,
        seed=config.seed,
        engine_args=config.engine_args,
        endpoints=config.endpoints,
        scenarios=tuple(scenario.name for scenario in parse_scenarios(scenarios)),
        loads=tuple(load.name for load in parse_loads(loads)),
        held=config.engine_arg("num-gpu-blocks-override") is None,
        prompts=parse_prompts(prompts),
    )
