"""Passages to be repeated word for word: marked ones, and first paragraphs of named sections.

A passage is full of what cannot be guessed, so that only what the model still sees of it can help. Names and numbers
follow the rules in `names`, so that no passage answers a question of `evidence`.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from . import clauses
from .names import PLACES, STRANGERS, Names
from .parts import Plant, Question

_KINDS = ("marked", "section")
_CAST = 3  # people, and as many places, that a passage is about
_LETTERS = "BCDFGHKLMNPQRTVWXZ"  # without vowels, so that no word comes about
_NEAR_THE_END = 25  # tokens to go, from which on only short sentences are written
_CLOSED = 0.25  # share of the long sentences that get a closing
_MISSES = 20  # sentences in a row that would overshoot, before a passage is left as it is
_ATTEMPTS = 200  # passages begun, before giving up

_MARKED = (
    "Repeat the passage marked {key} word for word, without the markers and without any comment.",
    "Copy passage {key} exactly, from its first word to its last. Leave out the markers and add nothing.",
    "Write down what stands between the markers {key}, word for word and nothing else.",
    "Quote passage {key} in full, exactly as it is written. Do not repeat the markers, and do not comment on it.",
)
_SECTION = (
    'Repeat the first paragraph of the section titled "{key}" word for word, without the heading and without any comment.',
    'Copy the first paragraph under the heading "{key}" exactly. Leave out the heading, stop where the paragraph ends, and add '
    "nothing.",
    'Write down the paragraph that opens the section "{key}", word for word, without its heading, and nothing else.',
    'Quote the first paragraph of "{key}" in full, exactly as it is written. Do not repeat the heading or go on after it.',
)


def plant(
    rng: random.Random,
    *,
    passages: int = 4,
    min_tokens: int = 64,
    max_tokens: int = 512,
    count_tokens: Callable[[str], int],
) -> Plant:
    """Passages of `min_tokens` to `max_tokens` tokens each, marked and in sections by turns, with one question on each.

    Lengths are drawn evenly over their logarithm. Raises ValueError when no passage fits between the two limits.
    """
    if passages < 0 or not 1 <= min_tokens <= max_tokens:
        raise ValueError(f"cannot write {passages} passages of {min_tokens} to {max_tokens} tokens")
    names = Names(rng)
    markers, titles = _markers(rng), _titles(rng, names)
    start = rng.randrange(len(_KINDS))
    pieces, questions = [], []
    for number in range(passages):
        kind = _KINDS[(start + number) % len(_KINDS)]
        writer = _Writer(rng, names)
        passage = _passage(rng, writer, min_tokens, max_tokens, count_tokens)
        if kind == "marked":
            key = next(markers)
            pieces.append(f"{_begin(key)}\n\n{passage}\n\n{_end(key)}")
            text = rng.choice(_MARKED)
        else:
            key = next(titles)
            # One more paragraph, so that the first is not the whole section; a short one, to leave room in short documents.
            pieces.append("\n\n".join([_heading(key), passage, writer.long()]))
            text = rng.choice(_SECTION)
        questions.append(Question(text.format(key=key), gold=passage, distractors=(), piece=number, kind=kind))
    return Plant(tuple(pieces), tuple(questions))


def _begin(key: str) -> str:
    return f"[Passage {key} begins]"


def _end(key: str) -> str:
    return f"[Passage {key} ends]"


def _heading(title: str) -> str:
    return f"## {title}"


def _markers(rng: random.Random) -> Iterator[str]:
    """Ids like KX-4817, each unlike the others in four places or more."""
    drawn: list[str] = []
    while True:
        marker = f"{rng.choice(_LETTERS)}{rng.choice(_LETTERS)}-{rng.randint(1000, 9999)}"
        if all(sum(a != b for a, b in zip(marker, other, strict=True)) >= 4 for other in drawn):
            drawn.append(marker)
            yield marker


def _titles(rng: random.Random, names: Names) -> Iterator[str]:
    for title in _endless(rng, clauses.TITLES):
        yield title.format(name=names.draw(PLACES))


def _endless(rng: random.Random, options: Sequence[str]) -> Iterator[str]:
    """`options` in random order, again and again: none comes back before all others have been, and none twice in a row."""
    last = None
    while True:
        order = rng.sample(options, len(options))
        if order[0] == last:
            order.reverse()
        yield from order
        last = order[-1]


class _Writer:
    """Writes the sentences of one passage, about a cast of its own."""

    def __init__(self, rng: random.Random, names: Names) -> None:
        self._rng = rng
        people = _endless(rng, [f"{first} {names.draw(STRANGERS)}" for first in rng.sample(clauses.FIRST_NAMES, _CAST)])
        drawn = {
            "place": [names.draw(PLACES) for _ in range(_CAST)],
            "goods": clauses.GOODS,
            "good": clauses.THINGS,
            "look": clauses.LOOKS,
            "day": clauses.DAYS,
        }
        self._slots: dict[str, Callable[[], str]] = {
            slot: partial(next, _endless(rng, options)) for slot, options in drawn.items()
        }
        self._slots |= {
            "who": lambda: next(people),
            "surname": lambda: next(people).split()[-1],
            "nick": lambda: "".join([rng.choice(part) for part in clauses.NICKS]),
            "words": lambda: self._fill(rng.choice(clauses.WORDS)),
            "n": lambda: str(rng.randint(11, 989)),
            "amount": lambda: (
                f"{rng.randint(1_000, 98_999):,}{rng.choice(('', '.50', '.75'))} {rng.choice(clauses.COINS)}"
            ),
            "decimal": lambda: f"{rng.randint(0, 98)}.{_decimals(rng)}",
            "percent": lambda: f"{rng.randint(2, 98)}{rng.choice(('', f'.{_decimals(rng)}'))}%",
            "id": lambda: f"{rng.choice(_LETTERS)}/{rng.randint(11, 989)}-{rng.choice(_LETTERS)}",
            "date": lambda: f"{rng.randint(1, 28)} {rng.choice(clauses.MONTHS)} {rng.randint(1501, 2399)}",
            "time": lambda: f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}",
        }
        self._long, self._short = _endless(rng, clauses.LONG), _endless(rng, clauses.SHORT)

    def long(self) -> str:
        sentence = next(self._long)
        if self._rng.random() < _CLOSED and not sentence.endswith('."'):
            sentence = sentence.removesuffix(".") + self._rng.choice(clauses.CLOSINGS) + "."
        return self._sentence(sentence)

    def short(self) -> str:
        return self._sentence(next(self._short))

    def _sentence(self, template: str) -> str:
        sentence = self._fill(template)
        start = 1 if sentence.startswith('"') else 0
        return sentence[:start] + sentence[start].upper() + sentence[start + 1 :]

    def _fill(self, template: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda slot: self._slots[slot[1]](), template)


def _decimals(rng: random.Random) -> str:
    """Four or five decimals, the last not zero (see `names`)."""
    return f"{rng.randint(0, 999):03d}{rng.choice(('', '0', '7'))}{rng.randint(1, 9)}"


def _passage(
    rng: random.Random, writer: _Writer, min_tokens: int, max_tokens: int, count_tokens: Callable[[str], int]
) -> str:
    for _ in range(_ATTEMPTS):
        target = math.exp(rng.uniform(math.log(min_tokens), math.log(max_tokens)))
        passage = " ".join(_sentences(writer, target, max_tokens, count_tokens))
        # The tokens of sentences need not add up to those of the passage, so the whole is counted again.
        if min_tokens <= count_tokens(passage) <= max_tokens:
            return passage
    raise ValueError(f"no passage of {min_tokens} to {max_tokens} tokens in {_ATTEMPTS} attempts: widen the limits")


def _sentences(writer: _Writer, target: float, most: int, count_tokens: Callable[[str], int]) -> Iterator[str]:
    """Sentences of `target` tokens together or a little more, never above `most`; less where no sentence is left that fits."""
    size, misses = 0, 0
    while size < target and misses < _MISSES:
        short = misses or target - size < _NEAR_THE_END
        sentence = writer.short() if short else writer.long()
        tokens = count_tokens(f" {sentence}")
        if size + tokens > most:
            misses += 1
            continue
        yield sentence
        size, misses = size + tokens, 0


def check(plant: Plant, document: str) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not.

    The passage stands in the document once, right between its markers or right under its heading, as a whole paragraph.
    What names it in the question stands there and nowhere else.
    """
    for question in plant.questions:
        key, gold = _key(question), question.gold
        if question.kind == "marked":
            frame, mentions = f"{_begin(key)}\n\n{gold}\n\n{_end(key)}", 2
        else:
            frame, mentions = f"{_heading(key)}\n\n{gold}\n\n", 1
        for what, text, times in (
            ("its passage", gold, 1),
            ("its passage in place", frame, 1),
            (repr(key), key, mentions),
        ):
            if (found := document.count(text)) != times:
                raise ValueError(
                    f"question {question.text!r}: {what} stands in the document {found} times, not {times}"
                )


def _key(question: Question) -> str:
    """The marker or the title by which a question names its passage."""
    key = re.search(r"[A-Z]{2}-\d{4}" if question.kind == "marked" else r'(?<=").+(?=")', question.text)
    if key is None:
        raise ValueError(f"question {question.text!r} names no passage")
    return key[0]
