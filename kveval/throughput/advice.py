"""Conclusions from a throughput pass, one sentence each, limited to what its figures support."""

import math
from collections.abc import Iterator

from kveval.arms import BASELINE
from kveval.store.bench_results_schema import FASTER, NO_DIFFERENCE, SLOWER, BenchResults, ContextLine, SpeedCell
from kveval.throughput.bench_config import HELD
from kveval.throughput.capacity import POOL, SCHEDULER, has_larger_pool, is_held
from kveval.throughput.speed_verdicts import MEASURES, where

VERDICT_TEXTS = {FASTER: "faster", SLOWER: "slower", NO_DIFFERENCE: "no difference beyond the noise floor"}
MEASURE_TEXTS = {"ttft": "first token (TTFT)", "tpot": "later tokens (TPOT)", "throughput": "throughput"}

Results = BenchResults


def advice(results: Results) -> Iterator[str]:
    """Sentences on each quantized arm: where it is faster, its break-even context, how many sequences fit, what limits them."""
    for name in results.arms:
        if name != BASELINE and not name.endswith(HELD):
            yield from _speed(results, name)
            yield from _contexts(results, name)
            yield from _capacity(results, name)
            yield from _same_pool_gain(results, name)


def _speed(results: Results, arm: str) -> Iterator[str]:
    for measure in MEASURES:
        places: dict[str, list[str]] = {}
        for cell in _cells(results, arm):
            places.setdefault(cell.measure(measure).verdict, []).append(where(cell))
        parts = [
            f"{text} on {', '.join(places[verdict])}" for verdict, text in VERDICT_TEXTS.items() if verdict in places
        ]
        if parts:
            yield f"{arm}, {MEASURE_TEXTS[measure]}: {'; '.join(parts)}."


def _contexts(results: Results, arm: str) -> Iterator[str]:
    """Whether TPOT grows more slowly with the context than the baseline's, and above which context it is lower."""
    for line in results.lines:
        if line.arm != arm or not line.slope_gain or not line.slope_gain.interval:
            continue
        subject = f"{arm} with {line.load}"
        low, high = line.slope_gain.interval
        if low <= 0 <= high:
            yield f"{subject}: the data do not show whether TPOT grows more slowly with the context than {BASELINE}'s."
        elif high < 0:
            yield f"{subject}: TPOT grows faster with the context than {BASELINE}'s; longer contexts do not favor it."
        else:
            yield f"{subject}: TPOT grows more slowly with the context than {BASELINE}'s; {_break_even(results, line)}."


def _break_even(results: Results, line: ContextLine) -> str:
    """Above which context TPOT is lower, as far as the interval and the cells' verdicts support it."""
    meets, contexts = line.break_even, line.contexts
    low, high = (meets.interval if meets else None) or (-math.inf, math.inf)
    verdicts = {_context(results, cell): cell for cell in _cells(results, line.arm) if cell.load == line.load}
    against = any(
        context >= high and cell.tpot.verdict in (NO_DIFFERENCE, SLOWER) for context, cell in verdicts.items()
    )
    if high > contexts[-1] or against:
        return "the contexts measured do not determine above which context it is lower"
    if high <= contexts[0]:
        return f"it is lower from the shortest context measured ({contexts[0]:,} tokens)"
    lower = f"it is lower above {high:,.0f} tokens (upper limit of the 95% interval for the break-even context)"
    shorter = [cell for context, cell in verdicts.items() if context < low]
    gained = any(cell.measure(measure).verdict == FASTER for cell in shorter for measure in MEASURES)
    if shorter and not gained and has_larger_pool(results.arms, line.arm):
        return f"{lower}; contexts below {low:,.0f} tokens gain KV pool, but not speed"
    return lower


def _capacity(results: Results, arm: str) -> Iterator[str]:
    """How many sequences fit if prompts share no prefix, and what limits them."""
    base = {each.scenario: each for each in results.capacity if each.arm == BASELINE}
    for each in results.capacity:
        before = base.get(each.scenario)
        if each.arm != arm or before is None or each.shares or each.fits == before.fits:
            continue
        sequences = f"{each.fits:,} sequence{'s' * (each.fits != 1)} of {each.length:,} tokens"
        fits = f"{arm} fits {sequences} at once, {BASELINE} {before.fits:,}"
        if each.cap == SCHEDULER:
            raise_it = " Raise it if more requests are in flight." if each.fits > before.fits else ""
            yield f"{fits}; max-num-seqs allows {each.max_num_seqs:,} to run.{raise_it}"
        else:
            yield f"{fits}{f'; the pool was the limit with {BASELINE}' if before.limit == POOL else ''}."


def _same_pool_gain(results: Results, arm: str) -> Iterator[str]:
    """The throughput that the arm gains, and what it gains with the baseline's number of KV tokens."""
    name = f"{arm}{HELD}"
    if name not in results.arms or not is_held(results.arms, name) or not has_larger_pool(results.arms, arm):
        return
    same_pool = {where(cell): cell for cell in _cells(results, name)}
    for cell in _cells(results, arm):
        other = same_pool.get(where(cell))
        if other is None:
            continue
        full, limited, verdict = cell.throughput.ratio, other.throughput.ratio, other.throughput.verdict
        if cell.throughput.verdict != FASTER or verdict not in (FASTER, NO_DIFFERENCE) or not full or not limited:
            continue
        gain = _percent(limited.log) if verdict == FASTER else VERDICT_TEXTS[NO_DIFFERENCE]
        apart = limited.interval[1] < full.interval[0]
        why = f"; its larger pool accounts for {'the rest' if verdict == FASTER else 'the gain'}" * apart
        yield f"{arm} on {where(cell)}: {_percent(full.log)} tokens/s, {gain} with as many KV tokens as {BASELINE}{why}."
        running = _running(results, cell)
        if cell.tpot.verdict == SLOWER and other.tpot.verdict in (FASTER, NO_DIFFERENCE) and running:
            yield f"{arm} on {where(cell)}: each answer's tokens come more slowly when more requests run at once ({running})."


def _running(results: Results, cell: SpeedCell) -> str | None:
    """The median number of requests that ran at once on a cell's arm and on the baseline; None unless the arm's is known to be
    larger."""
    median = {each.arm: each.running.median for each in results.figures if where(each) == where(cell) and each.running}
    mine, base = median.get(cell.arm), median.get(BASELINE)
    return f"median {mine:g}, {base:g} with {BASELINE}" if mine and base and mine > base else None


def _cells(results: Results, arm: str) -> list[SpeedCell]:
    return [cell for cell in results.cells if cell.arm == arm]


def _context(results: Results, cell: SpeedCell) -> int:
    """Tokens of a cell's sequence in the middle of decoding."""
    each = next(each for each in results.figures if each.scenario == cell.scenario)
    return int(each.prompt_tokens + each.output_tokens // 2)


def _percent(log: float) -> str:
    return f"{100 * math.expm1(log):+.1f}%"
