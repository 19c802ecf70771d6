"""Numbers as a report writes them. They are rounded here and nowhere else."""

from collections.abc import Mapping, Sequence
from typing import Any

from kveval.config import length_name

NONE = "–"


def at_length(cell: Mapping[str, Any]) -> str:
    """`32k`; `≤ 8k` where prompts are not padded, and the length is the shortest that holds them."""
    if cell["length"] is None:
        return NONE
    return length_name(cell["length"]) if cell.get("padded", True) else f"≤ {length_name(cell['length'])}"


def percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}%"


def signed(value: float, digits: int) -> str:
    """With a sign, a true minus; what rounds to zero has none."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(digit in "123456789" for digit in text) else text[1:]


def points(share: float) -> str:
    return signed(100 * share, 1)


def interval(limits: Sequence[float], *, similarity: bool = False) -> str:
    low, high = (signed(limit, 3) if similarity else points(limit) for limit in limits)
    return f"[{low}, {high}]"


def right(cell: Mapping[str, Any], side: str = "") -> str:
    """The share of right answers, or the mean similarity of copies; `side` is `_baseline` for the baseline's."""
    if not cell["n"]:
        return NONE
    if cell["measure"] == "similarity":
        return f"{cell[f'score{side}']:.3f}"
    return percent(cell[f"right{side}"] / cell["n"])


def difference(cell: Mapping[str, Any]) -> str:
    """Arm minus baseline with its interval: in points, or in similarity."""
    if cell["difference"] is None:
        return NONE
    if cell["measure"] == "similarity":
        return f"{signed(cell['difference'], 3)} {interval(cell['interval'], similarity=True)}"
    return f"{points(cell['difference'])} pt {interval(cell['interval'])}"


def p_value(p: float | None) -> str:
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
