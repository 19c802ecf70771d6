"""The proof for `copy`: every passage stands once where its question says."""

import re
from collections.abc import Mapping
from functools import cache

from ..copy import PassageKind, Words, heading
from ..parts import Plant, Question
from .text import occurrences, pattern, proving


def check(plant: Plant, document: str, words: Words) -> None:
    """Proves that every question has one answer in the finished document; raises ValueError with the reason if not.

    The passage stands in the document once, right where the question says: between its markers or under its heading as a
    whole paragraph, behind its sentence and so many sentences long, or in its table from one row to another. What names it
    in the question stands there and nowhere else.
    """
    for question in plant.questions:
        fields = _asked(question, words)
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
    """The passage with what must stand around it, as far as that follows from the question; ValueError where it does not fit
    the question."""
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


def _asked(question: Question, words: Words) -> dict[str, str]:
    """What the question fills in its wording: the marker, title or sentence by which it names its passage, and the rest."""
    for known in _patterns(words, question.kind):
        if match := known.fullmatch(question.text):
            return match.groupdict()
    raise ValueError(f"question {question.text!r} names no passage")


@cache
def _patterns(words: Words, kind: PassageKind) -> tuple[re.Pattern[str], ...]:
    return tuple(pattern(text, {}) for text in words.questions[kind])
