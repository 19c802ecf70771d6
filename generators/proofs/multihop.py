"""Check for `multihop`: the facts in the document lead from the question to its answer."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ..multihop import Query, Words
from ..parts import Plant, Question
from .text import pattern, proving, spans, whole_word_positions


def check(plant: Plant, document: str, words: Words) -> None:
    """Check that every question has exactly one answer in the finished document. Raises ValueError with the reason if not.

    Each piece occurs once in the document, in order, and no two pieces contradict each other. The path of a question, parsed
    from its text, is followed through the parsed pieces: it meets different people and reaches the gold value after the
    number of facts that its kind states. The gold value occurs once, in a sentence without the person at the start. The
    names on the path occur in pieces only. All distractors occur, none equal to the gold value.
    """
    places = list(spans(plant.pieces, document))
    facts: dict[tuple[str, str], tuple[str, int]] = {}
    for number, piece in enumerate(plant.pieces):
        name, one, other = _read_fact(piece, words)
        if (name, one) in facts:
            raise ValueError(f"the {name} of {one} is stated twice")
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
    visited = [query.start]
    for name in (*query.path, query.attribute):
        if (name, visited[-1]) not in facts:
            raise ValueError(f"the {name} of {visited[-1]} is not stated")
        value, piece = facts[name, visited[-1]]
        visited.append(value)
    if len(set(visited)) < len(visited) or question.kind != f"{len(visited) - 1} hops":
        raise ValueError(f"its chain is {visited}, not one of {question.kind}")
    if value != question.gold or piece != question.piece:
        raise ValueError(
            f"its chain ends at {value} in piece {piece}, not at {question.gold} in piece {question.piece}"
        )
    found = whole_word_positions(value, document)
    if len(found) != 1 or found[0] not in places[piece]:
        raise ValueError(f"{value} stands at {found}, not once in piece {piece}")
    if query.start in pieces[piece]:
        raise ValueError(f"{pieces[piece]!r} answers it alone")
    for name in visited[:-1]:
        if not all(any(place in span for span in places) for place in whole_word_positions(name, document)):
            raise ValueError(f"{name} is named outside of the facts")
    for distractor in question.distractors:
        if distractor == value or not whole_word_positions(distractor, document):
            raise ValueError(f"distractor {distractor} equals the answer {value} or is missing from the document")


def _read_fact(piece: str, words: Words) -> tuple[str, str, str]:
    """Return the relation or attribute of a fact, its person and its value."""
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
            first_match = _pattern(words.first_step, words).fullmatch(first)
            steps = [step for text in more if (step := _pattern(words.next_step, words).fullmatch(text))]
            if first_match and len(steps) == len(more):
                return Query(first_match["one"], tuple(step["name"] for step in (first_match, *steps)), match["name"])
    raise ValueError("not a question on a chain")


@cache
def _facts(words: Words) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(text, words) for text in (*words.relation_facts, *words.attribute_facts))


@cache
def _pattern(text: str, words: Words) -> re.Pattern[str]:
    """Return a pattern for a text of `words` with its fields filled in."""
    attributes = [name for names in words.attributes.values() for name in names]
    fields = {
        "relation": f"(?P<name>{'|'.join(map(re.escape, words.relations))})",
        "attribute": f"(?P<name>{'|'.join(map(re.escape, attributes))})",
        "value": "(?P<other>[^,，。：]+)",
        "steps": "(?P<steps>.+)",
    }
    return pattern(text, fields, other="[^,，。：]+")
