"""`kveval compare`."""

from pathlib import Path
from typing import Annotated

import typer

from kveval.cli.options import FailOn, Margin
from kveval.cli.run_command import exit_with_gates


def compare(
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="Results with the full-precision cache.")],
    arm: Annotated[str, typer.Argument(metavar="ARM", help="Results with the quantized cache.")],
    control: Annotated[
        str | None, typer.Option(help="Results of a second run of the baseline, to measure noise.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="lm-eval metric, such as exact_match or exact_match,strict-match; may be repeated."),
    ] = None,
    margin: Margin = 2.0,
    fail_on: FailOn = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print only the report, as JSON.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for report.json, report.md and report.html.")] = None,
) -> None:
    """Compare existing results: two lm-eval output folders (--log_samples), or two runs given as RUN or RUN:ARM."""
    import json

    from kveval.comparing import compare as compare_results
    from kveval.config import parse_fail_on, parse_margin
    from kveval.report.console import plain_console, print_comparison
    from kveval.report.publish import publish_comparison

    accepted, gates = parse_margin(margin), parse_fail_on(fail_on)
    report = compare_results(baseline, arm, control, metrics=metric or [], margin=accepted)
    written = publish_comparison(report, out) if out else None
    if as_json:
        typer.echo(json.dumps(report.as_json(), ensure_ascii=False, indent=1))
    else:
        print_comparison(plain_console(), report, str(written) if written else None)
    exit_with_gates(report.cells, gates, incomplete=report.incomplete)
