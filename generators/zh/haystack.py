"""Chinese filler prose: combination of verbs, objects and aspects, for the words of `scenes` and `prose`."""

import re
from collections.abc import Iterator
from itertools import product

from ..haystack import Haystack
from .prose import COMMON, GRAMMAR
from .scenes import SCENES

_PLAIN = re.compile("[，；、。的了着过在把被一不是没有个几两三也都就才又还很这那们人上下里以到得地来去]")
"""Punctuation, and characters that may be repeated in a sentence."""


def _fill(name: str, fields: list[list[str]]) -> Iterator[tuple[str, str]]:
    if name == "work":
        yield from _work(*fields)
    else:
        for choice in product(*fields):
            yield name, "".join(choice)


def _work(verbs: list[str], things: list[str], circumstances: list[str]) -> Iterator[tuple[str, str]]:
    for forms, thing in product(verbs, things):
        verb, result = forms.split("/")  # 修补, 补好
        deeds = {
            "do": f"{verb}{thing}",
            "did": f"{result}了{thing}",
            "took": f"把{thing}{result}了",
        }
        yield from deeds.items()
        for (slot, deed), circumstance in product(deeds.items(), circumstances):
            yield f"{slot}_so", circumstance + deed
        yield "finish", f"{result}{thing}"
        yield "once", f"{verb}过{thing}"
        yield "take", f"把{thing}{result}"
        yield "done", f"{thing}{result}了"
        yield "done_already", f"{thing}已经{result}了"
        yield "done_at_last", f"{thing}总算{result}了"
        yield "undone", f"{thing}还没{result}"


def _conspicuous(text: str) -> list[str]:
    """Return all pairs of adjacent characters, since words have at least two."""
    return [run[k : k + 2] for run in _PLAIN.split(text) for k in range(len(run) - 1)]


def _finish(text: str) -> str:
    return text.replace(" ", "") + "。"


HAYSTACK = Haystack(
    grammar=GRAMMAR,
    common=COMMON,
    scenes=SCENES,
    fill=_fill,
    finish=_finish,
    once=("when", "day", "however", "manner", "absolute", "weather", "place", "comment", "effort", "setback"),
    conspicuous=_conspicuous,
    lengths=range(12, 71),
)
