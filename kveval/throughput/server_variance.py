"""What servers of one arm differ by: rounds on one server can agree more closely than two starts of the same engine do.

Such rounds are no independent measurements. An interval for what arms differ by rests on the servers of each, few as they are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

CONFIDENCE = 0.95
Array = NDArray[np.float64]
Servers = Sequence[Sequence[float]]
"""Of one arm: the figures of each server, the same ones of all."""


@dataclass(frozen=True)
class Spread:
    """How the figures of equal servers scatter."""

    covariance: Array
    """Of the figures of one server, between servers of one arm."""
    freedom: int
    """Degrees of freedom: servers less arms."""

    @property
    def reach(self) -> float:
        """By how many standard errors an interval reaches to either side."""
        return float(student.ppf((1 + CONFIDENCE) / 2, self.freedom))

    def margin(self, figure: int, share: float) -> float:
        """Half an interval for a figure whose variance is `share` of one server's: 1/2 for the mean of two, 1 for the
        difference of two such means."""
        return self.reach * math.sqrt(share * float(self.covariance[figure, figure]))


def spread_of(arms: Sequence[Servers]) -> Spread | None:
    """The spread within arms, pooled over them. None where no arm has two servers."""
    sides = [np.array(servers, dtype=float) for servers in arms if len(servers) > 1]
    if not sides:
        return None
    freedom = sum(len(side) - 1 for side in sides)
    squares = sum((side - side.mean(axis=0)).T @ (side - side.mean(axis=0)) for side in sides)
    return Spread(np.asarray(squares) / freedom, freedom)
