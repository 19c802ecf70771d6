"""Result of scoring one answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one answer, with its reason."""

    value: float
    """1.0 if the answer is right, else 0.0."""
    reason: str
    """Reason in one or two words, from the list in the scorer's docstring: `right`, `hedged`, `other record`, …"""

    @property
    def right(self) -> bool:
        return self.value == 1.0
