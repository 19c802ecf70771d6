"""Check for `copy`: every passage occurs exactly once, in the place that its question describes."""

import re
from collections.abc import Mapping
from functools import cache

from ..copy import PassageKind, Words, heading
from ..parts import Plant, Question
from .text import occurrences, pattern, proving


def check(plant: Plant, document: str, words: Words) -> None:
    """Check that every question has exactly one answer in the finished document. Raises ValueError with the reason if not.

    The passage occurs once in the document, in the place that the question describes: as a whole paragraph between its
    markers or under its heading, after its sentence and with the stated number of sentences, or as the stated rows of its
    table. The key by which the question identifies it occurs only there.
    """
    for question in plant.questions:
        fields = _question_fields(question, words)
        with proving(question):
            _check(question, fields, document, words)


def _check(question: Question, fields: Mapping[str, str], document: str, words: Words) -> None:
    key, gold = fields["key"], question.gold
    wanted = [("its passage", gold, 1), ("its passage in place", _in_place(question.kind, gold, fields, words), 1)]
    wanted.append((repr(key), key, 2 if question.kind == "marked" else 1))
    for what, text, times in wanted:
        if (found := sum(1 for _ in occurrences(text, document))) != times:
            raise ValueError(f"{what} stands in the document {found} times, not {times}")
    if question.kind == "rows":
        table = document.partition(f"{heading(key)}\n\n")[2].partition("\n\n")[0]
        if gold not in table or any(table.count(f"| {fields[name]} |") != 1 for name in ("first", "last")):
            raise ValueError("its rows do not stand in its table once each")


def _in_place(kind: str, gold: str, fields: Mapping[str, str], words: Words) -> str:
    """Return the passage with the surroundings that the question implies. Raises ValueError if it does not fit the question."""
    if kind == "marked":
        return f"{words.begin.format_map(fields)}\n\n{gold}\n\n{words.end.format_map(fields)}"
    if kind == "section":
        return f"{heading(fields['key'])}\n\n{gold}\n\n"
    if kind == "after":
        stops = re.findall(f"{re.escape(words.stop)}(?={words.between}|$)", gold)
        if len(stops) != words.counts.index(fields["count"]) + 1:
            raise ValueError(f"the passage has not {fields['count']} sentences")
        return words.between.join([fields["key"], gold])
    rows = gold.split("\n")
    for row, name in ((rows[0], "first"), (rows[-1], "last")):
        if not row.startswith(f"| {fields[name]} | "):
            raise ValueError(f"the {name} row is not {fields[name]}")
    return f"\n{gold}\n"


def _question_fields(question: Question, words: Words) -> dict[str, str]:
    """Return the fields of a question: the key (marker, title or sentence) of its passage, and counts or ids of rows."""
    for known in _patterns(words, question.kind):
        if match := known.fullmatch(question.text):
            return match.groupdict()
    raise ValueError(f"question {question.text!r} names no passage")


@cache
def _patterns(words: Words, kind: PassageKind) -> tuple[re.Pattern[str], ...]:
    return tuple(pattern(text, {}) for text in words.questions[kind])
