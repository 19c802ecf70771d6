"""What follows from figures: no more than they carry."""

import math
from types import SimpleNamespace

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


def measure(verdict, change=0.0, width=0.001):
    log = math.log1p(change)
    return {"verdict": verdict, "ratio": {"log": log, "interval": [log - width, log + width]}}


def cell(arm, throughput, tpot, scenario="4k:128", load="concurrency=16", ttft="no verdict"):
    where = {"scenario": scenario, "load": load, "arm": arm}
    return where | {"ttft": measure(ttft), "tpot": tpot, "throughput": throughput}


def running(arm, median, scenario="4k:128", load="concurrency=16", tokens=4000):
    seen = {"median": median, "max": 16} if median else None
    lengths = {"prompt_tokens": tokens, "output_tokens": 0}
    return {"scenario": scenario, "load": load, "arm": arm, "running": seen} | lengths


class Made(SimpleNamespace):
    """Those fields of a record that advice reads."""

    def measure(self, name):
        return getattr(self, name)


def made(value):
    """An object with the fields of a dict, and so for all dicts in it."""
    if isinstance(value, dict):
        return Made(**{name: made(inner) for name, inner in value.items()})
    return [made(inner) for inner in value] if isinstance(value, list) else value


def said(pools=(100_000, 200_000, 100_000), **found):
    arms = {name: Made(kv_pool_tokens=pool) for name, pool in zip(("auto", "fp8", "fp8-held"), pools, strict=True)}
    fields = {"cells": [], "lines": [], "capacity": [], "figures": []} | found
    return list(advice(Made(arms=arms, **{name: made(value) for name, value in fields.items()})))


def cells_at(**verdicts):
    """Single-stream cells of fp8, by `at_CONTEXT=verdict on TPOT`."""
    contexts = {name.removeprefix("at_"): verdict for name, verdict in verdicts.items()}
    cells = [cell("fp8", measure("no verdict"), measure(v), scenario=c, load="single") for c, v in contexts.items()]
    return {"cells": cells, "figures": [running("auto", 1, scenario=c, tokens=int(c)) for c in contexts]}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            line(20000, (15000, 26000)),
            "lower above 26,000 tokens (upper limit of the 95% interval for the break-even context).",
        ),
        (line(-500, (-900, 800)), "it is lower from the shortest context measured (1,000 tokens)."),
        (line(-500, (-9000, 8088)), "it is lower above 8,088 tokens"),
        (line(90000, (70000, 99000)), "the contexts measured do not determine above which context it is lower."),
        (line(-500, (-9000, 70000)), "the contexts measured do not determine"),
        (line(-500, None), "the contexts measured do not determine"),
        (line(-500, (-900, 800), gain=(-1e-9, 3e-9)), "the data do not show whether TPOT grows more slowly"),
        (line(None, None, gain=(-3e-9, -1e-9)), "longer contexts do not favor it"),
    ],
)
def test_a_break_even_claims_only_what_its_interval_supports(given, sentence):
    (found,) = said(lines=[given])
    assert sentence in found


def test_a_break_even_does_not_contradict_a_measured_context():
    found = said(lines=[line(-500, (-900, 800))], **cells_at(at_1000="none", at_64000="faster"))
    assert "the contexts measured do not determine" in found[-1]


def test_users_of_short_contexts_gain_pool():
    found = cells_at(at_1000="slower", at_64000="faster")
    at = line(20000, (15000, 26000))
    assert "contexts below 15,000 tokens gain KV pool, but not speed." in said(lines=[at], **found)[-1]
    assert "gain KV pool" not in said(lines=[at], pools=(100, 100, 100), **found)[-1]
    found["cells"][0]["ttft"] = measure("faster")
    assert "gain KV pool" not in said(lines=[at], **found)[-1]


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        (
            measure("faster", 0.035),
            "+30.0% tokens/s, +3.5% with as many KV tokens as auto; its larger pool accounts for the rest.",
        ),
        (measure("faster", 0.3), "+30.0% tokens/s, +30.0% with as many KV tokens as auto."),
        (
            measure("none", 0.001),
            "no difference beyond the noise floor with as many KV tokens as auto; its larger pool accounts for the gain.",
        ),
        (measure("none", 0.001, width=0.5), "no difference beyond the noise floor with as many KV tokens as auto."),
    ],
)
def test_a_gain_is_split_between_pool_and_kernel(held, sentence):
    free = cell("fp8", measure("faster", 0.3), measure("none"))
    told = said(cells=[free, cell("fp8-held", held, measure("none"))])
    assert any(sentence in each for each in told)
    assert not any("more slowly" in each for each in told)


@pytest.mark.parametrize("pools", [(100, 100, 100), (100, 200, 150), (100, None, None), (None, 200, 100)])
def test_pools_that_do_not_isolate_the_effect_give_no_such_sentence(pools):
    free = cell("fp8", measure("faster", 0.3), measure("none"))
    told = said(pools, cells=[free, cell("fp8-held", measure("faster", 0.035), measure("none"))])
    assert not any("KV tokens" in each for each in told)


def test_an_arm_that_is_slower_with_the_same_pool_gets_no_split_of_its_gain():
    free = cell("fp8", measure("faster", 0.3), measure("none"))
    told = said(cells=[free, cell("fp8-held", measure("slower"), measure("none"))])
    assert not any("KV tokens" in each for each in told)


def test_a_higher_tpot_due_to_more_running_requests_is_explained():
    cells = [
        cell("fp8", measure("faster", 0.3), measure("slower", 0.35)),
        cell("fp8-held", measure("faster", 0.035), measure("faster", -0.03)),
    ]
    at = [running("auto", 8.0), running("fp8", 12.5), running("fp8-held", 8.0)]
    assert "more slowly when more requests run at once (median 12.5, 8 with auto)." in said(cells=cells, figures=at)[-1]
    fewer = [running("auto", 8.0), running("fp8", 7.0)]
    unknown = [running("auto", 8.0), running("fp8", None)]
    for figures in ([], fewer, unknown):
        assert not any("more slowly" in each for each in said(cells=cells, figures=figures))
    cells[1]["tpot"] = measure("slower", 0.2)  # the kernel is slower too
    assert not any("more slowly" in each for each in said(cells=cells, figures=at))


def fits(arm, number, cap="pool", limit="client", shares=False):
    where = {"scenario": "s", "arm": arm, "length": 8256, "most_sent": 1}
    return where | {"fits": number, "cap": cap, "limit": limit, "max_num_seqs": 1024, "shares": shares}


@pytest.mark.parametrize(
    ("capacity", "sentence"),
    [
        ([fits("auto", 111), fits("fp8", 222)], "fp8 fits 222 sequences of 8,256 tokens at once, auto 111."),
        ([fits("auto", 0), fits("fp8", 1)], "fp8 fits 1 sequence of 8,256 tokens at once, auto 0."),
        ([fits("auto", 8, limit="pool"), fits("fp8", 16)], "auto 8; the pool was the limit with auto."),
        (
            [fits("auto", 845), fits("fp8", 1690, cap="max-num-seqs")],
            "max-num-seqs allows 1,024 to run. Raise it if more requests",
        ),
        ([fits("auto", 8), fits("fp8", 8)], None),
        ([fits("auto", 8, shares=True), fits("fp8", 16, shares=True)], None),
    ],
)
def test_what_fits_is_said_and_what_capped_only_where_it_did(capacity, sentence):
    told = said(capacity=capacity)
    assert (told == []) if sentence is None else sentence in told[0]
