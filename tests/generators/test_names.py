"""Invented names are dissimilar within a document, and drawing fails if none is left."""

import random
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from rapidfuzz.distance import Levenshtein

from kveval.generators.en.names import KINDS as EN
from kveval.generators.language import Code
from kveval.generators.names import Names, Syllables
from kveval.generators.zh.names import KINDS as ZH

from .documents import BOTH, SEEDS

KINDS: dict[Code, tuple[Syllables, ...]] = {"en": EN, "zh": ZH}


@BOTH
@given(seed=SEEDS)
@settings(max_examples=15)
def test_names_are_unlike_each_other(code: Code, seed: int) -> None:
    names = Names(random.Random(seed))
    drawn = [[names.draw(kind) for _ in range(40)] for kind in KINDS[code]]
    for kind, alike in zip(KINDS[code], drawn, strict=True):
        assert kind.distance >= 2
        assert all(Levenshtein.distance(a, b) >= kind.distance for a, b in combinations(alike, 2))
    everything = [name for alike in drawn for name in alike]
    assert len(set(everything)) == len(everything)
    assert not any(a in b or b in a for a, b in combinations(everything, 2))


@BOTH
def test_a_name_is_one_syllable_of_each_part(code: Code) -> None:
    names = Names(random.Random(0))
    for kind in KINDS[code]:
        possible = {"".join(parts) for parts in product(*kind.parts)}
        assert possible.issuperset(names.draw(kind) for _ in range(40))


def test_letters_that_come_twice_count_twice() -> None:
    names = Names(random.Random(0))
    kind = Syllables((("a", "aa"), ("b",)), 1)
    assert {names.draw(kind), names.draw(kind)} == {"ab", "aab"}


def test_kinds_do_not_stand_in_each_others_way() -> None:
    names = Names(random.Random(0))
    one, other = (Syllables((("a",), ("b",)), 2) for _ in range(2))
    assert names.draw(one) == names.draw(other) == "ab"


def test_no_name_left() -> None:
    names = Names(random.Random(0))
    kind = Syllables((("ab", "cd"), ("ef", "gh")), 4)
    assert {names.draw(kind), names.draw(kind)} in ({"abef", "cdgh"}, {"abgh", "cdef"})
    with pytest.raises(ValueError, match="unlike the 2 names"):
        names.draw(kind)
