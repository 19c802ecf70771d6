"""Which metrics of lm-evaluation-harness are compared, and their values as numbers from 0 (worst) to 1."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kveval.comparing.lm_eval import NO_FILTER, Outcome
from kveval.errors import UsageError

PREFERRED = ("exact_match", "acc_norm", "acc", "pass@1", "prompt_level_strict_acc", "score", "f1")
"""Where a task has several metrics that can be compared, the first of these that it has: one a task keeps the tests few."""
OTHER_LENGTH = -1.0
"""What RULER's tasks write for the lengths that a sample does not have; their metrics are named after lengths."""


@dataclass(frozen=True)
class Metric:
    """One metric of a task under one filter."""

    task: str
    filter: str
    name: str
    falling: bool
    """Whether less is better; its values are then compared as 1 − value."""
    graded: bool
    """Whether values lie between right and wrong."""

    @property
    def length(self) -> int | None:
        """RULER names its metrics after the length of the prompt."""
        return int(self.name) if _is_length(self.name) else None

    @property
    def label(self) -> str:
        """`gsm8k exact_match (strict-match)`; a length is no part of it."""
        name = f"1 − {self.name}" if self.falling else self.name
        words = [self.task, *([] if self.length else [name])]
        return " ".join(words if self.filter == NO_FILTER else [*words, f"({self.filter})"])

    def value(self, outcome: Outcome) -> float | None:
        """From 0 to 1, 1 is best; None where there is no number."""
        value = _number(outcome.metrics.get(self.name))
        return None if value is None else 1 - value if self.falling else value

    def concerns(self, outcome: Outcome) -> bool:
        """Whether a sample has this metric at all."""
        return self.name in outcome.metrics and not _is_other_length(self.name, outcome.metrics[self.name])


def choose_metrics(
    pairs: Mapping[tuple[str, str], Sequence[Outcome]],
    better: Mapping[str, Mapping[str, bool | None]],
    wanted: Sequence[str],
) -> tuple[list[Metric], list[str]]:
    """The metrics to compare, by task and filter, and in words what was chosen among several and what cannot be compared.

    `pairs` has the outcomes of all sides. `wanted` has names, or names with filters as lm-eval writes them
    (`exact_match,strict-match`); without any, each task's own are taken. Raises UsageError where one that is wanted is not
    there or cannot be compared, and where nothing is left.
    """
    chosen: list[Metric] = []
    remarks: list[str] = []
    unused = set(wanted)
    for (task, name), outcomes in pairs.items():
        there = list(dict.fromkeys(metric for outcome in outcomes for metric in outcome.metrics))
        faults = {metric: _fault(metric, outcomes) for metric in there}
        usable = [metric for metric in there if faults[metric] is None]
        asked = [metric for metric in there if {metric, f"{metric},{name}"} & set(wanted)]
        unused -= {word for metric in asked for word in (metric, f"{metric},{name}")}
        if unusable := [metric for metric in asked if faults[metric]]:
            raise UsageError(f"--metric {unusable[0]} of {task} cannot be compared: {faults[unusable[0]]}.")
        taken = asked if wanted else _own(usable)
        if not wanted and not usable:
            by_fault: dict[str | None, list[str]] = {}
            for metric in there:
                by_fault.setdefault(faults[metric], []).append(metric)
            why = "; ".join(f"{', '.join(names)} ({fault})" for fault, names in by_fault.items())
            remarks.append(f"{task} is left out, nothing in it can be compared by sample: {why or 'it has no metric'}.")
        if not wanted and len(usable) > len(taken):
            others = ", ".join(metric for metric in usable if metric not in taken)
            remarks.append(f"{task}: {', '.join(taken)} is compared; --metric picks others ({others}).")
        for metric in taken:
            falling = better.get(task, {}).get(metric) is False
            chosen.append(Metric(task, name, metric, falling, _is_graded(metric, outcomes)))
    if unused:
        known = ", ".join(dict.fromkeys(name for found in pairs.values() for one in found for name in one.metrics))
        raise UsageError(f"--metric {min(unused)} is not a metric of any common task: choose from {known}.")
    if not chosen:
        raise UsageError(f"Nothing can be compared. {' '.join(remarks)}")
    return chosen, list(dict.fromkeys(remarks))


def _own(usable: Sequence[str]) -> list[str]:
    """All lengths of a task that has lengths for metrics, else one metric."""
    lengths = sorted((name for name in usable if _is_length(name)), key=int)
    return lengths or [name for name in (*PREFERRED, *usable) if name in usable][:1]


def _fault(name: str, outcomes: Sequence[Outcome]) -> str | None:
    """Return why a metric cannot be compared sample by sample; None if it can."""
    values = list(_values(name, outcomes))
    if others := [value for value in values if not isinstance(value, (bool, int, float, type(None)))]:
        return "text" if isinstance(others[0], str) else "made of several figures, for the whole corpus at once"
    numbers = [number for number in map(_number, values) if number is not None]
    if not numbers:
        return "no number in any sample"
    if min(numbers) < 0 or max(numbers) > 1:
        return f"values from {min(numbers):g} to {max(numbers):g}; only values from 0 to 1 can be compared"
    return None


def _is_graded(name: str, outcomes: Sequence[Outcome]) -> bool:
    return any(_number(value) not in (0.0, 1.0, None) for value in _values(name, outcomes))


def _values(name: str, outcomes: Sequence[Outcome]) -> Iterator[Any]:
    for outcome in outcomes:
        value = outcome.metrics.get(name)
        if not _is_other_length(name, value):
            yield value


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (bool, int, float)) and not math.isnan(value) else None


def _is_length(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _is_other_length(name: str, value: Any) -> bool:
    return _is_length(name) and value == OTHER_LENGTH
