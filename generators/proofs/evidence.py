"""Check for `evidence`: every question identifies its record, and the document gives the value exactly once."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache

from .. import values
from ..evidence import ABSENT, QUANTITIES_PER_RECORD, Words
from ..parts import Plant, Question
from .text import is_whole_word, pattern, proving, spans, whole_word_positions


def check(plant: Plant, document: str, words: Words) -> None:
    """Check that every question has exactly one answer in the finished document. Raises ValueError with the reason if not.

    Each piece occurs once in the document, in order. The gold value occurs once, as a whole word or number, in the piece of
    the question and in a sentence with the requested quantity. All distractors occur, none with the same value. The key of
    the record occurs in that piece only, and an ordinal matches the position of the piece. The key of an absent record does
    not occur.
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
    quantity, key = _question_fields(question, words)

    def found(text: str) -> Sequence[int]:
        number = values.number_of(text)
        return whole_word_positions(text, document) if number is None else numbers.get(number, ())

    others = {distractor: found(distractor) for distractor in question.distractors}
    for distractor, elsewhere in others.items():
        if not elsewhere:
            raise ValueError(f"distractor {distractor} is missing from the document")
    key_positions = whole_word_positions(key, document)
    if question.piece is None:
        if key_positions or question.gold != words.not_stated:
            raise ValueError(f"{key!r} stands at {key_positions}, not nowhere")
        return
    piece, span, gold = pieces[question.piece], places[question.piece], question.gold
    if len(positions := found(gold)) != 1 or positions[0] not in span:
        raise ValueError(f"{gold} stands at {list(positions)}, not once in piece {question.piece}")
    if not is_whole_word(document, positions[0], len(gold)):
        raise ValueError(f"{gold} is a part of another word")
    if positions in others.values():
        raise ValueError(f"a distractor equals the answer {gold}")
    if also := [form for form in question.accepted if whole_word_positions(form, document)]:
        raise ValueError(f"{gold} is also written {also[0]}")
    if not any(_gives(sentence, quantity, gold, words) for sentence in _sentences(piece) if gold in sentence):
        raise ValueError(f"{gold} is not given as the {quantity}")
    if not key_positions or not all(place in span for place in key_positions):
        raise ValueError(f"{key!r} stands at {key_positions}, not in piece {question.piece} only")
    if question.kind == "ordinal":
        counted = words.ordinal_key.format(ordinal=words.ordinal(question.piece + 1))
        if key != counted:
            raise ValueError(f"{key!r} is piece {question.piece}")


def _sentences(piece: str) -> list[str]:
    return re.split(r"(?<=\.) |(?<=。)", piece)


def _gives(sentence: str, quantity: str, gold: str, words: Words) -> bool:
    """Whether the wording of a sentence states that the quantity has the gold value."""
    given = {gold + unit for kind in words.quantities.values() for name, unit in kind if name == quantity}
    return any(
        match[f"q{k}"] == quantity and match[f"v{k}"] in given
        for statement, number in _statements(words)
        if (match := statement.fullmatch(sentence))
        for k in range(1, number + 1)
    )


@cache
def _statements(words: Words) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Return patterns of sentences with values, and the number of values of each."""
    fields = {"name": "[^ ，]+?"}
    fields |= {f"q{k}": f"(?P<q{k}>{_names(words)})" for k in range(1, QUANTITIES_PER_RECORD + 1)}
    fields |= {f"v{k}": f"(?P<v{k}>.+?)" for k in range(1, QUANTITIES_PER_RECORD + 1)}
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


def _question_fields(question: Question, words: Words) -> tuple[str, str]:
    """Return the quantity that a question asks for, and the key of its record."""
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
