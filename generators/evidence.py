"""Records of experiment groups, and questions on what they hold: by name, by ordinal, by attribute.

Every asked value has near twins in the document, under the same quantity of other records: one that differs in a single
digit, one with two digits swapped. A model whose cache blurs what it read is likely to fall for these. A share of the
questions can be about groups that are not in the document: to invent a value is a failure too.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from . import values
from .names import Names, Syllables
from .parts import Plant, Question
from .values import Formats, ValueKind

LEAST_RECORDS, MOST_RECORDS = 8, 60
MOST_TWINS = 6
ABSENT = "absent"

_WAYS = ("name", "ordinal", "attribute")
MEASURED = 3  # quantities a record
_MEASURED_KINDS: tuple[ValueKind, ...] = ("decimal", "percent")
_ABSENT_ORDINALS = 24  # ordinals above the last, to ask about: a third of the questions can need one


@dataclass(frozen=True)
class Records:
    """What records a document holds. Raises ValueError where that cannot be."""

    number: int = 10
    """Records in a document, spread evenly over it."""
    near_twins: int = 2
    """Records, for each question, that hold a value like the asked one under the same quantity."""
    values: tuple[ValueKind, ...] = ("decimal",)
    """Kinds of values; the three quantities of a document take turns over them."""
    absent: float = 0.0
    """Share of the questions that are about groups which are not in the document."""

    def __post_init__(self) -> None:
        if not LEAST_RECORDS <= self.number <= MOST_RECORDS:
            raise ValueError(f"number must be {LEAST_RECORDS} to {MOST_RECORDS}, not {self.number}")
        if not 0 <= self.near_twins <= MOST_TWINS:
            raise ValueError(f"near_twins must be 0 to {MOST_TWINS}, not {self.near_twins}")
        if not self.values or len(set(self.values)) < len(self.values):
            raise ValueError("values must name one kind or more, each once")
        if not 0 <= self.absent <= 1:
            raise ValueError(f"absent must be a share from 0 to 1, not {self.absent}")

    @property
    def most_questions(self) -> int:
        """Questions that find near twins for each of them, and a record each."""
        return min(self.number, MEASURED * (self.number // (1 + self.near_twins)))


@dataclass(frozen=True, eq=False)
class Words:
    """The words of records in one language. Texts that are random choices stand in tuples; `{fields}` are filled in."""

    formats: Formats
    quantities: Mapping[ValueKind, tuple[tuple[str, str], ...]]
    """What records can hold by kind of value, each with the unit that follows a value in a document."""
    groups: Syllables
    supervisors: tuple[str, ...]
    """Full names, with `{surname}`."""
    surnames: Syllables
    sites: Syllables
    materials: tuple[str, ...]
    treatments: tuple[str, ...]
    """What was done to a material, with `{material}`."""
    ordinal: Callable[[int], str]
    ordinal_key: str
    """How an ordinal names a record, with `{ordinal}`."""
    whole: tuple[str, ...]
    """Sentences that introduce a record, with `{ordinal}`, `{name}`, `{supervisor}`, `{site}` and `{material}`.

    Each sentence of a record names it, so that one is enough to get from any key to the name, and from the name to a value."""
    halves: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """The same in two sentences."""
    measured: Mapping[str, tuple[str, ...]]
    """Sentences that give `1`, `2` or `3` measured values, with `{name}`, `{q1}`, `{v1}` and so on."""
    stated: Mapping[str, tuple[str, ...]]
    """The same for values that nobody measures: amounts, dates, codes, names."""
    orders: tuple[str, ...]
    """How a paragraph runs: W is a whole introduction, H and h are the halves of one, a digit is a sentence with so many
    values."""
    between: str
    """What stands between two sentences."""
    stems: Mapping[ValueKind, tuple[str, ...]]
    """Questions, with `{quantity}` and `{group}`."""
    group: Mapping[str, tuple[str, ...]]
    """How a question names a group, with `{key}`, by the field that holds the key."""
    attributes: tuple[str, ...]
    """The fields of `group` by which an `attribute` question names a record."""
    answers: Mapping[ValueKind, tuple[str, ...]]
    """How to answer."""
    not_stated: str
    """The right answer about a group that is not in the document."""
    if_not_stated: tuple[str, ...]
    """How to answer then, with `{not_stated}`; said with every question of a task that has such questions."""


@dataclass(frozen=True)
class _Quantity:
    name: str
    unit: str
    kind: ValueKind


@dataclass(frozen=True)
class _Record:
    ordinal: str
    name: str
    supervisor: str
    site: str
    material: str
    held: Mapping[_Quantity, tuple[str, ...]]
    """By quantity the value without its unit, as documents have it, and the other ways to write it."""


def plant(rng: random.Random, words: Words, records: Records, *, asked: Sequence[int], absent: int = 0) -> Plant:
    """Records, one paragraph each, and one question on each of those at the indices `asked`, in the order of their questions;
    the last `absent` of the questions are about groups that are not there instead.

    Raises ValueError when `asked` are not indices of different records, when there are too few records for each question to
    have its near twins, and when there are fewer questions than absent ones.
    """
    if not 0 <= absent <= len(asked):
        raise ValueError(f"absent must be 0 to {len(asked)}, the number of questions, not {absent}")
    if len(asked) > records.most_questions:
        raise ValueError(
            f"{records.number} records hold {records.most_questions} questions with near twins, not {len(asked)}"
        )
    if len(set(asked)) < len(asked) or not all(0 <= index < records.number for index in asked):
        raise ValueError(f"asked must be different indices below {records.number}, not {list(asked)}")

    quantities = _quantities(rng, words, records)
    cells = [(index, quantities[k % MEASURED]) for k, index in enumerate(asked)]
    present = cells[: len(cells) - absent]
    table, twins = _fill(rng, words.formats, records, quantities, present)
    names = Names(rng)
    materials = [_treated(rng, words, material) for material in rng.sample(words.materials, records.number)]
    written = [_record(rng, words, names, words.ordinal(k + 1), materials[k], held) for k, held in enumerate(table)]
    ordinals = iter(rng.sample(range(records.number + 1, records.number + 1 + _ABSENT_ORDINALS), _ABSENT_ORDINALS))
    start = rng.randrange(len(_WAYS))
    questions = []
    for k, (index, quantity) in enumerate(cells):
        way = _WAYS[(start + k) % len(_WAYS)]
        if k >= len(present):
            while (material := _treated(rng, words, rng.choice(words.materials))) in materials:
                pass
            ordinal = words.ordinal(next(ordinals)) if way == "ordinal" else ""
            stranger = _record(rng, words, names, ordinal, material, {})
            questions.append(_absent_question(rng, words, way, stranger, written, quantity))
        else:
            questions.append(_question(rng, words, way, written, index, quantity, twins[index]))
    if records.absent:
        questions = [_with_way_out(rng, words, question) for question in questions]
    return Plant(tuple(_paragraph(rng, words, record) for record in written), tuple(questions))


def _quantities(rng: random.Random, words: Words, records: Records) -> list[_Quantity]:
    """The quantities of one document, over the kinds of values by turns, none twice."""
    kinds = rng.sample(records.values, len(records.values))
    drawn = {
        kind: iter(rng.sample(words.quantities[kind], min(MEASURED, len(words.quantities[kind])))) for kind in kinds
    }
    return [_Quantity(*next(drawn[kind]), kind) for kind in (kinds[k % len(kinds)] for k in range(MEASURED))]


def _fill(
    rng: random.Random,
    formats: Formats,
    records: Records,
    quantities: Sequence[_Quantity],
    cells: Sequence[tuple[int, _Quantity]],
) -> tuple[list[dict[_Quantity, tuple[str, ...]]], dict[int, tuple[str, ...]]]:
    """The values of every record by quantity, and for every asked record the near twins of the asked value."""
    table: list[dict[_Quantity, tuple[str, ...]]] = [{} for _ in range(records.number)]
    twins: dict[int, tuple[str, ...]] = {}
    used: set[Decimal | str] = set()

    def take(kind: ValueKind, number: int) -> list[tuple[str, ...]]:
        """A value with `number` near twins, as they are written, of which nothing in the document equals any yet."""
        while True:
            value = values.draw(rng, kind, formats)
            if number and not values.can_swap(value):
                continue
            near = values.near_twins(rng, value, formats, number)
            written = [values.write(one, formats) for one in (value, *near)]
            keys = {values.number_of(forms[0]) or forms[0] for forms in written}
            if len(keys) == len(written) and used.isdisjoint(keys):
                used.update(keys)
                return written

    free = {quantity: [k for k in range(records.number) if (k, quantity) not in cells] for quantity in quantities}
    for indices in free.values():
        rng.shuffle(indices)
    for index, quantity in cells:
        table[index][quantity], *near = take(quantity.kind, records.near_twins)
        twins[index] = tuple(forms[0] for forms in near)
        for forms in near:
            table[free[quantity].pop()][quantity] = forms
    # Values that nobody asks for have near twins as well, as far as records are left: else these would tell what is asked.
    for quantity, indices in free.items():
        while indices:
            for forms in take(quantity.kind, records.near_twins if len(indices) > records.near_twins else 0):
                table[indices.pop()][quantity] = forms
    return table, twins


def _treated(rng: random.Random, words: Words, material: str) -> str:
    return rng.choice(words.treatments).format(material=material)


def _record(
    rng: random.Random,
    words: Words,
    names: Names,
    ordinal: str,
    material: str,
    held: Mapping[_Quantity, tuple[str, ...]],
) -> _Record:
    return _Record(
        ordinal=ordinal,
        name=names.draw(words.groups),
        supervisor=rng.choice(words.supervisors).format(surname=names.draw(words.surnames)),
        site=names.draw(words.sites),
        material=material,
        held=held,
    )


def _paragraph(rng: random.Random, words: Words, record: _Record) -> str:
    first, second = rng.choice(words.halves)
    fields = {field: getattr(record, field) for field in ("ordinal", "name", "supervisor", "site", "material")}
    held = rng.sample(list(record.held.items()), MEASURED)
    sentences = []
    for part in rng.choice(words.orders):
        if part.isdigit():
            given = [held.pop() for _ in range(int(part))]
            measured = all(quantity.kind in _MEASURED_KINDS for quantity, _ in given)
            for k, (quantity, forms) in enumerate(given, 1):
                fields |= {f"q{k}": quantity.name, f"v{k}": forms[0] + quantity.unit}
            templates = (words.measured if measured else words.stated)[part]
        else:
            templates = {"W": words.whole, "H": first, "h": second}[part]
        sentences.append(rng.choice(templates).format_map(fields))
    return words.between.join(sentences)


def _ask(rng: random.Random, words: Words, way: str, record: _Record, quantity: _Quantity) -> str:
    field = rng.choice(words.attributes) if way == "attribute" else way
    key = words.ordinal_key.format(ordinal=record.ordinal) if way == "ordinal" else getattr(record, field)
    question = rng.choice(words.stems[quantity.kind]).format(
        quantity=quantity.name, group=rng.choice(words.group[field]).format(key=key)
    )
    return question + words.between + rng.choice(words.answers[quantity.kind])


def _question(
    rng: random.Random,
    words: Words,
    way: str,
    records: Sequence[_Record],
    index: int,
    quantity: _Quantity,
    twins: tuple[str, ...],
) -> Question:
    record = records[index]
    gold, *accepted = record.held[quantity]
    others = [other.held[quantity][0] for other in records if other is not record]
    return Question(
        text=_ask(rng, words, way, record, quantity),
        gold=gold,
        answer_type=values.answer_type(quantity.kind),
        kind=way,
        piece=index,
        distractors=(
            *twins,
            *(value for value in others if value not in twins),
            *(forms[0] for other, forms in record.held.items() if other != quantity),
        ),
        accepted=tuple(accepted),
    )


def _absent_question(
    rng: random.Random, words: Words, way: str, stranger: _Record, records: Sequence[_Record], quantity: _Quantity
) -> Question:
    return Question(
        text=_ask(rng, words, way, stranger, quantity),
        gold=words.not_stated,
        answer_type="text",
        kind=ABSENT,
        piece=None,
        distractors=tuple(record.held[quantity][0] for record in records),
    )


def _with_way_out(rng: random.Random, words: Words, question: Question) -> Question:
    way_out = rng.choice(words.if_not_stated).format(not_stated=words.not_stated)
    return Question(**{**vars(question), "text": question.text + words.between + way_out})
