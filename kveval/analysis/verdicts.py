"""A verdict for each cell: `invalid`, `weak baseline`, `degraded`, `pass` or `inconclusive`, the first that applies."""

from collections.abc import Iterator, Mapping, Sequence

from kveval.analysis.comparability import confounds, incomparable
from kveval.analysis.comparison import Comparison
from kveval.arms import BASELINE, CONTROL
from kveval.stats import MIN_DOCUMENTS, classify, documents_to_decide, holm
from kveval.store.report_schema import ArmFacts, Baseline, Cell, Verdict
from kveval.wording.format import fault_counts

DEFAULT_MARGIN = 0.02
NOT_JUDGED = "not judged: no answer is known to be right"
NO_PAIR = "no sample has an answer on both arms"

MAX_ERROR_SHARE = 0.05
MAX_CUT_SHARE = 0.05
MAX_GARBAGE_SHARE = 0.20
GARBAGE = {"empty", "repetition", "unfinished_reasoning"}


def judge_cells(
    compared: Sequence[tuple[Cell, Comparison]],
    baselines: Mapping[tuple[str, int | None], Baseline],
    arms: Mapping[str, ArmFacts],
    margin: float,
) -> tuple[Cell, ...]:
    """Return the cells with p-values, verdicts, reasons and confounds. Holm's correction is over all cells that get a verdict.

    `baselines` are the results of the baseline alone, by task and length. The control measures noise and gets no verdict.
    """
    p_values = [comparison.p_value() if cell.n else None for cell, comparison in compared]
    judged = [
        index
        for index, (cell, comparison) in enumerate(compared)
        if cell.arm != CONTROL and cell.n and not comparison.free
    ]
    corrected = holm([p for index in judged if (p := p_values[index]) is not None])
    adjusted = dict(zip(judged, corrected, strict=True))
    cells = []
    for index, (cell, comparison) in enumerate(compared):
        tested = cell.model_copy(
            update={
                "p": p_values[index],
                "p_adjusted": adjusted.get(index),
                "verdict": None,
                "because": "the noise between two equal engines",
                "confounds": tuple(confounds(arms[BASELINE], arms[cell.arm])),
            }
        )
        if cell.arm != CONTROL:
            baseline = baselines[cell.task, cell.length]
            verdict, because = _verdict(tested, comparison, baseline, arms, margin, len(judged))
            tested = tested.model_copy(update={"verdict": verdict, "because": because})
        cells.append(tested)
    return tuple(cells)


def _verdict(
    cell: Cell,
    comparison: Comparison,
    baseline: Baseline,
    arms: Mapping[str, ArmFacts],
    margin: float,
    cells: int,
) -> tuple[Verdict | None, str]:
    """A cell's verdict, with a short reason; None if no answer is known to be right."""
    invalid = next(_invalid(cell, baseline, arms[BASELINE], arms[cell.arm]), None)
    if invalid or cell.interval is None or cell.difference is None:
        return "invalid", invalid or NO_PAIR
    if comparison.free:
        return None, NOT_JUDGED
    if _baseline_at_least(cell, comparison) <= (cell.guess or 0.0) + 2 * margin:
        return "weak baseline", "the baseline is hardly better than guessing: degradation cannot be measured"
    adjusted = 1.0 if cell.p_adjusted is None else cell.p_adjusted
    low = cell.interval[0]
    verdict = classify(adjusted, cell.difference, cell.interval, margin=margin, documents=cell.documents)
    if verdict == "degraded":
        within = ", within margin" if low > -margin else ""
        return verdict, fault_counts(cell.lost_to) + within
    if verdict == "pass" and low - (unanswered := _unanswered(cell)) <= -margin:
        return (
            "inconclusive",
            f"{100 * unanswered:.1f}% of the pairs lack an answer, which may hide a loss above the margin",
        )
    if verdict == "pass":
        return verdict, f"at most {_loss(cell, low)} lost"
    return verdict, f"up to {_loss(cell, low)} lost; {_would_decide(cell, comparison, margin, cells)}"


def _baseline_at_least(cell: Cell, comparison: Comparison) -> float:
    """Lower limit of the baseline's accuracy or similarity. With few documents, the observed value instead, since a limit means
    little and a baseline that answers everything must not be called weak."""
    if cell.documents >= MIN_DOCUMENTS:
        return comparison.least_baseline()
    return (cell.score_baseline or 0.0) if cell.measure == "similarity" else cell.right_baseline / cell.n


def _unanswered(cell: Cell) -> float:
    """Share of pairs without an answer, because a request failed or was not sent."""
    absent = cell.errors + cell.missing
    return absent / (cell.n + absent)


def _loss(cell: Cell, low: float) -> str:
    """The largest loss that the interval allows, formatted."""
    loss = max(0.0, -low)
    return f"{loss:.3f}" if cell.measure == "similarity" else f"{100 * loss:.1f} pt"


def _would_decide(cell: Cell, comparison: Comparison, margin: float, cells: int) -> str:
    if cell.documents < MIN_DOCUMENTS:
        return f"below {MIN_DOCUMENTS} documents nothing is decided"
    needed = documents_to_decide(comparison.interval, cell.documents, margin, cells)
    return f"about {needed:,} documents would decide" if needed else "more documents would hardly decide"


def _invalid(cell: Cell, baseline: Baseline, base: ArmFacts, arm: ArmFacts) -> Iterator[str]:
    """Yield why a cell cannot have a verdict, the most serious reason first."""
    if not cell.n:
        yield NO_PAIR
        return
    total = cell.n + cell.errors + cell.missing
    if cell.errors > MAX_ERROR_SHARE * total:
        yield f"{cell.errors} of {total} requests failed"
    if (
        base.kv_dtype_effective is not None and arm.kv_dtype_effective is not None
    ):  # known only where an engine ran here
        yield from incomparable(base.kv_dtype_effective, arm.kv_dtype_effective)
    n = baseline.n
    if baseline.garbage > MAX_GARBAGE_SHARE * n:
        yield f"{baseline.garbage} of the baseline's {n} answers are empty, repetitive or unfinished reasoning"
    if baseline.cut > MAX_CUT_SHARE * n:
        yield f"answer budget too small: it cuts off {baseline.cut} of the baseline's {n} answers, which are wrong"
