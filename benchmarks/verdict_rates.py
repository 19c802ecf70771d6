"""Rates of wrong verdicts and of detected losses in simulated runs, as a Markdown table.

    python benchmarks/verdict_rates.py            1,000 runs per figure, some minutes on one core
    python benchmarks/verdict_rates.py --runs 100

A row with several rates of lost and gained answers shows the maximum over them. Models for the questions on one document:
- independent: all questions flip independently;
- alike: the rates vary between documents so that the flips of two questions on one document have correlation 0.5;
- whole: all questions on a document flip together;
- hidden: noise flips questions independently, while the loss affects some documents as a whole.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kveval.stats import bootstrap_mean_difference, classify, holm, paired_interval, paired_test

MARGIN = 0.02
SIZES = (20, 40, 100, 200, 400, 1600)
"""Numbers of samples in a cell."""

RESAMPLES = 999
"""A tenth of the default, to save time. It makes p-values and limits slightly noisier, not verdicts better."""

Cell = NDArray[np.float64]
"""Differences in one cell: [documents, questions]."""

Draw = Callable[..., Cell]
"""Draws a cell, given a random generator, the numbers of documents and of questions on each, and rates by keyword."""


def independent(rng: np.random.Generator, documents: int, questions: int, *, lost: float, gained: float) -> Cell:
    return _flips(rng.random((documents, questions)), lost, gained)


def alike(rng: np.random.Generator, documents: int, questions: int, *, lost: float, gained: float) -> Cell:
    concentration = 1 / 0.5 - 1  # of the Dirichlet distribution, for an intraclass correlation of 0.5
    shares = np.maximum(1e-9, [lost, gained, 1 - lost - gained])
    rates = rng.dirichlet(concentration * shares, size=documents)
    return _flips(rng.random((documents, questions)), rates[:, :1], rates[:, 1:2])


def whole(rng: np.random.Generator, documents: int, questions: int, *, lost: float, gained: float) -> Cell:
    return np.repeat(independent(rng, documents, 1, lost=lost, gained=gained), questions, axis=1)


def hidden(rng: np.random.Generator, documents: int, questions: int, *, lost: float, gained: float) -> Cell:
    cell = independent(rng, documents, questions, lost=gained, gained=gained)
    # Noise gains as much as it loses, so the net loss comes from the documents that fail.
    cell[rng.random(documents) < lost - gained] = -1
    return cell


def similarity(rng: np.random.Generator, documents: int, questions: int, *, shift: float, failed: float) -> Cell:
    """Draw differences of copy similarity: all passages change slightly, and some documents fail entirely."""
    cell = rng.normal(shift, 0.01, (documents, questions))
    cell[rng.random(documents) < failed] = -1
    return cell


def _flips(uniform: Cell, lost: float | Cell, gained: float | Cell) -> Cell:
    return np.where(uniform < lost, -1.0, np.where(uniform < lost + gained, 1.0, 0.0))


def rate(wanted: str, draw: Draw, n: int, questions: int, runs: int, harmless: int = 0) -> float:
    """Return the share of runs in which the cell gets this verdict, with Holm's correction over it and `harmless` others."""
    rng = np.random.default_rng([n, questions])
    draws: list[Draw] = [draw, *[partial(independent, lost=0.01, gained=0.01)] * harmless]
    ids = [f"document {sample // questions}" for sample in range(n)]
    found = 0
    for _ in range(runs):
        cells = [draw(rng, n // questions, questions).ravel().tolist() for draw in draws]
        limits = interval(cells[0], ids)
        if wanted == "pass" and limits[0] <= -MARGIN:
            continue  # the test cannot change this, and it takes most of the time
        p_adjusted = holm([paired_test(cell, ids, resamples=RESAMPLES) for cell in cells])[0]
        verdict = classify(p_adjusted, sum(cells[0]) / n, limits, margin=MARGIN, documents=n // questions)
        found += verdict == wanted
    return found / runs


def interval(cell: Sequence[float], ids: Sequence[str]) -> tuple[float, float]:
    if set(cell) <= {-1.0, 0.0, 1.0}:
        return paired_interval(cell, ids)
    return bootstrap_mean_difference(cell, ids, worst=-1.0, resamples=RESAMPLES)[1:]


def rows(runs: int) -> Iterator[str]:
    def row(
        truth: str, wanted: str, questions: int, draw: Draw, rates: Sequence[dict[str, float]], harmless: int = 0
    ) -> str:
        figures = []
        for n in SIZES:
            if draw is similarity and n > 400:
                figures.append("–")  # takes as long as all other figures together
                continue
            worst = max(rate(wanted, partial(draw, **each), n, questions, runs, harmless) for each in rates)
            figures.append(f"{worst:.1%}")
        return f"| {truth} | `{wanted}` | {questions}, {draw.__name__} | {' | '.join(figures)} |"

    yield f"| truth | verdict | questions per document | {' | '.join(f'n = {n}' for n in SIZES)} |"
    yield "| --- | --- | --- |" + " --- |" * len(SIZES)

    layouts: list[tuple[int, Draw]] = [(1, independent), (4, alike), (4, whole), (20, alike), (20, whole)]
    noise = [{"lost": flips, "gained": flips} for flips in (0.01, 0.1)]
    for questions, draw in layouts:
        yield row("no effect", "degraded", questions, draw, noise)
    yield row("no effect", "degraded", 1, similarity, [{"shift": 0.0, "failed": 0.0}])

    lossy = [{"lost": gained + MARGIN, "gained": gained} for gained in (0.0, 0.005, 0.02)]
    for questions, draw in [*layouts, (4, hidden), (20, hidden)]:
        yield row("2 points lost", "pass", questions, draw, lossy)
    lossy = [{"shift": shift, "failed": (MARGIN + shift) / (1 + shift)} for shift in (-0.01, 0.0)]
    yield row("2 points lost", "pass", 1, similarity, lossy)

    for questions in (1, 4, 20):
        yield row("0.5% lost and gained", "pass", questions, independent, [{"lost": 0.005, "gained": 0.005}])
    yield row("no effect", "pass", 1, similarity, [{"shift": 0.0, "failed": 0.0}])

    harmful = [{"lost": 0.07, "gained": 0.02}]
    for questions, draw in (layouts[0], layouts[1], layouts[3]):
        yield row("7% lost, 2% gained", "degraded", questions, draw, harmful)
        yield row("7% lost, 2% gained, one of six cells", "degraded", questions, draw, harmful, harmless=5)


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated rates of wrong and right verdicts, as a Markdown table.")
    parser.add_argument("--runs", type=int, default=1000, help="simulated runs per figure (default 1000)")
    for line in rows(parser.parse_args().runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
