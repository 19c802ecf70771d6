"""Variance between servers of one arm: rounds on one server can agree more closely than two starts of the same engine.

Rounds on one server are therefore not independent. Intervals for differences between arms use the variance between servers, few
as these are.
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
"""Figures of each server of one arm, in the same order."""


@dataclass(frozen=True)
class Spread:
    """Variance of the figures between servers of the same arm."""

    covariance: Array
    """Covariance of one server's figures, estimated between servers of one arm."""
    freedom: int
    """Degrees of freedom: number of servers minus number of arms."""

    @property
    def reach(self) -> float:
        """Half-width of an interval in standard errors."""
        return float(student.ppf((1 + CONFIDENCE) / 2, self.freedom))

    def margin(self, figure: int, share: float) -> float:
        """Half-width of the interval for a figure whose variance is `share` times one server's: 1/2 for the mean of two
        servers, 1 for the difference of two such means."""
        return self.reach * math.sqrt(share * float(self.covariance[figure, figure]))


def spread_of(arms: Sequence[Servers]) -> Spread | None:
    """The spread within arms, pooled over arms. None if no arm has two servers."""
    sides = [np.array(servers, dtype=float) for servers in arms if len(servers) > 1]
    if not sides:
        return None
    freedom = sum(len(side) - 1 for side in sides)
    squares = sum((side - side.mean(axis=0)).T @ (side - side.mean(axis=0)) for side in sides)
    return Spread(np.asarray(squares) / freedom, freedom)
