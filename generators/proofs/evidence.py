"""The proof for `evidence`: every value is asked for by what names its record, and given once."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache

from .. import values
from ..evidence import ABSENT, MEASURED, Words
from ..parts import Plant, Question
from .text import pattern, proving, spans, standing_alone, stands_alone


def check(plant: Plant, document: str, words: Words) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not.

    The pieces stand in the document once each, in their order. The gold value is a word or number of its own that stands
    there once, in the asked piece, in a sentence with the asked quantity. All distractors stand there, none with the same
    value. What names the record in the question stands in that piece only, and an ordinal counts the pieces rightly. What
    names the record of an absent question stands nowhere.
    """
    if not plant.pieces:
        return
    places = list(spans(plant.pieces, document))
    numbers: defaultdict[Decimal, list[int]] = defaultdict(list)
    for number, place in values.numbers_in(document):
        numbers[number].append(place)
    for question in plant.questions:
        with proving(question):
            _check(question, plant.pieces, places, numbers, document, words)


def _check(
    question: Question,
    pieces: Sequence[str],
    places: Sequence[range],
    numbers: Mapping[Decimal, Sequence[int]],
    document: str,
    words: Words,
) -> None:
    quantity, key = _asked(question, words)

    def found(text: str) -> Sequence[int]:
        number = values.number_of(text)
        return standing_alone(text, document) if number is None else numbers.get(number, ())

    others = {distractor: found(distractor) for distractor in question.distractors}
    for distractor, elsewhere in others.items():
        if not elsewhere:
            raise ValueError(f"distractor {distractor} is missing from the document")
    named = standing_alone(key, document)
    if question.piece is None:
        if named or question.gold != words.not_stated:
            raise ValueError(f"{key!r} stands at {named}, not nowhere")
        return
    piece, span, gold = pieces[question.piece], places[question.piece], question.gold
    if len(at := found(gold)) != 1 or at[0] not in span:
        raise ValueError(f"{gold} stands at {list(at)}, not once in piece {question.piece}")
    if not stands_alone(document, at[0], len(gold)):
        raise ValueError(f"{gold} is a part of another word")
    if at in others.values():
        raise ValueError(f"a distractor equals the answer {gold}")
    if also := [form for form in question.accepted if standing_alone(form, document)]:
        raise ValueError(f"{gold} is also written {also[0]}")
    if not any(_gives(sentence, quantity, gold, words) for sentence in _sentences(piece) if gold in sentence):
        raise ValueError(f"{gold} is not given as the {quantity}")
    if not named or not all(place in span for place in named):
        raise ValueError(f"{key!r} stands at {named}, not in piece {question.piece} only")
    if question.kind == "ordinal":
        counted = words.ordinal_key.format(ordinal=words.ordinal(question.piece + 1))
        if key != counted:
            raise ValueError(f"{key!r} is piece {question.piece}")


def _sentences(piece: str) -> list[str]:
    return re.split(r"(?<=\.) |(?<=。)", piece)


def _gives(sentence: str, quantity: str, gold: str, words: Words) -> bool:
    """Whether a sentence, read by its wording, says that the quantity is the gold value."""
    given = {gold + unit for kind in words.quantities.values() for name, unit in kind if name == quantity}
    return any(
        match[f"q{k}"] == quantity and match[f"v{k}"] in given
        for statement, number in _statements(words)
        if (match := statement.fullmatch(sentence))
        for k in range(1, number + 1)
    )


@cache
def _statements(words: Words) -> tuple[tuple[re.Pattern[str], int], ...]:
    """What a sentence with values looks like, and how many it gives."""
    fields = {"name": "[^ ，]+?"}
    fields |= {f"q{k}": f"(?P<q{k}>{_names(words)})" for k in range(1, MEASURED + 1)}
    fields |= {f"v{k}": f"(?P<v{k}>.+?)" for k in range(1, MEASURED + 1)}
    return tuple(
        (
            pattern(text, fields),
            int(number),
        )
        for texts in (words.measured, words.stated)
        for number, options in texts.items()
        for text in options
    )


def _names(words: Words) -> str:
    return "|".join(re.escape(name) for kind in words.quantities.values() for name, _ in kind)


def _asked(question: Question, words: Words) -> tuple[str, str]:
    """The quantity a question asks for, and the key by which it names the record."""
    for way in ("attribute", "name", "ordinal") if question.kind == ABSENT else (question.kind,):
        for known in _patterns(words, way):
            if match := known.match(question.text):
                return match["quantity"], match["key"]
    raise ValueError(f"not a question by {question.kind}")


@cache
def _patterns(words: Words, way: str) -> tuple[re.Pattern[str], ...]:
    ways = [text for field in (words.attributes if way == "attribute" else (way,)) for text in words.group[field]]
    stems = dict.fromkeys(stem for kind in words.stems.values() for stem in kind)
    fields = {"quantity": f"(?P<quantity>{_names(words)})", "key": "(?P<key>[^?,？，]+?)"}
    return tuple(pattern(stem.replace("{group}", text), fields) for stem in stems for text in ways)
