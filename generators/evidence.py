"""Records of experiment groups, and questions on their measured values: by name, by ordinal, by attribute.

Every asked value has near twins in the document, under the same quantity of other records: one that differs in a single
digit and one with two digits swapped. A model whose cache blurs what it read is likely to fall for these.

Names and numbers follow the rules in `names`, so that no other text of a document collides with them.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import combinations, product

from . import groups
from .names import GROUPS, SITES, SURNAMES, Names
from .parts import Plant, Question

LEAST_RECORDS, MOST_RECORDS = 8, 60

_KINDS = ("name", "ordinal", "attribute")
_MEASURED = 3  # quantities a record
_TWINS = 2  # near twins a question
_DIGITS = "123456789"  # without zero no value ends in one, and values that differ as texts differ as numbers
_FORMS = ("0.##", "#.#", "#.##", "##.#", "0.###")

_JOINERS = "-_/%"  # beside a word, they make it a part of a longer one


@dataclass(frozen=True)
class _Record:
    ordinal: str
    name: str
    supervisor: str
    site: str
    material: str
    values: Mapping[str, str]
    """By quantity."""


def plant(rng: random.Random, *, records: int = 10, questions: int = 4, asked: Sequence[int] | None = None) -> Plant:
    """Records, one paragraph each, and one question on each of `questions` different records.

    `asked` gives the indices of the records to ask about, in the order of their questions, in place of a random sample of
    `questions`. Raises ValueError when they are not indices of different records, and when there are too few records or
    too many, or too many questions for each of them to have near twins.
    """
    if not LEAST_RECORDS <= records <= MOST_RECORDS:
        raise ValueError(f"records must be {LEAST_RECORDS} to {MOST_RECORDS}, not {records}")
    number = questions if asked is None else len(asked)
    most = _MEASURED * (records // (1 + _TWINS))
    if not 0 <= number <= most:
        raise ValueError(f"{records} records hold 0 to {most} questions with their near twins, not {number}")
    asked = rng.sample(range(records), number) if asked is None else asked
    if len(set(asked)) < number or not all(0 <= index < records for index in asked):
        raise ValueError(f"asked must be different indices below {records}, not {list(asked)}")

    quantities = rng.sample(groups.QUANTITIES, _MEASURED)
    cells = [(index, quantities[k % _MEASURED]) for k, index in enumerate(asked)]
    table, twins = _measure(rng, records, quantities, cells)
    written = _records(rng, table)
    start = rng.randrange(len(_KINDS))
    return Plant(
        pieces=tuple(_paragraph(rng, record) for record in written),
        questions=tuple(
            _question(rng, _KINDS[(start + k) % len(_KINDS)], written, index, quantity, twins[index])
            for k, (index, quantity) in enumerate(cells)
        ),
    )


def _measure(
    rng: random.Random, records: int, quantities: Sequence[str], cells: Sequence[tuple[int, str]]
) -> tuple[list[dict[str, str]], dict[int, tuple[str, str]]]:
    """The values of every record by quantity, and for every asked record the near twins of the asked value."""
    table: list[dict[str, str]] = [{} for _ in range(records)]
    twins = {}
    used: set[str] = set()
    free = {quantity: [index for index in range(records) if (index, quantity) not in cells] for quantity in quantities}
    for indices in free.values():
        rng.shuffle(indices)
    for index, quantity in cells:
        gold, near = _gold_and_twins(rng)
        while not used.isdisjoint((gold, *near)):
            gold, near = _gold_and_twins(rng)
        used.update((gold, *near))
        table[index][quantity] = gold
        twins[index] = near
        for twin in near:
            table[free[quantity].pop()][quantity] = twin
    for quantity, indices in free.items():
        for index in indices:
            while (value := _value(rng)) in used:
                pass
            used.add(value)
            table[index][quantity] = value
    return table, twins


def _value(rng: random.Random) -> str:
    return "".join([rng.choice(_DIGITS) if char == "#" else char for char in rng.choice(_FORMS)])


def _gold_and_twins(rng: random.Random) -> tuple[str, tuple[str, str]]:
    """A value, and what it becomes with one digit changed and with two digits swapped."""
    while True:
        gold = _value(rng)
        places = [place for place, char in enumerate(gold) if char in _DIGITS]
        swaps = [(a, b) for a, b in combinations(places, 2) if gold[a] != gold[b]]
        if swaps:
            break
    place = rng.choice(places)
    changed = gold[:place] + rng.choice(_DIGITS.replace(gold[place], "")) + gold[place + 1 :]
    a, b = rng.choice(swaps)
    swapped = gold[:a] + gold[b] + gold[a + 1 : b] + gold[a] + gold[b + 1 :]
    return gold, (changed, swapped)


def _records(rng: random.Random, table: Sequence[Mapping[str, str]]) -> list[_Record]:
    names = Names(rng)
    return [
        _Record(
            ordinal=ordinal(index + 1),
            name=names.draw(GROUPS),
            supervisor=f"{rng.choice(groups.FIRST_NAMES)} {names.draw(SURNAMES)}",
            site=names.draw(SITES),
            material=f"{rng.choice(groups.TREATMENTS)} {material}",
            values=values,
        )
        for index, (material, values) in enumerate(zip(rng.sample(groups.MATERIALS, len(table)), table, strict=True))
    ]


def ordinal(number: int) -> str:
    """1 to 99 as an ordinal in words: first, twenty-first."""
    if number <= len(groups.ONES):
        return groups.ONES[number - 1]
    tens, ones = groups.TENS[number // 10 - 2], number % 10
    return f"{tens}-{groups.ONES[ones - 1]}" if ones else f"{tens.removesuffix('y')}ieth"


def _paragraph(rng: random.Random, record: _Record) -> str:
    first, second = rng.choice(groups.HALVES)
    templates = {"W": groups.WHOLE, "H": first, "h": second, **groups.VALUES}
    measured = rng.sample(list(record.values.items()), _MEASURED)
    sentences = []
    for part in rng.choice(groups.ORDERS):
        words = {field: getattr(record, field) for field in ("ordinal", "name", "supervisor", "site", "material")}
        if part.isdigit():
            for k in range(1, int(part) + 1):
                words[f"q{k}"], words[f"v{k}"] = measured.pop()
        sentences.append(rng.choice(templates[part]).format_map(words))
    return " ".join(sentences)


def _question(
    rng: random.Random, kind: str, records: Sequence[_Record], index: int, quantity: str, twins: tuple[str, str]
) -> Question:
    record = records[index]
    named_by = rng.choice(groups.ATTRIBUTES) if kind == "attribute" else kind
    key = f"{record.ordinal} group" if kind == "ordinal" else getattr(record, named_by)
    group = rng.choice(groups.GROUP[named_by]).format(key=key)
    others = [other.values[quantity] for other in records if other is not record]
    return Question(
        text=f"{rng.choice(groups.STEMS).format(quantity=quantity, group=group)} {rng.choice(groups.ANSWERS)}",
        gold=record.values[quantity],
        distractors=(
            *twins,
            *(value for value in others if value not in twins),
            *(value for other, value in record.values.items() if other != quantity),
        ),
        piece=index,
        kind=kind,
    )


def check(plant: Plant, document: str) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not.

    The pieces stand in the document once each, in their order. The gold value is a number of its own that stands there
    once, in the asked piece, in a sentence with the asked quantity. All distractors stand there, none with the same value.
    What names the record in the question stands in that piece only, and an ordinal counts the pieces rightly.
    """
    spans = list(_spans(plant.pieces, document))
    numbers = _numbers(document)
    for question in plant.questions:
        try:
            _check(question, plant.pieces[question.piece], spans[question.piece], numbers, document)
        except ValueError as error:
            raise ValueError(f"question {question.text!r}: {error}") from None


def _check(
    question: Question, piece: str, span: range, numbers: Mapping[Decimal, Sequence[int]], document: str
) -> None:
    gold = Decimal(question.gold)
    places = numbers.get(gold, ())
    if len(places) != 1 or places[0] not in span:
        raise ValueError(f"{question.gold} stands at {list(places)}, not once in piece {question.piece}")
    if not _stands_alone(document, places[0], len(question.gold)):
        raise ValueError(f"{question.gold} is a part of another word")
    for distractor in question.distractors:
        if Decimal(distractor) == gold or Decimal(distractor) not in numbers:
            raise ValueError(f"distractor {distractor} equals the answer {gold} or is missing from the document")
    quantity, key = _asked(question)
    if not any(quantity in sentence and question.gold in sentence for sentence in piece.split(". ")):
        raise ValueError(f"{question.gold} is not given as the {quantity}")
    named = [place for place in _occurrences(key, document) if _stands_alone(document, place, len(key))]
    if not named or not all(place in span for place in named):
        raise ValueError(f"{key!r} stands at {named}, not in piece {question.piece} only")
    if question.kind == "ordinal" and key != f"{ordinal(question.piece + 1)} group":
        raise ValueError(f"the {key} is piece {question.piece}")


def _spans(pieces: Sequence[str], document: str) -> Iterator[range]:
    end = 0
    for number, piece in enumerate(pieces):
        if document.count(piece) != 1:
            raise ValueError(f"piece {number} stands in the document {document.count(piece)} times, not once")
        start = document.find(piece, end)
        if start < 0:
            raise ValueError(f"piece {number} stands before piece {number - 1}")
        end = start + len(piece)
        yield range(start, end)


def _numbers(document: str) -> dict[Decimal, list[int]]:
    """Where each number stands, also as a part of a word. A thousands separator is a comma; 1.2.3 is not a number."""
    places: defaultdict[Decimal, list[int]] = defaultdict(list)
    for match in re.finditer(r"\d+(?:[.,]\d+)*", document):
        text = match[0].replace(",", "")
        if text.count(".") < 2:
            places[Decimal(text)].append(match.start())
    return dict(places)


def _asked(question: Question) -> tuple[str, str]:
    """The quantity a question asks for, and the key by which it names the record."""
    for pattern in _patterns(question.kind):
        if match := pattern.match(question.text):
            return match["quantity"], match["key"]
    raise ValueError(f"not a question by {question.kind}")


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    named_by = groups.ATTRIBUTES if kind == "attribute" else (kind,)
    ways = [way for name in named_by for way in groups.GROUP.get(name, ())]
    fields = {"quantity": f"(?P<quantity>{'|'.join(groups.QUANTITIES)})", "key": "(?P<key>[^?,]+?)"}
    texts = (re.escape(stem.replace("{group}", way)) for stem, way in product(groups.STEMS, ways))
    return tuple(re.compile(re.sub(r"\\\{(\w+)\\\}", lambda field: fields[field[1]], text)) for text in texts)


def _occurrences(text: str, document: str) -> Iterator[int]:
    place = document.find(text)
    while place >= 0:
        yield place
        place = document.find(text, place + 1)


def _stands_alone(document: str, place: int, length: int) -> bool:
    """Whether no word goes on before or after; -0.73 and 0.73% are other things than 0.73."""
    neighbours = document[max(place - 1, 0) : place] + document[place + length : place + length + 1]
    return not any(char.isalnum() or char in _JOINERS for char in neighbours)
