"""Results of lm-evaluation-harness, matched sample by sample and scored."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from kveval.arms import BASELINE, CONTROL
from kveval.comparing.evidence import Asked, Evidence, Match, arm_name, left_out_remark, match, setup_differences
from kveval.comparing.harness_metrics import Metric, choose_metrics
from kveval.comparing.lm_eval import NO_FILTER, Outcome, Results, read_results
from kveval.errors import UsageError
from kveval.kv_cache.dtypes import is_quantized
from kveval.scoring.extraction import extract
from kveval.store.report_schema import DONE, ArmFacts
from kveval.store.run_records import ERROR, SCORED, ScoreRecord
from kveval.wording.format import plural

Key = tuple[str, str, int]
"""Hash of the document, hash of the prompt, and which of several samples that have both in common."""
Place = tuple[str, str]
"""Task and filter."""
Compared = Mapping[Place, Mapping[str, Mapping[Key, Outcome]]]
"""Outcomes of the samples that baseline and arm have in common, by side; the control may lack some."""


def harness_evidence(baseline: Path, arm: Path, control: Path | None, wanted: Sequence[str]) -> Evidence:
    """Compare folders that lm-eval wrote to; `wanted` are metrics. Raises UsageError where nothing can be compared."""
    base, other = read_results(baseline), read_results(arm)
    name = arm_name(other.kv_cache_dtype, arm)
    sides = {BASELINE: base, name: other} | ({} if control is None else {CONTROL: read_results(control)})
    keyed = {side: {place: _keyed(found) for place, found in sides[side].outcomes.items()} for side in sides}
    matches = {
        place: match(list(keyed[BASELINE].get(place, {})), list(keyed[name].get(place, {})))
        for place in sorted({*base.outcomes, *other.outcomes})
    }
    if not any(found.keys for found in matches.values()):
        raise UsageError(_why_nothing(base, other, matches))
    compared = {
        place: {
            side: {key: found[place][key] for key in matched.keys if key in found.get(place, {})}
            for side, found in keyed.items()
        }
        for place, matched in matches.items()
        if matched.keys
    }
    metrics, remarks = choose_metrics(
        {place: [one for found in by_side.values() for one in found.values()] for place, by_side in compared.items()},
        base.higher_is_better,
        wanted,
    )
    places = list(dict.fromkeys((metric.task, metric.filter) for metric in metrics))
    ids = {place: _sample_ids(place, compared[place][BASELINE]) for place in places}
    scores = [score for metric in metrics for score in _scores(metric, compared[metric.task, metric.filter], ids)]
    left_out = tuple(found.record(_title(place)) for place, found in matches.items())
    missing = [remark for record in left_out if (remark := left_out_remark(record, name))]
    return Evidence(
        about=_about(base, other, {place: compared[place] for place in places}),
        scores=scores,
        arms={side: _facts(results) for side, results in sides.items()},
        samples={
            ids[place][key]: Asked("", (one.target,), None)
            for place in places
            for key, one in compared[place][BASELINE].items()
        },
        outputs={
            side: {ids[place][key]: one.response for place in places for key, one in compared[place][side].items()}
            for side in sides
        },
        left_out=left_out,
        remarks=[
            *_cache_remarks(sides, name),
            *remarks,
            *missing,
            *_without_number(scores),
            *_remarks_on_folders(sides, name, compared),
        ],
    )


def _keyed(outcomes: Sequence[Outcome]) -> dict[Key, Outcome]:
    """Outcomes by their keys; data sets have documents that stand in them twice."""
    keyed: dict[Key, Outcome] = {}
    times: dict[tuple[str, str], int] = {}
    for outcome in outcomes:
        same = (outcome.doc_hash, outcome.prompt_hash)
        times[same] = times.get(same, 0) + 1
        keyed[(*same, times[same])] = outcome
    return keyed


def _sample_ids(place: Place, outcomes: Mapping[Key, Outcome]) -> dict[Key, str]:
    """`gsm8k/17`, after the baseline's document ids."""
    return {key: f"{_title(place)}/{outcome.doc_id}" for key, outcome in outcomes.items()}


def _title(place: Place) -> str:
    task, name = place
    return task if name == NO_FILTER else f"{task} ({name})"


def _scores(
    metric: Metric, by_side: Mapping[str, Mapping[Key, Outcome]], ids: Mapping[Place, Mapping[Key, str]]
) -> Iterator[ScoreRecord]:
    """A score of each sample that has the metric, on each side."""
    named = ids[metric.task, metric.filter]
    keys = [
        key
        for key in by_side[BASELINE]
        if any(metric.concerns(found[key]) for found in by_side.values() if key in found)
    ]
    choices = [by_side[BASELINE][key].choices for key in keys]
    chosen = None not in choices and not metric.graded and not metric.falling
    guess = fmean(1 / number for number in choices if number) if chosen and choices else 0.0
    for side, found in by_side.items():
        for key in keys:
            if key in found:
                yield _score(named[key], side, guess, metric, found[key])


def _score(sample_id: str, side: str, guess: float, metric: Metric, outcome: Outcome) -> ScoreRecord:
    about: dict[str, Any] = {
        "sample_id": sample_id,
        "arm": side,
        "guess": guess,
        "task": metric.label,
        "length": metric.length,
        "document_id": outcome.doc_hash,
        "answer_type": "similarity" if metric.graded else "right",
        "metric": metric.name,
        "depth": None,
    }
    value = metric.value(outcome)
    if value is None:
        return ScoreRecord(**about, status=ERROR, error=f"no number for {metric.name}")
    right = value == 1
    return ScoreRecord(
        **about,
        status=SCORED,
        value=value,
        right=right,
        reason="right" if right else _reason(metric, outcome),
        flags=() if outcome.choices else extract(outcome.response, reasoning_only=True).flags,
        truncated=False,
    )


def _reason(metric: Metric, outcome: Outcome) -> str:
    if not outcome.extracted:
        return "no answer found"
    if metric.graded:
        return "below full marks"
    return "other choice" if outcome.choices else "wrong"


def _facts(results: Results) -> ArmFacts:
    return ArmFacts(
        source=str(results.path),
        kv_dtype_asked=results.kv_cache_dtype,
        kv_dtype_effective=None,
        kv_pool_tokens=None,
        attention_backend=None,
        model_dtype=None,
        scales=None,
        status=DONE,
        setup=dict(results.setup),
    )


def _about(base: Results, other: Results, compared: Compared) -> str:
    models = dict.fromkeys(side.setup.get("pretrained") or side.setup.get("model", "?") for side in (base, other))
    tasks = dict.fromkeys(task for task, _ in compared)
    samples = sum(
        max(len(by_side[BASELINE]) for (one, _), by_side in compared.items() if one == task) for task in tasks
    )
    version = base.setup.get("lm_eval_version")
    return " · ".join(
        [
            " and ".join(models),
            f"lm-eval {version}" if version else "lm-eval",
            f"{plural(samples, 'sample')} of {plural(len(tasks), 'task')}",
        ]
    )


def _cache_remarks(sides: Mapping[str, Results], arm: str) -> Iterator[str]:
    """What is known about the caches."""
    asked = {side: results.kv_cache_dtype or "not given" for side, results in sides.items()}
    said = ", ".join(f"{dtype} by {side}" for side, dtype in asked.items())
    yield f"The actual formats of the caches are unknown: lm-eval does not record them. Requested as kv_cache_dtype: {said}."
    if asked[BASELINE] not in (BASELINE, "not given") and is_quantized(asked[BASELINE]):
        yield f"The baseline was run with a quantized cache ({asked[BASELINE]}): are the two folders in the right order?"
    elif asked[BASELINE] == asked[arm] != "not given":
        yield "Both requested the same cache."


def _without_number(scores: Sequence[ScoreRecord]) -> Iterator[str]:
    lacking = Counter((score.arm, score.task) for score in scores if score.status == ERROR)
    for (side, task), count in lacking.items():
        yield f"{side}: {plural(count, 'sample')} of {task} without a number, left out of both sides and counted as errors."


def _remarks_on_folders(sides: Mapping[str, Results], arm: str, compared: Compared) -> Iterator[str]:
    """Further remarks for the reader."""
    base = sides[BASELINE]
    for side, results in sides.items():
        yield from results.remarks
        if not results.setup:
            yield f"{side} has no results_TIME.json: its settings are unknown."
        elif base.setup and (differing := setup_differences(base.setup, results.setup)):
            yield f"More than the cache differs between {BASELINE} and {side}: {', '.join(differing)}."
    for place, by_side in compared.items() if CONTROL in sides else ():
        if lacking := len(by_side[BASELINE]) - len(by_side[CONTROL]):
            yield f"{_title(place)}: {plural(lacking, 'sample')} of {BASELINE} and {arm} not in {CONTROL}."
    if sampled := [place for place, by_side in compared.items() if any(one.sampled for one in by_side[arm].values())]:
        yield (
            f"{', '.join(map(_title, sampled))}: answers were sampled at a temperature above 0, so differences include chance. "
            "Run lm-eval with --gen_kwargs temperature=0."
        )
    pairs = [
        (one.response, by_side[arm][key].response)
        for by_side in compared.values()
        for key, one in by_side[BASELINE].items()
    ]
    if all(before == after for before, after in pairs):
        yield f"All {len(pairs):,} responses of {BASELINE} and {arm} are the same: check that {arm} used a different cache."


def _why_nothing(base: Results, other: Results, matches: Mapping[Place, Match[Key]]) -> str:
    """Why two folders have no sample in common, as far as can be seen."""
    both = f"{base.path} and {other.path}"
    if not base.outcomes.keys() & other.outcomes.keys():
        tasks, others = ({task for task, _ in side.outcomes} for side in (base, other))
        if tasks & others:
            return f"{both} have no filter in common in {', '.join(sorted(tasks & others))}: run the same version of lm-eval."
        return (
            f"{both} have no task in common ({', '.join(sorted(tasks))} there, {', '.join(sorted(others))} here): run the same "
            "tasks."
        )
    if any(found.other_prompt for found in matches.values()):
        differing = ", ".join(setup_differences(base.setup, other.setup)) or "nothing that lm-eval wrote down"
        return (
            f"{both} have the same documents but no prompt in common: number of examples, chat template or system "
            f"instruction differ. Run both with the same settings. Differences: {differing}."
        )
    return f"{both} have no document in common: data, task version or --limit differ. Run both with the same settings."
