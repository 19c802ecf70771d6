"""Whole documents: pieces are planted at their depths in prose without repetition, and depths take turns."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import copy
from kveval.generators import document as report
from kveval.generators.copy import Passages
from kveval.generators.counting import Count, write_one
from kveval.generators.document import BINS, Contents, Planting, Sentence
from kveval.generators.evidence import Records
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.multihop import Chains
from kveval.generators.parts import Plant

from .documents import BOTH, CODES, SEEDS, TOKENIZERS, elsewhere, sentences_of

ALL_KINDS = Passages(("marked", "section", "after", "rows"), (64, 300))
CONTENTS: dict[str, Contents] = {
    "records": Contents(records=Records(20)),
    "passages": Contents(passages=ALL_KINDS),
    "chains": Contents(chains=Chains()),
    "records and passages": Contents(questions=3, records=Records(absent=0.5), passages=Passages()),
    "records and chains": Contents(records=Records(values=("decimal", "date", "name")), chains=Chains()),
}
EVERY_CONTENTS = pytest.mark.parametrize("contents", CONTENTS.values(), ids=CONTENTS.keys())


def counter(code: Code) -> Count:
    return lambda texts: [TOKENIZERS[code](text) for text in texts]


@dataclass(frozen=True)
class Report:
    """One document of a series, with everything that it was made from."""

    code: Code
    contents: Contents
    index: int = 0
    room: int = 9_000
    seed: str = "s"

    @cached_property
    def planting(self) -> Planting:
        rng, language = random.Random(f"{self.seed}/{self.index}"), LANGUAGES[self.code]
        writing = report.plant(rng, self.index, self.contents, language, length=self.room, seed=self.seed)
        return write_one(writing, TOKENIZERS[self.code])

    @cached_property
    def drawn_sentences(self) -> list[str]:
        """The sentences that `compose` has drawn, added as they are drawn."""
        return []

    @cached_property
    def text(self) -> str:
        rng = random.Random(f"{self.seed}/{self.index}/prose")
        language, count = LANGUAGES[self.code], counter(self.code)
        prose = report.prose(rng, language, count)

        def offered() -> Iterator[Sentence]:
            for sentence, tokens in prose:
                self.drawn_sentences.append(sentence)
                yield sentence, tokens

        (sizes,) = report.sizes_of([self.planting], count)
        return report.compose(rng, self.planting, self.room, offered(), language, sizes)

    @cached_property
    def tokens(self) -> int:
        return TOKENIZERS[self.code](self.text)

    def pieces(self, *, inline: bool) -> list[str]:
        return [piece for plant in self.planting.plants.values() if plant.inline == inline for piece in plant.pieces]

    @cached_property
    def paragraphs(self) -> list[list[str]]:
        """The sentences of each paragraph of prose between pieces that are paragraphs."""
        rest = f"\n\n{self.text}\n\n"
        for piece in self.pieces(inline=False):
            before, after = rest.split(f"\n\n{piece}\n\n")
            rest = f"{before}\n\n\n\n{after}"
        return [sentences_of(paragraph) for paragraph in rest.split("\n\n") if paragraph]


def planting_of(*pieces: str, inline: bool = False, family: report.Family = "evidence") -> Planting:
    return Planting({family: Plant(pieces, (), inline)}, ())


class TestContents:
    """Valid and invalid contents of documents."""

    @pytest.mark.parametrize(
        ("contents", "families"),
        [
            (Contents(records=Records()), ("evidence",)),
            (Contents(passages=Passages()), ("copy",)),
            (Contents(chains=Chains()), ("multihop",)),
            (Contents(9, Records(), Passages(), Chains()), ("evidence", "copy", "multihop")),
        ],
    )
    def test_families(self, contents: Contents, families: tuple[str, ...]) -> None:
        assert contents.families == families
        planting = Report("en", contents, room=30_000).planting
        assert tuple(planting.plants) == families
        assert len(planting.questions) == contents.questions * len(families)

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ({}, "one of records, passages and chains"),
            ({"questions": 0, "records": Records()}, "1 or more, not 0"),
            ({"questions": -1, "chains": Chains()}, "1 or more, not -1"),
            ({"questions": 10, "records": Records()}, "9 or less for these records, not 10"),
            ({"questions": 11, "passages": Passages()}, "10 or less for passages, not 11"),
            ({"questions": 7, "chains": Chains(6)}, "6 or less for these chains, not 7"),
        ],
    )
    def test_contents_that_cannot_be(self, arguments: dict[str, object], reason: str) -> None:
        with pytest.raises(ValueError, match=reason):
            Contents(**arguments)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "contents",
        [Contents(9, Records()), Contents(10, passages=Passages()), Contents(6, chains=Chains(6))],
        ids=["records", "passages", "chains"],
    )
    @BOTH
    def test_the_most_questions(self, code: Code, contents: Contents) -> None:
        made = Report(code, contents, room=20_000)
        report.check(made.planting, made.text, LANGUAGES[code])


class TestCompose:
    """Composition of pieces and prose."""

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS, index=st.integers(0, 100))
    @settings(max_examples=8)
    def test_every_question_has_one_answer(self, code: Code, contents: Contents, seed: int, index: int) -> None:
        made = Report(code, contents, index, seed=str(seed))
        report.check(made.planting, made.text, LANGUAGES[code])

    @BOTH
    @pytest.mark.parametrize("index", range(4))
    def test_all_families_share_a_document(self, code: Code, index: int) -> None:
        made = Report(code, Contents(4, Records(absent=0.25), ALL_KINDS, Chains()), index, room=12_000)
        report.check(made.planting, made.text, LANGUAGES[code])

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS)
    @settings(max_examples=8)
    def test_pieces_keep_their_order_and_whole_paragraphs(self, code: Code, contents: Contents, seed: int) -> None:
        made = Report(code, contents, seed=str(seed))
        for plant in made.planting.plants.values():
            places = [made.text.index(piece) for piece in plant.pieces]
            assert places == sorted(places)
        assert all(f"\n\n{made.text}\n\n".count(f"\n\n{piece}\n\n") == 1 for piece in made.pieces(inline=False))
        sentences = [sentence for paragraph in made.paragraphs for sentence in paragraph]
        inline = made.pieces(inline=True)
        assert [sentence for sentence in sentences if sentence in inline] == inline
        assert "\n\n\n" not in made.text
        assert made.text == made.text.strip()

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS)
    @settings(max_examples=8)
    def test_no_sentence_comes_twice_and_all_stay_in_order(self, code: Code, contents: Contents, seed: int) -> None:
        made = Report(code, contents, seed=str(seed))
        inline = {*made.pieces(inline=True)}
        prose = [sentence for paragraph in made.paragraphs for sentence in paragraph if sentence not in inline]
        assert len({*prose}) == len(prose) > 50
        offered = iter(made.drawn_sentences)
        assert all(sentence in offered for sentence in prose)
        # A stretch leaves out the sentence that it has no room for, and nothing else.
        assert len(made.drawn_sentences) == len(prose) + BINS

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS)
    @settings(max_examples=8)
    def test_paragraphs_have_three_to_seven_sentences(self, code: Code, contents: Contents, seed: int) -> None:
        made = Report(code, contents, seed=str(seed))
        lengths = Counter(map(len, made.paragraphs))
        assert max(lengths) <= 7
        # The last before a piece, or of a stretch, is what is left.
        stretches = BINS + len(made.pieces(inline=False))
        assert lengths[1] + lengths[2] <= stretches
        for paragraph in made.paragraphs:
            assert LANGUAGES[code].between.join(paragraph) in made.text

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS, room=st.integers(8_000, 20_000))
    @settings(max_examples=8)
    def test_the_room_is_used(self, code: Code, contents: Contents, seed: int, room: int) -> None:
        made = Report(code, contents, room=room, seed=str(seed))
        assert 0.9 * room - 100 < made.tokens <= room

    @BOTH
    @EVERY_CONTENTS
    @given(seed=SEEDS)
    @settings(max_examples=8)
    def test_pieces_stand_in_their_stretch(self, code: Code, contents: Contents, seed: int) -> None:
        made = Report(code, contents, room=25_000, seed=str(seed))
        for family, plant in made.planting.plants.items():
            for number, piece in enumerate(plant.pieces):
                depth = made.text.index(piece) / len(made.text) * BINS
                stretch = made.planting.stretch_of(family, number)
                assert stretch - 0.5 < depth < stretch + 1.3, (family, number)

    @BOTH
    def test_pieces_stand_anywhere_in_their_stretch(self, code: Code) -> None:
        depths = []
        for index in range(12):
            made = Report(code, Contents(records=Records()), index, room=15_000)
            depths += [made.text.index(piece) / len(made.text) * BINS % 1 for piece in made.pieces(inline=False)]
        for quarter in range(4):
            assert 0.1 < sum(quarter <= depth * 4 < quarter + 1 for depth in depths) / len(depths) < 0.5

    @BOTH
    def test_a_document_with_no_room_for_prose(self, code: Code) -> None:
        planting = planting_of("One.", "Two.", "Three.")
        sentences = iter([(f"Sentence {number}.", 5) for number in range(100)])
        sizes = dict.fromkeys(planting.pieces, 10)
        text = report.compose(random.Random(0), planting, 30, sentences, LANGUAGES[code], sizes)
        assert text == "One.\n\nTwo.\n\nThree."

    def test_prose_leaves_room_for_pieces_to_come(self) -> None:
        planting = planting_of(*(f"Piece {k}." for k in range(10)))
        sizes = dict.fromkeys(planting.pieces[:-1], 10) | {planting.pieces[-1]: 400}
        for room, prose in ((490, 0), (600, 19)):
            sentences = iter([(f"Sentence {number}.", 5) for number in range(1_000)])
            text = report.compose(random.Random(0), planting, room, sentences, LANGUAGES["en"], sizes)
            assert prose - BINS < text.count("Sentence") <= prose

    def test_inline_pieces_stand_among_sentences(self) -> None:
        planting = planting_of(*(f"Fact {k}." for k in range(40)), inline=True, family="multihop")
        sentences = iter([(f"Sentence {number}.", 5) for number in range(1_000)])
        sizes = dict.fromkeys(planting.pieces, 5)
        text = report.compose(random.Random(0), planting, 2_000, sentences, LANGUAGES["en"], sizes)
        paragraphs = [sentences_of(paragraph) for paragraph in text.split("\n\n")]
        drawn_sentences = [sentence for paragraph in paragraphs for sentence in paragraph]
        assert [sentence for sentence in drawn_sentences if sentence.startswith("Fact")] == list(planting.pieces)
        assert sum(len(paragraph) > 1 for paragraph in paragraphs) > 0.9 * len(paragraphs)


class TestPlanting:
    """Places of pieces, and of the pieces that questions are about."""

    @pytest.mark.parametrize("pieces", [8, 10, 11, 20, 40, 60])
    def test_pieces_are_spread_evenly(self, pieces: int) -> None:
        planting = planting_of(*map(str, range(pieces)))
        stretches = [planting.stretch_of("evidence", piece) for piece in range(pieces)]
        assert stretches == sorted(stretches)
        pieces_by_stretch = Counter(stretches)
        assert {*pieces_by_stretch} <= {*range(BINS)}
        counts = [pieces_by_stretch[stretch] for stretch in range(BINS)]
        assert max(counts) - min(counts) <= 1
        gathered = [planting.pieces_in(stretch, inline=False) for stretch in range(BINS)]
        assert [piece for lists in gathered for texts in lists for piece in texts] == list(planting.pieces)
        assert not any(planting.pieces_in(stretch, inline=True) for stretch in range(BINS))

    @BOTH
    @pytest.mark.parametrize(
        ("contents", "series"),
        [
            (Contents(4, Records(10)), 5),
            (Contents(3, Records(20)), 20),
            (Contents(7, Records(8, near_twins=0)), 8),
            (Contents(4, chains=Chains()), 10),
            (Contents(5, chains=Chains(10, 1, answers=("name",))), 4),
        ],
    )
    def test_every_piece_has_its_turn(self, code: Code, contents: Contents, series: int) -> None:
        plantings = [Report(code, contents, index).planting for index in range(series)]
        asked = Counter(question.piece for planting in plantings for question in planting.questions)
        assert {*asked} == {*range(len(plantings[0].pieces))}
        assert {*asked.values()} == {series * contents.questions // len(asked)}
        assert all(len({q.piece for q in planting.questions}) == contents.questions for planting in plantings)

    @BOTH
    @pytest.mark.parametrize("questions", [1, 3, 4, 10])
    def test_every_stretch_has_its_turn_of_a_passage(self, code: Code, questions: int) -> None:
        contents = Contents(questions, passages=Passages(("marked",), (10, 60)))
        plantings = [Report(code, contents, index).planting for index in range(10)]
        stretches = Counter(stretch for planting in plantings for stretch in planting.passage_bins)
        assert stretches == dict.fromkeys(range(BINS), questions)
        for planting in plantings:
            assert all(one < other for one, other in pairwise(planting.passage_bins))
            assert [planting.stretch_of("copy", k) for k in range(questions)] == list(planting.passage_bins)

    def test_series_of_different_seeds_take_different_turns(self) -> None:
        turns = {tuple(report._turns(f"{seed}/records", 0, 4, 10)) for seed in range(20)}
        assert len(turns) > 15
        assert report._turns("s", 0, 4, 10) + report._turns("s", 1, 4, 10) == report._turns("s", 0, 8, 10)

    @BOTH
    def test_every_record_has_its_turn_beside_absent_questions(self, code: Code) -> None:
        contents = Contents(4, Records(10, absent=0.25))
        plantings = [Report(code, contents, index).planting for index in range(40)]
        asked = Counter(question.piece for planting in plantings for question in planting.questions)
        absent = asked.pop(None)
        assert absent == 40
        assert max(asked.values()) - min(asked.values()) <= 4

    @BOTH
    @pytest.mark.parametrize(
        ("questions", "share"), [(4, 0.25), (4, 0.1), (1, 0.5), (3, 1 / 3), (9, 0.2), (4, 0.0), (6, 1.0)]
    )
    def test_the_share_of_absent_questions_is_exact_over_a_series(
        self, code: Code, questions: int, share: float
    ) -> None:
        assert_share_is_exact(code, questions, share, 20)

    def test_the_share_of_absent_questions_is_exact_for_any_decimal(self) -> None:
        assert_share_is_exact("en", 4, 0.29, 25)

    @BOTH
    def test_passages_grow_with_the_document(self, code: Code) -> None:
        contents = Contents(4, passages=Passages())
        longest = []
        for room in (2_000, 4_800, 24_000):
            plantings = [Report(code, contents, index, room).planting for index in range(12)]
            longest.append(max(TOKENIZERS[code](q.gold) for planting in plantings for q in planting.questions))
        assert 64 < longest[0] <= 96
        assert 130 < longest[1] <= 200
        assert 400 < longest[2] <= 512

    def test_the_length_of_all_passages(self) -> None:
        assert report.length_of_all_passages(Contents(passages=Passages(tokens=(64, 512)))) == 512 * 24
        assert report.length_of_all_passages(Contents(records=Records())) == 0

    @BOTH
    def test_no_two_documents_of_a_series_are_alike(self, code: Code) -> None:
        made = [Report(code, CONTENTS["records and chains"], index) for index in range(6)]
        assert len({one.text for one in made}) == 6
        sentences = [{*one.drawn_sentences} for one in made]
        assert all(len(one & other) < 0.02 * len(one) for one, other in pairwise(sentences))

    @BOTH
    def test_a_tokenizer_that_leaves_no_passage(self, code: Code) -> None:
        writing = report.plant(random.Random(0), 0, CONTENTS["passages"], LANGUAGES[code], length=1_000, seed="s")
        with pytest.raises(copy.PassageError, match="no passage"):
            write_one(writing, lambda _: 1_000)


def assert_share_is_exact(code: Code, questions: int, share: float, series: int) -> None:
    """The number of absent questions in the first n documents is their share of all questions, rounded down."""
    contents, absent = Contents(questions, Records(absent=share)), 0
    for index in range(series):
        asked = Report(code, contents, index).planting.questions
        absent += sum(question.kind == "absent" for question in asked)
        assert len(asked) == questions
        exact = Fraction(share).limit_denominator(1_000) * (index + 1) * questions
        assert absent == exact // 1, index


class TestCheck:
    """The questions of every family are checked."""

    @BOTH
    @pytest.mark.parametrize("contents", ["records", "passages", "chains"])
    def test_faults_are_noticed(self, code: Code, contents: str) -> None:
        made = Report(code, CONTENTS[contents])
        question = made.planting.questions[0]
        with pytest.raises(ValueError, match=r"question|piece"):
            report.check(made.planting, f"{made.text} {question.gold}", LANGUAGES[code])

    @pytest.mark.parametrize("broken", ["evidence", "copy", "multihop"])
    def test_each_of_several(self, broken: report.Family) -> None:
        made = Report("en", Contents(2, Records(), Passages(), Chains(6)), room=12_000)
        report.check(made.planting, made.text, LANGUAGES["en"])
        plants = dict(made.planting.plants)
        odd = replace(plants[broken].questions[0], text="What?")
        plants[broken] = replace(plants[broken], questions=(odd,))
        with pytest.raises(ValueError, match="What"):
            report.check(Planting(plants, made.planting.passage_bins), made.text, LANGUAGES["en"])


class TestParagraphs:
    """Joining of sentences into paragraphs."""

    @BOTH
    @given(seed=SEEDS, number=st.integers(0, 60))
    @settings(max_examples=40)
    def test_all_sentences_in_order(self, code: Code, seed: int, number: int) -> None:
        between = LANGUAGES[code].between
        drawn_sentences = [f"{k}{'.' if code == 'en' else '。'}" for k in range(number)]
        made = list(report.paragraphs(random.Random(seed), drawn_sentences, between))
        assert between.join(made) == between.join(drawn_sentences)
        lengths = [len(sentences_of(paragraph)) for paragraph in made]
        assert all(3 <= length <= 7 for length in lengths[:-1])
        assert all(1 <= length <= 7 for length in lengths)

    def test_all_lengths_come_up(self) -> None:
        made = report.paragraphs(random.Random(0), ["S."] * 2_000, " ")
        lengths = Counter(len(sentences_of(paragraph)) for paragraph in made)
        assert all(lengths[length] > 40 for length in range(3, 8))


@BOTH
def test_prose_counts_each_sentence_after_another(code: Code) -> None:
    between = LANGUAGES[code].between
    counted: list[str] = []

    def count(texts: Sequence[str]) -> list[int]:
        counted.extend(texts)
        return [len(text) for text in texts]

    drawn_sentences = list(islice(report.prose(random.Random(0), LANGUAGES[code], count), 100))
    assert all(tokens == len(between + sentence) for sentence, tokens in drawn_sentences)
    assert counted[:100] == [between + sentence for sentence, _ in drawn_sentences]
    assert len({sentence for sentence, _ in drawn_sentences}) == 100


@BOTH
def test_sizes_count_a_break_for_every_piece(code: Code) -> None:
    planting = Report(code, CONTENTS["records and chains"]).planting
    (sizes,) = report.sizes_of([planting], counter(code))
    assert {*sizes} == {*planting.pieces}
    assert all(size == TOKENIZERS[code](piece) + report.PARAGRAPH_TOKENS for piece, size in sizes.items())


def written() -> list[str]:
    return [Report(code, contents, 3).text for contents in CONTENTS.values() for code in CODES]


def test_another_process_writes_the_same_bytes() -> None:
    assert {*elsewhere(written)} == {ascii(written())}
