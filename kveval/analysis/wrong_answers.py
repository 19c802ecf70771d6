"""What goes wrong: how often each kind of wrong answer comes up on an arm."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from kveval.analysis.comparison import COLUMNS, is_copying
from kveval.store.run_directory import Record

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


def faults(rows: pd.DataFrame) -> dict[str, Record]:
    """Each kind of fault in scored answers: its `count`, and `of` how many `answers`, `words` or `passages` (the `unit`).

    First what answers were judged by, the commonest first, then what is odd about outputs whether right or wrong.
    """
    answers = len(rows)
    if is_copying(rows):
        words = int(rows["passage_words"].sum())
        found = {
            name: {"count": int(rows[column].sum()), "of": words, "unit": "words"}
            for name, column in COPY_FAULTS.items()
        }
        found["splices"] |= {"of": answers, "unit": "passages"}
    else:
        reasons = Counter(rows.loc[~rows["right"].astype(bool), "reason"])
        found = {reason: {"count": count, "of": answers, "unit": "answers"} for reason, count in reasons.most_common()}
    flags = Counter(flag for flags in rows["flags"] for flag in flags)
    found |= {name: {"count": flags[flag], "of": answers, "unit": "answers"} for flag, name in FLAGS.items()}
    return {name: fault for name, fault in found.items() if fault["count"]}


def lost_to(pairs: pd.DataFrame) -> dict[str, int]:
    """The faults of the answers that came out worse than on the baseline, less those that it made in them, too.

    For copies in words and splices. `pairs` has both sides' columns, the baseline's with `_baseline` behind their names.
    """
    worse = pairs[pairs["value"] < pairs["value_baseline"]]
    before = faults(side(worse, "_baseline")) if is_copying(worse) else {}
    counts = {
        name: fault["count"] - before.get(name, {"count": 0})["count"]
        for name, fault in faults(worse).items()
        if name not in FLAGS.values()
    }
    return {name: count for name, count in counts.items() if count > 0}


def side(pairs: pd.DataFrame, suffix: str) -> pd.DataFrame:
    """The columns of one side of some pairs, under their plain names."""
    columns = {f"{column}{suffix}": column for column in COLUMNS if f"{column}{suffix}" in pairs}
    return pairs[list(columns)].rename(columns=columns)


def counted(counts: Mapping[str, int]) -> str:
    """`2 near value, 1 word replaced`."""
    ones = {"words": "word", "splices": "splice"}
    return ", ".join(
        f"{count} {' '.join(ones.get(word, word) if count == 1 else word for word in kind.split())}"
        for kind, count in counts.items()
    )
