"""The proof for `multihop`: the facts, read back from the document, lead from the question to its answer."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ..multihop import Query, Words
from ..parts import Plant, Question
from .text import pattern, proving, spans, standing_alone


def check(plant: Plant, document: str, words: Words) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not.

    The pieces stand in the document once each, in their order, and none says what another says otherwise. What a question
    says is read back from its text, and followed over what the pieces say: over different people, to the gold value, by as
    many facts as its kind says. The gold stands in the document once, in a sentence that does not name whom the question
    starts from. The names on the way stand in pieces only. All distractors stand in the document, none equal to the gold.
    """
    places = list(spans(plant.pieces, document))
    facts: dict[tuple[str, str], tuple[str, int]] = {}
    for number, piece in enumerate(plant.pieces):
        name, one, other = _read_fact(piece, words)
        if (name, one) in facts:
            raise ValueError(f"the {name} of {one} is told twice")
        facts[name, one] = other, number
    for question in plant.questions:
        with proving(question):
            _check(question, plant.pieces, places, facts, document, words)


def _check(
    question: Question,
    pieces: Sequence[str],
    places: Sequence[range],
    facts: Mapping[tuple[str, str], tuple[str, int]],
    document: str,
    words: Words,
) -> None:
    query = _read_question(question.text, words)
    met = [query.start]
    for name in (*query.path, query.attribute):
        if (name, met[-1]) not in facts:
            raise ValueError(f"the {name} of {met[-1]} is not told")
        value, piece = facts[name, met[-1]]
        met.append(value)
    if len(set(met)) < len(met) or question.kind != f"{len(met) - 1} hops":
        raise ValueError(f"its chain is {met}, not one of {question.kind}")
    if value != question.gold or piece != question.piece:
        raise ValueError(
            f"its chain ends at {value} in piece {piece}, not at {question.gold} in piece {question.piece}"
        )
    found = standing_alone(value, document)
    if len(found) != 1 or found[0] not in places[piece]:
        raise ValueError(f"{value} stands at {found}, not once in piece {piece}")
    if query.start in pieces[piece]:
        raise ValueError(f"{pieces[piece]!r} answers it alone")
    for name in met[:-1]:
        if not all(any(place in span for span in places) for place in standing_alone(name, document)):
            raise ValueError(f"{name} is named outside of the facts")
    for distractor in question.distractors:
        if distractor == value or not standing_alone(distractor, document):
            raise ValueError(f"distractor {distractor} equals the answer {value} or is missing from the document")


def _read_fact(piece: str, words: Words) -> tuple[str, str, str]:
    """What a fact is about, of whom, and what it says."""
    matches = [match for fact in _facts(words) if (match := fact.fullmatch(piece))]
    readings = {(match["name"], match["one"], match["other"]) for match in matches}
    if len(readings) != 1:
        raise ValueError(f"{piece!r} can be read in {len(readings)} ways")
    ((name, one, other),) = readings
    return name, one, other


def _read_question(text: str, words: Words) -> Query:
    for stem in words.nested:
        if match := _pattern(stem, words).match(text):
            whose, path = match["whose"], []
            while step := _pattern(words.whose, words).fullmatch(whose):
                path.append(step["name"])
                whose = step["one"]
            return Query(whose, tuple(reversed(path)), match["name"])
    for stem in words.stepwise:
        if match := _pattern(stem, words).match(text):
            first, *more = match["steps"].split(words.between_steps)
            begun = _pattern(words.first_step, words).fullmatch(first)
            steps = [step for text in more if (step := _pattern(words.next_step, words).fullmatch(text))]
            if begun and len(steps) == len(more):
                return Query(begun["one"], tuple(step["name"] for step in (begun, *steps)), match["name"])
    raise ValueError("not a question on a chain")


@cache
def _facts(words: Words) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(text, words) for text in (*words.related, *words.given))


@cache
def _pattern(text: str, words: Words) -> re.Pattern[str]:
    """What a text of `words` can look like when its fields are filled in."""
    attributes = [name for names in words.attributes.values() for name in names]
    fields = {
        "relation": f"(?P<name>{'|'.join(map(re.escape, words.relations))})",
        "attribute": f"(?P<name>{'|'.join(map(re.escape, attributes))})",
        "value": "(?P<other>[^,，。：]+)",
        "steps": "(?P<steps>.+)",
    }
    return pattern(text, fields, other="[^,，。：]+")
