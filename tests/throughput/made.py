"""Records of a pass, made by hand."""

from kveval.store.bench_records import Reply, Request, Round
from kveval.store.bench_results_schema import Ratio
from kveval.throughput.scenarios import Scenario


def made_reply(request, due, sent, chunks, end, prompt_tokens, output_tokens, error=None):
    return Reply(
        request=request,
        due=due,
        sent=sent,
        chunks=chunks,
        end=end,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        error=error,
    )


def made_request(name, due, prompt_tokens, output_tokens, source, *, shared_tokens=0):
    return Request(
        id=name,
        due=due,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        source=source,
        shared_tokens=shared_tokens,
    )


def made_round(scenario, load, number, requests):
    return Round(scenario=scenario, load=load, number=number, requests=requests)


def made_scenario(name, prompt_tokens, output_tokens, *, shared_tokens=0):
    return Scenario(name=name, prompt_tokens=prompt_tokens, output_tokens=output_tokens, shared_tokens=shared_tokens)


def made_ratio(log, low, high, rounds, requests):
    return Ratio(log=log, interval=(low, high), rounds=rounds, requests=requests)
