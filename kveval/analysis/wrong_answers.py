"""How often each kind of wrong answer occurs on an arm."""

from collections import Counter

import pandas as pd

from kveval.analysis.comparison import COLUMNS, is_copying
from kveval.store.report_schema import FaultCount

COPY_FAULTS = {
    "words replaced": "substituted",
    "words dropped": "dropped",
    "words inserted": "inserted",
    "splices": "spliced",
}
FLAGS = {
    "truncated": "cut at the answer budget",
    "repetition": "repetition",
    "empty": "empty",
    "unfinished_reasoning": "unfinished reasoning",
}


def faults(rows: pd.DataFrame) -> dict[str, FaultCount]:
    """Count each kind of fault in scored answers.

    The reasons of wrong answers come first, the most frequent at the top, then defects of outputs, right or wrong.
    """
    answers = len(rows)
    found: dict[str, FaultCount]
    if is_copying(rows):
        words = int(rows["passage_words"].sum())
        found = {
            name: FaultCount(count=int(rows[column].sum()), of=words, unit="words")
            for name, column in COPY_FAULTS.items()
        }
        found["splices"] = found["splices"].model_copy(update={"of": answers, "unit": "passages"})
    else:
        reasons = Counter(rows.loc[~rows["right"].astype(bool), "reason"])
        found = {reason: FaultCount(count=count, of=answers, unit="answers") for reason, count in reasons.most_common()}
    flags = Counter(flag for flags in rows["flags"] for flag in flags)
    found |= {name: FaultCount(count=flags[flag], of=answers, unit="answers") for flag, name in FLAGS.items()}
    return {name: fault for name, fault in found.items() if fault.count}


def lost_to(pairs: pd.DataFrame) -> dict[str, int]:
    """Faults of the answers that are worse than the baseline's; for copies, minus the faults of the baseline's own copies.

    Faults of copies are counted in words and splices. `pairs` has the columns of both sides, the baseline's with the suffix
    `_baseline`.
    """
    worse = pairs[pairs["value"] < pairs["value_baseline"]]
    before = faults(side(worse, "_baseline")) if is_copying(worse) else {}
    counts = {
        name: fault.count - (before[name].count if name in before else 0)
        for name, fault in faults(worse).items()
        if name not in FLAGS.values()
    }
    return {name: count for name, count in counts.items() if count > 0}


def side(pairs: pd.DataFrame, suffix: str) -> pd.DataFrame:
    """The columns of one side of `pairs`, without their suffix."""
    columns = {f"{column}{suffix}": column for column in COLUMNS if f"{column}{suffix}" in pairs}
    return pairs[list(columns)].rename(columns=columns)
