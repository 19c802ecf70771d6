"""Every request of a pass, generated once: its lengths, when it is due, the source of its token ids, and their hash.

Stored are the sources from which the ids are regenerated, and their hash, which is checked before they are sent: each arm
receives the same tokens at the same times. Ids are drawn uniformly from the vocabulary without special tokens, from a separate
random stream for each prompt, so that prompts of different rounds share no prefix; or they are those of an accuracy run.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from kveval.errors import RunDirectoryError
from kveval.prompts.template import Head, TokenIds, token_ids
from kveval.store.bench_records import Arrivals, Request, Round
from kveval.throughput.scenarios import Load, Scenario

PRIMER = "primer"
DOCUMENT = "document:"
"""Prefix of the source of a prompt whose ids are those of an accuracy sample."""


class Prompts:
    """Generates the token ids of requests."""

    def __init__(self, vocabulary: Sequence[int], documents: Mapping[str, TokenIds] | None = None) -> None:
        """`vocabulary` contains the ids to draw from, `documents` the prompts of accuracy samples by sample id."""
        self._vocabulary = vocabulary
        self._documents = documents or {}

    def ids(self, request: Request) -> TokenIds:
        """The prompt of a request. Raises RunDirectoryError if its hash is not the one that was stored."""
        ids = self._make(request)
        if request.prompt_hash and Head(ids).prompt_hash() != request.prompt_hash:
            raise RunDirectoryError(
                f"The prompt of {request.id} is not the one that was stored: the tokenizer or kveval has changed. Choose "
                "another --out."
            )
        return ids

    def _make(self, request: Request) -> TokenIds:
        if request.source.startswith(DOCUMENT):
            return self._documents[request.source.removeprefix(DOCUMENT)]
        head = self._draw(request.shared_source, request.shared_tokens)
        return head + self._draw(request.source, request.prompt_tokens - len(head))

    def _draw(self, source: str, tokens: int) -> TokenIds:
        return token_ids(random.Random(source).choices(self._vocabulary, k=tokens) if tokens else ())

    def with_hash(self, request: Request) -> Request:
        return request.model_copy(update={"prompt_hash": Head(self.ids(request)).prompt_hash()})


def make_round(
    scenario: Scenario,
    load: Load,
    number: int,
    size: int,
    *,
    arrivals: Arrivals,
    seed: int,
    samples: Sequence[str] = (),
) -> Round:
    """Generate one round of `size` requests, without hashes of their ids. With `samples`, prompts are those of the samples."""
    key = f"{seed}/{scenario.name}/{load.name}/{number}"
    rng = random.Random(key)
    due = due_times(load.value, size, arrivals, rng) if load.kind == "rate" else [None] * size

    def request(name: str, at: float | None, source: str) -> Request:
        prompt, output = scenario.lengths(rng)
        shared = f"{key}/shared" if scenario.shared_tokens else ""
        return Request(
            id=f"{key.partition('/')[2]}/{name}",
            due=at,
            prompt_tokens=prompt,
            output_tokens=output,
            source=source,
            shared_source=shared,
            shared_tokens=scenario.shared_tokens,
        )

    sources = [f"{DOCUMENT}{sample}" for sample in samples] or [f"{key}/{index}" for index in range(size)]
    requests = tuple(request(str(index), at, sources[index]) for index, at in enumerate(due))
    primer = request(PRIMER, None, f"{key}/{PRIMER}") if scenario.shared_tokens else None
    return Round(scenario=scenario.name, load=load.name, number=number, requests=requests, primer=primer)


def due_times(rate: float, size: int, arrivals: Arrivals, rng: random.Random) -> list[float]:
    """When `size` requests are due, in seconds: at equal intervals, or as a Poisson process.

    As in vLLM's own benchmark, the gaps of the latter are scaled so that the last request is due after size ÷ rate: short
    rounds have the requested rate too.
    """
    gaps = [rng.expovariate(rate) if arrivals == "poisson" else 1 / rate for _ in range(size)]
    stretch = size / rate / sum(gaps)
    return [round(at * stretch, 6) for at in accumulate(gaps)]


def make_rounds(
    scenario: Scenario,
    load: Load,
    *,
    rounds: int,
    size: int,
    arrivals: Arrivals,
    seed: int,
    prompts: Prompts,
    samples: Sequence[str] = (),
) -> list[Round]:
    """Generate the measured rounds of one cell. With `samples`, `size` for each round, prompts are those of the samples."""
    made = []
    for number in range(rounds):
        mine = samples[number * size : (number + 1) * size]
        bare = make_round(scenario, load, number, size, arrivals=arrivals, seed=seed, samples=mine)
        primer = bare.primer and prompts.with_hash(bare.primer)
        requests = tuple(map(prompts.with_hash, bare.requests))
        made.append(bare.model_copy(update={"requests": requests, "primer": primer}))
    return made


def digest(rounds: Iterable[Round]) -> str:
    """Hash of all requests and their schedule."""
    lines = (json.dumps(each.model_dump(), sort_keys=True) for each in rounds)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
