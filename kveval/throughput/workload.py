"""Every request of a pass, made once: its lengths, when it is due, and where its ids come from, with their hash.

What is stored is everything that makes the ids again, and their hash, which is checked before they are sent: each arm is sent
the same tokens at the same times. Ids are drawn evenly from the vocabulary without its special tokens, with a stream of their
own for each prompt, so that no prompt of one round begins like one of another; or they are those of an accuracy run.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import accumulate
from pathlib import Path
from typing import Literal

from kveval.errors import RunDirectoryError
from kveval.prompts.template import Head, TokenIds, token_ids
from kveval.store import bench_schema as forms
from kveval.store.json_files import Record, read_jsonl, write_jsonl
from kveval.throughput.scenarios import Load, Scenario

Arrivals = Literal["poisson", "constant"]
PRIMER = "primer"
DOCUMENT = "document:"
"""What the source of a prompt begins with whose ids are an accuracy sample's."""


@dataclass(frozen=True)
class Request:
    """One request, without its ids."""

    id: str
    due: float | None
    """Seconds after the beginning of its round; None where it is sent when another has ended."""
    prompt_tokens: int
    output_tokens: int
    source: str
    """The seed of the prompt's ids, or the sample that they are of."""
    shared_source: str = ""
    """The seed of the ids at its beginning that it shares with its round."""
    shared_tokens: int = 0
    prompt_hash: str = ""


@dataclass(frozen=True)
class Round:
    """What is sent to every arm alike, at one go."""

    scenario: str
    load: str
    number: int
    """From 0. Warm-up rounds count down from −1."""
    requests: tuple[Request, ...]
    primer: Request | None = None
    """Sent before and not measured, where prompts share a prefix: it puts that into the engine's cache."""

    @property
    def id(self) -> str:
        return f"{self.scenario}/{self.load}/{self.number}"

    @property
    def cached_tokens(self) -> int:
        """Tokens of prompts that the engine's prefix cache should hold."""
        return sum(request.shared_tokens for request in self.requests)

    @property
    def work(self) -> int:
        """Tokens, in and out."""
        return sum(request.prompt_tokens + request.output_tokens for request in self.requests)


class Prompts:
    """Makes the ids of requests."""

    def __init__(self, vocabulary: Sequence[int], documents: Mapping[str, TokenIds] | None = None) -> None:
        """`vocabulary` are the ids to draw from; `documents` the prompts of accuracy samples, by sample id."""
        self._vocabulary = vocabulary
        self._documents = documents or {}

    def ids(self, request: Request) -> TokenIds:
        """The prompt of a request. Raises RunDirectoryError where it is not the one that was stored."""
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
        return Request(**{**asdict(request), "prompt_hash": Head(self.ids(request)).prompt_hash()})


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
    """One round of `size` requests, without the hashes of their ids. With `samples` their prompts are those of these."""
    key = f"{seed}/{scenario.name}/{load.name}/{number}"
    rng = random.Random(key)
    due = due_times(load.value, size, arrivals, rng) if load.kind == "rate" else [None] * size

    def request(name: str, at: float | None, source: str) -> Request:
        prompt, output = scenario.lengths(rng)
        shared = f"{key}/shared" if scenario.shared_tokens else ""
        return Request(f"{key.partition('/')[2]}/{name}", at, prompt, output, source, shared, scenario.shared_tokens)

    sources = [f"{DOCUMENT}{sample}" for sample in samples] or [f"{key}/{index}" for index in range(size)]
    requests = tuple(request(str(index), at, sources[index]) for index, at in enumerate(due))
    primer = request(PRIMER, None, f"{key}/{PRIMER}") if scenario.shared_tokens else None
    return Round(scenario.name, load.name, number, requests, primer)


def due_times(rate: float, size: int, arrivals: Arrivals, rng: random.Random) -> list[float]:
    """When `size` requests are due, in seconds: at even distances, or those of a Poisson process.

    As in vLLM's own benchmark the gaps of the latter are stretched so that the last one is due after size ÷ rate: short
    rounds have the rate that was asked for too.
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
    """The measured rounds of one cell. With `samples`, size for each round, the prompts are theirs."""
    made = []
    for number in range(rounds):
        mine = samples[number * size : (number + 1) * size]
        bare = make_round(scenario, load, number, size, arrivals=arrivals, seed=seed, samples=mine)
        primer = bare.primer and prompts.with_hash(bare.primer)
        made.append(Round(scenario.name, load.name, number, tuple(map(prompts.with_hash, bare.requests)), primer))
    return made


def digest(rounds: Iterable[Round]) -> str:
    """Tells all requests and their schedule from others."""
    lines = (json.dumps(_record(each), sort_keys=True) for each in rounds)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def write_rounds(path: Path, rounds: Iterable[Round]) -> None:
    write_jsonl(path, map(_record, rounds))


def read_rounds(path: Path) -> list[Round]:
    """Raises RunDirectoryError where the file is missing or damaged."""
    return [
        Round(
            record["scenario"],
            record["load"],
            record["number"],
            tuple(_request(request) for request in record["requests"]),
            record["primer"] and _request(record["primer"]),
        )
        for record in read_jsonl(path, form=forms.Round)
    ]


def _request(record: Record) -> Request:
    return Request(**{field.name: record[field.name] for field in fields(Request)})


def _record(each: Round) -> Record:
    return asdict(each)
