"""The haystack: sentences that differ in words and in shape, and hold nothing that is asked elsewhere."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import groups, haystack, names

SEEDS = st.integers(0, 2**64)

ASKED = r"supervis|passage|section|paragraph|heading|title|\bmarke[dr]|verbatim|document|number|value"
"""Parts of the words by which records and passages are asked for."""
RESERVED = {*" ".join(groups.QUANTITIES).split(), *groups.MATERIALS, *groups.ONES, *groups.TENS, "group", "groups"}


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", text)


def vocabulary() -> Iterator[str]:
    """Everything a sentence can be made of."""
    for blueprint in haystack._stock():
        yield blueprint.pattern.replace("%s", " ")
    for scene in haystack._scenes():
        for pool in scene.values():
            yield from pool


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_sentences_are_sentences(seed: int) -> None:
    for sentence in islice(haystack.sentences(random.Random(seed)), 500):
        assert re.fullmatch(r"[A-Z][a-z' ,;-]*[a-z]\.", sentence), sentence
        assert 6 <= len(sentence.split()) <= 45, sentence
        assert not re.search(r"[,;] ?[,;]|  | ,", sentence), sentence


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_no_word_that_strikes_the_eye_stands_twice_in_a_sentence(seed: int) -> None:
    for sentence in islice(haystack.sentences(random.Random(seed)), 500):
        long = [word for word in words_of(sentence.lower()) if len(word) > 4]
        assert len(set(long)) == len(long), sentence


def test_no_sentence_comes_twice() -> None:
    stream = list(islice(haystack.sentences(random.Random(0)), 100_000))
    assert len(set(stream)) == len(stream)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_thousands_of_shapes(seed: int) -> None:
    shapes = {blueprint.slots for blueprint, _ in islice(haystack._told(random.Random(seed)), 20_000)}
    assert len(shapes) >= 3_000


def test_every_length_from_short_to_long_is_common_enough_to_fit_with() -> None:
    lengths = [len(sentence.split()) for sentence in islice(haystack.sentences(random.Random(0)), 8_000)]
    assert set(range(6, 36)) <= set(lengths)
    assert 0.1 < sum(length < 10 for length in lengths) / len(lengths) < 0.4


def test_every_slot_is_filled_in_every_scene_and_every_pool_is_used() -> None:
    slots = {slot for blueprint in haystack._stock() for slot in blueprint.slots}
    for scene in haystack._scenes():
        assert set(scene) == slots
        assert all(scene.values())


def test_nothing_that_is_asked_elsewhere_can_come_up() -> None:
    invented = {"".join(parts).lower() for kind in names.KINDS for parts in product(*kind)}
    taken = RESERVED | invented
    for text in vocabulary():
        assert not re.search(r"[0-9A-Z]", text), text
        assert not re.search(ASKED, text), text
        assert not taken.intersection(words_of(text)), text


def test_articles_agree() -> None:
    for text in vocabulary():
        assert not re.search(r"\ba [aeiou]|\ban (?!hour)[^aeiou]", text), text


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("mend", ("mend", "mended", "mended", "mending")),
        ("raise", ("raise", "raised", "raised", "raising")),
        ("carry up", ("carry up", "carried up", "carried up", "carrying up")),
        ("survey", ("survey", "surveyed", "surveyed", "surveying")),
        ("trim", ("trim", "trimmed", "trimmed", "trimming")),
        ("clean", ("clean", "cleaned", "cleaned", "cleaning")),
        ("tow", ("tow", "towed", "towed", "towing")),
        ("open", ("open", "opened", "opened", "opening")),
        ("take apart", ("take apart", "took apart", "taken apart", "taking apart")),
        ("put away", ("put away", "put away", "put away", "putting away")),
        ("dye", ("dye", "dyed", "dyed", "dyeing")),
        ("tie up", ("tie up", "tied up", "tied up", "tying up")),
    ],
)
def test_forms_of_verbs(verb: str, forms: tuple[str, str, str, str]) -> None:
    assert haystack._forms(verb) == forms


def test_the_seed_alone_decides() -> None:
    state = random.getstate()
    one, again, other = (list(islice(haystack.sentences(random.Random(seed)), 100)) for seed in ("a", "a", "b"))
    assert one == again
    assert not set(one) & set(other)
    assert random.getstate() == state


def test_another_process_writes_the_same_bytes() -> None:
    digest = sha256("\n".join(islice(haystack.sentences(random.Random("s")), 2_000)).encode()).hexdigest()
    program = (
        "import random, itertools, hashlib\n"
        "from kveval.generators import haystack\n"
        "text = '\\n'.join(itertools.islice(haystack.sentences(random.Random('s')), 2_000))\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == digest
