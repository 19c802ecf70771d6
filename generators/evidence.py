"""Records of experiment groups, and questions about their values: by name, by ordinal, by attribute.

Every gold value has near twins in the document, as values of the same quantity in other records: one that differs in a
single digit, one with two digits swapped. A model with a damaged cache is likely to confuse them. A share of the questions
can be about groups that are not in the document, since inventing a value is an error too.
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
QUANTITIES_PER_RECORD = 3
_MEASURED_KINDS: tuple[ValueKind, ...] = ("decimal", "percent")
_ABSENT_ORDINALS = 24  # ordinals above the last, for absent questions: a third of the questions may need one


@dataclass(frozen=True)
class Records:
    """Records of a document. Raises ValueError for invalid fields."""

    number: int = 10
    """Number of records, spread evenly over the document."""
    near_twins: int = 2
    """Number of other records, per question, with a similar value of the same quantity."""
    values: tuple[ValueKind, ...] = ("decimal",)
    """Kinds of values, used in turn for the three quantities of a document."""
    absent: float = 0.0
    """Share of questions about groups that are not in the document."""

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
        """Maximum number of questions for which there are enough records, including those with near twins."""
        return min(self.number, QUANTITIES_PER_RECORD * (self.number // (1 + self.near_twins)))


@dataclass(frozen=True, eq=False)
class Words:
    """Texts of records in one language. Tuples are alternatives to choose from; `{fields}` are filled in."""

    formats: Formats
    quantities: Mapping[ValueKind, tuple[tuple[str, str], ...]]
    """Quantities by kind of value, each with the unit that follows its values in a document."""
    groups: Syllables
    supervisors: tuple[str, ...]
    """Full names, with `{surname}`."""
    surnames: Syllables
    sites: Syllables
    materials: tuple[str, ...]
    treatments: tuple[str, ...]
    """Treated materials, with `{material}`."""
    ordinal: Callable[[int], str]
    ordinal_key: str
    """Reference to a record by its ordinal, with `{ordinal}`."""
    whole: tuple[str, ...]
    """Sentences that introduce a record, with `{ordinal}`, `{name}`, `{supervisor}`, `{site}` and `{material}`.

    Each sentence of a record contains its name, so that one sentence links any key to the name, and another the name to a
    value."""
    halves: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Introductions in two sentences."""
    measured: Mapping[str, tuple[str, ...]]
    """Sentences with `1`, `2` or `3` measured values, with `{name}`, `{q1}`, `{v1}` and so on."""
    stated: Mapping[str, tuple[str, ...]]
    """Sentences with values that are not measured: amounts, dates, codes, names."""
    orders: tuple[str, ...]
    """Structures of a paragraph: W is a whole introduction, H and h are its halves, a digit is a sentence with that many
    values."""
    between: str
    """Separator of sentences."""
    stems: Mapping[ValueKind, tuple[str, ...]]
    """Questions, with `{quantity}` and `{group}`."""
    group: Mapping[str, tuple[str, ...]]
    """References to a group in a question, with `{key}`, by the field of the key."""
    attributes: tuple[str, ...]
    """Fields of `group` that `attribute` questions use."""
    answers: Mapping[ValueKind, tuple[str, ...]]
    """Instructions how to answer."""
    not_stated: str
    """Right answer about a group that is not in the document."""
    if_not_stated: tuple[str, ...]
    """Instructions for that case, with `{not_stated}`; added to every question of a task with absent questions."""


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
    values_by_quantity: Mapping[_Quantity, tuple[str, ...]]
    """Values by quantity, without unit: first as written in the document, then in other accepted notations."""


def plant(rng: random.Random, words: Words, records: Records, *, targets: Sequence[int], absent: int = 0) -> Plant:
    """Write records, one paragraph each, and one question about each record in `targets` (indices), in that order.

    The last `absent` questions are about groups that are not in the document instead. Raises ValueError if the indices are
    invalid or not distinct, if there are too few records for the near twins of all questions, or if `absent` is invalid.
    """
    if not 0 <= absent <= len(targets):
        raise ValueError(f"absent must be 0 to {len(targets)}, the number of questions, not {absent}")
    if len(targets) > records.most_questions:
        raise ValueError(
            f"{records.number} records hold {records.most_questions} questions with near twins, not {len(targets)}"
        )
    if len(set(targets)) < len(targets) or not all(0 <= index < records.number for index in targets):
        raise ValueError(f"targets must be distinct indices below {records.number}, not {list(targets)}")

    quantities = _quantities(rng, words, records)
    cells = [(index, quantities[k % QUANTITIES_PER_RECORD]) for k, index in enumerate(targets)]
    present = cells[: len(cells) - absent]
    table, twins = _fill(rng, words.formats, records, quantities, present)
    names = Names(rng)
    materials = [_treat(rng, words, material) for material in rng.sample(words.materials, records.number)]
    written_records = [
        _record(rng, words, names, words.ordinal(k + 1), materials[k], values_by_quantity)
        for k, values_by_quantity in enumerate(table)
    ]
    ordinals = iter(rng.sample(range(records.number + 1, records.number + 1 + _ABSENT_ORDINALS), _ABSENT_ORDINALS))
    start = rng.randrange(len(_WAYS))
    questions = []
    for k, (index, quantity) in enumerate(cells):
        way = _WAYS[(start + k) % len(_WAYS)]
        if k >= len(present):
            while (material := _treat(rng, words, rng.choice(words.materials))) in materials:
                pass
            ordinal = words.ordinal(next(ordinals)) if way == "ordinal" else ""
            absent_record = _record(rng, words, names, ordinal, material, {})
            questions.append(_absent_question(rng, words, way, absent_record, written_records, quantity))
        else:
            questions.append(_question(rng, words, way, written_records, index, quantity, twins[index]))
    if records.absent:
        questions = [_add_instruction_if_absent(rng, words, question) for question in questions]
    return Plant(tuple(_paragraph(rng, words, record) for record in written_records), tuple(questions))


def _quantities(rng: random.Random, words: Words, records: Records) -> list[_Quantity]:
    """Draw the distinct quantities of one document, using the kinds of values in turn."""
    kinds = rng.sample(records.values, len(records.values))
    drawn = {
        kind: iter(rng.sample(words.quantities[kind], min(QUANTITIES_PER_RECORD, len(words.quantities[kind]))))
        for kind in kinds
    }
    return [
        _Quantity(*next(drawn[kind]), kind) for kind in (kinds[k % len(kinds)] for k in range(QUANTITIES_PER_RECORD))
    ]


def _fill(
    rng: random.Random,
    formats: Formats,
    records: Records,
    quantities: Sequence[_Quantity],
    cells: Sequence[tuple[int, _Quantity]],
) -> tuple[list[dict[_Quantity, tuple[str, ...]]], dict[int, tuple[str, ...]]]:
    """Draw the values of every record by quantity, and return them with the near twins of each gold value by record."""
    table: list[dict[_Quantity, tuple[str, ...]]] = [{} for _ in range(records.number)]
    twins: dict[int, tuple[str, ...]] = {}
    used: set[Decimal | str] = set()

    def draw_unused(kind: ValueKind, number: int) -> list[tuple[str, ...]]:
        """Draw a value with `number` near twins, none equal to a value in use; return the notations of each."""
        while True:
            value = values.draw(rng, kind, formats)
            if number and not values.can_swap(value):
                continue
            near = values.near_twins(rng, value, formats, number)
            notations = [values.write(one, formats) for one in (value, *near)]
            keys = {values.number_of(forms[0]) or forms[0] for forms in notations}
            if len(keys) == len(notations) and used.isdisjoint(keys):
                used.update(keys)
                return notations

    free = {quantity: [k for k in range(records.number) if (k, quantity) not in cells] for quantity in quantities}
    for indices in free.values():
        rng.shuffle(indices)
    for index, quantity in cells:
        table[index][quantity], *near = draw_unused(quantity.kind, records.near_twins)
        twins[index] = tuple(forms[0] for forms in near)
        for forms in near:
            table[free[quantity].pop()][quantity] = forms
    # Other values get near twins too, as far as the records permit; otherwise twins would reveal which values are asked for.
    for quantity, indices in free.items():
        while indices:
            for forms in draw_unused(quantity.kind, records.near_twins if len(indices) > records.near_twins else 0):
                table[indices.pop()][quantity] = forms
    return table, twins


def _treat(rng: random.Random, words: Words, material: str) -> str:
    return rng.choice(words.treatments).format(material=material)


def _record(
    rng: random.Random,
    words: Words,
    names: Names,
    ordinal: str,
    material: str,
    values_by_quantity: Mapping[_Quantity, tuple[str, ...]],
) -> _Record:
    return _Record(
        ordinal=ordinal,
        name=names.draw(words.groups),
        supervisor=rng.choice(words.supervisors).format(surname=names.draw(words.surnames)),
        site=names.draw(words.sites),
        material=material,
        values_by_quantity=values_by_quantity,
    )


def _paragraph(rng: random.Random, words: Words, record: _Record) -> str:
    first, second = rng.choice(words.halves)
    fields = {field: getattr(record, field) for field in ("ordinal", "name", "supervisor", "site", "material")}
    remaining = rng.sample(list(record.values_by_quantity.items()), QUANTITIES_PER_RECORD)
    sentences = []
    for part in rng.choice(words.orders):
        if part.isdigit():
            given = [remaining.pop() for _ in range(int(part))]
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
    gold, *accepted = record.values_by_quantity[quantity]
    others = [other.values_by_quantity[quantity][0] for other in records if other is not record]
    return Question(
        text=_ask(rng, words, way, record, quantity),
        gold=gold,
        answer_type=values.answer_type(quantity.kind),
        kind=way,
        piece=index,
        distractors=(
            *twins,
            *(value for value in others if value not in twins),
            *(forms[0] for other, forms in record.values_by_quantity.items() if other != quantity),
        ),
        accepted=tuple(accepted),
    )


def _absent_question(
    rng: random.Random, words: Words, way: str, absent_record: _Record, records: Sequence[_Record], quantity: _Quantity
) -> Question:
    return Question(
        text=_ask(rng, words, way, absent_record, quantity),
        gold=words.not_stated,
        answer_type="text",
        kind=ABSENT,
        piece=None,
        distractors=tuple(record.values_by_quantity[quantity][0] for record in records),
    )


def _add_instruction_if_absent(rng: random.Random, words: Words, question: Question) -> Question:
    instruction = rng.choice(words.if_not_stated).format(not_stated=words.not_stated)
    return Question(**{**vars(question), "text": question.text + words.between + instruction})
