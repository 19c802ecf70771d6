"""`kveval plan`."""

from typing import Annotated

import typer

from kveval.cli.options import Control, EngineArgs, KVDtypes, Lengths, Margin, Samples, Seed, Tasks
from kveval.cli.run_command import run_config


def plan(
    tasks: Tasks = "evidence,copy",
    lengths: Lengths = "8k,16k,32k",
    model: Annotated[
        str | None,
        typer.Option(
            help="Checkpoint folder, a model name that vLLM resolves, or a config.json.", show_default="probe"
        ),
    ] = None,
    kv_dtypes: KVDtypes = None,
    control: Control = True,
    samples: Samples = None,
    seed: Seed = 0,
    engine_arg: EngineArgs = None,
    kv_memory: Annotated[float | None, typer.Option(metavar="GIB", help="KV pool size of one GPU.")] = None,
    gpu_memory: Annotated[
        float | None,
        typer.Option(metavar="GIB", help="Memory of one GPU; the KV pool gets what the weights leave free."),
    ] = None,
    gpu_memory_utilization: Annotated[
        float | None,
        typer.Option(help="Share of --gpu-memory that vLLM may use.", show_default="0.92, as in vLLM 0.32"),
    ] = None,
    max_num_seqs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of concurrent sequences.",
            show_default="256; 1024 from 70 GiB on, as in vLLM 0.32",
        ),
    ] = None,
    prefill_speed: Annotated[
        float | None, typer.Option(metavar="TOKENS/S", help="Prompt tokens per second, over all requests.")
    ] = None,
    decode_speed: Annotated[
        float | None, typer.Option(metavar="TOKENS/S", help="Answer tokens per second, over all requests.")
    ] = None,
    margin: Margin = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the plan, as one JSON object.")] = False,
) -> None:
    """Estimate the memory and time that a run needs and the losses that it can detect, without starting an engine."""
    import json

    from kveval.config import parse_margin
    from kveval.models.checkpoint import load_model
    from kveval.planning.kv_pool import Machine
    from kveval.planning.plan import Speed, make_plan
    from kveval.report.console import plain_console
    from kveval.report.plan_report import print_plan
    from kveval.tasks import load_tasks

    config = run_config(model, tasks, lengths, kv_dtypes, control, samples, seed, engine_arg)
    planned = make_plan(
        config,
        load_tasks(config.tasks),
        load_model(config, allow_file=True),
        Machine(kv_memory, gpu_memory, gpu_memory_utilization, max_num_seqs),
        Speed(prefill_speed, decode_speed),
        margin=parse_margin(margin),
    )
    if as_json:
        typer.echo(json.dumps(planned.as_record()))
    else:
        print_plan(plain_console(), planned)
