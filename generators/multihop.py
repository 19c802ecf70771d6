"""Chains of facts about people, and questions that follow one over two to four facts.

A document says of each of its people who stands in some relations to them, and what some of their attributes are: one fact
a sentence, in random order, scattered over the document. Everybody is in every relation to somebody, so that the chains
cross: each name stands in facts of other chains as well, a wrong turn leads on to a value of the same kind, and so does
stopping early.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from .names import Names, Syllables
from .parts import Plant, Question
from .values import DIGITS

AnswerKind = Literal["number", "name"]
LEAST_PEOPLE, MOST_PEOPLE = 6, 40
LEAST_HOPS, MOST_HOPS = 2, 4
MOST_RELATIONS = 3


@dataclass(frozen=True)
class Chains:
    """What chains a document holds. Raises ValueError where that cannot be."""

    people: int = 10
    relations: int = 2
    """In which everybody stands to somebody."""
    hops: tuple[int, ...] = (2, 3, 4)
    """Facts that a question needs; questions take turns."""
    answers: tuple[AnswerKind, ...] = get_args(AnswerKind)
    """Kinds of values at the ends of chains; everybody has one of each, and questions take turns."""

    def __post_init__(self) -> None:
        if not LEAST_PEOPLE <= self.people <= MOST_PEOPLE:
            raise ValueError(f"people must be {LEAST_PEOPLE} to {MOST_PEOPLE}, not {self.people}")
        if not 1 <= self.relations <= MOST_RELATIONS:
            raise ValueError(f"relations must be 1 to {MOST_RELATIONS}, not {self.relations}")
        if not self.hops or not set(self.hops) <= set(range(LEAST_HOPS, MOST_HOPS + 1)):
            raise ValueError(f"hops must be {LEAST_HOPS} to {MOST_HOPS}, not {list(self.hops)}")
        if not self.answers or len(set(self.answers)) < len(self.answers):
            raise ValueError("answers must name one kind or more, each once")

    @property
    def facts(self) -> int:
        """Facts in a document."""
        return self.people * (self.relations + len(self.answers))

    @property
    def most_questions(self) -> int:
        """Questions with an answer of their own each."""
        return self.people


@dataclass(frozen=True, eq=False)
class Words:
    """The words of chains in one language. Texts that are random choices stand in tuples; `{fields}` are filled in."""

    people: Syllables
    towns: Syllables
    relations: tuple[str, ...]
    """What somebody is to somebody."""
    attributes: Mapping[AnswerKind, tuple[str, ...]]
    """What somebody has: a number or the name of a town."""
    related: tuple[str, ...]
    """Facts: the `{relation}` of `{one}` is `{other}`."""
    given: tuple[str, ...]
    """Facts: the `{attribute}` of `{one}` is `{value}`."""
    nested: tuple[str, ...]
    """Questions, with `{attribute}` and `{whose}`."""
    whose: str
    """The `{relation}` of `{one}`, who can be told in the same way."""
    stepwise: tuple[str, ...]
    """Questions, with `{attribute}` and `{steps}`."""
    first_step: str
    """With `{relation}` and `{one}`."""
    next_step: str
    """With `{relation}`."""
    between_steps: str
    answers: Mapping[AnswerKind, tuple[str, ...]]
    """How to answer."""
    between: str
    """What stands between two sentences."""


@dataclass(frozen=True)
class Query:
    """From whom, over which relations, to what."""

    start: str
    path: tuple[str, ...]
    attribute: str


def plant(rng: random.Random, words: Words, chains: Chains, *, places: Sequence[int], index: int = 0) -> Plant:
    """The facts of one document, a sentence each, and one question for each of `places`: where the last fact of its chain
    stands among the pieces. `index` counts the documents of a series, over which hops and kinds of answers take turns.

    Raises ValueError when `places` are not different places, or more than there are people.
    """
    if len(places) > chains.most_questions:
        raise ValueError(f"chains of {chains.people} people hold so many questions, not {len(places)}")
    if len(set(places)) < len(places) or not all(0 <= place < chains.facts for place in places):
        raise ValueError(f"places must be different and below {chains.facts}, not {list(places)}")
    names = Names(rng)
    people = [names.draw(words.people) for _ in range(chains.people)]
    relations = dict(zip(rng.sample(words.relations, chains.relations), _circles(rng, people, chains), strict=True))
    attributes = {rng.choice(words.attributes[kind]): kind for kind in chains.answers}
    numbers = _numbers(rng)
    table = {
        name: {one: next(numbers) if kind == "number" else names.draw(words.towns) for one in people}
        for name, kind in attributes.items()
    }
    queries = []
    for k, end in enumerate(rng.sample(people, len(places))):
        turn = index * len(places) + k
        hops = chains.hops[turn % len(chains.hops)]
        attribute = list(attributes)[turn // len(chains.hops) % len(attributes)]
        queries.append(_query_to(rng, end, hops - 1, relations, attribute))

    facts = {
        (name, one): rng.choice(words.related).format(relation=name, one=one, other=other)
        for name, of in relations.items()
        for one, other in of.items()
    } | {
        (name, one): rng.choice(words.given).format(attribute=name, one=one, value=value)
        for name, of in table.items()
        for one, value in of.items()
    }
    last = [(query.attribute, _follow(query, relations)[-1]) for query in queries]
    rest = [fact for fact in facts if fact not in last]
    rng.shuffle(rest)
    standing = dict(zip(places, last, strict=True))
    order = [standing[place] if place in standing else rest.pop() for place in range(len(facts))]
    return Plant(
        pieces=tuple(facts[fact] for fact in order),
        questions=tuple(
            _question(rng, words, query, place, relations, table, attributes[query.attribute])
            for query, place in zip(queries, places, strict=True)
        ),
        inline=True,
    )


def _circles(rng: random.Random, people: Sequence[str], chains: Chains) -> list[dict[str, str]]:
    """For each relation who comes after whom in a circle of all people; nobody after the same one in two of them.

    As they are circles, a path along one always meets different people.
    """
    while True:
        orders = [rng.sample(people, len(people)) for _ in range(chains.relations)]
        circles = [dict(zip(order, [*order[1:], order[0]], strict=True)) for order in orders]
        if all(len({circle[one] for circle in circles}) == len(circles) for one in people):
            return circles


def _numbers(rng: random.Random) -> Iterator[str]:
    """Different numbers of four digits without zeros: longer than a count, without the point of a measured value."""
    drawn: set[str] = set()
    while True:
        number = "".join([rng.choice("2345678"), *(rng.choice(DIGITS) for _ in range(3))])
        if number not in drawn:
            drawn.add(number)
            yield number


def _query_to(
    rng: random.Random, end: str, steps: int, relations: Mapping[str, Mapping[str, str]], attribute: str
) -> Query:
    """A query that ends at one of the people, over different people."""
    backwards = {name: {other: one for one, other in of.items()} for name, of in relations.items()}
    paths = list(product(relations, repeat=steps))
    rng.shuffle(paths)
    for path in paths:
        met = [end]
        for name in reversed(path):
            met.append(backwards[name][met[-1]])
        if len(set(met)) == len(met):
            return Query(met[-1], path, attribute)
    raise AssertionError("a path along one circle meets different people")


def _follow(query: Query, relations: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The people that a query leads to, from its start on."""
    met = [query.start]
    for name in query.path:
        met.append(relations[name][met[-1]])
    return met


def _question(
    rng: random.Random,
    words: Words,
    query: Query,
    place: int,
    relations: Mapping[str, Mapping[str, str]],
    table: Mapping[str, Mapping[str, str]],
    kind: AnswerKind,
) -> Question:
    *before, end = _follow(query, relations)
    turns = (
        _follow(Query(query.start, path, ""), relations)[-1] for path in product(relations, repeat=len(query.path))
    )
    values = table[query.attribute]
    others = dict.fromkeys(one for one in (*before, *turns, *values) if one != end)
    return Question(
        text=f"{_ask(rng, words, query)}{words.between}{rng.choice(words.answers[kind])}",
        gold=values[end],
        answer_type="number" if kind == "number" else "text",
        kind=f"{len(query.path) + 1} hops",
        piece=place,
        distractors=tuple(values[one] for one in others),
    )


def _ask(rng: random.Random, words: Words, query: Query) -> str:
    if len(query.path) == 1 or rng.random() < 0.5:
        whose = query.start
        for relation in query.path:
            whose = words.whose.format(relation=relation, one=whose)
        return rng.choice(words.nested).format(attribute=query.attribute, whose=whose)
    first, *more = query.path
    steps = words.between_steps.join(
        [
            words.first_step.format(relation=first, one=query.start),
            *(words.next_step.format(relation=relation) for relation in more),
        ]
    )
    return rng.choice(words.stepwise).format(attribute=query.attribute, steps=steps)
