"""Records and questions on them: one answer each, with near twins around, and a check that would notice if not."""

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from kveval.generators import evidence, groups, haystack
from kveval.generators.names import GROUPS, SITES, SURNAMES, Names
from kveval.generators.parts import Plant

SEEDS = st.integers(0, 2**64)
NUMBER = re.compile(r"\d+\.\d+")


def document_of(plant: Plant, seed: int = 0) -> str:
    """The pieces in order, with prose before, between and after."""
    prose = haystack.sentences(random.Random(seed))
    stretches = [" ".join(islice(prose, 5)) for _ in range(len(plant.pieces) + 1)]
    return "\n\n".join(text for pair in zip(stretches, [*plant.pieces, ""], strict=True) for text in pair).strip()


@given(SEEDS, st.integers(8, 40), st.data())
@settings(max_examples=60, deadline=None)
def test_every_question_has_one_answer(seed: int, records: int, data: st.DataObject) -> None:
    questions = data.draw(st.integers(0, 3 * (records // 3)))
    plant = evidence.plant(random.Random(seed), records=records, questions=questions)
    assert len(plant.pieces) == records
    assert len(plant.questions) == len({question.piece for question in plant.questions}) == questions
    evidence.check(plant, document_of(plant, seed))


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_values_and_distractors(seed: int) -> None:
    plant = evidence.plant(random.Random(seed))
    values = [value for piece in plant.pieces for value in NUMBER.findall(piece)]
    assert len(values) == len({Decimal(value) for value in values}) == 3 * len(plant.pieces)
    assert all(Decimal(value) < 100 and re.fullmatch(r"\d+\.\d{0,2}[1-9]", value) for value in values)
    for question in plant.questions:
        own = NUMBER.findall(plant.pieces[question.piece])
        one_digit_off, digits_swapped, *rest = question.distractors
        assert Levenshtein.distance(one_digit_off, question.gold) == 1
        assert sum(a != b for a, b in zip(one_digit_off, question.gold, strict=True)) == 1
        assert sum(a != b for a, b in zip(digits_swapped, question.gold, strict=True)) == 2
        assert sorted(digits_swapped) == sorted(question.gold)
        assert not {one_digit_off, digits_swapped}.intersection(own)
        assert set(rest) >= set(own) - {question.gold}
        assert len(set(question.distractors)) == len(question.distractors) == len(plant.pieces) - 1 + 2
        assert question.gold in own
        assert question.gold not in question.distractors


@given(SEEDS, st.integers(8, 40))
@settings(max_examples=40, deadline=None)
def test_near_twins_are_values_of_the_same_quantity(seed: int, records: int) -> None:
    quantities = groups.QUANTITIES[:3]
    cells = [(index, quantities[index % 3]) for index in range(4)]
    table, twins = evidence._measure(random.Random(seed), records, quantities, cells)
    assert all(set(values) == set(quantities) for values in table)
    for index, quantity in cells:
        others = {values[quantity] for other, values in enumerate(table) if other != index}
        assert others.issuperset(twins[index])


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_every_sentence_ties_what_it_says_to_the_name(seed: int) -> None:
    rng = random.Random(seed)
    table, _ = evidence._measure(rng, 10, groups.QUANTITIES[3:6], [])
    for record in evidence._records(rng, table):
        paragraph = evidence._paragraph(rng, record)
        sentences = paragraph.removesuffix(".").split(". ")
        assert 2 <= len(sentences) <= 4
        assert 20 <= len(paragraph.split()) <= 65
        assert all(record.name in sentence for sentence in sentences)
        keys = [f"{record.ordinal} group", record.supervisor, record.site, record.material]
        assert all(paragraph.count(key) == 1 for key in keys)
        for quantity, value in record.values.items():
            assert any(quantity in sentence and value in sentence for sentence in sentences)


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_names_are_unlike_each_other(seed: int) -> None:
    names = Names(random.Random(seed))
    drawn = [[names.draw(kind) for _ in range(40)] for kind in (GROUPS, SURNAMES, SITES)]
    for alike in drawn:
        assert all(Levenshtein.distance(a, b) >= 3 for a, b in combinations(alike, 2))
    everything = [name for alike in drawn for name in alike]
    assert not any(a in b or b in a for a, b in combinations(everything, 2))


def test_questions_follow_asked_and_kinds_take_turns() -> None:
    starts = set()
    for seed in range(30):
        plant = evidence.plant(random.Random(seed), asked=[7, 0, 9, 3, 5])
        assert [question.piece for question in plant.questions] == [7, 0, 9, 3, 5]
        kinds = [question.kind for question in plant.questions]
        assert set(kinds[:3]) == {"name", "ordinal", "attribute"}
        assert kinds[3:] == kinds[:2]
        starts.add(kinds[0])
    assert len(starts) == 3


def test_wording_varies() -> None:
    plants = [evidence.plant(random.Random(seed)) for seed in range(200)]
    stems = {re.sub(r"[A-Z]\w+( [A-Z]\w+)?", "X", question.text) for plant in plants for question in plant.questions}
    assert len(stems) > 200
    templates = set()
    for plant in plants:
        for piece in plant.pieces:
            text = re.sub("|".join(groups.QUANTITIES), "q", NUMBER.sub("v", piece))
            templates.add(re.sub(r"\w+ group", "g", re.sub(r"(?<!^)(?<!\. )[A-Z]\w+", "N", text)))
    assert len(templates) > 500


@pytest.mark.parametrize(
    ("number", "word"),
    [(1, "first"), (12, "twelfth"), (19, "nineteenth"), (20, "twentieth"), (21, "twenty-first"), (40, "fortieth")],
)
def test_ordinals(number: int, word: str) -> None:
    assert evidence.ordinal(number) == word


def test_what_a_question_asks_is_read_back_from_any_wording() -> None:
    keys = {
        "name": "Veltrane",
        "ordinal": "twenty-first group",
        "supervisor": "Ines Harrowe",
        "site": "Kethogate",
        "material": "pale mica",
    }
    question = evidence.plant(random.Random(0)).questions[0]
    for stem, (named_by, ways), quantity in product(groups.STEMS, groups.GROUP.items(), groups.QUANTITIES):
        for way in ways:
            text = f"{stem.format(quantity=quantity, group=way.format(key=keys[named_by]))} {groups.ANSWERS[0]}"
            kind = "attribute" if named_by in groups.ATTRIBUTES else named_by
            assert evidence._asked(replace(question, text=text, kind=kind)) == (quantity, keys[named_by])


@pytest.mark.parametrize(
    "arguments",
    [
        {"records": 7},
        {"records": 61},
        {"questions": -1},
        {"questions": 10},
        {"asked": [1, 1]},
        {"asked": [10]},
        {"asked": [-1]},
        {"asked": list(range(10))},
    ],
)
def test_impossible_requests(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\d"):
        evidence.plant(random.Random(0), **arguments)  # type: ignore[arg-type]


class TestCheckNotices:
    """What would make a question wrong, one fault at a time."""

    plant = evidence.plant(random.Random(5), questions=9)
    document = document_of(plant)

    def rejects(self, document: str, reason: str, plant: Plant | None = None) -> None:
        with pytest.raises(ValueError, match=reason):
            evidence.check(plant or self.plant, document)

    def asked(self, kind: str) -> tuple[str, str]:
        """The key of a question by `kind`, and its gold."""
        question = next(question for question in self.plant.questions if question.kind == kind)
        return evidence._asked(question)[1], question.gold

    def test_nothing_in_a_sound_document(self) -> None:
        evidence.check(self.plant, self.document)

    @pytest.mark.parametrize("form", ["{}", "0{}", "{}0", "It was {}, once more.", "({})", "x{}", "-{}", "{}%"])
    def test_the_answer_elsewhere(self, form: str) -> None:
        gold = self.plant.questions[0].gold
        self.rejects(f"{self.document}\n\n{form.format(gold)}", f"{gold} stands at")

    @pytest.mark.parametrize(
        ("before", "after"), [("-", ""), ("x", ""), ("", "%"), ("", "th"), ("", "-fold"), ("v/", "")]
    )
    def test_the_answer_as_a_part_of_a_word(self, before: str, after: str) -> None:
        question = self.plant.questions[0]
        document = self.document.replace(question.gold, before + question.gold + after)
        pieces = tuple(piece.replace(question.gold, before + question.gold + after) for piece in self.plant.pieces)
        self.rejects(document, "part of another word", replace(self.plant, pieces=pieces))

    def test_a_longer_number_is_another_number(self) -> None:
        gold = self.plant.questions[0].gold
        evidence.check(self.plant, f"{self.document}\n\n{gold}1, 1{gold}, 1,0{gold} and 3.{gold}.")

    def test_a_piece_missing(self) -> None:
        self.rejects(self.document.replace(self.plant.pieces[4], ""), "piece 4 stands in the document 0 times")

    def test_a_piece_twice(self) -> None:
        self.rejects(f"{self.document}\n\n{self.plant.pieces[4]}", "piece 4 stands in the document 2 times")

    def test_pieces_out_of_order(self) -> None:
        first, second, *rest = self.plant.pieces
        self.rejects("\n\n".join([second, first, *rest]), "piece 1 stands before piece 0")

    def test_ordinals_that_count_wrongly(self) -> None:
        asked = next(question.piece for question in self.plant.questions if question.kind == "ordinal")
        order = list(range(10))
        order[asked], order[asked - 1] = order[asked - 1], order[asked]
        questions = tuple(replace(question, piece=order.index(question.piece)) for question in self.plant.questions)
        plant = Plant(tuple(self.plant.pieces[index] for index in order), questions)
        self.rejects(document_of(plant), "group is piece", plant)

    @pytest.mark.parametrize("kind", ["name", "ordinal", "attribute"])
    def test_the_key_elsewhere(self, kind: str) -> None:
        key, _ = self.asked(kind)
        self.rejects(f"Nothing is known of the {key}.\n\n{self.document}", f"'{key}' stands at")

    def test_the_key_as_a_part_of_a_word_is_another_word(self) -> None:
        key, _ = self.asked("name")
        evidence.check(self.plant, f"{key}s, non-{key}, {key}-like.\n\n{self.document}")

    def test_a_distractor_missing(self) -> None:
        question = self.plant.questions[0]
        odd = replace(question, distractors=(*question.distractors, "98.7654"))
        self.rejects(self.document, "98.7654", replace(self.plant, questions=(odd,)))

    def test_a_distractor_that_equals_the_answer(self) -> None:
        question = self.plant.questions[0]
        odd = replace(question, distractors=(*question.distractors, f"{question.gold}0"))
        self.rejects(self.document, "equals the answer", replace(self.plant, questions=(odd,)))

    def test_an_answer_to_another_quantity(self) -> None:
        question = self.plant.questions[0]
        quantity, _ = evidence._asked(question)
        odd = replace(
            question, text=question.text.replace(quantity, next(q for q in groups.QUANTITIES if q != quantity))
        )
        self.rejects(self.document, "not given as", replace(self.plant, questions=(odd,)))

    def test_an_answer_in_another_piece(self) -> None:
        question = self.plant.questions[0]
        odd = replace(question, piece=(question.piece + 1) % 10)
        self.rejects(self.document, "not once in piece", replace(self.plant, questions=(odd,)))


def test_another_process_writes_the_same_bytes() -> None:
    program = (
        "import random\nfrom kveval.generators import evidence\nprint(evidence.plant(random.Random('s'), records=20))"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == repr(evidence.plant(random.Random("s"), records=20))
