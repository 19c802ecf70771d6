"""The command line: parses, calls one function, prints, returns an exit code.

Exit codes: 0 done; 1 a verdict that --fail-on names came up; 2 usage, task file or environment; 3 the run is incomplete; 130
interrupted. Commands import what they need when they run, so that `kveval --help` answers at once.
"""

import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kveval import __version__
from kveval.cli.bench_command import bench, bench_config, report_bench
from kveval.cli.options import (
    FAILED_GATE,
    INCOMPLETE,
    LOADS,
    SAMPLES,
    SAMPLES_TO_SEE,
    SCENARIOS,
    Control,
    Endpoints,
    EngineArgs,
    FailOn,
    KVDtypes,
    Lengths,
    Loads,
    Margin,
    Prompts,
    Samples,
    Scenarios,
    Seed,
    Tasks,
    interruptible,
)
from kveval.errors import KVEvalError, UsageError

if TYPE_CHECKING:
    from kveval.config import RunConfig

app = typer.Typer(
    name="kveval",
    help="May I turn on a quantized KV cache for my model, my tasks, my context lengths?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point of the `kveval` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no − still gets its report
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


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kveval {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def run(
    tasks: Tasks = "evidence,copy",
    lengths: Lengths = "8k,16k,32k",
    model: Annotated[
        str | None,
        typer.Option(help="Folder of a checkpoint, or a name that vLLM resolves.", show_default="probe"),
    ] = None,
    kv_dtypes: KVDtypes = None,
    control: Control = True,
    samples: Samples = None,
    seed: Seed = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests in flight at a time.")] = 8,
    engine_arg: EngineArgs = None,
    endpoint: Endpoints = None,
    throughput: Annotated[
        bool, typer.Option("--throughput", help="Measure speed as well, after the accuracy, as kveval bench does.")
    ] = False,
    scenarios: Scenarios = SCENARIOS,
    loads: Loads = LOADS,
    prompts: Prompts = "random",
    margin: Margin = 2.0,
    fail_on: FailOn = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run directory; a run that was stopped goes on there.", show_default="reports/MODEL-N, a new one"
        ),
    ] = None,
) -> None:
    """Run tasks through vLLM with each KV-cache dtype, and report by task and length what the quantized ones lose."""
    from kveval.config import default_out, parse_fail_on, parse_margin
    from kveval.report.console import ConsoleProgress, plain_console
    from kveval.runner.run import run as run_arms

    config = _config(model, tasks, lengths, kv_dtypes, control, samples, seed, engine_arg, concurrency, endpoint)
    if not throughput and (scenarios, loads, prompts) != (SCENARIOS, LOADS, "random"):
        raise UsageError("--scenarios, --loads and --prompts are for the throughput: add --throughput.")
    load_pass = bench_config(config, scenarios, loads, prompts) if throughput else None
    accepted, gates = parse_margin(margin), parse_fail_on(fail_on)
    path = out or default_out(config.model)
    console = plain_console()
    if model is None:
        console.print(
            f"No --model is named: the probe runs, {config.samples} questions a cell. It tests this engine's caches; what your "
            "model loses, --model tells."
        )
    with interruptible(path), ConsoleProgress(console) as progress:
        run_arms(config, path, progress, throughput=load_pass)
    _report(path, accepted, gates)


@app.command()
def plan(
    tasks: Tasks = "evidence,copy",
    lengths: Lengths = "8k,16k,32k",
    model: Annotated[
        str | None,
        typer.Option(help="Folder of a checkpoint, a name that vLLM resolves, or a config.json.", show_default="probe"),
    ] = None,
    kv_dtypes: KVDtypes = None,
    control: Control = True,
    samples: Samples = None,
    seed: Seed = 0,
    engine_arg: EngineArgs = None,
    kv_memory: Annotated[float | None, typer.Option(metavar="GIB", help="Size of the KV pool of one GPU.")] = None,
    gpu_memory: Annotated[
        float | None, typer.Option(metavar="GIB", help="Memory of one GPU; the pool is what the weights leave.")
    ] = None,
    gpu_memory_utilization: Annotated[
        float | None,
        typer.Option(help="Share of --gpu-memory that vLLM may use.", show_default="0.92, as vLLM 0.32"),
    ] = None,
    max_num_seqs: Annotated[
        int | None,
        typer.Option(min=1, help="Sequences served at a time.", show_default="256, from 70 GiB on 1024, as vLLM 0.32"),
    ] = None,
    prefill_speed: Annotated[
        float | None, typer.Option(metavar="TOKENS/S", help="Prompt tokens a second over all requests.")
    ] = None,
    decode_speed: Annotated[
        float | None, typer.Option(metavar="TOKENS/S", help="Answer tokens a second over all requests.")
    ] = None,
    margin: Margin = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as one JSON object.")] = False,
) -> None:
    """Say what a run would take in memory and time, and what it could show, before any of it runs."""
    import json

    from kveval.config import parse_margin
    from kveval.models.checkpoint import load_model
    from kveval.planning.kv_pool import Machine
    from kveval.planning.plan import Speed, make_plan
    from kveval.report.console import plain_console
    from kveval.report.plan_report import print_plan
    from kveval.tasks import load_tasks

    config = _config(model, tasks, lengths, kv_dtypes, control, samples, seed, engine_arg)
    made = make_plan(
        config,
        load_tasks(config.tasks),
        load_model(config, allow_file=True),
        Machine(kv_memory, gpu_memory, gpu_memory_utilization, max_num_seqs),
        Speed(prefill_speed, decode_speed),
        margin=parse_margin(margin),
    )
    if as_json:
        typer.echo(json.dumps(made.as_record()))
    else:
        print_plan(plain_console(), made)


@app.command()
def score(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    margin: Margin = 2.0,
    fail_on: FailOn = "",
) -> None:
    """Score a stored run again, without an engine, and show its report."""
    from kveval.config import parse_fail_on, parse_margin
    from kveval.store.bench_directory import BenchDirectory
    from kveval.store.run_directory import RunDirectory

    asked = parse_margin(margin), parse_fail_on(fail_on)
    if BenchDirectory(directory).manifest.exists() and not RunDirectory(directory).manifest.exists():
        if fail_on:
            raise UsageError(f"--fail-on is on accuracy, and {directory} holds a throughput pass alone: leave it out.")
        report_bench(directory)
    else:
        _report(directory, *asked)


@app.command()
def show(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    sample_id: Annotated[str, typer.Argument(metavar="ID", help="A sample's id, as reports name it.")],
    document: Annotated[bool, typer.Option("--document", help="Print the document too.")] = False,
    curl: Annotated[
        bool, typer.Option("--curl", help="Print a script that sends the request again, and nothing else.")
    ] = False,
    arm: Annotated[str, typer.Option(help="Whose request --curl prints.")] = "auto",
) -> None:
    """Show one sample of a run: its question, what every arm answered, and how that was scored."""
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


app.command()(bench)

tasks_app = typer.Typer(
    invoke_without_command=True, help="List the built-in tasks; `tasks new NAME` starts one of your own."
)
app.add_typer(tasks_app, name="tasks")


@tasks_app.callback()
def list_tasks(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from kveval.tasks import described_tasks

        for name, description in described_tasks():
            typer.echo(f"{name:<12} {description}")


@tasks_app.command("new")
def new_task(name: Annotated[str, typer.Argument(help="Name of the task and of both files.")]) -> None:
    """Write NAME.yaml, commented, and NAME.jsonl with two rows, to go on from."""
    from kveval.cli.new_task import start_task

    task, data = start_task(name, Path())
    typer.echo(f"{task} and {data} are written. Put your rows into the latter, then: kveval check {task}")


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Data files, task files or built-in tasks.")],
) -> None:
    """Check data files and task files, and say every fault at once. Starts no engine."""
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


@app.command()
def doctor(
    probe: Annotated[
        bool, typer.Option("--probe", help="Run the probe through this vLLM, healthy and with planted damage.")
    ] = False,
    kv_dtypes: Annotated[str | None, typer.Option(help="As for a run.", show_default="auto,fp8")] = None,
    lengths: Annotated[
        str | None, typer.Option(help="As for a run.", show_default="2k,8k; where there is a GPU 2k,8k,32k,64k")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Questions of each task at each length.", show_default="32")
    ] = None,
    doses: Annotated[
        str | None,
        typer.Option(
            help="Powers of two by which planted damage scales; the largest must be found.", show_default="8,9,10"
        ),
    ] = None,
    damage: Annotated[
        bool, typer.Option("--damage/--no-damage", help="Plant damage too, to see that it is found.")
    ] = True,
    engine_arg: EngineArgs = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where runs and findings go; what was stopped goes on there.", show_default="reports/doctor-N"
        ),
    ] = None,
) -> None:
    """Say what this machine and this vLLM can do; with --probe, whether its quantized caches damage what they hold."""
    from kveval.config import default_out, parse_doses, parse_engine_args, parse_lengths, split_names
    from kveval.doctor.machine import diagnosis
    from kveval.engine.inspection import Inspection
    from kveval.hardware.host import host_facts, serves_on_gpu

    if not probe:
        if (kv_dtypes, lengths, samples, doses, engine_arg, out, damage) != (*[None] * 6, True):
            raise UsageError("kveval doctor has options for --probe alone: add --probe.")
        for line in diagnosis(host_facts(), Inspection([]).result()):
            typer.echo(line)
        return
    from kveval.doctor import examination
    from kveval.doctor.findings import find
    from kveval.report.console import ConsoleProgress, plain_console
    from kveval.report.doctor_report import findings_markdown, print_findings
    from kveval.store.run_directory import write_json, write_text

    defaults = examination.ON_GPU if serves_on_gpu() else examination.ON_CPU
    planted = examination.DOSES if doses is None else parse_doses(doses)
    asked = examination.Examination(
        out=out or default_out("doctor"),
        kv_dtypes=split_names("auto,fp8" if kv_dtypes is None else kv_dtypes, "--kv-dtypes"),
        lengths=defaults.lengths if lengths is None else parse_lengths(lengths),
        samples=examination.SAMPLES if samples is None else samples,
        concurrency=defaults.concurrency,
        doses=planted if damage else (),
        engine_args=parse_engine_args(engine_arg or []),
    )
    console = plain_console()
    with interruptible(asked.out), ConsoleProgress(console) as progress:
        examination.examine(asked, progress, lambda line: console.print(line, style="bold"))
    findings = find(asked)
    write_json(asked.out / "doctor.json", findings)
    write_text(asked.out / "doctor.md", findings_markdown(findings))
    print_findings(console, findings, str(asked.out / "doctor.md"))
    if findings["incomplete"]:
        raise typer.Exit(INCOMPLETE)
    if not findings["sound"]:
        raise typer.Exit(FAILED_GATE)


def _config(
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
    """The run that the options of `run` and `plan` ask for."""
    from kveval.config import RunConfig, parse_engine_args, parse_lengths, split_names
    from kveval.engine.endpoint import kv_dtypes_of, parse_endpoints
    from kveval.hardware.host import serves_on_gpu
    from kveval.models import probe

    if samples is None:
        samples = SAMPLES if model is not None or serves_on_gpu() else SAMPLES_TO_SEE
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


def _report(path: Path, margin: float, fail_on: frozenset[str]) -> None:
    """Score a run directory, write and print its report, and leave with 3 where the run is incomplete, 1 where a gate fails."""
    from kveval.analysis.results import build_report
    from kveval.report.bench_report import print_throughput, throughput_lines
    from kveval.report.charts import accuracy_charts, speed_charts
    from kveval.report.console import plain_console, print_report
    from kveval.report.html import write_report
    from kveval.report.markdown import markdown
    from kveval.store.run_directory import RunDirectory
    from kveval.throughput.bench_results import stored_throughput

    directory = RunDirectory(path)
    report = build_report(directory, margin=margin)
    results = stored_throughput(path, report["cells"])
    charts = accuracy_charts(report) | (speed_charts(results) if results else {})
    written = write_report(directory, markdown(report, results and throughput_lines(results)), charts)
    print_report(plain_console(), report, written)
    if results:
        print_throughput(plain_console(), results, written)
    _leave(report | {"incomplete": report["incomplete"] or bool(results and results["incomplete"])}, fail_on)


def _leave(report: Mapping[str, Any], fail_on: frozenset[str]) -> None:
    """Say which gates of --fail-on a report fails, and leave with the exit code that belongs to it."""
    from kveval.wording.sentences import place

    failed = [cell for cell in report["cells"] if cell["verdict"] in fail_on]
    for cell in failed:
        typer.echo(f"--fail-on: {cell['arm']} is {cell['verdict']} on {place(cell)}", err=True)
    if report["incomplete"]:
        raise typer.Exit(INCOMPLETE)
    if failed:
        raise typer.Exit(FAILED_GATE)


@app.command()
def compare(
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="Results with the full-precision cache.")],
    arm: Annotated[str, typer.Argument(metavar="ARM", help="Results with the quantized cache.")],
    control: Annotated[str | None, typer.Option(help="Results of the baseline's second run: the noise.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Metric of lm-eval, as exact_match or exact_match,strict-match; may be repeated."),
    ] = None,
    margin: Margin = 2.0,
    fail_on: FailOn = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON, and nothing else.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for report.json, report.md and report.html.")] = None,
) -> None:
    """Compare results that are there already: two folders of lm-eval (--log_samples), or two runs as RUN or RUN:ARM."""
    import json

    from kveval.comparing import compare as compare_results
    from kveval.comparing import write_comparison
    from kveval.config import parse_fail_on, parse_margin
    from kveval.report.console import plain_console, print_comparison

    accepted, gates = parse_margin(margin), parse_fail_on(fail_on)
    report = compare_results(baseline, arm, control, metrics=metric or [], margin=accepted)
    written = write_comparison(report, out) if out else None
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print_comparison(plain_console(), report, written)
    _leave(report, gates)


if __name__ == "__main__":
    main()
