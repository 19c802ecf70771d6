"""What follows from figures: no more than they carry."""

import math

import pytest

from kveval.throughput.advice import advice


def line(value, interval, gain=(1e-9, 2e-9)):
    meets = None if value is None else {"value": value, "interval": interval}
    return {
        "arm": "fp8",
        "load": "single",
        "contexts": [1000, 64000],
        "slope_gain": {"value": sum(gain) / 2, "interval": gain},
        "break_even": meets,
    }


def said(**found):
    empty = {"arms": {"auto": {}, "fp8": {}, "fp8-held": {}}, "cells": [], "lines": [], "capacity": [], "figures": []}
    return list(advice(empty | found))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            line(20000, (15000, 26000)),
            "faster from about 20,000 tokens of context on; users with shorter ones gain pool",
        ),
        (line(90000, (70000, 99000)), "from about 90,000 tokens of context on, more than was measured"),
        (line(-500, (-900, 800)), "faster from the shortest context measured, 1,000 tokens, on."),
        (
            line(-500, (-9000, 8088)),
            "from 8,088 tokens of context on at the latest; whether with shorter ones, more rounds",
        ),
        (line(-500, (-9000, 70000)), "faster with long contexts; from where on, more rounds would tell."),
        (line(-500, None), "faster with long contexts; from where on, more rounds would tell."),
        (line(-500, (-900, 800), gain=(-1e-9, 3e-9)), "is not decided"),
        (line(None, None, gain=(-3e-9, -1e-9)), "no context makes it faster"),
    ],
)
def test_a_break_even_is_told_no_further_than_its_interval_carries(given, sentence):
    (told,) = said(lines=[given])
    assert sentence in told


def measure(verdict, change=0.0, width=0.001):
    log = math.log1p(change)
    return {"verdict": verdict, "ratio": {"log": log, "interval": [log - width, log + width]}}


def cell(arm, throughput, tpot):
    where = {"scenario": "4k:128", "load": "concurrency=16", "arm": arm}
    return where | {"ttft": measure("no verdict"), "tpot": tpot, "throughput": throughput}


def running(arm, median):
    return {"scenario": "4k:128", "load": "concurrency=16", "arm": arm, "running": {"median": median, "max": 16}}


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        (
            measure("faster", 0.035),
            "+30.0% tokens a second, +3.5% with auto's KV tokens: its larger pool gives the rest.",
        ),
        (measure("faster", 0.3), "+30.0% tokens a second, +30.0% with auto's KV tokens: its kernel gives that."),
        (
            measure("none", 0.001),
            "+30.0% tokens a second, no difference with auto's KV tokens: its larger pool gives that.",
        ),
    ],
)
def test_a_gain_is_parted_between_pool_and_kernel(held, sentence):
    free = cell("fp8", measure("faster", 0.3), measure("none"))
    told = said(cells=[free, cell("fp8-held", held, measure("none"))])
    assert any(sentence in each for each in told)
    assert not any("comes more slowly" in each for each in told)


def test_a_pool_that_is_no_better_when_held_is_not_told_apart():
    free = cell("fp8", measure("faster", 0.3), measure("none"))
    told = said(cells=[free, cell("fp8-held", measure("slower"), measure("none"))])
    assert not any("KV tokens" in each for each in told)


def test_decode_that_is_slower_since_more_run_at_a_time_is_explained():
    cells = [
        cell("fp8", measure("faster", 0.3), measure("slower", 0.35)),
        cell("fp8-held", measure("faster", 0.035), measure("faster", -0.03)),
    ]
    told = said(cells=cells, figures=[running("auto", 8.0), running("fp8", 12.5), running("fp8-held", 8.0)])
    assert "comes more slowly since more run at a time: 12.5 in the median, 8 with auto." in told[-1]
    assert said(cells=cells)[-1].endswith(
        "comes more slowly since more run at a time."
    )  # the engine's metrics did not come
    cells[1]["tpot"] = measure("slower", 0.2)  # the kernel is slower too
    assert not any("more run at a time" in each for each in said(cells=cells))
