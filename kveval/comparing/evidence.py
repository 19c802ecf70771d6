"""The common form of compared results, from which cells are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from kveval.arms import BASELINE, CONTROL
from kveval.store.report_schema import ArmFacts, Matched
from kveval.store.run_records import ScoreRecord

LONGEST_VALUE = 40

Key = TypeVar("Key", bound=tuple[Any, ...])


@dataclass(frozen=True)
class Asked:
    """The question of a sample, as reports show it."""

    question: str
    gold: tuple[str, ...]
    depth: float | None


@dataclass(frozen=True)
class Evidence:
    """The samples that the sides have in common, scored on each; sides are the arms of one report."""

    about: str
    """What was compared, in one line."""
    scores: list[ScoreRecord]
    arms: dict[str, ArmFacts]
    """Facts of each arm, and the `source` that it was read from."""
    samples: dict[str, Asked]
    """By sample id."""
    outputs: dict[str, dict[str, str]]
    """Texts by arm and sample id."""
    left_out: tuple[Matched, ...]
    """By task: samples that only one side has, or has with another prompt."""
    remarks: list[str]


@dataclass(frozen=True)
class Match(Generic[Key]):
    """The samples that two sides have in common."""

    keys: list[Key]
    only_baseline: int
    only_arm: int
    other_prompt: int
    """Samples that both have, with prompts that differ."""

    def record(self, task: str) -> Matched:
        return Matched(
            task=task,
            matched=len(self.keys),
            only_baseline=self.only_baseline,
            only_arm=self.only_arm,
            other_prompt=self.other_prompt,
        )


def match(baseline: Sequence[Key], arm: Sequence[Key]) -> Match[Key]:
    """Match samples by their keys, whose first part identifies the sample and whose rest identifies its prompt."""
    both = set(baseline) & set(arm)
    here = [key[0] for key in baseline if key not in both]
    there = [key[0] for key in arm if key not in both]
    changed = len(set(here) & set(there))
    return Match([key for key in baseline if key in both], len(here) - changed, len(there) - changed, changed)


def left_out_remark(task: Matched, arm: str) -> str | None:
    """The samples of a task that are left out of both sides, in words; None where there are none."""
    counts = [
        (task.only_baseline, f"only in {BASELINE}"),
        (task.only_arm, f"only in {arm}"),
        (task.other_prompt, "with another prompt"),
    ]
    left_out = ", ".join(f"{count:,} {where}" for count, where in counts if count)
    return f"{task.task}: samples left out of both sides: {left_out}; compared: {task.matched:,}." if left_out else None


def arm_name(wanted: str | None, path: Path) -> str:
    """Return the name of the other side, next to `auto` and `control`."""
    names = [wanted, path.resolve().name if path.is_dir() else None]
    return next((name for name in names if name and name not in (BASELINE, CONTROL)), "arm")


def setup_differences(baseline: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """`max_model_len 8192 → 16384`, for all that differs; facts of a task (`version of gsm8k`) where both have it."""
    names = [
        name
        for name in dict.fromkeys((*baseline, *other))
        if baseline.get(name) != other.get(name) and (" of " not in name or {name} <= baseline.keys() & other.keys())
    ]
    return [f"{name} {_short(baseline.get(name))} → {_short(other.get(name))}" for name in names]


def _short(value: str | None) -> str:
    text = "not given" if value is None else " ".join(value.split())
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
