"""Filler prose of all languages: sentences differ in words and shape, and are reproducible for a seed."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import haystack
from kveval.generators.en.haystack import HAYSTACK as EN
from kveval.generators.zh.haystack import HAYSTACK as ZH

SEEDS = st.integers(0, 2**64)
LANGUAGES = pytest.mark.parametrize("language", [EN, ZH], ids=["en", "zh"])


def first_sentences(seed: object, language: haystack.Haystack, count: int) -> list[str]:
    return list(islice(haystack.sentences(random.Random(str(seed)), language), count))


def vocabulary(language: haystack.Haystack) -> Iterator[str]:
    """Return all texts that sentences are made of."""
    stock, scenes = haystack._stock_and_scenes(language)
    for blueprint in stock:
        yield blueprint.pattern.replace("%s", " ")
    for scene in scenes:
        for pool in scene.values():
            yield from (text for text, _ in pool)


@LANGUAGES
def test_no_sentence_comes_twice(language: haystack.Haystack) -> None:
    assert len(set(first_sentences(0, language, 100_000))) == 100_000


@LANGUAGES
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_thousands_of_shapes(language: haystack.Haystack, seed: int) -> None:
    stock, _ = haystack._stock_and_scenes(language)
    assert len({blueprint.slots for blueprint in random.Random(seed).sample(stock, 20_000)}) >= 3_000


@LANGUAGES
def test_every_slot_is_filled_in_every_scene_and_every_pool_is_used(language: haystack.Haystack) -> None:
    stock, scenes = haystack._stock_and_scenes(language)
    slots = {slot for blueprint in stock for slot in blueprint.slots}
    for scene in scenes:
        assert slots <= set(scene)
        assert {slot.lower() for slot in scene} == {slot.lower() for slot in slots}
        assert all(scene.values())


@LANGUAGES
@given(seed=SEEDS)
@settings(max_examples=20)
def test_lengths_are_within_the_limits(language: haystack.Haystack, seed: int) -> None:
    assert all(len(sentence) in language.lengths for sentence in first_sentences(seed, language, 500))


@pytest.mark.parametrize(
    ("language", "length", "lengths", "short"),
    [(EN, lambda sentence: len(sentence.split()), range(6, 36), 10), (ZH, len, range(12, 51), 16)],
    ids=["en", "zh"],
)
def test_every_length_from_short_to_long_is_common_enough_to_fit_with(
    language: haystack.Haystack, length: Callable[[str], int], lengths: range, short: int
) -> None:
    found = [length(sentence) for sentence in first_sentences(0, language, 8_000)]
    assert set(lengths) <= set(found)
    assert 0.1 < sum(length < short for length in found) / len(found) < 0.4


@LANGUAGES
def test_no_adverbial_opens_many_sentences(language: haystack.Haystack) -> None:
    stream = first_sentences(0, language, 20_000)
    _, scenes = haystack._stock_and_scenes(language)
    for when, _ in scenes[0]["When"]:
        assert sum(sentence.startswith(when) for sentence in stream) < 0.01 * len(stream), when


@LANGUAGES
def test_the_seed_alone_decides(language: haystack.Haystack) -> None:
    state = random.getstate()
    one, again, other = (first_sentences(seed, language, 100) for seed in ("a", "a", "b"))
    assert one == again
    assert not set(one) & set(other)
    assert random.getstate() == state


@pytest.mark.parametrize("language", ["en", "zh"])
def test_another_process_writes_the_same_bytes(language: str) -> None:
    stream = first_sentences("s", {"en": EN, "zh": ZH}[language], 2_000)
    digest = sha256("\n".join(stream).encode()).hexdigest()
    program = (
        "import random, itertools, hashlib\n"
        "from kveval.generators import haystack\n"
        f"from kveval.generators.{language}.haystack import HAYSTACK\n"
        "text = '\\n'.join(itertools.islice(haystack.sentences(random.Random('s'), HAYSTACK), 2_000))\n"
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
