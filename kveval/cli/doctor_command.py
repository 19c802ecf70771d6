"""`kveval doctor`."""

from pathlib import Path
from typing import Annotated

import typer

from kveval.cli.options import FAILED_GATE, INCOMPLETE, EngineArgs, interruptible
from kveval.errors import UsageError


def doctor(
    probe: Annotated[
        bool, typer.Option("--probe", help="Run the probe model through this vLLM, unmodified and with planted damage.")
    ] = False,
    kv_dtypes: Annotated[
        str | None, typer.Option(help="KV-cache dtypes, as for kveval run.", show_default="auto,fp8")
    ] = None,
    lengths: Annotated[
        str | None,
        typer.Option(help="Lengths in tokens, as for kveval run.", show_default="2k,8k; with a GPU 2k,8k,32k,64k"),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Questions per task and length.", show_default="32")
    ] = None,
    doses: Annotated[
        str | None,
        typer.Option(
            help="Powers of two by which planted damage scales; the largest must be detected.", show_default="8,9,10"
        ),
    ] = None,
    damage: Annotated[
        bool, typer.Option("--damage/--no-damage", help="Also plant damage, to check that it is detected.")
    ] = True,
    engine_arg: EngineArgs = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for runs and findings; resumes a stopped examination in this folder.",
            show_default="reports/doctor-N",
        ),
    ] = None,
) -> None:
    """Report what this machine and its vLLM support; with --probe, test whether its quantized caches damage their contents."""
    from kveval.config import default_out, parse_doses, parse_engine_args, parse_lengths, split_names
    from kveval.doctor.machine import diagnosis
    from kveval.engine.inspection import Inspection
    from kveval.hardware.host import host_facts, serves_on_gpu

    if not probe:
        if (kv_dtypes, lengths, samples, doses, engine_arg, out, damage) != (*[None] * 6, True):
            raise UsageError("These options of kveval doctor apply only with --probe: add --probe.")
        for line in diagnosis(host_facts(), Inspection([]).result()):
            typer.echo(line)
        return
    from kveval.doctor.examination import DOSES, ON_CPU, ON_GPU, SAMPLES, Examination, examine
    from kveval.report.console import ConsoleProgress, plain_console
    from kveval.report.doctor_report import print_findings
    from kveval.report.publish import publish_findings

    defaults = ON_GPU if serves_on_gpu() else ON_CPU
    planted = DOSES if doses is None else parse_doses(doses)
    examination = Examination(
        out=out or default_out("doctor"),
        kv_dtypes=split_names("auto,fp8" if kv_dtypes is None else kv_dtypes, "--kv-dtypes"),
        lengths=defaults.lengths if lengths is None else parse_lengths(lengths),
        samples=SAMPLES if samples is None else samples,
        concurrency=defaults.concurrency,
        doses=planted if damage else (),
        engine_args=parse_engine_args(engine_arg or []),
    )
    console = plain_console()
    with interruptible(examination.out), ConsoleProgress(console) as progress:
        examine(examination, progress, lambda line: console.print(line, style="bold"))
    published = publish_findings(examination)
    print_findings(console, published.findings, str(published.markdown))
    if published.findings.incomplete:
        raise typer.Exit(INCOMPLETE)
    if not published.findings.sound:
        raise typer.Exit(FAILED_GATE)
