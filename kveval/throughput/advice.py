"""What follows from a throughput pass, in a sentence each: nothing that its figures do not carry."""

import math
from collections.abc import Iterator

from kveval.arms import BASELINE
from kveval.store.bench_results_schema import FASTER, NO_DIFFERENCE, SLOWER, BenchResults, ContextLine, SpeedCell
from kveval.throughput.bench_config import HELD
from kveval.throughput.capacity import POOL, SCHEDULER, has_larger_pool, is_held
from kveval.throughput.speed_verdicts import MEASURES, where

SAID = {FASTER: "faster", SLOWER: "slower", NO_DIFFERENCE: "no difference beyond the noise"}
CALLED = {"ttft": "first token (TTFT)", "tpot": "later tokens (TPOT)", "throughput": "throughput"}

Results = BenchResults


def advice(results: Results) -> Iterator[str]:
    """Sentences on each quantized arm: where it is faster, from which context on, what its pool holds, and what caps that."""
    for name in results.arms:
        if name != BASELINE and not name.endswith(HELD):
            yield from _speed(results, name)
            yield from _contexts(results, name)
            yield from _capacity(results, name)
            yield from _held(results, name)


def _speed(results: Results, arm: str) -> Iterator[str]:
    for measure in MEASURES:
        places: dict[str, list[str]] = {}
        for cell in _cells(results, arm):
            places.setdefault(cell.measure(measure).verdict, []).append(where(cell))
        said = [f"{words} on {', '.join(places[verdict])}" for verdict, words in SAID.items() if verdict in places]
        if said:
            yield f"{arm}, {CALLED[measure]}: {'; '.join(said)}."


def _contexts(results: Results, arm: str) -> Iterator[str]:
    """Whether TPOT grows more slowly with the context, and from where on tokens come sooner."""
    for line in results.lines:
        if line.arm != arm or not line.slope_gain or not line.slope_gain.interval:
            continue
        whose = f"{arm} with {line.load}"
        low, high = line.slope_gain.interval
        if low <= 0 <= high:
            yield f"{whose}: whether TPOT grows more slowly with the context is not decided."
        elif high < 0:
            yield f"{whose}: TPOT grows faster with the context: no context makes its tokens come sooner."
        else:
            yield f"{whose}: TPOT grows more slowly with the context; {_from_where(results, line)}."


def _from_where(results: Results, line: ContextLine) -> str:
    """From which context on tokens come sooner, no further than the interval and the cells' verdicts carry."""
    meets, contexts = line.break_even, line.contexts
    low, high = (meets.interval if meets else None) or (-math.inf, math.inf)
    verdicts = {_context(results, cell): cell for cell in _cells(results, line.arm) if cell.load == line.load}
    against = any(
        context >= high and cell.tpot.verdict in (NO_DIFFERENCE, SLOWER) for context, cell in verdicts.items()
    )
    if high > contexts[-1] or against:
        return "from where on its tokens come sooner, these contexts do not tell"
    if high <= contexts[0]:
        return f"its tokens come sooner from the shortest one measured on, {contexts[0]:,} tokens"
    sooner = f"its tokens come sooner from {high:,.0f} tokens on at the latest, with 95% confidence"
    shorter = [cell for context, cell in verdicts.items() if context < low]
    gained = any(cell.measure(measure).verdict == FASTER for cell in shorter for measure in MEASURES)
    if shorter and not gained and has_larger_pool(results.arms, line.arm):
        return f"{sooner}; users of contexts below {low:,.0f} gain pool, not speed"
    return sooner


def _capacity(results: Results, arm: str) -> Iterator[str]:
    """How many sequences fit, where prompts share nothing, and what caps them."""
    base = {each.scenario: each for each in results.capacity if each.arm == BASELINE}
    for each in results.capacity:
        before = base.get(each.scenario)
        if each.arm != arm or before is None or each.shares or each.fits == before.fits:
            continue
        sequences = f"{each.fits:,} sequence{'s' * (each.fits != 1)} of {each.length:,} tokens"
        holds = f"{arm} holds {sequences} at a time, {BASELINE} {before.fits:,}"
        if each.cap == SCHEDULER:
            raise_it = " Raise it where so many are in flight." if each.fits > before.fits else ""
            yield f"{holds}; max-num-seqs lets {each.max_num_seqs:,} run.{raise_it}"
        else:
            yield f"{holds}{': the pool is what capped' if before.limit == POOL else ''}."


def _held(results: Results, arm: str) -> Iterator[str]:
    """What the arm gains in throughput, beside what it gains with no more KV tokens than the baseline has."""
    name = f"{arm}{HELD}"
    if name not in results.arms or not is_held(results.arms, name) or not has_larger_pool(results.arms, arm):
        return
    held = {where(cell): cell for cell in _cells(results, name)}
    for cell in _cells(results, arm):
        beside = held.get(where(cell))
        if beside is None:
            continue
        free, kept, verdict = cell.throughput.ratio, beside.throughput.ratio, beside.throughput.verdict
        if cell.throughput.verdict != FASTER or verdict not in (FASTER, NO_DIFFERENCE) or not free or not kept:
            continue
        left = _percent(kept.log) if verdict == FASTER else "no difference beyond the noise"
        apart = kept.interval[1] < free.interval[0]
        why = f": its larger pool gives {'the rest' if verdict == FASTER else 'that'}" * apart
        yield f"{arm} on {where(cell)}: {_percent(free.log)} tokens a second, {left} with {BASELINE}'s KV tokens{why}."
        running = _running(results, cell)
        if cell.tpot.verdict == SLOWER and beside.tpot.verdict in (FASTER, NO_DIFFERENCE) and running:
            yield f"{arm} on {where(cell)}: tokens of one answer come more slowly where more run at a time: {running}."


def _running(results: Results, cell: SpeedCell) -> str | None:
    """How many requests ran at a time with a cell's arm and with the baseline; None unless it is known that more did."""
    median = {each.arm: each.running.median for each in results.figures if where(each) == where(cell) and each.running}
    mine, base = median.get(cell.arm), median.get(BASELINE)
    return f"{mine:g} in the median, {base:g} with {BASELINE}" if mine and base and mine > base else None


def _cells(results: Results, arm: str) -> list[SpeedCell]:
    return [cell for cell in results.cells if cell.arm == arm]


def _context(results: Results, cell: SpeedCell) -> int:
    """Tokens in the middle of decoding."""
    each = next(each for each in results.figures if each.scenario == cell.scenario)
    return int(each.prompt_tokens + each.output_tokens // 2)


def _percent(log: float) -> str:
    return f"{100 * math.expm1(log):+.1f}%"
