"""A verdict for each cell: `invalid`, `weak baseline`, `degraded`, `pass` or `inconclusive`, the first that applies."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kveval.analysis.comparability import confounds, incomparable
from kveval.analysis.comparison import Comparison
from kveval.analysis.wrong_answers import counted
from kveval.arms import BASELINE, CONTROL
from kveval.stats import MIN_DOCUMENTS, classify, documents_to_decide, holm
from kveval.store.run_directory import Record

DEFAULT_MARGIN = 0.02
VERDICTS = ("degraded", "invalid", "weak baseline", "inconclusive", "pass")
"""All verdicts, the gravest first."""

NOT_JUDGED = "not judged: no answer is known to be right"

MAX_ERROR_SHARE = 0.05
MAX_CUT_SHARE = 0.05
MAX_GARBAGE_SHARE = 0.20
GARBAGE = {"empty", "repetition", "unfinished_reasoning"}


def judge(
    cells: Sequence[tuple[Record, Comparison]],
    baselines: Mapping[tuple[str, int | None], Record],
    arms: Mapping[str, Mapping[str, Any]],
    margin: float,
) -> None:
    """Set `p`, `p_adjusted`, `verdict`, `because` and `confounds` of every cell; Holm's correction is over all of them.

    `baselines` has what the baseline did on its own, by task and length. The control measures noise and gets no verdict.
    """
    judged = [(cell, pairs) for cell, pairs in cells if cell["arm"] != CONTROL and cell["n"] and not pairs.free]
    for cell, _ in cells:
        cell |= {"p": None, "p_adjusted": None, "verdict": None, "because": "the noise between two equal engines"}
        cell["confounds"] = list(confounds(arms[BASELINE], arms[cell["arm"]]))
    for cell, comparison in cells:
        if cell["n"]:
            cell["p"] = comparison.p_value()
    for (cell, _), adjusted in zip(judged, holm([cell["p"] for cell, _ in judged]), strict=True):
        cell["p_adjusted"] = adjusted
    for cell, comparison in cells:
        if cell["arm"] != CONTROL:
            baseline = baselines[cell["task"], cell["length"]]
            cell["verdict"], cell["because"] = _verdict(cell, comparison, baseline, arms, margin, len(judged))


def _verdict(
    cell: Record,
    comparison: Comparison,
    baseline: Record,
    arms: Mapping[str, Mapping[str, Any]],
    margin: float,
    cells: int,
) -> tuple[str | None, str]:
    """A cell's verdict and the reason in a few words; none where no answer is known to be right."""
    invalid = next(_invalid(cell, baseline, arms[BASELINE], arms[cell["arm"]]), None)
    if invalid:
        return "invalid", invalid
    if comparison.free:
        return None, NOT_JUDGED
    if _baseline_at_least(cell, comparison) <= cell["guess"] + 2 * margin:
        return "weak baseline", "the baseline is hardly better than guessing: nothing here can be lost"
    verdict = classify(
        cell["p_adjusted"], cell["difference"], tuple(cell["interval"]), margin=margin, documents=cell["documents"]
    )
    if verdict == "degraded":
        within = ", within margin" if cell["interval"][0] > -margin else ""
        return verdict, counted(cell["lost_to"]) + within
    if verdict == "pass" and cell["interval"][0] - (unanswered := _unanswered(cell)) <= -margin:
        return "inconclusive", f"{100 * unanswered:.1f}% of the pairs lack an answer, and may hide more than the margin"
    if verdict == "pass":
        return verdict, f"at most {_loss(cell)} lost"
    return verdict, f"up to {_loss(cell)} lost; {_would_decide(cell, comparison, margin, cells)}"


def _baseline_at_least(cell: Record, comparison: Comparison) -> float:
    """What the baseline reaches for sure. On few documents nothing is sure, and what was seen is taken for it: a baseline that
    answers everything is not to be called weak."""
    few = cell["documents"] < MIN_DOCUMENTS
    seen = cell["score_baseline"] if cell["measure"] == "similarity" else cell["right_baseline"] / cell["n"]
    return float(seen) if few else comparison.least_baseline()


def _unanswered(cell: Record) -> float:
    """The share of pairs that no figure is about, since a request failed or was not sent."""
    absent = int(cell["errors"] + cell["missing"])
    return absent / (int(cell["n"]) + absent)


def _loss(cell: Record) -> str:
    """The largest loss that is still possible."""
    loss = max(0.0, -cell["interval"][0])
    return f"{loss:.3f}" if cell["measure"] == "similarity" else f"{100 * loss:.1f} pt"


def _would_decide(cell: Record, comparison: Comparison, margin: float, cells: int) -> str:
    if cell["documents"] < MIN_DOCUMENTS:
        return f"below {MIN_DOCUMENTS} documents nothing is decided"
    needed = documents_to_decide(comparison.interval, cell["documents"], margin, cells)
    return f"about {needed:,} documents would decide" if needed else "more documents would hardly decide"


def _invalid(cell: Record, baseline: Record, base: Mapping[str, Any], arm: Mapping[str, Any]) -> Iterator[str]:
    """Why a cell can have no verdict, the gravest reason first."""
    if not cell["n"]:
        yield "no sample has an answer on both arms"
        return
    total = cell["n"] + cell["errors"] + cell["missing"]
    if cell["errors"] > MAX_ERROR_SHARE * total:
        yield f"{cell['errors']} of {total} requests failed"
    held, holds = base["kv_dtype_effective"], arm["kv_dtype_effective"]
    if held is not None and holds is not None:  # outputs that came without an engine say nothing of its cache
        yield from incomparable(held, holds)
    n = baseline["n"]
    if baseline["garbage"] > MAX_GARBAGE_SHARE * n:
        yield f"the baseline answers {baseline['garbage']} of {n} with nothing, with repetition or with unfinished reasoning"
    if baseline["cut"] > MAX_CUT_SHARE * n:
        yield f"answer budget too small: it cuts {baseline['cut']} of the baseline's {n} answers, and these are not right"
