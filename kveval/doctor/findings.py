"""From the runs of an examination, and what the formats alone lose, to what they say of this engine.

An arm is `damaging` where the probe loses more with its cache than chance explains, and more than the format loses by itself;
`unclear` where it loses more than the control and the format do, but few; `healthy` otherwise. That the alarm works is shown
by planted damage: it must be found on the quantized arm, and not between auto and the control.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import quantiles
from typing import Any

from kveval import __version__
from kveval.analysis.results import build_report
from kveval.arms import BASELINE, CONTROL
from kveval.comparing import compare
from kveval.doctor.examination import LAYER, Examination, formats_held
from kveval.scoring.score_outputs import StoredRun, read_outputs_in, read_run, sample_key, score_sample
from kveval.stats import holm
from kveval.store.run_directory import SCHEMA, Record, RunDirectory

Outputs = Mapping[tuple[str, str], Record]
"""By sample id and prompt hash."""

HEALTHY, UNCLEAR, DAMAGING, UNKNOWN = "healthy", "unclear", "damaging", "not known"
WORKS, FITS, SILENT = "works", "fits", "silent"
"""An alarm: sounds for planted damage alone; has no reason to, since the damage fits into the format; neither."""

FALSE_ALARM = 0.05
"""Auto and control of a damaged probe that differ by something less likely, corrected for all cells, are a false alarm."""


def find(asked: Examination) -> Record:
    """All that an examination found, as `doctor.json` has it. Needs no engine."""
    report = build_report(asked.healthy)
    held = formats_held(asked.healthy)
    run = read_run(asked.healthy, report["arms"])
    own = read_outputs_in(asked.in_format(None))
    losses = {arm: _format_losses(run, own, read_outputs_in(asked.in_format(dtype))) for arm, dtype in held.items()}
    cells = [_cell(cell, losses.get(cell["arm"])) for cell in report["cells"]]
    arms = [name for name in report["arms"] if name not in (BASELINE, CONTROL)]
    damage = [_damage(asked, dose, arms, run, own, held) for dose in sorted(asked.doses)]
    judged = {arm: _judged([cell for cell in cells if cell["arm"] == arm], cells) for arm in arms}
    alarm = {arm: _alarm(arm, damage) for arm in arms} if damage else {}
    return {
        "schema": SCHEMA,
        "kveval": __version__,
        **{name: report[name] for name in ("vllm", "device", "host", "samples", "lengths", "seed", "engine_args")},
        "arms": report["arms"],
        "layer": LAYER,
        "cells": cells,
        "judged": judged,
        "damage": damage,
        "alarm": alarm,
        "margins": list(_margins(asked, run, held)),
        "sound": all(arm["state"] == HEALTHY for arm in judged.values())
        and all(arm["state"] != SILENT for arm in alarm.values()),
        "incomplete": report["incomplete"] or any(dose["incomplete"] for dose in damage),
    }


def _cell(cell: Mapping[str, Any], losses: Mapping[tuple[str, int], Record] | None) -> Record:
    """What counts of a report's cell; `format_lost` is None where the format was not emulated, or not on all samples."""
    kept = ("task", "length", "arm", "n", "right_baseline", "right", "lost", "gained", "p", "verdict", "because")
    loss = losses.get((cell["task"], cell["length"])) if losses else None
    whole = loss is not None and loss["n"] >= cell["n"]
    return {**{name: cell[name] for name in kept}, "format_lost": loss["lost"] if loss and whole else None}


def _format_losses(run: StoredRun, own: Outputs, rounded: Outputs) -> dict[tuple[str, int], Record]:
    """By task and length: how many answers the format alone loses of those that it was asked for."""
    found: dict[tuple[str, int], Record] = {}
    for sample in run.samples:
        key = sample_key(sample)
        if key in own and key in rounded:
            document = run.documents[sample["document_id"]]
            was, now = (score_sample(sample, document, "", side[key], own[key]) for side in (own, rounded))
            loss = found.setdefault((sample["task"], sample["length"]), {"n": 0, "lost": 0})
            loss["n"] += 1
            loss["lost"] += was["right"] and not now["right"]
    return found


def _damage(
    asked: Examination, dose: int, arms: Sequence[str], run: StoredRun, own: Outputs, held: Mapping[str, str]
) -> Record:
    """The cells of one dose of planted damage; those of the largest have a baseline and a control of their own."""
    directory = asked.damaged(dose)
    whole = dose == max(asked.doses)
    reports = [build_report(directory)] if whole else list(_beside_healthy(asked.healthy, directory, arms))
    losses = {
        arm: _format_losses(run, own, read_outputs_in(asked.in_format(dtype, dose))) for arm, dtype in held.items()
    }
    return {
        "dose": dose,
        "cells": [_cell(cell, losses.get(cell["arm"])) for report in reports for cell in report["cells"]],
        "incomplete": any(report["incomplete"] for report in reports),
    }


def _beside_healthy(healthy: RunDirectory, damaged: RunDirectory, arms: Iterable[str]) -> Iterator[Record]:
    """Quantized arms of a damaged probe against the healthy baseline, from which the damaged one does not differ."""
    for arm in arms:
        report = compare(f"{healthy.path}", f"{damaged.path}:{arm}")
        for cell in report["cells"]:
            cell["arm"] = arm
        yield report


def _judged(mine: Sequence[Record], cells: Sequence[Record]) -> Record:
    """Counts over all cells of an arm, and what they say."""
    control = [cell for cell in cells if cell["arm"] == CONTROL]
    lost, noise = (sum(cell["lost"] for cell in side) for side in (mine, control))
    by_format = lost_by_format(mine)
    weak = [cell for cell in mine if cell["verdict"] in ("invalid", "weak baseline")]
    significant = [cell for cell in mine if cell["verdict"] == "degraded" and cell["lost"] > (cell["format_lost"] or 0)]
    if weak:
        state = UNKNOWN
    elif significant:
        state = DAMAGING
    else:
        state = UNCLEAR if lost > noise + (by_format or 0) else HEALTHY
    return {
        "state": state,
        "n": sum(cell["n"] for cell in mine),
        "right_baseline": sum(cell["right_baseline"] for cell in mine),
        "lost": lost,
        "control_lost": noise,
        "format_lost": by_format,
        "because": weak[0]["because"] if weak else None,
        "places": _places(significant),
    }


def _alarm(arm: str, damage: Sequence[Record]) -> Record:
    """Whether planted damage was found on an arm, and from which dose on; the largest is what counts."""
    found = {
        dose["dose"]: _places(cell for cell in dose["cells"] if cell["arm"] == arm and cell["verdict"] == "degraded")
        for dose in damage
    }
    top = damage[-1]
    mine = [cell for cell in top["cells"] if cell["arm"] == arm]
    control = [cell for cell in top["cells"] if cell["arm"] == CONTROL]
    format_lost = lost_by_format(mine)
    false_alarm = any(p < FALSE_ALARM for p in holm([cell["p"] for cell in control if cell["p"] is not None]))
    places = found[top["dose"]]
    return {
        "state": WORKS if places and not false_alarm else FITS if format_lost == 0 and not false_alarm else SILENT,
        "dose": top["dose"],
        "places": places,
        "doses": len(found),
        "sets_in": next((dose for dose, at in found.items() if at), None),
        "n": sum(cell["n"] for cell in mine),
        "right_baseline": sum(cell["right_baseline"] for cell in mine),
        "lost": sum(cell["lost"] for cell in mine),
        "format_lost": format_lost,
        "control_flips": sum(cell["lost"] + cell["gained"] for cell in control),
    }


def lost_by_format(cells: Iterable[Mapping[str, Any]]) -> int | None:
    """What the format alone loses over some cells; None where that is not known of all."""
    lost = [cell["format_lost"] for cell in cells]
    return None if None in lost else sum(lost)


def _places(cells: Iterable[Mapping[str, Any]]) -> list[list[Any]]:
    """Task and length of each."""
    return [[cell["task"], cell["length"]] for cell in cells]


def _margins(asked: Examination, run: StoredRun, held: Mapping[str, str]) -> Iterator[Record]:
    """By length and arm, over the answers: the least margin among an answer's tokens, in nats."""
    sides: dict[str, Mapping[tuple[str, str], Record]] = dict(run.outputs)
    sides |= {f"{dtype} alone": read_outputs_in(asked.in_format(dtype)) for dtype in held.values()}
    for length in asked.lengths:
        keys = [
            sample_key(sample)
            for sample in run.samples
            if sample["length"] == length and sample.get("with_document", True)
        ]
        for side, outputs in sides.items():
            least = [min(outputs[key]["margins"]) for key in keys if outputs.get(key, {}).get("margins")]
            if len(least) > 1:
                tenths = quantiles(least, n=10, method="inclusive")
                yield {"length": length, "side": side, "n": len(least), "median": tenths[4], "tenth": tenths[0]}
