"""Chains of facts about people, and questions that require two to four facts.

A document states relations between its people and attributes of each of them, one fact per sentence, in random order and
scattered over the document. Every person has every relation to somebody, so that chains cross: each name also occurs in
facts of other chains, and a wrong turn or an early stop leads to a value of the same kind.
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
    """Chains of a document. Raises ValueError for invalid fields."""

    people: int = 10
    relations: int = 2
    """Number of relations that every person has to somebody."""
    hops: tuple[int, ...] = (2, 3, 4)
    """Numbers of facts that a question needs, used in turn."""
    answers: tuple[AnswerKind, ...] = get_args(AnswerKind)
    """Kinds of values at the ends of chains, used in turn; every person has one of each kind."""

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
        """Number of facts in a document."""
        return self.people * (self.relations + len(self.answers))

    @property
    def most_questions(self) -> int:
        """Maximum number of questions with different answers."""
        return self.people


@dataclass(frozen=True, eq=False)
class Words:
    """Texts of chains in one language. Tuples are alternatives to choose from; `{fields}` are filled in."""

    people: Syllables
    towns: Syllables
    relations: tuple[str, ...]
    """Names of relations between people."""
    attributes: Mapping[AnswerKind, tuple[str, ...]]
    """Names of attributes by kind: a number or the name of a town."""
    relation_facts: tuple[str, ...]
    """Facts about a relation: the `{relation}` of `{one}` is `{other}`."""
    attribute_facts: tuple[str, ...]
    """Facts about an attribute: the `{attribute}` of `{one}` is `{value}`."""
    nested: tuple[str, ...]
    """Questions, with `{attribute}` and `{whose}`."""
    whose: str
    """Phrase for the `{relation}` of `{one}`; `{one}` can be such a phrase too."""
    stepwise: tuple[str, ...]
    """Questions, with `{attribute}` and `{steps}`."""
    first_step: str
    """First step, with `{relation}` and `{one}`."""
    next_step: str
    """Further step, with `{relation}`."""
    between_steps: str
    answers: Mapping[AnswerKind, tuple[str, ...]]
    """Instructions how to answer."""
    between: str
    """Separator of sentences."""


@dataclass(frozen=True)
class Query:
    """Question about an attribute at the end of a path of relations from a person."""

    start: str
    path: tuple[str, ...]
    attribute: str


def plant(rng: random.Random, words: Words, chains: Chains, *, places: Sequence[int], index: int = 0) -> Plant:
    """Write the facts of one document, one sentence each, and one question for each of `places`.

    A place is the index of the last fact of a question's chain among the pieces. `index` is the number of the document in its
    series; hops and kinds of answers take turns over the series. Raises ValueError if the places are invalid, not distinct
    or more than the people.
    """
    if len(places) > chains.most_questions:
        raise ValueError(
            f"chains of {chains.people} people permit at most {chains.most_questions} questions, not {len(places)}"
        )
    if len(set(places)) < len(places) or not all(0 <= place < chains.facts for place in places):
        raise ValueError(f"places must be different and below {chains.facts}, not {list(places)}")
    names = Names(rng)
    people = [names.draw(words.people) for _ in range(chains.people)]
    relations = dict(
        zip(rng.sample(words.relations, chains.relations), _relation_circles(rng, people, chains), strict=True)
    )
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
        (name, one): rng.choice(words.relation_facts).format(relation=name, one=one, other=other)
        for name, of in relations.items()
        for one, other in of.items()
    } | {
        (name, one): rng.choice(words.attribute_facts).format(attribute=name, one=one, value=value)
        for name, of in table.items()
        for one, value in of.items()
    }
    last = [(query.attribute, _follow(query, relations)[-1]) for query in queries]
    rest = [fact for fact in facts if fact not in last]
    rng.shuffle(rest)
    last_by_place = dict(zip(places, last, strict=True))
    order = [last_by_place[place] if place in last_by_place else rest.pop() for place in range(len(facts))]
    return Plant(
        pieces=tuple(facts[fact] for fact in order),
        questions=tuple(
            _question(rng, words, query, place, relations, table, attributes[query.attribute])
            for query, place in zip(queries, places, strict=True)
        ),
        inline=True,
    )


def _relation_circles(rng: random.Random, people: Sequence[str], chains: Chains) -> list[dict[str, str]]:
    """Arrange all people in one circle per relation and return, for each relation, who follows whom.

    Nobody is followed by the same person in two relations. Because of the circles, a path along one relation always meets
    different people.
    """
    while True:
        orders = [rng.sample(people, len(people)) for _ in range(chains.relations)]
        circles = [dict(zip(order, [*order[1:], order[0]], strict=True)) for order in orders]
        if all(len({circle[one] for circle in circles}) == len(circles) for one in people):
            return circles


def _numbers(rng: random.Random) -> Iterator[str]:
    """Yield distinct numbers of four digits without zeros: longer than counts, and no decimals as measured values are."""
    drawn: set[str] = set()
    while True:
        number = "".join([rng.choice("2345678"), *(rng.choice(DIGITS) for _ in range(3))])
        if number not in drawn:
            drawn.add(number)
            yield number


def _query_to(
    rng: random.Random, end: str, steps: int, relations: Mapping[str, Mapping[str, str]], attribute: str
) -> Query:
    """Return a query whose path ends at `end` and meets different people."""
    backwards = {name: {other: one for one, other in of.items()} for name, of in relations.items()}
    paths = list(product(relations, repeat=steps))
    rng.shuffle(paths)
    for path in paths:
        visited = [end]
        for name in reversed(path):
            visited.append(backwards[name][visited[-1]])
        if len(set(visited)) == len(visited):
            return Query(visited[-1], path, attribute)
    raise AssertionError("a path along one relation meets different people")


def _follow(query: Query, relations: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the people on the path of a query, beginning with its start."""
    visited = [query.start]
    for name in query.path:
        visited.append(relations[name][visited[-1]])
    return visited


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
    ends = (_follow(Query(query.start, path, ""), relations)[-1] for path in product(relations, repeat=len(query.path)))
    values = table[query.attribute]
    others = dict.fromkeys(one for one in (*before, *ends, *values) if one != end)
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
