"""Passages to be repeated word for word: between markers, under a heading, after a sentence, and rows of a table.

A passage is full of what cannot be guessed, so that only what the model still sees of it can help.
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

_CAST = 3  # people, and as many places, that a passage is about
_NEAR_THE_END = 25  # tokens to go, from which on only short sentences are written
_CLOSED = 0.25  # share of the long sentences that get a closing
_MISSES = 20  # sentences in a row that would overshoot, before a passage is left as it is
_MOST_TOKENS = 65_536
_ATTEMPTS = 200  # passages begun, before giving up
_SLOT = re.compile(r"\{(\w+)\}")
_INNER_STOP = re.compile(r'[".:;?!“”。：；？！]|\{words\}')
_LEAST_PARTS = 2  # rows, or sentences after one: fewer would need other words


class PassageError(ValueError):
    """No passage fits between its limits."""


@dataclass(frozen=True)
class Passages:
    """What passages a document holds. Raises ValueError where that cannot be."""

    kinds: tuple[PassageKind, ...] = ("marked", "section")
    """Kinds of passages, which take turns."""
    tokens: tuple[int, int] = (64, 512)
    """Least and most tokens of a passage; lengths are drawn evenly over their logarithm."""

    def __post_init__(self) -> None:
        if not self.kinds or len(set(self.kinds)) < len(self.kinds):
            raise ValueError("kinds must name one kind or more, each once")
        if not 1 <= self.tokens[0] <= self.tokens[1] <= _MOST_TOKENS:
            raise ValueError(
                f"tokens must be the least and the most tokens of a passage, up to {_MOST_TOKENS}, not {list(self.tokens)}"
            )


@dataclass(frozen=True, eq=False)
class Words:
    """The words of passages in one language. Texts that are random choices stand in tuples; `{fields}` are filled in.

    A sentence can hold `{who}` and `{surname}` (short for the same people) and `{place}` from the cast of the passage; what is
    in `pools` and `values`; `{words}`, something that was said; `{nick}`, a word of no language.
    """

    short: tuple[str, ...]
    long: tuple[str, ...]
    stop: str
    closings: tuple[str, ...]
    """What may stand between the end of a long sentence and its stop."""
    said: tuple[str, ...]
    nicks: tuple[Sequence[str], ...]
    """Syllables of a `{nick}`, by their place."""
    pools: Mapping[str, tuple[str, ...]]
    """Words by slot; one comes back when all others have been."""
    values: Callable[[random.Random], Mapping[str, Callable[[], str]]]
    """Draws numbers, amounts, dates and so on by slot; never a number that a record or a chain could hold."""
    people: tuple[str, ...]
    """Full names, with `{surname}`."""
    surnames: Syllables
    short_name: Callable[[str], str]
    """What one calls somebody of that full name."""
    places: Syllables
    between: str
    """What stands between two sentences."""
    begin: str
    """The line before a marked passage, with `{key}`."""
    end: str
    titles: tuple[str, ...]
    """Titles of sections, with `{name}`."""
    table_titles: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    """Heads of a table and what stands below them; the first one is an id."""
    counts: tuple[str, ...]
    """The numbers from one on, in words."""
    questions: Mapping[PassageKind, tuple[str, ...]]
    """With `{key}`; of sentences after one, `{count}`; of rows, `{first}` and `{last}`."""


class _Limits(NamedTuple):
    """How many tokens a passage may have."""

    least: int
    most: int
    per_character: float
    """Tokens, about: to count every sentence would take most of the time."""


class _Passage(NamedTuple):
    piece: str
    gold: str
    fields: Mapping[str, str]
    """What the question fills in."""


def plant(rng: random.Random, words: Words, passages: Passages, *, number: int, most_tokens: int) -> Counting[Plant]:
    """Writes `number` passages, their kinds by turns, with one question on each; none has more than `most_tokens` tokens.

    Raises PassageError where no passage fits between the two limits.
    """
    least, most = passages.tokens[0], min(passages.tokens[1], most_tokens)
    limits = {}
    for kind in passages.kinds:
        text = sample(words, rows=kind == "rows")
        tokens = yield text
        limits[kind] = _Limits(least, most, tokens / len(text))
    names = Names(rng)
    told: set[str] = set()
    markers, titles, tables = _markers(rng), _endless(rng, words.titles), _endless(rng, words.table_titles)
    start = rng.randrange(len(passages.kinds))
    pieces, questions = [], []
    for k in range(number):
        kind = passages.kinds[(start + k) % len(passages.kinds)]
        writer = _Writer(rng, words, names, told)
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
    """The line above a section or a table."""
    return f"## {title}"


def _markers(rng: random.Random) -> Iterator[str]:
    """Ids like KX-4817, each unlike the others in four places or more."""
    drawn: list[str] = []
    while True:
        marker = f"{rng.choice(LETTERS)}{rng.choice(LETTERS)}-{rng.randint(1000, 9999)}"
        if all(sum(a != b for a, b in zip(marker, other, strict=True)) >= 4 for other in drawn):
            drawn.append(marker)
            yield marker


def _endless(rng: random.Random, options: Sequence[str]) -> Iterator[str]:
    """`options` in random order, again and again: none comes back before all others have been, and none twice in a row."""
    last = None
    draw = rng.random
    while True:
        order = sorted(options, key=lambda _: draw())  # faster than rng.sample
        if order[0] == last:
            order.reverse()
        yield from order
        last = order[-1]


class _Writer:
    """Writes the sentences of one passage, about a cast of its own, and none that was `told` in another of its document."""

    def __init__(self, rng: random.Random, words: Words, names: Names, told: set[str]) -> None:
        self.rng = rng
        self.words = words
        self._names = names
        self._told = told
        cast = [name.format(surname=names.draw(words.surnames)) for name in rng.sample(words.people, _CAST)]
        people = _endless(rng, cast)
        pools = {"place": [names.draw(words.places) for _ in range(_CAST)], **words.pools}
        self._slots: dict[str, Callable[[], str]] = {
            slot: partial(next, _endless(rng, options)) for slot, options in pools.items()
        }
        self._slots |= {
            "who": lambda: next(people),
            "surname": lambda: words.short_name(next(people)),
            "nick": lambda: "".join([rng.choice(part) for part in words.nicks]),
            "words": lambda: self.fill(rng.choice(words.said)),
            **words.values(rng),
        }
        self._long, self._short = _endless(rng, words.long), _endless(rng, words.short)
        self._plain = _endless(rng, _plain(words.long))

    def long(self) -> str:
        return self._new(self._long, self.words.closings)

    def short(self) -> str:
        return self._new(self._short, ())

    def plain(self) -> str:
        """A long sentence without marks inside that could be taken for its end."""
        return self._new(self._plain, _plain(self.words.closings))

    def row(self) -> str:
        """A row of a table, by an id of its own."""
        (_, first), *others = self.words.columns
        while (key := self.fill(first)) in self._told:
            pass
        self._told.add(key)
        return _line([key, *(self.fill(template) for _, template in others)])

    def titled(self, title: str) -> str:
        return title.format(name=self._names.draw(self.words.places))

    def passage(self, limits: _Limits) -> Counting[str]:
        between = self.words.between
        return between.join((yield from _fitting(self.rng, self.long, self.short, between, limits)))

    def _new(self, templates: Iterator[str], closings: Sequence[str]) -> str:
        """A sentence by the next of the templates that makes one which was not told before."""
        stop = self.words.stop
        for template in templates:
            if closings and self.rng.random() < _CLOSED and template.endswith(stop):
                template = template.removesuffix(stop) + self.rng.choice(closings) + stop
            sentence = self.fill(template)
            start = 1 if sentence[0] in '"“' else 0
            sentence = sentence[:start] + sentence[start].upper() + sentence[start + 1 :]
            if sentence not in self._told:
                break
        self._told.add(sentence)
        return sentence

    def fill(self, template: str) -> str:
        return _SLOT.sub(lambda slot: self._slots[slot[1]](), template)


@cache
def _plain(templates: tuple[str, ...]) -> tuple[str, ...]:
    """Those that hold nothing that could be taken for the end of a sentence."""
    return tuple(template for template in templates if not _INNER_STOP.search(template[:-1]))


@cache
def sample(words: Words, *, rows: bool) -> str:
    """Some sentences of passages, or rows of a table, always the same."""
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
    # One more paragraph, so that the first is not the whole section; a short one, to leave room in short documents.
    return _Passage("\n\n".join([heading(key), passage, writer.long()]), passage, {"key": key})


def _after(writer: _Writer, limits: _Limits) -> Counting[_Passage]:
    words = writer.words
    sentences = yield from _fitting(
        writer.rng, writer.plain, writer.plain, words.between, limits, at_least=_LEAST_PARTS, at_most=len(words.counts)
    )
    anchor = writer.plain()
    piece = words.between.join([writer.plain(), anchor, *sentences, writer.plain()])
    return _Passage(piece, words.between.join(sentences), {"key": anchor, "count": words.counts[len(sentences) - 1]})


def _rows(writer: _Writer, title: str, limits: _Limits) -> Counting[_Passage]:
    key = writer.titled(title)
    heads = [head for head, _ in writer.words.columns]
    rows = yield from _fitting(writer.rng, writer.row, writer.row, "\n", limits, at_least=_LEAST_PARTS)
    around = [[writer.row() for _ in range(writer.rng.randint(1, 2))] for _ in range(2)]
    table = [_line(heads), _line(["---"] * len(heads)), *around[0], *rows, *around[1]]
    first, last = (line.split(" | ")[0].removeprefix("| ") for line in (rows[0], rows[-1]))
    piece = f"{heading(key)}\n\n" + "\n".join(table)
    return _Passage(piece, "\n".join(rows), {"key": key, "first": first, "last": last})


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fitting(
    rng: random.Random,
    long: Callable[[], str],
    short: Callable[[], str],
    between: str,
    limits: _Limits,
    *,
    at_least: int = 1,
    at_most: int | None = None,
) -> Counting[list[str]]:
    """Sentences or rows, `at_least` to `at_most` of them, whose tokens lie within the limits."""
    for _ in range(_ATTEMPTS):
        target = math.exp(rng.uniform(math.log(limits.least), math.log(limits.most)))
        parts = list(islice(_parts(long, short, between, target, limits), at_most))
        if len(parts) >= at_least:
            tokens = yield between.join(parts)
            if limits.least <= tokens <= limits.most:
                return parts
    raise PassageError(f"no passage of {limits.least} to {limits.most} tokens came out of {_ATTEMPTS} attempts")


def _parts(
    long: Callable[[], str], short: Callable[[], str], between: str, target: float, limits: _Limits
) -> Iterator[str]:
    """Parts of about `target` tokens together or a little more, hardly above the limit; less where none is left that fits."""
    size, misses = 0.0, 0
    while size < target and misses < _MISSES:
        part = short() if misses or target - size < _NEAR_THE_END else long()
        tokens = len(between + part) * limits.per_character
        if size + tokens > limits.most:
            misses += 1
            continue
        yield part
        size, misses = size + tokens, 0
