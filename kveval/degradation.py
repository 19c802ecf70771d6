"""From scores to cells to verdicts: what each arm loses against the baseline, by task and length.

A cell is one task at one length on one arm, compared with the same samples on the baseline. A sample that has no answer on
one of the two (an error, or not sent) leaves the pair, and is counted; it is never a wrong answer.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from typing import Any

import pandas as pd

from kveval.arms import BASELINE, CONTROL
from kveval.engine.facts import UNKNOWN, is_quantized
from kveval.records import Record
from kveval.scoring import ERROR, MISSING, SCORED
from kveval.stats import (
    MIN_DOCUMENTS,
    bootstrap_mean_difference,
    classify,
    design_effect,
    documents_to_decide,
    holm,
    paired_interval,
    paired_test,
    tango,
    wilson,
)

DEFAULT_MARGIN = 0.02
MAX_ERROR_SHARE = 0.05
MAX_GARBAGE_SHARE = 0.20
WORST = -1.0
"""The least difference of two similarities: one unseen document may be lost whole."""
COPY_FAULTS = {
    "words replaced": "substituted",
    "words dropped": "dropped",
    "words inserted": "inserted",
    "splices": "spliced",
}
GARBAGE = {"empty", "repetition", "unfinished_reasoning"}

# What cells are made of. Named, so that a run in which nothing was answered has these columns too, all empty.
COLUMNS = [
    *("sample_id", "arm", "task", "length", "document_id", "answer_type", "guess", "status"),
    *("value", "right", "reason", "flags", "truncated", "token_diff", "first_divergence"),
    *("substituted", "dropped", "inserted", "spliced"),
]


def find_degradation(
    scores: Sequence[Record], arms: Mapping[str, Mapping[str, Any]], *, margin: float = DEFAULT_MARGIN, seed: int = 0
) -> tuple[list[Record], list[Record]]:
    """Baseline rows, one a task and length, and cells, one a task, length and other arm; verdicts included.

    `arms` are the facts of each arm by name, as in `report.json`; `margin` is the loss, as a share, that is still accepted.
    """
    frame = pd.DataFrame(scores, columns=COLUMNS)
    baselines: list[Record] = []
    cells: list[Record] = []
    for (task, length), group in frame.groupby(["task", "length"], sort=False):
        by_arm = {str(arm): rows.set_index("sample_id") for arm, rows in group.groupby("arm", sort=False)}
        baseline = _summary(by_arm[BASELINE])
        baselines.append({"task": task, "length": int(length), **baseline})
        cells += [
            {
                "task": task,
                "length": int(length),
                "arm": arm,
                **_cell(by_arm[BASELINE], rows, seed),
                "_baseline": baseline,
            }
            for arm, rows in by_arm.items()
            if arm != BASELINE
        ]
    _judge(cells, arms, margin, seed)
    return baselines, [{name: value for name, value in cell.items() if not name.startswith("_")} for cell in cells]


def _summary(rows: pd.DataFrame) -> Record:
    """What one arm did on its own, over the samples that were scored."""
    scored = rows[rows["status"] == SCORED]
    flags = Counter(flag for flags in scored.get("flags", ()) for flag in flags)
    n = len(scored)
    right = int(scored["right"].sum()) if n else 0
    return {
        "n": n,
        "documents": int(scored["document_id"].nunique()),
        "right": right,
        "right_interval": list(wilson(right, n)) if n else None,
        "score": float(scored["value"].mean()) if n else None,
        "errors": int((rows["status"] == ERROR).sum()),
        "missing": int((rows["status"] == MISSING).sum()),
        "truncated": int(scored["truncated"].sum()) if n else 0,
        "flags": dict(sorted(flags.items())),
        "wrong": n - right,
        "faults": _faults(scored[~scored["right"].astype(bool)]),
    }


def _faults(wrong: pd.DataFrame) -> dict[str, int]:
    """What is wrong with wrong answers: how many of each kind, commonest first; for copies, how many words and splices."""
    if not len(wrong):
        return {}
    if wrong["answer_type"].iloc[0] != "copy":
        return dict(Counter(wrong["reason"]).most_common())
    sums = {name: int(wrong[column].sum()) for name, column in COPY_FAULTS.items()}
    return {name: count for name, count in sums.items() if count}


def _cell(baseline: pd.DataFrame, rows: pd.DataFrame, seed: int) -> Record:
    both = baseline.merge(rows, left_index=True, right_index=True, suffixes=("_baseline", ""))
    pairs = both[(both["status_baseline"] == SCORED) & (both["status"] == SCORED)]
    n = len(pairs)
    was, now = pairs["right_baseline"].astype(bool), pairs["right"].astype(bool)
    copying = n > 0 and pairs["answer_type"].iloc[0] == "copy"
    column = "value" if copying else "right"
    differences = (pairs[column].astype(float) - pairs[f"{column}_baseline"].astype(float)).tolist()
    documents = pairs["document_id"].tolist()
    own = _summary(rows)
    divergences = pairs["first_divergence"].dropna().tolist() if n else []
    return {
        "n": n,
        "documents": len(set(documents)),
        "right_baseline": int(was.sum()),
        "right": int(now.sum()),
        "lost": int((was & ~now).sum()),
        "gained": int((~was & now).sum()),
        "measure": "similarity" if copying else "right",
        "score_baseline": float(pairs["value_baseline"].mean()) if n else None,
        "score": float(pairs["value"].mean()) if n else None,
        "difference": fmean(differences) if n else None,
        "interval": list(_interval(differences, documents, seed, copying)) if n else None,
        "token_diff": float(pairs["token_diff"].mean()) if n else None,
        "identical": int((pairs["token_diff"] == 0).sum()) if n else 0,
        "first_divergence": median(divergences) if divergences else None,
        "errors": int(((both["status"] == ERROR) | (both["status_baseline"] == ERROR)).sum()),
        "missing": int(((both["status"] == MISSING) | (both["status_baseline"] == MISSING)).sum()),
        "truncated": int(pairs["truncated"].sum()) if n else 0,
        "lost_to": _faults(pairs[pairs["value"] < pairs["value_baseline"]]),
        "wrong": own["wrong"],
        "faults": own["faults"],
        "flags": own["flags"],
        # For the verdict only; not part of the report.
        "_guess": float(pairs["guess"].iloc[0]) if n else None,
        "_least_baseline": _least(pairs[f"{column}_baseline"].astype(float).tolist(), documents, seed, copying),
        "_differences": differences,
        "_document_ids": documents,
    }


def _interval(
    differences: Sequence[float],
    documents: Sequence[str],
    seed: int,
    copying: bool,
    *,
    confidence: float = 0.95,
    scale: float = 1.0,
) -> tuple[float, float]:
    if not copying:
        return paired_interval(differences, documents, confidence, scale=scale)
    return bootstrap_mean_difference(differences, documents, seed, confidence, worst=WORST, scale=scale)[1:]


def _least(values: Sequence[float], documents: Sequence[str], seed: int, copying: bool) -> float | None:
    """The lower limit of the baseline's own rate or similarity, for documents and not for questions as what was sampled."""
    if not values:
        return None
    if copying:
        return bootstrap_mean_difference(values, documents, seed)[1]
    effective = len(values) / design_effect(values, documents)
    return tango(0.0, sum(values) * effective / len(values), effective)[0]


def _judge(cells: Sequence[Record], arms: Mapping[str, Mapping[str, Any]], margin: float, seed: int) -> None:
    """Set `p`, `p_adjusted`, `verdict` and `because` of every cell. The control measures noise and gets no verdict."""
    judged = [cell for cell in cells if cell["arm"] != CONTROL and cell["n"]]
    for cell in cells:
        cell |= {"p": None, "p_adjusted": None, "verdict": None, "because": "the noise between two equal engines"}
    for cell in judged:
        cell["p"] = paired_test(cell["_differences"], cell["_document_ids"], seed)
    for cell, adjusted in zip(judged, holm([cell["p"] for cell in judged]), strict=True):
        cell["p_adjusted"] = float(adjusted)
    for cell in cells:
        if cell["arm"] != CONTROL:
            cell["verdict"], cell["because"] = _verdict(cell, arms, margin, seed, len(judged))


def _verdict(
    cell: Record, arms: Mapping[str, Mapping[str, Any]], margin: float, seed: int, cells: int
) -> tuple[str, str]:
    """A cell's verdict and the reason in a few words; the first that applies."""
    invalid = next(_invalid(cell, arms), None)
    if invalid:
        return "invalid", invalid
    if cell["_least_baseline"] <= cell["_guess"] + 2 * margin:
        return "weak baseline", "the baseline is hardly better than guessing: nothing here can be lost"
    verdict = classify(
        cell["p_adjusted"], cell["difference"], tuple(cell["interval"]), margin=margin, documents=cell["documents"]
    )
    if verdict == "degraded":
        within = ", within margin" if cell["interval"][0] > -margin else ""
        return verdict, counted(cell["lost_to"]) + within
    if verdict == "pass":
        return verdict, f"at most {_points(cell)} lost"
    return verdict, f"up to {_points(cell)} lost; {_would_decide(cell, margin, seed, cells)}"


def counted(counts: Mapping[str, int]) -> str:
    """`2 near value, 1 word replaced`."""
    ones = {"words": "word", "splices": "splice"}
    return ", ".join(
        f"{count} {' '.join(ones.get(word, word) if count == 1 else word for word in kind.split())}"
        for kind, count in counts.items()
    )


def _points(cell: Record) -> str:
    loss = max(0.0, -cell["interval"][0])
    return f"{loss:.3f}" if cell["measure"] == "similarity" else f"{100 * loss:.1f} pt"


def _would_decide(cell: Record, margin: float, seed: int, cells: int) -> str:
    if cell["documents"] < MIN_DOCUMENTS:
        return f"below {MIN_DOCUMENTS} documents nothing is decided"
    copying = cell["measure"] == "similarity"
    interval_at = partial(_interval, cell["_differences"], cell["_document_ids"], seed, copying)
    needed = documents_to_decide(interval_at, cell["documents"], margin, cells)
    return f"about {needed:,} documents would decide" if needed else "more documents would hardly decide"


def _invalid(cell: Record, arms: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Why a cell can have no verdict, the gravest reason first."""
    arm, base = arms[cell["arm"]], arms[BASELINE]
    if not cell["n"]:
        yield "no sample has an answer on both arms"
        return
    total = cell["n"] + cell["errors"] + cell["missing"]
    if cell["errors"] > MAX_ERROR_SHARE * total:
        yield f"{cell['errors']} of {total} requests failed"
    if UNKNOWN in (arm["kv_dtype_effective"], base["kv_dtype_effective"]):
        yield "what the cache really holds is not known"
    if is_quantized(base["kv_dtype_effective"]):
        yield f"the baseline's cache is already quantized ({base['kv_dtype_effective']})"
    if arm["kv_dtype_effective"] == base["kv_dtype_effective"]:
        yield f"both arms ran with a {arm['kv_dtype_effective']} cache"
    baseline = cell["_baseline"]
    most = MAX_GARBAGE_SHARE * baseline["n"]
    garbage = sum(count for flag, count in baseline["flags"].items() if flag in GARBAGE)
    if garbage > most:
        yield (
            f"the baseline answers {garbage} of {baseline['n']} with nothing, with repetition or with unfinished reasoning"
        )
    if baseline["truncated"] > most:
        yield f"the baseline is cut at the answer budget in {baseline['truncated']} of {baseline['n']}"
