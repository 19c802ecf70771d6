"""What a scorer of single answers hands back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one answer."""

    value: float
    """1.0 when the answer is right, 0.0 when it is not; nothing between."""
    reason: str
    """Why, in a word or two: `right`, `hedged`, `other record` and what else the scorer's docstring lists."""

    @property
    def right(self) -> bool:
        return self.value == 1.0
