"""Passages to copy word for word: between markers, under a heading, after a sentence, and rows of a table.

Passages consist of details that cannot be guessed, so that a copy depends on what the model still sees of them.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Literal, NamedTuple

from .counting import Counting
from .names import Names, Syllables
from .parts import Plant, Question
from .values import LETTERS

PassageKind = Literal["marked", "section", "after", "rows"]

_CAST = 3  # number of people, and of places, in a passage
_NEAR_THE_END = 25  # remaining tokens below which only short sentences are written
_CLOSED = 0.25  # share of long sentences that get a closing
_MISSES = 20  # consecutive sentences that are too long before a passage ends
_MOST_TOKENS = 65_536
_ATTEMPTS = 200  # maximum number of attempts to write a passage
_SLOT = re.compile(r"\{(\w+)\}")
_INNER_STOP = re.compile(r'[".:;?!“”。：；？！]|\{words\}')
_LEAST_PARTS = 2  # minimum number of rows or sentences: the wording of the questions is plural


class PassageError(ValueError):
    """Raised if no passage has a number of tokens within its limits."""


@dataclass(frozen=True)
class Passages:
    """Passages of a document. Raises ValueError for invalid fields."""

    kinds: tuple[PassageKind, ...] = ("marked", "section")
    """Kinds of passages, used in turn."""
    tokens: tuple[int, int] = (64, 512)
    """Minimum and maximum tokens of a passage; lengths are drawn log-uniformly between them."""

    def __post_init__(self) -> None:
        if not self.kinds or len(set(self.kinds)) < len(self.kinds):
            raise ValueError("kinds must name one kind or more, each once")
        if not 1 <= self.tokens[0] <= self.tokens[1] <= _MOST_TOKENS:
            raise ValueError(
                f"tokens must be the least and the most tokens of a passage, up to {_MOST_TOKENS}, not {list(self.tokens)}"
            )


@dataclass(frozen=True, eq=False)
class Words:
    """Texts of passages in one language. Tuples are alternatives to choose from; `{slots}` are filled in.

    A sentence can contain `{who}`, `{surname}` (the short name of the same people) and `{place}` from the cast of the passage;
    the slots of `pools` and `values`; `{words}`, a quote; and `{nick}`, an invented word.
    """

    short: tuple[str, ...]
    long: tuple[str, ...]
    stop: str
    closings: tuple[str, ...]
    """Optional endings of long sentences, placed before the stop."""
    quotes: tuple[str, ...]
    nicks: tuple[Sequence[str], ...]
    """Syllables of a `{nick}`, by position."""
    pools: Mapping[str, tuple[str, ...]]
    """Words by slot. A word is repeated only after all others have been used."""
    values: Callable[[random.Random], Mapping[str, Callable[[], str]]]
    """Returns functions that draw numbers, dates and so on by slot; never a number that a record or chain could have."""
    people: tuple[str, ...]
    """Full names, with `{surname}`."""
    surnames: Syllables
    short_name: Callable[[str], str]
    """Returns the short form of a full name."""
    places: Syllables
    between: str
    """Separator of sentences."""
    begin: str
    """Line before a marked passage, with `{key}`."""
    end: str
    titles: tuple[str, ...]
    """Titles of sections, with `{name}`."""
    table_titles: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    """Heads of the columns of a table, with templates of their cells; the first column is an id."""
    counts: tuple[str, ...]
    """Numbers from one on, in words."""
    questions: Mapping[PassageKind, tuple[str, ...]]
    """Questions with `{key}`; for `after` also `{count}`, for `rows` also `{first}` and `{last}`."""


class _Limits(NamedTuple):
    """Limits for the number of tokens of a passage."""

    least: int
    most: int
    per_character: float
    """Approximate tokens per character; counting every sentence would take most of the time."""


class _Passage(NamedTuple):
    piece: str
    gold: str
    fields: Mapping[str, str]
    """Values of the slots of the question."""


def plant(rng: random.Random, words: Words, passages: Passages, *, number: int, most_tokens: int) -> Counting[Plant]:
    """Write `number` passages of alternating kinds, of at most `most_tokens` tokens, with one question about each.

    Raises PassageError if no passage has a number of tokens within the limits.
    """
    least, most = passages.tokens[0], min(passages.tokens[1], most_tokens)
    limits = {}
    for kind in passages.kinds:
        text = sample(words, rows=kind == "rows")
        tokens = yield text
        limits[kind] = _Limits(least, most, tokens / len(text))
    names = Names(rng)
    used: set[str] = set()
    markers, titles, tables = (
        _markers(rng),
        _cycle_shuffled(rng, words.titles),
        _cycle_shuffled(rng, words.table_titles),
    )
    start = rng.randrange(len(passages.kinds))
    pieces, questions = [], []
    for k in range(number):
        kind = passages.kinds[(start + k) % len(passages.kinds)]
        writer = _Writer(rng, words, names, used)
        if kind == "marked":
            passage = yield from _marked(writer, next(markers), limits[kind])
        elif kind == "section":
            passage = yield from _section(writer, next(titles), limits[kind])
        elif kind == "rows":
            passage = yield from _rows(writer, next(tables), limits[kind])
        else:
            passage = yield from _after(writer, limits[kind])
        text = rng.choice(words.questions[kind]).format_map(passage.fields)
        pieces.append(passage.piece)
        questions.append(Question(text, passage.gold, "copy", kind, piece=k))
    return Plant(tuple(pieces), tuple(questions))


def heading(title: str) -> str:
    """Return the heading line of a section or a table."""
    return f"## {title}"


def _markers(rng: random.Random) -> Iterator[str]:
    """Yield ids like KX-4817, any two of which differ in at least four characters."""
    drawn: list[str] = []
    while True:
        marker = f"{rng.choice(LETTERS)}{rng.choice(LETTERS)}-{rng.randint(1000, 9999)}"
        if all(sum(a != b for a, b in zip(marker, other, strict=True)) >= 4 for other in drawn):
            drawn.append(marker)
            yield marker


def _cycle_shuffled(rng: random.Random, options: Sequence[str]) -> Iterator[str]:
    """Yield all `options` in random order, repeatedly; never the same one twice in a row."""
    last = None
    draw = rng.random
    while True:
        order = sorted(options, key=lambda _: draw())  # faster than rng.sample
        if order[0] == last:
            order.reverse()
        yield from order
        last = order[-1]


class _Writer:
    """Writer of the sentences of one passage with its own cast; it skips sentences `used` elsewhere in the document."""

    def __init__(self, rng: random.Random, words: Words, names: Names, used: set[str]) -> None:
        self.rng = rng
        self.words = words
        self._names = names
        self._used = used
        cast = [name.format(surname=names.draw(words.surnames)) for name in rng.sample(words.people, _CAST)]
        people = _cycle_shuffled(rng, cast)
        pools = {"place": [names.draw(words.places) for _ in range(_CAST)], **words.pools}
        self._slots: dict[str, Callable[[], str]] = {
            slot: partial(next, _cycle_shuffled(rng, options)) for slot, options in pools.items()
        }
        self._slots |= {
            "who": lambda: next(people),
            "surname": lambda: words.short_name(next(people)),
            "nick": lambda: "".join([rng.choice(part) for part in words.nicks]),
            "words": lambda: self.fill(rng.choice(words.quotes)),
            **words.values(rng),
        }
        self._long, self._short = _cycle_shuffled(rng, words.long), _cycle_shuffled(rng, words.short)
        self._plain = _cycle_shuffled(rng, _without_inner_stops(words.long))

    def long(self) -> str:
        return self._new(self._long, self.words.closings)

    def short(self) -> str:
        return self._new(self._short, ())

    def plain(self) -> str:
        """Return a long sentence without inner punctuation that could be mistaken for its end."""
        return self._new(self._plain, _without_inner_stops(self.words.closings))

    def row(self) -> str:
        """Return a row of a table, with a unique id."""
        (_, first), *others = self.words.columns
        while (key := self.fill(first)) in self._used:
            pass
        self._used.add(key)
        return _line([key, *(self.fill(template) for _, template in others)])

    def titled(self, title: str) -> str:
        return title.format(name=self._names.draw(self.words.places))

    def passage(self, limits: _Limits) -> Counting[str]:
        between = self.words.between
        return between.join((yield from _write_parts(self.rng, self.long, self.short, between, limits)))

    def _new(self, templates: Iterator[str], closings: Sequence[str]) -> str:
        """Return a sentence that is not used yet, from the next template that gives one."""
        stop = self.words.stop
        for template in templates:
            if closings and self.rng.random() < _CLOSED and template.endswith(stop):
                template = template.removesuffix(stop) + self.rng.choice(closings) + stop
            sentence = self.fill(template)
            start = 1 if sentence[0] in '"“' else 0
            sentence = sentence[:start] + sentence[start].upper() + sentence[start + 1 :]
            if sentence not in self._used:
                break
        self._used.add(sentence)
        return sentence

    def fill(self, template: str) -> str:
        return _SLOT.sub(lambda slot: self._slots[slot[1]](), template)


@cache
def _without_inner_stops(templates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the templates without inner punctuation that could be mistaken for the end of a sentence."""
    return tuple(template for template in templates if not _INNER_STOP.search(template[:-1]))


@cache
def sample(words: Words, *, rows: bool) -> str:
    """Return a fixed sample of sentences of passages, or of rows of a table."""
    rng = random.Random("kveval.copy")
    writer = _Writer(rng, words, Names(rng), set())
    if rows:
        return "\n".join(writer.row() for _ in range(10))
    return words.between.join(writer.long() for _ in range(20))


def _marked(writer: _Writer, key: str, limits: _Limits) -> Counting[_Passage]:
    passage = yield from writer.passage(limits)
    begin, end = (frame.format(key=key) for frame in (writer.words.begin, writer.words.end))
    return _Passage(f"{begin}\n\n{passage}\n\n{end}", passage, {"key": key})


def _section(writer: _Writer, title: str, limits: _Limits) -> Counting[_Passage]:
    passage = yield from writer.passage(limits)
    key = writer.titled(title)
    # A second paragraph, so that the first is not the whole section; one sentence, to leave room in short documents.
    return _Passage("\n\n".join([heading(key), passage, writer.long()]), passage, {"key": key})


def _after(writer: _Writer, limits: _Limits) -> Counting[_Passage]:
    words = writer.words
    sentences = yield from _write_parts(
        writer.rng, writer.plain, writer.plain, words.between, limits, at_least=_LEAST_PARTS, at_most=len(words.counts)
    )
    anchor = writer.plain()
    piece = words.between.join([writer.plain(), anchor, *sentences, writer.plain()])
    return _Passage(piece, words.between.join(sentences), {"key": anchor, "count": words.counts[len(sentences) - 1]})


def _rows(writer: _Writer, title: str, limits: _Limits) -> Counting[_Passage]:
    key = writer.titled(title)
    heads = [head for head, _ in writer.words.columns]
    rows = yield from _write_parts(writer.rng, writer.row, writer.row, "\n", limits, at_least=_LEAST_PARTS)
    other_rows = [[writer.row() for _ in range(writer.rng.randint(1, 2))] for _ in range(2)]
    table = [_line(heads), _line(["---"] * len(heads)), *other_rows[0], *rows, *other_rows[1]]
    first, last = (line.split(" | ")[0].removeprefix("| ") for line in (rows[0], rows[-1]))
    piece = f"{heading(key)}\n\n" + "\n".join(table)
    return _Passage(piece, "\n".join(rows), {"key": key, "first": first, "last": last})


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _write_parts(
    rng: random.Random,
    long: Callable[[], str],
    short: Callable[[], str],
    between: str,
    limits: _Limits,
    *,
    at_least: int = 1,
    at_most: int | None = None,
) -> Counting[list[str]]:
    """Write `at_least` to `at_most` sentences or rows whose tokens are within the limits."""
    for _ in range(_ATTEMPTS):
        target = math.exp(rng.uniform(math.log(limits.least), math.log(limits.most)))
        parts = list(islice(_parts(long, short, between, target, limits), at_most))
        if len(parts) >= at_least:
            tokens = yield between.join(parts)
            if limits.least <= tokens <= limits.most:
                return parts
    raise PassageError(f"no passage of {limits.least} to {limits.most} tokens in {_ATTEMPTS} attempts")


def _parts(
    long: Callable[[], str], short: Callable[[], str], between: str, target: float, limits: _Limits
) -> Iterator[str]:
    """Yield parts until they have about `target` tokens, or until no further part stays below the limit."""
    size, misses = 0.0, 0
    while size < target and misses < _MISSES:
        part = short() if misses or target - size < _NEAR_THE_END else long()
        tokens = len(between + part) * limits.per_character
        if size + tokens > limits.most:
            misses += 1
            continue
        yield part
        size, misses = size + tokens, 0
