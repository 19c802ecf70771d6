"""Passages to be repeated: of the right length for any tokenizer, impossible to guess, found without doubt."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import clauses, copy, evidence, groups, haystack, names
from kveval.generators.parts import Plant

SEEDS = st.integers(0, 2**64)
TOKENIZERS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "words and signs": lambda text: len(re.findall(r"\w+|[^\w\s]", text)),
    "four bytes": lambda text: -(-len(text) // 4),
    "with special tokens": lambda text: 2 + len(text) // 3,
}
COUNT = TOKENIZERS["words and signs"]
SOME = copy.plant(random.Random(3), count_tokens=COUNT, max_tokens=200)


def document_of(*plants: Plant, seed: int = 0) -> str:
    prose = haystack.sentences(random.Random(seed))
    pieces = [piece for plant in plants for piece in plant.pieces]
    return "\n\n".join(text for piece in pieces for text in (piece, " ".join(islice(prose, 5))))


@given(SEEDS, st.sampled_from(sorted(TOKENIZERS)), st.sampled_from([(64, 512), (64, 96), (100, 120), (300, 340)]))
@settings(max_examples=100, deadline=None)
def test_lengths_stay_within_their_limits(seed: int, tokenizer: str, limits: tuple[int, int]) -> None:
    count = TOKENIZERS[tokenizer]
    plant = copy.plant(random.Random(seed), min_tokens=limits[0], max_tokens=limits[1], count_tokens=count)
    assert all(limits[0] <= count(question.gold) <= limits[1] for question in plant.questions)


def test_lengths_are_spread_evenly_over_their_logarithm() -> None:
    plant = copy.plant(random.Random(0), passages=16, count_tokens=COUNT)
    more = [copy.plant(random.Random(seed), passages=4, count_tokens=COUNT) for seed in range(100)]
    lengths = [COUNT(question.gold) for plant in [plant, *more] for question in plant.questions]
    for low, high in ((64, 128), (128, 256), (256, 512)):
        assert 0.2 < sum(low <= length < high for length in lengths) / len(lengths) < 0.45


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_every_question_has_one_answer(seed: int) -> None:
    plant = copy.plant(random.Random(seed), passages=6, count_tokens=COUNT)
    copy.check(plant, document_of(plant, seed=seed))
    kinds = [question.kind for question in plant.questions]
    assert set(kinds[:2]) == {"marked", "section"}
    assert kinds == kinds[:2] * 3
    for number, question in enumerate(plant.questions):
        assert question.piece == number
        assert question.distractors == ()
        assert question.gold in plant.pieces[number].split("\n\n")
        assert question.gold not in question.text


def test_either_kind_comes_first() -> None:
    plants = [copy.plant(random.Random(seed), count_tokens=COUNT) for seed in range(20)]
    assert {plant.questions[0].kind for plant in plants} == {"marked", "section"}


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_a_passage_is_one_line_full_of_what_cannot_be_guessed(seed: int) -> None:
    plant = copy.plant(random.Random(seed), min_tokens=100, count_tokens=COUNT)
    for question in plant.questions:
        passage = question.gold
        assert passage.isascii()
        assert "\n" not in passage
        assert "  " not in passage
        assert not re.search(r"[{}]", passage)
        assert passage.count('"') % 2 == 0
        assert re.fullmatch(r'"?[A-Z0-9].*[.?]"?', passage)
        assert len(re.findall(r"\d+", passage)) >= 3
        assert len(re.findall(r"\b[A-Z]\w+", passage)) >= 3
        assert len(set(re.findall(r"[^\w\s]", passage))) >= 3
    together = " ".join(question.gold for question in plant.questions)
    assert len(set(re.findall(r"[^\w\s]", together))) >= 6


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_no_number_could_be_the_value_of_a_record(seed: int) -> None:
    plant = copy.plant(random.Random(seed), passages=6, count_tokens=COUNT)
    for number in re.findall(r"\d+(?:[.,]\d+)*", " ".join(plant.pieces)):
        whole, _, decimals = number.replace(",", "").partition(".")
        assert not decimals or int(whole) >= 1_000 or (len(decimals) >= 4 and not decimals.endswith("0")), number


def test_no_name_could_be_that_of_a_record() -> None:
    records = {"".join(parts) for kind in (names.GROUPS, names.SURNAMES, names.SITES) for parts in product(*kind)}
    strangers = {"".join(parts) for kind in (names.STRANGERS, names.PLACES) for parts in product(*kind)}
    assert not records & strangers
    assert not (records | strangers) & {*clauses.FIRST_NAMES, *groups.FIRST_NAMES}
    assert not {*clauses.FIRST_NAMES} & {*groups.FIRST_NAMES}
    for seed in range(50):
        plant = copy.plant(random.Random(seed), count_tokens=COUNT)
        assert not records.intersection(re.findall(r"\w+", " ".join(plant.pieces)))


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_ids_and_titles_are_unlike_each_other(seed: int) -> None:
    plant = copy.plant(random.Random(seed), passages=16, max_tokens=100, count_tokens=COUNT)
    ids = [copy._key(question) for question in plant.questions if question.kind == "marked"]
    titles = [copy._key(question) for question in plant.questions if question.kind == "section"]
    assert all(re.fullmatch(r"[A-Z]{2}-\d{4}", key) for key in ids)
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) >= 4 for pair in combinations(ids, 2))
    assert not any(a in b or b in a for a, b in combinations(titles, 2))


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_records_passages_and_prose_share_a_document(seed: int) -> None:
    rng = random.Random(seed)
    records, passages = evidence.plant(rng, records=12), copy.plant(rng, count_tokens=COUNT)
    document = document_of(records, passages, seed=seed)
    evidence.check(records, document)
    copy.check(passages, document)


@pytest.mark.parametrize(
    "arguments",
    [
        {"passages": -1},
        {"min_tokens": 0},
        {"min_tokens": 100, "max_tokens": 99},
        {"min_tokens": 2, "max_tokens": 2},
        {"count_tokens": lambda _: 1_000},
    ],
)
def test_impossible_requests(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="passage"):
        copy.plant(random.Random(0), **{"count_tokens": COUNT, **arguments})  # type: ignore[arg-type]


class TestCheckNotices:
    """What would make a question wrong, one fault at a time."""

    document = document_of(SOME)
    marked = next(question for question in SOME.questions if question.kind == "marked")
    section = next(question for question in SOME.questions if question.kind == "section")

    def rejects(self, document: str, plant: Plant = SOME) -> None:
        with pytest.raises(ValueError, match="question '"):
            copy.check(plant, document)

    def test_nothing_in_a_sound_document(self) -> None:
        copy.check(SOME, self.document)

    @pytest.mark.parametrize("kind", ["marked", "section"])
    def test_a_passage_twice(self, kind: str) -> None:
        self.rejects(f"{self.document}\n\n{getattr(self, kind).gold}")

    @pytest.mark.parametrize("kind", ["marked", "section"])
    def test_a_passage_missing(self, kind: str) -> None:
        self.rejects(self.document.replace(getattr(self, kind).gold, "Nothing."))

    @pytest.mark.parametrize("kind", ["marked", "section"])
    def test_a_key_elsewhere(self, kind: str) -> None:
        self.rejects(f"See {copy._key(getattr(self, kind))}.\n\n{self.document}")

    @pytest.mark.parametrize("kind", ["marked", "section"])
    def test_a_paragraph_before_the_passage(self, kind: str) -> None:
        passage = getattr(self, kind).gold
        self.rejects(self.document.replace(passage, f"Before it.\n\n{passage}"))

    @pytest.mark.parametrize("kind", ["marked", "section"])
    def test_a_passage_that_goes_on(self, kind: str) -> None:
        passage = getattr(self, kind).gold
        self.rejects(self.document.replace(passage, f"{passage} And so on."))

    def test_a_marker_missing(self) -> None:
        self.rejects(self.document.replace(f"[Passage {copy._key(self.marked)} ends]", ""))

    def test_a_heading_missing(self) -> None:
        self.rejects(self.document.replace(f"## {copy._key(self.section)}\n\n", ""))

    def test_a_question_without_a_key(self) -> None:
        self.rejects(self.document, replace(SOME, questions=(replace(self.marked, text="Repeat it."),)))


def test_another_process_writes_the_same_bytes() -> None:
    program = (
        "import random\n"
        "from kveval.generators import copy\n"
        "print(copy.plant(random.Random('s'), count_tokens=lambda text: len(text.split())))"
    )
    expected = repr(copy.plant(random.Random("s"), count_tokens=lambda text: len(text.split())))
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected
