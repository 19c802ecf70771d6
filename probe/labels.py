"""Labels of the contents of records and chains, for the inner layers of a model in training.

A label is a position, a field and the token of that field. Labels are no input of the model. Small readouts, which are
discarded after training, learn to predict them, so that the layers learn to collect information before answers depend on it.
"""

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from kveval.generators.en import names
from probe.codec import Codec
from probe.tokenizer import ENGLISH


class Field(IntEnum):
    """Field that a readout predicts from the output of its layer in `LAYER`."""

    SUBJECT_HEAD = 0
    SUBJECT_TAIL = 1
    RELATION = 2
    VALUE_1 = 3  # the last token of a value, or the tail of the other person
    VALUE_2 = 4
    VALUE_3 = 5
    VALUE_4 = 6
    GROUP_HEAD = 7
    GROUP_TAIL = 8
    ORDINAL = 9
    SURNAME_HEAD = 10
    SURNAME_TAIL = 11
    SITE_HEAD = 12
    SITE_TAIL = 13
    MATERIAL = 14
    FIRST_HEAD = 15  # the person after one step
    FIRST_TAIL = 16
    SECOND_RELATION = 17
    SECOND_HEAD = 18
    SECOND_TAIL = 19
    THIRD_RELATION = 20
    LAST_HEAD = 21  # the person or group at the end of the chain
    LAST_TAIL = 22
    ATTRIBUTE = 23


LAYER = {
    **dict.fromkeys(range(Field.SUBJECT_HEAD, Field.GROUP_HEAD), 1),
    **dict.fromkeys(range(Field.GROUP_HEAD, Field.SECOND_HEAD), 2),
    **dict.fromkeys(range(Field.SECOND_HEAD, Field.LAST_HEAD), 3),
    **dict.fromkeys(range(Field.LAST_HEAD, Field.ATTRIBUTE + 1), 4),
}
"""Layer, counted from 0, whose output a readout uses, by field."""

Label = tuple[int, int, int]
"""Index into a text's ids, field, and canonical id of the field."""


class Fact(NamedTuple):
    name: str
    one: str
    other: str


@cache
def _fact_patterns() -> tuple[re.Pattern[str], ...]:
    chains = ENGLISH.chains
    fields = {
        "relation": f"(?P<name>{'|'.join(chains.relations)})",
        "attribute": f"(?P<name>{'|'.join(name for kind in chains.attributes.values() for name in kind)})",
        "one": "(?P<one>[A-Z][a-z]+)",
        "other": "(?P<other>[A-Z][a-z]+)",
        "value": "(?P<other>[A-Z][a-z]+|[0-9]+)",
    }
    return tuple(
        re.compile(text.replace(".", r"\.").format_map(fields))
        for text in (*chains.relation_facts, *chains.attribute_facts)
    )


def read_fact(text: str) -> Fact:
    """Parse a sentence of `multihop`. Raises ValueError if it is not a fact."""
    for pattern in _fact_patterns():
        if match := pattern.fullmatch(text):
            return Fact(match["name"], match["one"], match["other"])
    raise ValueError(f"{text!r} is no fact")


class Labeller:
    """Converter of sentences and questions to labels."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        records = ENGLISH.records
        self._tails = {
            tail: kind
            for kind, syllables in (("group", names.GROUPS), ("surname", names.SURNAMES), ("site", names.SITES))
            for tail in codec.tails(syllables)
        }
        self._ordinals = {codec.last_of(records.ordinal(number)) for number in range(1, 21)}
        self._materials = {codec.last_of(material) for material in records.materials}
        self._attributes = {name for kind in ENGLISH.chains.attributes.values() for name in kind}
        self._point = codec.encode(".")[0]
        self._begin_number = {codec.canonical[digit] for digit in codec.digits} | codec.digits
        self._halves = {
            "group": (Field.GROUP_HEAD, Field.GROUP_TAIL),
            "surname": (Field.SURNAME_HEAD, Field.SURNAME_TAIL),
            "site": (Field.SITE_HEAD, Field.SITE_TAIL),
        }

    def name(self, name: str) -> tuple[int, int]:
        """Return the two canonical ids of an invented name."""
        head, tail = self._codec.encode(f" {name}")
        canonical = self._codec.canonical
        return canonical[head], canonical[tail]

    def _values(self, place: int, ids: list[int]) -> Iterator[Label]:
        canonical = self._codec.canonical
        for k, number in enumerate(reversed(ids[-4:])):
            yield place, Field.VALUE_1 + k, canonical[number]

    def fact(self, fact: Fact, place: int) -> Iterator[Label]:
        """Yield the labels of a fact whose last token is at `place`."""
        head, tail = self.name(fact.one)
        yield place, Field.SUBJECT_HEAD, head
        yield place, Field.SUBJECT_TAIL, tail
        yield place, Field.RELATION, self._codec.last_of(fact.name)
        yield from self._values(place, self._codec.encode(f" {fact.other}"))

    def record(self, ids: list[int]) -> tuple[tuple[int, int], list[Label]]:
        """Return the ids of the group's name, and the labels of a record's paragraph."""
        canonical, digits, point = self._codec.canonical, self._codec.digits, self._point
        quantities: list[tuple[int, int]] = []
        values: list[tuple[int, int]] = []  # first and last index of each value
        ends: list[int] = []  # ends of sentences
        mentions: list[tuple[int, int, int]] = []
        group: tuple[int, int] | None = None
        k, size = 0, len(ids)
        while k < size:
            token = ids[k]
            kind = self._tails.get(token)
            if kind is not None and k and canonical[ids[k - 1]] in self._codec.heads:
                pair = canonical[ids[k - 1]], canonical[token]
                if kind == "group":
                    group = pair
                fields = self._halves[kind]
                mentions += [(k, fields[0], pair[0]), (k, fields[1], pair[1])]
            elif (own := canonical[token]) in self._codec.quantities:
                quantities.append((k, own))
            elif own in self._ordinals:
                mentions.append((k, Field.ORDINAL, own))
            elif own in self._materials:
                mentions.append((k, Field.MATERIAL, own))
            if token in self._begin_number:
                begin = k
                while k + 1 < size and (
                    ids[k + 1] in digits or (ids[k + 1] == point and k + 2 < size and ids[k + 2] in digits)
                ):
                    k += 1
                values.append((begin, k))
            elif token == point:
                ends.append(k)
            k += 1
        if group is None or len(quantities) != len(values):
            raise ValueError(f"not a record: {self._codec.decode(ids)}")
        labels: list[Label] = []
        for (where, quantity), (begin, end) in zip(quantities, values, strict=True):
            place = max(where, end) + 1
            labels += [
                (place, Field.SUBJECT_HEAD, group[0]),
                (place, Field.SUBJECT_TAIL, group[1]),
                (place, Field.RELATION, quantity),
            ]
            labels += self._values(place, ids[begin : end + 1])
        start = 0
        for end in ends:
            within = [(field, number) for place, field, number in mentions if start <= place < end]
            if any(field not in (Field.GROUP_HEAD, Field.GROUP_TAIL) for field, _ in within):
                labels += [(end, field, number) for field, number in dict.fromkeys(within)]
            start = end
        return group, labels

    def person_question(self, text: str, facts: Mapping[tuple[str, str], str]) -> list[tuple[int, int]]:
        """Return the fields and ids for every place of the answer to a question about a chain, given the document's facts."""
        start, path, attribute = read_chain(text, self._attributes)
        last_of = self._codec.last_of
        people = [start]
        for relation in path:
            people.append(facts[relation, people[-1]])
        fields = [*zip((Field.SUBJECT_HEAD, Field.SUBJECT_TAIL), self.name(start), strict=True)]
        if path:
            fields.append((Field.RELATION, last_of(path[0])))
        for pair, person in (
            ((Field.FIRST_HEAD, Field.FIRST_TAIL), people[: 1 + 1][-1]),
            ((Field.SECOND_HEAD, Field.SECOND_TAIL), people[: 2 + 1][-1]),
            ((Field.LAST_HEAD, Field.LAST_TAIL), people[-1]),
        ):
            fields += zip(pair, self.name(person), strict=True)
        for field, relation in zip((Field.SECOND_RELATION, Field.THIRD_RELATION), path[1:], strict=False):
            fields.append((field, last_of(relation)))
        fields.append((Field.ATTRIBUTE, last_of(attribute)))
        return [(int(field), number) for field, number in fields]

    def group_question(self, text: str, group: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the fields and ids for every place of the answer to a question about a record."""
        canonical = self._codec.canonical
        found = [
            own for number in self._codec.encode(f" {text}") if (own := canonical[number]) in self._codec.quantities
        ]
        return [(Field.LAST_HEAD, group[0]), (Field.LAST_TAIL, group[1]), (Field.ATTRIBUTE, found[0])]


@cache
def _relation_or_attribute() -> re.Pattern[str]:
    chains = ENGLISH.chains
    terms = (*chains.relations, *(name for kind in chains.attributes.values() for name in kind))
    return re.compile(rf"\b({'|'.join(terms)})\b")


def read_chain(text: str, attributes: set[str]) -> tuple[str, list[str], str]:
    """Return the start, the relations and the attribute of a question about a chain."""
    named: list[str] = _relation_or_attribute().findall(text)
    (attribute,) = [name for name in named if name in attributes]
    path = [name for name in named if name not in attributes]
    stepwise = text.startswith("Find")
    start = re.findall(r"\bof ([A-Z][a-z]+)|\bto ([A-Z][a-z]+)", text)[0]
    return start[0] or start[1], path if stepwise else path[::-1], attribute
