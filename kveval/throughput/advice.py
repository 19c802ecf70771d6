"""What follows from a throughput pass, in a sentence each: nothing that its figures do not carry."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kveval.arms import BASELINE
from kveval.throughput.capacity import POOL, SCHEDULER
from kveval.throughput.config import HELD
from kveval.throughput.judging import FASTER, NONE, SLOWER

MEASURED = {"ttft": "prefill (TTFT)", "tpot": "decode (TPOT)", "throughput": "throughput"}


def advice(results: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on each quantized arm: where it is faster, from which context on, what its pool holds, and what caps that."""
    for name in results["arms"]:
        if name != BASELINE and not name.endswith(HELD):
            yield from _speed(results, name)
            yield from _break_even(results, name)
            yield from _pool(results, name)
            yield from _held(results, name)


def _speed(results: Mapping[str, Any], arm: str) -> Iterator[str]:
    for measure, called in MEASURED.items():
        said = []
        for verdict in (FASTER, SLOWER, NONE):
            places = [
                _place(cell) for cell in results["cells"] if cell["arm"] == arm and cell[measure]["verdict"] == verdict
            ]
            if places:
                said.append(f"{'no difference' if verdict == NONE else verdict} on {', '.join(places)}")
        if said:
            yield f"{arm}, {called}: {'; '.join(said)}."


def _place(cell: Mapping[str, Any]) -> str:
    return f"{cell['scenario']} {cell['load']}"


def _break_even(results: Mapping[str, Any], arm: str) -> Iterator[str]:
    for line in results["lines"]:
        if line["arm"] != arm or not line["slope_gain"]:
            continue
        where, meets, contexts = f"{arm} with {line['load']}", line["break_even"], line["contexts"]
        low, high = line["slope_gain"]["interval"]
        if low <= 0 <= high:
            yield f"{where}: whether a decode step grows more slowly with the context is not decided; more rounds would tell."
        elif meets is None:
            yield f"{where}: a decode step grows no more slowly with the context, so that no context makes it faster."
        else:
            yield f"{where}: decode is faster {_from_where(meets, contexts)}."


def _from_where(meets: Mapping[str, Any], contexts: Sequence[int]) -> str:
    """From which context on, no further down than the interval carries."""
    high = meets["interval"][1] if meets["interval"] else None
    if meets["value"] <= contexts[0]:
        if high is not None and high <= contexts[0]:
            return f"from the shortest context measured, {contexts[0]:,} tokens, on"
        if high is not None and high <= contexts[-1]:
            return f"from {high:,.0f} tokens of context on at the latest; whether with shorter ones, more rounds would tell"
        return "with long contexts; from where on, more rounds would tell"
    beyond = ", more than was measured" if meets["value"] > contexts[-1] else ""
    return (
        f"from about {meets['value']:,.0f} tokens of context on{beyond}; users with shorter ones gain pool, not speed"
    )


def _pool(results: Mapping[str, Any], arm: str) -> Iterator[str]:
    caps = {each["scenario"]: each for each in results["capacity"] if each["arm"] == arm}
    base = {each["scenario"]: each for each in results["capacity"] if each["arm"] == BASELINE}
    for scenario, cap in caps.items():
        length = f"{cap['length']:,}"
        before = base.get(scenario)
        if before and cap["cap"] == POOL and cap["fits"] != before["fits"]:
            yield (
                f"{arm} holds {cap['fits']:,} sequences of {length} tokens at a time, {BASELINE} {before['fits']:,}: the pool "
                "caps."
            )
        elif before and cap["cap"] == SCHEDULER and cap["fits"] > cap["max_num_seqs"]:
            gained = cap["fits"] > before["fits"]
            yield (
                f"{arm} would hold {cap['fits']:,} sequences of {length} tokens and serves {cap['max_num_seqs']:,}: "
                f"max-num-seqs caps.{' Raise it to use the larger pool.' if gained else ''}"
            )


def _held(results: Mapping[str, Any], arm: str) -> Iterator[str]:
    """What the arm gains in throughput, beside what it gains with no more KV tokens than the baseline has."""
    held = {_place(cell): cell for cell in results["cells"] if cell["arm"] == f"{arm}{HELD}"}
    for cell in results["cells"]:
        beside = held.get(_place(cell))
        if cell["arm"] != arm or not beside or cell["throughput"]["verdict"] != FASTER:
            continue
        gains, kept, verdict = (
            cell["throughput"]["ratio"],
            beside["throughput"]["ratio"],
            beside["throughput"]["verdict"],
        )
        if verdict in (FASTER, NONE):
            left, why = "no difference", "its larger pool gives that"
            if verdict == FASTER:
                left = _percent(kept["log"])
                why = (
                    "its larger pool gives the rest" if kept["log"] < gains["interval"][0] else "its kernel gives that"
                )
            gained = f"{_percent(gains['log'])} tokens a second"
            yield f"{arm} on {_place(cell)}: {gained}, {left} with {BASELINE}'s KV tokens: {why}."
        if cell["tpot"]["verdict"] == SLOWER and beside["tpot"]["verdict"] in (FASTER, NONE):
            yield f"{arm} on {_place(cell)}: an answer once begun comes more slowly since {_at_once(results, cell)}."


def _percent(log: float) -> str:
    return f"{100 * math.expm1(log):+.1f}%"


def _at_once(results: Mapping[str, Any], cell: Mapping[str, Any]) -> str:
    """How many requests ran at a time in a cell, with its arm and with the baseline."""
    running = {
        each["arm"]: each["running"]["median"]
        for each in results["figures"]
        if _place(each) == _place(cell) and each["running"]
    }
    if not {cell["arm"], BASELINE} <= running.keys():
        return "more run at a time"
    return f"more run at a time: {running[cell['arm']]:g} in the median, {running[BASELINE]:g} with {BASELINE}"
