"""Rows of training data: a document of the real generators and many questions on it, as token ids with what is to be learned.

A row is what `kveval.prompts.synthetic` makes (chat opening, text before the document, document, question, chat close), the
answer, and then the next question on the same document, its close and its answer, and so on. What a run of kveval sends is
a row that stops at its first question. Short rows hold fewer records, people and shorter passages than the built-in tasks.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice

from kveval.generators import copy, evidence, haystack, multihop
from kveval.generators.copy import PassageError, Passages
from kveval.generators.counting import alone
from kveval.generators.evidence import Records
from kveval.generators.multihop import AnswerKind, Chains
from kveval.generators.parts import Plant
from probe.codec import Codec
from probe.labels import Field, Label, Labeller, read_fact
from probe.prompts import AFTER, BEFORE, LAST
from probe.tokenizer import ASSISTANT_ID, BEGIN_ID, END_ID, ENGLISH, USER_ID

LONGEST = 65_536
_STOCK = 20_000  # sentences that a writer of rows takes its prose from
_PARAGRAPH = range(3, 8)  # sentences, as in `generators.report`
_COPY_FIRST, _SHORT_FIRST = 4.0, 2.0  # weight of the first token of an answer among its others
_ATTEMPTS = 20


class Task(IntEnum):
    EVIDENCE = 0
    COPY = 1
    MULTIHOP = 2
    ONE_FACT = 3  # only in training: what `multihop` asks, of one fact


@dataclass(frozen=True)
class Asked:
    """One question with its answer."""

    task: Task
    ids: list[int]
    """From behind the document to the last id of the answer."""
    answer: int
    """How many of these ids are the answer, its end included."""
    fields: list[tuple[int, int]] = field(default_factory=list)
    """What readouts are to find at every place that an id of the answer is predicted from."""


@dataclass(frozen=True)
class Piece:
    """Something planted."""

    ids: list[int]
    labels: list[Label]
    opening: list[int] | None = None
    """Of a sentence, its ids where it begins a paragraph; None of a whole paragraph."""


@dataclass
class Row:
    ids: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    """Where paragraphs begin."""
    labels: list[Label] = field(default_factory=list)
    answers: list[tuple[Task, int, int]] = field(default_factory=list)
    """Task, where an answer begins, and its number of ids."""


@dataclass(frozen=True)
class Size:
    """How much a row of some length holds."""

    records: tuple[int, int]
    record_questions: int
    passages: tuple[int, int]
    passage_tokens: tuple[int, int]
    people: tuple[int, int]
    relations: tuple[int, int]
    kinds: tuple[int, int]
    chain_questions: int
    one_fact: int
    mixed: float
    """Share of the rows that hold everything; the others hold records and passages, or chains."""
    alone: bool = False
    """Whether rows hold either records or passages, not both."""


def size_for(length: int) -> Size:
    if length <= 512:
        return Size((2, 4), 3, (2, 3), (14, 40), (6, 6), (1, 1), (1, 1), 4, 1, 0, alone=True)
    if length <= 1024:
        return Size((4, 7), 5, (3, 4), (20, 72), (6, 7), (1, 2), (1, 2), 6, 2, 0, alone=True)
    if length <= 2048:
        return Size((6, 10), 6, (3, 4), (40, 96), (7, 10), (1, 2), (1, 2), 8, 2, 0)
    if length <= 4096:
        return Size((8, 12), 8, (4, 4), (64, 170), (8, 12), (2, 2), (2, 2), 10, 1, 0.2)
    if length <= 8192:
        return Size((10, 16), 12, (4, 6), (64, 341), (10, 16), (2, 2), (2, 2), 14, 1, 0.4)
    return Size((10, 20), 18, (4, 8), (64, 512), (10, 24), (2, 2), (2, 2), 22, 2, 0.5)


class Writer:
    """Writes rows from one seeded stream of random numbers."""

    def __init__(self, codec: Codec, seed: str, sentences: int = _STOCK) -> None:
        self._codec = codec
        self._rng = random.Random(seed)
        self._labeller = Labeller(codec)
        told = islice(haystack.sentences(random.Random(f"{seed}/prose"), ENGLISH.haystack), sentences)
        self._stock = [(codec.encode(text), codec.encode(f" {text}")) for text in told]
        self._opening = [BEGIN_ID, USER_ID, *codec.encode(BEFORE)]
        self._after, self._close = codec.encode(AFTER), [*codec.encode(LAST), END_ID, ASSISTANT_ID]

    def row(self, length: int, most_questions: int | None = None) -> Row:
        """A row of at most `length` ids."""
        rng, size = self._rng, size_for(length)
        draw = rng.random()
        if draw < size.mixed:
            parts = [self._records, self._passages, self._chains]
        elif size.alone:
            parts = [rng.choice([self._records, self._passages, self._chains])]
        else:
            parts = [self._chains] if draw > 0.45 + 0.55 * size.mixed else [self._records, self._passages]
        planted = [part(size) for part in parts]
        asked = [question for _, questions in planted for question in questions]
        rng.shuffle(asked)
        asked = asked[:most_questions]
        pieces = [pieces for pieces, _ in planted]
        room = length - len(self._opening) - sum(len(piece.ids) + 2 for group in pieces for piece in group)
        left: list[Asked] = []
        for question in asked:
            if len(question.ids) <= room:
                room -= len(question.ids)
                left.append(question)
        if not left or room < 0:
            return self.row(length, most_questions)
        row = Row([*self._opening])
        self._document(row, pieces, room)
        for question in left:
            row.ids += question.ids
            begin = len(row.ids) - question.answer
            row.answers.append((question.task, begin, question.answer))
            row.labels += [
                (place, what, number)
                for place in range(begin - 1, len(row.ids) - 1)
                for what, number in question.fields
            ]
        return row

    def _asked(self, task: Task, text: str, gold: str, fields: list[tuple[int, int]] | None = None) -> Asked:
        answer = [*self._codec.encode(gold), END_ID]
        return Asked(task, [*self._after, *self._codec.encode(text), *self._close, *answer], len(answer), fields or [])

    def _records(self, size: Size) -> tuple[list[Piece], list[Asked]]:
        rng, codec = self._rng, self._codec
        kept = rng.randint(*size.records)
        records = Records(number=max(8, kept), near_twins=rng.choice((0, 1, 2, 2, 2, 3)))
        number = min(size.record_questions, records.most_questions, kept)
        places = rng.sample(range(records.number), number)
        plant = evidence.plant(rng, ENGLISH.records, records, asked=places)
        others = [place for place in range(records.number) if place not in places]
        stay = sorted([*places, *rng.sample(others, kept - number)])
        pieces, groups = [], {}
        for place in stay:
            ids = codec.encode(plant.pieces[place])
            groups[place], labels = self._labeller.record(ids)
            pieces.append(Piece(ids, labels))
        asked = []
        for question in plant.questions:
            assert question.piece is not None
            fields = self._labeller.group_question(question.text, groups[question.piece])
            if question.kind == "name":
                group = groups[question.piece]
                fields += [(Field.SUBJECT_HEAD, group[0]), (Field.SUBJECT_TAIL, group[1])]
            asked.append(self._asked(Task.EVIDENCE, question.text, question.gold, fields))
        return pieces, asked

    def _passages(self, size: Size) -> tuple[list[Piece], list[Asked]]:
        codec = self._codec
        plant = self._plant_passages(size)
        return [Piece(codec.encode(piece), []) for piece in plant.pieces], [
            self._asked(Task.COPY, question.text, question.gold) for question in plant.questions
        ]

    def _plant_passages(self, size: Size) -> Plant:
        rng, codec = self._rng, self._codec
        for _ in range(_ATTEMPTS):
            try:
                passages = copy.plant(
                    rng,
                    ENGLISH.passages,
                    Passages(tokens=size.passage_tokens),
                    number=rng.randint(*size.passages),
                    most_tokens=size.passage_tokens[1],
                )
                return alone(passages, lambda text: len(codec.encode(text)))
            except PassageError:
                continue
        raise RuntimeError(f"no passages of {size.passage_tokens} tokens")

    def _chains(self, size: Size) -> tuple[list[Piece], list[Asked]]:
        rng, codec, labeller = self._rng, self._codec, self._labeller
        kinds: list[AnswerKind] = rng.sample(("number", "name"), rng.randint(*size.kinds))
        chains = Chains(people=rng.randint(*size.people), relations=rng.randint(*size.relations), answers=tuple(kinds))
        number = min(size.chain_questions, chains.most_questions)
        plant = multihop.plant(
            rng,
            ENGLISH.chains,
            chains,
            places=rng.sample(range(chains.facts), number),
            index=rng.randrange(1000),
        )
        told = [read_fact(piece) for piece in plant.pieces]
        facts = {(fact.name, fact.one): fact.other for fact in told}
        pieces = []
        for text, fact in zip(plant.pieces, told, strict=True):
            ids = codec.encode(f" {text}")
            pieces.append(Piece(ids, list(labeller.fact(fact, len(ids) - 1)), codec.encode(text)))
        asked = [
            self._asked(Task.MULTIHOP, question.text, question.gold, labeller.person_question(question.text, facts))
            for question in plant.questions
        ]
        relations = set(ENGLISH.chains.relations)
        ends = [fact for fact in told if fact.name not in relations]
        for fact in rng.sample(ends, min(size.one_fact, len(ends))):
            kind: AnswerKind = "number" if fact.other.isdigit() else "name"
            text = rng.choice(ENGLISH.chains.nested).format(attribute=fact.name, whose=fact.one)
            text += f" {rng.choice(ENGLISH.chains.answers[kind])}"
            asked.append(self._asked(Task.ONE_FACT, text, fact.other, labeller.person_question(text, facts)))
        return pieces, asked

    def _document(self, row: Row, groups: Sequence[Sequence[Piece]], room: int) -> None:
        """Write prose of about `room` ids with all pieces in it, each group in its order."""
        rng = self._rng
        sentences: list[Piece | None] = [piece for group in groups for piece in group if piece.opening is not None]
        paragraphs = _merged(rng, [[piece for piece in group if piece.opening is None] for group in groups])
        prose = self._prose(room)
        number = len(prose)
        # Facts go anywhere among the sentences of prose, which are drawn only where they stand.
        order = list(range(number + len(sentences)))
        places = set(rng.sample(order, len(sentences)))
        facts, fill = iter(sentences), iter(prose)
        line: list[Piece | tuple[list[int], list[int]]] = [
            next(facts) if place in places else next(fill)  # type: ignore[misc]
            for place in order
        ]
        cuts = sorted(rng.randint(0, len(line)) for _ in paragraphs)
        start = 0
        for piece, cut in zip([*paragraphs, None], [*cuts, len(line)], strict=True):
            while start < cut:
                end = min(cut, start + rng.choice(_PARAGRAPH))
                self._break(row)
                for k in range(start, end):
                    _put_sentence(row, line[k], begins=k == start)
                start = end
            if piece is not None:
                self._break(row)
                _put(row, piece.ids, piece.labels, 0)

    def _break(self, row: Row) -> None:
        if row.breaks:
            row.ids.append(self._codec.break_id)
        row.breaks.append(len(row.ids))

    def _prose(self, room: int) -> list[tuple[list[int], list[int]]]:
        """Sentences of the stock, none twice, of at most `room` ids with the breaks between them."""
        stock = self._stock
        at = self._rng.randrange(len(stock))
        found: list[tuple[list[int], list[int]]] = []
        left = room - 4.0
        while len(found) < len(stock):
            sentence = stock[(at + len(found)) % len(stock)]
            left -= len(sentence[1]) + 0.34
            if left < 0:
                break
            found.append(sentence)
        return found


def _put_sentence(row: Row, sentence: Piece | tuple[list[int], list[int]], *, begins: bool) -> None:
    if isinstance(sentence, tuple):
        row.ids += sentence[0 if begins else 1]
    elif begins and sentence.opening is not None:
        _put(row, sentence.opening, sentence.labels, len(sentence.opening) - len(sentence.ids))
    else:
        _put(row, sentence.ids, sentence.labels, 0)


def _put(row: Row, ids: list[int], labels: list[Label], shift: int) -> None:
    start = len(row.ids) + shift
    row.ids += ids
    row.labels += [(start + place, what, number) for place, what, number in labels]


def _merged(rng: random.Random, groups: Sequence[Sequence[Piece]]) -> list[Piece]:
    """All groups in one list, each in its order."""
    order = [k for k, group in enumerate(groups) for _ in group]
    rng.shuffle(order)
    sources = [iter(group) for group in groups]
    return [next(sources[k]) for k in order]


def weights(task: Task, size: int) -> list[float]:
    """The weights of an answer's ids, together 1."""
    first = _COPY_FIRST if task == Task.COPY else _SHORT_FIRST
    total = first + size - 1
    return [first / total, *[1 / total] * (size - 1)]


def stretched(rng: random.Random, row: Row, length: int) -> Iterator[int]:
    """Positions for a row, with gaps between paragraphs, as if far more stood there; up to `LONGEST` in all."""
    gaps = [0] * (length + 1)
    extra = int((LONGEST - length) * rng.random() ** 2)
    places = rng.sample(row.breaks[1:], min(len(row.breaks) - 1, rng.randint(1, 16)))
    cuts = sorted(rng.randint(0, extra) for _ in places[1:])
    for place, low, high in zip(places, [0, *cuts], [*cuts, extra], strict=False):
        gaps[place] += high - low
    at = -1
    for k in range(length):
        at += 1 + gaps[k]
        yield at
