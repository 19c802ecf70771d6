"""From evidence to the report of a comparison, as data."""

from collections.abc import Sequence
from pathlib import Path

from kveval import __version__
from kveval.analysis import DEFAULT_MARGIN, find_degradation
from kveval.analysis.results import worst_pairs
from kveval.arms import BASELINE, CONTROL
from kveval.comparing.evidence import Evidence
from kveval.comparing.harness import harness_evidence
from kveval.comparing.runs import run_evidence, split_run
from kveval.errors import UsageError
from kveval.scoring import METRICS
from kveval.store.report_schema import DONE, Cell, ComparisonReport
from kveval.store.run_directory import RunDirectory
from kveval.wording.sentences import conclusion, uneven_controls

SEED = 0
"""Of bootstraps and permutations."""


def compare(
    baseline: str, arm: str, control: str | None = None, *, metrics: Sequence[str] = (), margin: float = DEFAULT_MARGIN
) -> ComparisonReport:
    """The report of `arm` against `baseline`, in the form of `report.json`.

    Each is a folder of lm-eval, one of its `results_TIME.json`, or `RUN` or `RUN:ARM` of kveval; `control` is the baseline
    run a second time. `metrics` are names of lm-eval; `margin` is the largest acceptable loss, as a share. Raises UsageError
    if the results cannot be read or compared.
    """
    evidence = _evidence(baseline, arm, control, metrics)
    scores = sorted(evidence.scores, key=lambda score: (score.task, score.length or 0, score.sample_id))
    # Unlike in a run, arms with the same cache dtype are valid here.
    judged = {name: facts.model_copy(update={"kv_dtype_effective": None}) for name, facts in evidence.arms.items()}
    found = find_degradation(scores, judged, margin=margin, seed=SEED)
    return ComparisonReport(
        schema_version=ComparisonReport.SCHEMA,
        kveval=__version__,
        about=evidence.about,
        metrics=METRICS,
        margin=margin,
        seed=SEED,
        arms=evidence.arms,
        left_out=evidence.left_out,
        baselines=found.baselines,
        cells=found.cells,
        trends=found.trends,
        worst_pairs=tuple(worst_pairs(found.cells, scores, evidence.samples, evidence.outputs)),
        remarks=(*evidence.remarks, *_remarks_on_evidence(evidence, found.cells)),
        conclusions=tuple(conclusion(name, found.cells) for name in evidence.arms if name not in (BASELINE, CONTROL)),
        incomplete=any(facts.status != DONE for facts in evidence.arms.values()),
    )


def _evidence(baseline: str, arm: str, control: str | None, metrics: Sequence[str]) -> Evidence:
    sides = [side for side in (baseline, arm, control) if side is not None]
    read = [(path.resolve(), arm_of) for path, arm_of in map(split_run, sides)]
    if twice := [side for side, place in zip(sides, read, strict=True) if read.count(place) > 1]:
        raise UsageError(
            f"{twice[0]} is given twice: give different results. If one folder of lm-eval contains both, name the "
            "results_TIME.json of each."
        )
    runs = [side for side in sides if RunDirectory(split_run(side)[0]).manifest.exists()]
    if not runs:
        return harness_evidence(Path(baseline), Path(arm), None if control is None else Path(control), metrics)
    if len(runs) < len(sides):
        other = next(side for side in sides if side not in runs)
        raise UsageError(f"{runs[0]} is a run of kveval but {other} is not: compare results made with the same tool.")
    if metrics:
        raise UsageError("--metric is for results of lm-eval: runs of kveval use kveval's scorers.")
    return run_evidence(baseline, arm, control)


def _remarks_on_evidence(evidence: Evidence, cells: Sequence[Cell]) -> list[str]:
    if CONTROL not in evidence.arms:
        return ["Noise was not measured: give the baseline's results from a second run as --control."]
    return list(uneven_controls(cells))
