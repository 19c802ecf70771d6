"""Training rows: a document of kveval's generators and many questions about it, as token ids with answers and labels.

A row begins like a prompt of `kveval.prompts.synthetic`: chat opening, text before the document, document, question, chat
close. The answer follows, and then further questions about the same document with their answers. A prompt of a run is a row up
to its first answer. Short rows have fewer records and people and shorter passages than the built-in tasks.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice

from kveval.generators import copy, evidence, haystack, multihop
from kveval.generators.copy import PassageError, Passages
from kveval.generators.counting import write_one
from kveval.generators.evidence import Records
from kveval.generators.multihop import AnswerKind, Chains
from kveval.generators.parts import Plant
from probe.codec import Codec
from probe.labels import Field, Label, Labeller, read_fact
from probe.prompts import AFTER, BEFORE, LAST
from probe.tokenizer import ASSISTANT_ID, BEGIN_ID, END_ID, ENGLISH, USER_ID

LONGEST = 65_536
_STOCK = 20_000  # sentences of prose per writer
_PARAGRAPH = range(3, 8)  # sentences per paragraph, as in `generators.report`
_COPY_FIRST, _SHORT_FIRST = 4.0, 2.0  # weight of the first token of an answer; the others have weight 1
_ATTEMPTS = 20


class Task(IntEnum):
    EVIDENCE = 0
    COPY = 1
    MULTIHOP = 2
    ONE_FACT = 3  # `multihop` questions about a single fact, for training only


@dataclass(frozen=True)
class AnsweredQuestion:
    """One question with its answer."""

    task: Task
    ids: list[int]
    """Ids from the end of the document to the end of the answer."""
    answer: int
    """Number of these ids that are the answer, including the end token."""
    fields: list[tuple[int, int]] = field(default_factory=list)
    """Fields and ids that readouts should predict at every place from which an id of the answer is predicted."""


@dataclass(frozen=True)
class Piece:
    """Planted sentence or paragraph."""

    ids: list[int]
    labels: list[Label]
    opening: list[int] | None = None
    """Ids of a sentence at the beginning of a paragraph; None for a whole paragraph."""


@dataclass
class Row:
    ids: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    """Starts of paragraphs."""
    labels: list[Label] = field(default_factory=list)
    answers: list[tuple[Task, int, int]] = field(default_factory=list)
    """Task, start and number of ids of each answer."""


@dataclass(frozen=True)
class Size:
    """Ranges for the contents of rows of some length."""

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
    """Share of rows with all kinds of contents; the others have records and passages, or chains."""
    single_kind: bool = False
    """Whether every row has one kind of contents only."""


def size_for(length: int) -> Size:
    if length <= 512:
        return Size((2, 4), 3, (2, 3), (14, 40), (6, 6), (1, 1), (1, 1), 4, 1, 0, single_kind=True)
    if length <= 1024:
        return Size((4, 7), 5, (3, 4), (20, 72), (6, 7), (1, 2), (1, 2), 6, 2, 0, single_kind=True)
    if length <= 2048:
        return Size((6, 10), 6, (3, 4), (40, 96), (7, 10), (1, 2), (1, 2), 8, 2, 0)
    if length <= 4096:
        return Size((8, 12), 8, (4, 4), (64, 170), (8, 12), (2, 2), (2, 2), 10, 1, 0.2)
    if length <= 8192:
        return Size((10, 16), 12, (4, 6), (64, 341), (10, 16), (2, 2), (2, 2), 14, 1, 0.4)
    return Size((10, 20), 18, (4, 8), (64, 512), (10, 24), (2, 2), (2, 2), 22, 2, 0.5)


class Writer:
    """Writer of rows from one seeded stream of random numbers."""

    def __init__(self, codec: Codec, seed: str, sentences: int = _STOCK) -> None:
        self._codec = codec
        self._rng = random.Random(seed)
        self._labeller = Labeller(codec)
        texts = islice(haystack.sentences(random.Random(f"{seed}/prose"), ENGLISH.haystack), sentences)
        self._stock = [(codec.encode(text), codec.encode(f" {text}")) for text in texts]
        self._opening = [BEGIN_ID, USER_ID, *codec.encode(BEFORE)]
        self._after, self._close = codec.encode(AFTER), [*codec.encode(LAST), END_ID, ASSISTANT_ID]

    def row(self, length: int, most_questions: int | None = None) -> Row:
        """Write a row of at most `length` ids."""
        rng, size = self._rng, size_for(length)
        draw = rng.random()
        if draw < size.mixed:
            parts = [self._records, self._passages, self._chains]
        elif size.single_kind:
            parts = [rng.choice([self._records, self._passages, self._chains])]
        else:
            parts = [self._chains] if draw > 0.45 + 0.55 * size.mixed else [self._records, self._passages]
        planted = [part(size) for part in parts]
        questions = [question for _, group in planted for question in group]
        rng.shuffle(questions)
        questions = questions[:most_questions]
        pieces = [pieces for pieces, _ in planted]
        room = length - len(self._opening) - sum(len(piece.ids) + 2 for group in pieces for piece in group)
        fitting: list[AnsweredQuestion] = []
        for question in questions:
            if len(question.ids) <= room:
                room -= len(question.ids)
                fitting.append(question)
        if not fitting or room < 0:
            return self.row(length, most_questions)
        row = Row([*self._opening])
        self._document(row, pieces, room)
        for question in fitting:
            row.ids += question.ids
            begin = len(row.ids) - question.answer
            row.answers.append((question.task, begin, question.answer))
            row.labels += [
                (place, what, number)
                for place in range(begin - 1, len(row.ids) - 1)
                for what, number in question.fields
            ]
        return row

    def _with_answer(
        self, task: Task, text: str, gold: str, fields: list[tuple[int, int]] | None = None
    ) -> AnsweredQuestion:
        answer = [*self._codec.encode(gold), END_ID]
        return AnsweredQuestion(
            task, [*self._after, *self._codec.encode(text), *self._close, *answer], len(answer), fields or []
        )

    def _records(self, size: Size) -> tuple[list[Piece], list[AnsweredQuestion]]:
        rng, codec = self._rng, self._codec
        number_kept = rng.randint(*size.records)
        records = Records(number=max(8, number_kept), near_twins=rng.choice((0, 1, 2, 2, 2, 3)))
        number = min(size.record_questions, records.most_questions, number_kept)
        places = rng.sample(range(records.number), number)
        plant = evidence.plant(rng, ENGLISH.records, records, targets=places)
        others = [place for place in range(records.number) if place not in places]
        kept_places = sorted([*places, *rng.sample(others, number_kept - number)])
        pieces, groups = [], {}
        for place in kept_places:
            ids = codec.encode(plant.pieces[place])
            groups[place], labels = self._labeller.record(ids)
            pieces.append(Piece(ids, labels))
        questions = []
        for question in plant.questions:
            assert question.piece is not None
            fields = self._labeller.group_question(question.text, groups[question.piece])
            if question.kind == "name":
                group = groups[question.piece]
                fields += [(Field.SUBJECT_HEAD, group[0]), (Field.SUBJECT_TAIL, group[1])]
            questions.append(self._with_answer(Task.EVIDENCE, question.text, question.gold, fields))
        return pieces, questions

    def _passages(self, size: Size) -> tuple[list[Piece], list[AnsweredQuestion]]:
        codec = self._codec
        plant = self._plant_passages(size)
        return [Piece(codec.encode(piece), []) for piece in plant.pieces], [
            self._with_answer(Task.COPY, question.text, question.gold) for question in plant.questions
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
                return write_one(passages, lambda text: len(codec.encode(text)))
            except PassageError:
                continue
        raise RuntimeError(f"no passages of {size.passage_tokens} tokens")

    def _chains(self, size: Size) -> tuple[list[Piece], list[AnsweredQuestion]]:
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
        parsed = [read_fact(piece) for piece in plant.pieces]
        facts = {(fact.name, fact.one): fact.other for fact in parsed}
        pieces = []
        for text, fact in zip(plant.pieces, parsed, strict=True):
            ids = codec.encode(f" {text}")
            pieces.append(Piece(ids, list(labeller.fact(fact, len(ids) - 1)), codec.encode(text)))
        questions = [
            self._with_answer(
                Task.MULTIHOP, question.text, question.gold, labeller.person_question(question.text, facts)
            )
            for question in plant.questions
        ]
        relations = set(ENGLISH.chains.relations)
        ends = [fact for fact in parsed if fact.name not in relations]
        for fact in rng.sample(ends, min(size.one_fact, len(ends))):
            kind: AnswerKind = "number" if fact.other.isdigit() else "name"
            text = rng.choice(ENGLISH.chains.nested).format(attribute=fact.name, whose=fact.one)
            text += f" {rng.choice(ENGLISH.chains.answers[kind])}"
            questions.append(self._with_answer(Task.ONE_FACT, text, fact.other, labeller.person_question(text, facts)))
        return pieces, questions

    def _document(self, row: Row, groups: Sequence[Sequence[Piece]], room: int) -> None:
        """Write prose of about `room` ids with all pieces in it, keeping the order within each group."""
        rng = self._rng
        sentences: list[Piece | None] = [piece for group in groups for piece in group if piece.opening is not None]
        paragraphs = _merged(rng, [[piece for piece in group if piece.opening is None] for group in groups])
        prose = self._prose(room)
        number = len(prose)
        # Facts go anywhere among the sentences of prose. Only their places are random, since the sentences are already.
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
        """Return distinct sentences of the stock with at most `room` ids, including breaks."""
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
    """Merge groups randomly, keeping the order within each."""
    order = [k for k, group in enumerate(groups) for _ in group]
    rng.shuffle(order)
    sources = [iter(group) for group in groups]
    return [next(sources[k]) for k in order]


def weights(task: Task, size: int) -> list[float]:
    """Return the weights of an answer's ids, with sum 1."""
    first = _COPY_FIRST if task == Task.COPY else _SHORT_FIRST
    total = first + size - 1
    return [first / total, *[1 / total] * (size - 1)]


def stretched(rng: random.Random, row: Row, length: int) -> Iterator[int]:
    """Yield positions for a row with gaps between paragraphs, as if there were more text; all below `LONGEST`."""
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
