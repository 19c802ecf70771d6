"""Passages to copy have the right length for any tokenizer, cannot be guessed, and are identified uniquely."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import copy, evidence
from kveval.generators.copy import PassageKind, Passages, Words
from kveval.generators.counting import write_one
from kveval.generators.evidence import Records
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.parts import Plant, Question
from kveval.generators.proofs import copy as copy_proof
from kveval.generators.proofs import evidence as evidence_proof

from .documents import BOTH, CODES, SEEDS, TOKENIZERS, document_of, elsewhere

WORDS: dict[Code, Words] = {code: LANGUAGES[code].passages for code in CODES}
KINDS: tuple[PassageKind, ...] = get_args(PassageKind)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
COUNTS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "words and signs": lambda text: len(re.findall(r"\w+|[^\w\s]", text)),
    "four bytes": lambda text: -(-len(text.encode()) // 4),
    "with special tokens": lambda text: 2 + len(text) // 3,
}
COUNTED = [(code, name) for code in CODES for name in COUNTS if (code, name) != ("zh", "words")]
"""Chinese has no spaces between its words."""
NAMES_ZH = "|".join("".join(f"[{part}]" for part in kind.parts) for kind in (WORDS["zh"].surnames, WORDS["zh"].places))
LIMITS: dict[PassageKind, list[tuple[int, int]]] = {
    "marked": [(64, 512), (64, 96), (100, 120), (300, 340)],
    "section": [(64, 512), (64, 96), (100, 120), (300, 340)],
    "after": [(64, 512), (100, 340)],  # 340 tokens are more sentences than a question counts, of some tokenizers
    "rows": [
        (128, 512),
        (128, 1024),
        (150, 400),
    ],  # two rows have up to 150 tokens, and their counts are only estimated in advance
}


def planted(
    seed: object,
    code: Code,
    *kinds: PassageKind,
    number: int = 4,
    tokens: tuple[int, int] = (64, 512),
    most_tokens: int = 512,
    count_tokens: Callable[[str], int] | None = None,
) -> Plant:
    passages = Passages(kinds or ("marked", "section"), tokens)
    writing = copy.plant(random.Random(str(seed)), WORDS[code], passages, number=number, most_tokens=most_tokens)
    return write_one(writing, count_tokens or TOKENIZERS[code])


def key_of(question: Question, code: Code) -> str:
    return copy_proof._question_fields(question, WORDS[code])["key"]


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of the lines of a table."""
    return [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in text.split("\n")]


class TestLengths:
    """Token counts of passages."""

    @pytest.mark.parametrize(("code", "tokenizer"), COUNTED)
    @EVERY_KIND
    @given(seed=SEEDS, data=st.data())
    @settings(max_examples=8)
    def test_they_stay_within_their_limits(
        self, code: Code, tokenizer: str, kind: PassageKind, seed: int, data: st.DataObject
    ) -> None:
        count, limits = COUNTS[tokenizer], data.draw(st.sampled_from(LIMITS[kind]))
        plant = planted(seed, code, kind, number=3, tokens=limits, count_tokens=count)
        assert all(limits[0] <= count(question.gold) <= limits[1] for question in plant.questions)

    @BOTH
    @EVERY_KIND
    @given(seed=SEEDS, most=st.integers(160, 600))
    @settings(max_examples=10)
    def test_they_stay_below_the_maximum_for_the_document(
        self, code: Code, kind: PassageKind, seed: int, most: int
    ) -> None:
        plant = planted(seed, code, kind, most_tokens=most)
        assert all(64 <= TOKENIZERS[code](question.gold) <= min(most, 512) for question in plant.questions)

    @BOTH
    @pytest.mark.parametrize(("kind", "least"), [("marked", 64), ("section", 64), ("rows", 128)])
    def test_they_are_spread_evenly_over_their_logarithm(self, code: Code, kind: PassageKind, least: int) -> None:
        plants = [
            planted(seed, code, kind, number=16, tokens=(least, 8 * least), most_tokens=1024) for seed in range(25)
        ]
        lengths = [TOKENIZERS[code](question.gold) for plant in plants for question in plant.questions]
        for low, high in ((1, 2), (2, 4), (4, 9)):
            assert 0.2 < sum(low * least <= length < high * least for length in lengths) / len(lengths) < 0.45

    @BOTH
    def test_sentences_after_one_are_as_many_as_can_be_counted(self, code: Code) -> None:
        plants = [planted(seed, code, "after", number=16, tokens=(40, 512)) for seed in range(10)]
        counts = WORDS[code].counts
        found = {
            counts.index(copy_proof._question_fields(question, WORDS[code])["count"]) + 1
            for plant in plants
            for question in plant.questions
        }
        assert {2, 3, 4, 5, 6, 7, 8} <= found <= {*range(1, len(counts) + 1)}


@BOTH
@given(seed=SEEDS, kinds=st.permutations(KINDS), taken=st.integers(1, 4))
@settings(max_examples=30)
def test_every_question_has_one_answer(code: Code, seed: int, kinds: list[PassageKind], taken: int) -> None:
    plant = planted(seed, code, *kinds[:taken], number=8, tokens=(64, 256))
    document = document_of(code, plant, seed=seed)
    copy_proof.check(plant, document, WORDS[code])
    turns = [question.kind for question in plant.questions]
    assert set(turns[:taken]) == set(kinds[:taken])
    assert turns[taken:] == turns[:-taken]
    assert not plant.inline
    assert len(plant.pieces) == 8
    for number, question in enumerate(plant.questions):
        assert question.piece == number
        assert question.answer_type == "copy"
        assert question.distractors == question.accepted == ()
        assert document.count(question.gold) == plant.pieces[number].count(question.gold) == 1
        assert question.gold not in question.text


@BOTH
def test_any_kind_comes_first(code: Code) -> None:
    plants = [planted(seed, code, *KINDS, number=1, tokens=(64, 128)) for seed in range(40)]
    assert {plant.questions[0].kind for plant in plants} == {*KINDS}


@BOTH
@given(seed=SEEDS)
@settings(max_examples=20)
def test_where_a_passage_stands(code: Code, seed: int) -> None:
    plant = planted(seed, code, *KINDS, number=8, tokens=(64, 256))
    begin, end = {"en": ("[Passage {} begins]", "[Passage {} ends]"), "zh": ("【片段{}开始】", "【片段{}结束】")}[code]
    for piece, question in zip(plant.pieces, plant.questions, strict=True):
        key = key_of(question, code)
        paragraphs = piece.split("\n\n")
        assert key in question.text
        if question.kind == "marked":
            assert paragraphs == [begin.format(key), question.gold, end.format(key)]
        elif question.kind == "section":
            assert paragraphs[:2] == [f"## {key}", question.gold]
            assert len(paragraphs) == 3
        elif question.kind == "after":
            assert paragraphs == [piece]
            before, after = piece.split(key)
            between = WORDS[code].between
            assert after.startswith(between + question.gold + between)
            assert before
            assert not after.endswith(question.gold)
        else:
            assert paragraphs[0] == f"## {key}"
            assert len(paragraphs) == 2
            assert f"\n{question.gold}\n" in paragraphs[1]


@BOTH
@pytest.mark.parametrize("kind", ["marked", "section", "after"])
@given(seed=SEEDS)
@settings(max_examples=30)
def test_a_passage_is_one_line_of_unpredictable_details(code: Code, kind: PassageKind, seed: int) -> None:
    plant = planted(seed, code, kind, tokens=(100, 512))
    opening, closing = ('"?[A-Z0-9]', '[.?]"?') if code == "en" else ("“?[\u4e00-\u9fffA-Z0-9]", "[。？]”?")
    names = r"\b[A-Z]\w+" if code == "en" else f"{NAMES_ZH}|老\\w|\\w(?:掌柜|先生|账房|东家|船主)"
    for question in plant.questions:
        passage = question.gold
        assert passage.isascii() == (code == "en")
        assert "\n" not in passage
        assert "  " not in passage
        assert not re.search(r"[{}]", passage)
        assert passage.count('"') % 2 == 0
        assert passage.count("“") == passage.count("”")
        assert re.fullmatch(f"{opening}.*{closing}", passage)
        assert code == "en" or not re.search(r"[a-z \"',;()]", re.sub(r"\d,\d", "", passage))
        numbers = re.findall(r"\d+", passage)
        assert len(numbers) + len(re.findall(names, passage)) >= 3
        assert len(set(re.findall(r"[^\w\s]", passage))) >= (3 if code == "en" and kind != "after" else 2)
    together = WORDS[code].between.join(question.gold for question in plant.questions)
    assert len(set(re.findall(r"[^\w\s]", together))) >= (5 if kind == "after" else 6)
    assert len(set(re.findall(rf"{names}|\d+", together))) >= 16


@BOTH
@EVERY_KIND
@given(seed=SEEDS)
@settings(max_examples=15)
def test_no_number_could_be_the_value_of_a_record(code: Code, kind: PassageKind, seed: int) -> None:
    """Values of records are below 100 with one to three decimals, or above 100,000."""
    plant = planted(seed, code, kind, number=6)
    for number in re.findall(r"\d+(?:[.,]\d+)*万?", " ".join(plant.pieces)):
        whole, _, decimals = number.removesuffix("万").replace(",", "").partition(".")
        assert not decimals or int(whole) >= 1_000 or (len(decimals) >= 4 and not decimals.endswith("0")), number
        assert float(f"{whole}.{decimals or 0}") * (10_000 if number.endswith("万") else 1) < 100_000, number
    assert "亿" not in " ".join(plant.pieces)


@BOTH
def test_no_name_is_that_of_a_record(code: Code) -> None:
    words = LANGUAGES[code].records
    kinds = (words.groups, words.surnames, words.sites, words.formats.surnames)
    records = {"".join(parts) for kind in kinds for parts in product(*kind.parts)}
    for seed in range(40):
        text = " ".join(planted(seed, code, *KINDS).pieces)
        words_of_passage = re.findall(r"\w+", text) if code == "en" else [text[k : k + 3] for k in range(len(text))]
        assert not records.intersection(words_of_passage)


@BOTH
@given(seed=SEEDS)
@settings(max_examples=15)
def test_ids_and_titles_are_unlike_each_other(code: Code, seed: int) -> None:
    plant = planted(seed, code, "marked", "section", "rows", number=24, tokens=(64, 128))
    ids = [key_of(question, code) for question in plant.questions if question.kind == "marked"]
    titles = [key_of(question, code) for question in plant.questions if question.kind in ("section", "rows")]
    assert (len(ids), len(titles)) == (8, 16)
    assert all(re.fullmatch(r"[A-Z]{2}-\d{4}", key) for key in ids)
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) >= 4 for pair in combinations(ids, 2))
    assert not any(a in b or b in a for a, b in combinations(titles, 2))


class TestAfter:
    """Passages of sentences that follow a given one."""

    @BOTH
    @given(seed=SEEDS)
    @settings(max_examples=40)
    def test_their_count_is_right_and_the_given_one_stands_once(self, code: Code, seed: int) -> None:
        plant = planted(seed, code, "after", tokens=(40, 400))
        document = document_of(code, plant, seed=seed)
        for piece, question in zip(plant.pieces, plant.questions, strict=True):
            fields = copy_proof._question_fields(question, WORDS[code])
            # No sentence of these holds a mark that looks like a stop, but for the points of numbers.
            sentences = re.split(r"(?<=\.) |(?<=。)(?=.)", question.gold)
            assert WORDS[code].counts[len(sentences) - 1] == fields["count"]
            assert len(set(sentences)) == len(sentences)
            assert fields["key"] not in sentences
            assert document.count(fields["key"]) == piece.count(fields["key"]) == 1
            assert len(re.split(r"(?<=\.) |(?<=。)(?=.)", piece)) == len(sentences) + 3
            stops = r"[!?。！？“”\"]|\.(?!\d)"
            assert not any(re.search(stops, sentence[:-1]) for sentence in (*sentences, fields["key"]))

    @BOTH
    def test_no_colon_or_semicolon_could_be_taken_for_the_end_of_a_sentence(self, code: Code) -> None:
        for seed in range(40):
            for piece in planted(seed, code, "after").pieces:
                assert not re.search(r"[;；：]|:(?!\d)", piece), piece

    def test_counts_are_in_words(self) -> None:
        assert WORDS["en"].counts[:4] == ("one", "two", "three", "four")
        assert WORDS["zh"].counts[:4] == ("一", "两", "三", "四")

    def test_one_sentence_is_not_the_one_sentences(self) -> None:
        for seed in range(40):
            for question in planted(seed, "en", "after", tokens=(10, 40)).questions:
                assert not re.search(r"\bone sentences", question.text), question.text


class TestRows:
    """Passages of rows of a table."""

    @BOTH
    @given(seed=SEEDS)
    @settings(max_examples=40)
    def test_no_two_rows_of_a_table_have_the_same_id(self, code: Code, seed: int) -> None:
        for piece in planted(seed, code, "rows").pieces:
            _, table = piece.split("\n\n")
            heads, rule, *rows = rows_of(table)
            assert heads == [head for head, _ in WORDS[code].columns]
            assert rule == ["---"] * len(heads)
            assert all(len(row) == len(heads) and all(row) for row in rows)
            assert all(line.startswith("| ") and line.endswith(" |") for line in table.split("\n"))
            ids = [row[0] for row in rows]
            assert len(set(ids)) == len(ids) >= 4

    @BOTH
    @given(seed=SEEDS)
    @settings(max_examples=40)
    def test_the_first_and_the_last_row_fit_the_question(self, code: Code, seed: int) -> None:
        plant = planted(seed, code, "rows")
        for piece, question in zip(plant.pieces, plant.questions, strict=True):
            fields = copy_proof._question_fields(question, WORDS[code])
            ids = [row[0] for row in rows_of(piece.split("\n\n")[1])[2:]]
            first, last = ids.index(fields["first"]), ids.index(fields["last"])
            assert 1 <= first <= 2
            assert first < last
            assert 1 <= len(ids) - 1 - last <= 2
            lines = piece.split("\n\n")[1].split("\n")[2:]
            assert question.gold == "\n".join(lines[first : last + 1])

    @BOTH
    def test_there_are_two_rows_or_more(self, code: Code) -> None:
        for seed in range(20):
            golds = [question.gold for question in planted(seed, code, "rows", tokens=(10, 250)).questions]
            assert all(len(rows_of(gold)) >= 2 for gold in golds)

    @BOTH
    def test_an_id_that_was_drawn_before_is_drawn_again(self, code: Code) -> None:
        def few(rng: random.Random) -> dict[str, Callable[[], str]]:
            return {**WORDS[code].values(rng), "id": lambda: f"K/{rng.randint(101, 300)}-B"}

        words, passages = replace(WORDS[code], values=few), Passages(("rows",), (128, 512))
        plant = write_one(copy.plant(random.Random(0), words, passages, number=6, most_tokens=512), TOKENIZERS[code])
        for piece in plant.pieces:
            ids = [row[0] for row in rows_of(piece.split("\n\n")[1])[2:]]
            assert len(set(ids)) == len(ids)


@BOTH
@given(seed=SEEDS)
@settings(max_examples=20)
def test_records_passages_and_prose_share_a_document(code: Code, seed: int) -> None:
    records = evidence.plant(random.Random(seed), LANGUAGES[code].records, Records(12), targets=[3, 1, 4])
    passages = planted(seed, code, *KINDS)
    document = document_of(code, records, passages, seed=seed)
    evidence_proof.check(records, document, LANGUAGES[code].records)
    copy_proof.check(passages, document, WORDS[code])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"kinds": ()}, "kinds"),
        ({"kinds": ("marked", "rows", "marked")}, "kinds"),
        ({"tokens": (0, 100)}, r"tokens .*\[0, 100\]"),
        ({"tokens": (100, 99)}, r"tokens .*\[100, 99\]"),
    ],
)
def test_invalid_passages(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Passages(**arguments)  # type: ignore[arg-type]


@BOTH
@EVERY_KIND
@pytest.mark.parametrize(
    "arguments",
    [{"tokens": (2, 2)}, {"most_tokens": 63}, {"most_tokens": 1}, {"count_tokens": lambda _: 1_000}],
    ids=["few tokens", "no room", "hardly any room", "every text is long"],
)
def test_impossible_requests(code: Code, kind: PassageKind, arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no passage of \d+ to \d+ tokens"):
        planted(0, code, kind, **arguments)  # type: ignore[arg-type]


@BOTH
def test_no_passage(code: Code) -> None:
    assert planted(0, code, number=0) == Plant((), ())


@BOTH
def test_fields_are_parsed_from_any_wording(code: Code) -> None:
    fields = {"key": "The Jor Papers", "count": WORDS[code].counts[4], "first": "K/12-B", "last": "B/345-K"}
    for kind in KINDS:
        question = planted(0, code, kind).questions[0]
        for text in WORDS[code].questions[kind]:
            read = copy_proof._question_fields(replace(question, text=text.format_map(fields)), WORDS[code])
            assert read == {name: fields[name] for name in read}
            assert "key" in read


@dataclass(frozen=True)
class Case:
    """Plant in a valid document, with one passage to inject a fault into."""

    code: Code
    plant: Plant
    document: str
    question: Question

    @property
    def words(self) -> Words:
        return WORDS[self.code]

    @property
    def key(self) -> str:
        return key_of(self.question, self.code)

    def rejects(self, document: str | None = None, reason: str = "question '", **changes: object) -> None:
        """Assert that the check rejects the document, or the question with changed fields."""
        questions = (replace(self.question, **changes),) if changes else self.plant.questions  # type: ignore[arg-type]
        plant = replace(self.plant, questions=questions)
        with pytest.raises(ValueError, match=reason):
            copy_proof.check(plant, self.document if document is None else document, self.words)


@pytest.fixture(params=CODES)
def code(request: pytest.FixtureRequest) -> Code:
    return request.param


def case_of(code: Code, kind: PassageKind) -> Case:
    plant = planted(3, code, *KINDS, number=8, tokens=(64, 200))
    question = next(question for question in plant.questions if question.kind == kind)
    return Case(code, plant, document_of(code, plant), question)


class TestCheckNotices:
    """The check rejects each single fault."""

    @pytest.fixture(params=product(CODES, KINDS), ids="-".join)
    def case(self, request: pytest.FixtureRequest) -> Case:
        return case_of(*request.param)

    @pytest.fixture(params=CODES)
    def marked(self, request: pytest.FixtureRequest) -> Case:
        return case_of(request.param, "marked")

    @pytest.fixture(params=CODES)
    def section(self, request: pytest.FixtureRequest) -> Case:
        return case_of(request.param, "section")

    @pytest.fixture(params=CODES)
    def after(self, request: pytest.FixtureRequest) -> Case:
        return case_of(request.param, "after")

    @pytest.fixture(params=CODES)
    def rows(self, request: pytest.FixtureRequest) -> Case:
        return case_of(request.param, "rows")

    def test_nothing_in_a_sound_document(self, case: Case) -> None:
        copy_proof.check(case.plant, case.document, case.words)

    def test_a_passage_twice(self, case: Case) -> None:
        case.rejects(f"{case.document}\n\n{case.question.gold}", "its passage stands in the document 2 times")

    def test_a_passage_within_a_paragraph_as_well(self, case: Case) -> None:
        case.rejects(
            f"{case.document} So: {case.question.gold} So it was.", "its passage stands in the document 2 times"
        )

    def test_a_passage_missing(self, case: Case) -> None:
        case.rejects(
            case.document.replace(case.question.gold, "Nothing."), "its passage stands in the document 0 times"
        )

    def test_a_passage_that_differs_in_one_character(self, case: Case) -> None:
        gold = case.question.gold
        case.rejects(case.document.replace(gold, gold[:40] + gold[41:]), "its passage stands in the document 0 times")

    def test_a_key_elsewhere(self, case: Case) -> None:
        case.rejects(f"See {case.key}.\n\n{case.document}", re.escape(repr(case.key)))

    def test_something_before_the_passage(self, case: Case) -> None:
        gold = case.question.gold
        between = {"rows": "\n", "after": case.words.between}.get(case.question.kind, "\n\n")
        document = case.document.replace(gold, f"Before it.{between}{gold}")
        if case.question.kind == "rows":
            document = case.document.replace(gold, f"| {gold}")
        case.rejects(document, "its passage in place stands in the document 0 times")

    @pytest.mark.parametrize("kind", ["marked", "section", "rows"])
    def test_a_passage_that_goes_on(self, code: Code, kind: PassageKind) -> None:
        case = case_of(code, kind)
        gold = case.question.gold
        case.rejects(case.document.replace(gold, f"{gold} And so on."), "its passage in place")

    def test_a_question_without_a_key(self, case: Case) -> None:
        case.rejects(text="Repeat it.", reason="names no passage")

    def test_a_question_of_another_kind(self, case: Case) -> None:
        kinds = [question.kind for question in case.plant.questions]
        other = next(kind for kind in kinds if kind != case.question.kind)
        case.rejects(kind=other, reason="names no passage|in place stands in the document 0 times")

    def test_the_passage_of_another_question(self, case: Case) -> None:
        other = next(
            question
            for question in case.plant.questions
            if question.kind == case.question.kind and question != case.question
        )
        case.rejects(gold=other.gold, reason="in place stands in the document 0 times|row is not|has not")

    def test_a_marker_missing(self, marked: Case) -> None:
        for frame in (marked.words.begin, marked.words.end):
            marked.rejects(marked.document.replace(frame.format(key=marked.key), ""))

    def test_markers_in_the_wrong_order(self, marked: Case) -> None:
        begin, end = (frame.format(key=marked.key) for frame in (marked.words.begin, marked.words.end))
        document = marked.document.replace(begin, "[]").replace(end, begin).replace("[]", end)
        marked.rejects(document, "its passage in place")

    def test_a_heading_missing(self, section: Case) -> None:
        section.rejects(section.document.replace(f"## {section.key}\n\n", ""))

    def test_a_line_that_is_not_a_heading(self, section: Case) -> None:
        section.rejects(section.document.replace(f"## {section.key}\n\n", f"{section.key}\n\n"), "its passage in place")

    def test_a_section_without_a_second_paragraph(self, section: Case) -> None:
        document = section.document
        end = document.index(section.question.gold) + len(section.question.gold)
        section.rejects(document[:end], "its passage in place")

    def test_the_given_sentence_elsewhere(self, after: Case) -> None:
        after.rejects(f"{after.document}{after.words.between}{after.key}", re.escape(repr(after.key)))

    def test_the_given_sentence_missing(self, after: Case) -> None:
        after.rejects(after.document.replace(after.key, ""), "its passage in place")

    @pytest.mark.parametrize("more", [-1, 1])
    def test_sentences_miscounted(self, after: Case, more: int) -> None:
        counts = after.words.counts
        count = copy_proof._question_fields(after.question, after.words)["count"]
        wrong = counts[counts.index(count) + more]
        templates = after.words.questions["after"]
        text = templates[0].format(key=after.key, count=wrong)
        after.rejects(text=text, reason=f"has not {wrong} sentences")

    def test_a_passage_cut_within_a_sentence(self, after: Case) -> None:
        after.rejects(gold=after.question.gold[:-5], reason="has not")

    @pytest.mark.parametrize("end", ["first", "last"])
    def test_a_row_other_than_the_requested_one(self, rows: Case, end: str) -> None:
        fields = copy_proof._question_fields(rows.question, rows.words)
        ids = [row[0] for row in rows_of(rows.question.gold)]
        text = rows.words.questions["rows"][0].format_map({**fields, end: ids[1 if end == "first" else -2]})
        rows.rejects(text=text, reason=f"the {end} row is not")

    def test_an_id_that_contains_the_requested_one(self, rows: Case) -> None:
        fields = copy_proof._question_fields(rows.question, rows.words)
        text = rows.words.questions["rows"][0].format_map({**fields, "first": fields["first"][:-1]})
        rows.rejects(text=text, reason="the first row is not")

    def test_a_title_missing(self, rows: Case) -> None:
        rows.rejects(rows.document.replace(rows.key, "Nothing"), re.escape(repr(rows.key)))

    def test_rows_of_another_table(self, rows: Case) -> None:
        other = next(
            question for question in rows.plant.questions if question.kind == "rows" and question != rows.question
        )
        title = key_of(other, rows.code)
        rows.rejects(rows.document.replace(rows.key, "!").replace(title, rows.key).replace("!", title))

    def test_a_requested_id_in_another_row_of_the_table(self, rows: Case) -> None:
        gold = rows.question.gold
        first = copy_proof._question_fields(rows.question, rows.words)["first"]
        (line, *_) = rows.document[rows.document.index(gold) + len(gold) + 1 :].split("\n")
        rows.rejects(rows.document.replace(line, line.replace(rows_of(line)[0][0], first)))


def test_templates_repeat_only_after_all_others() -> None:
    for size in (1, 2, 5):
        drawn = copy._cycle_shuffled(random.Random(0), [*range(size)])
        rounds = [[next(drawn) for _ in range(size)] for _ in range(50)]
        assert all(sorted(round_) == [*range(size)] for round_ in rounds)
        if size > 1:
            assert all(one[-1] != other[0] for one, other in pairwise(rounds))


def written() -> list[Plant]:
    return [planted("s", code, *KINDS, number=8) for code in CODES]


def test_another_process_writes_the_same_bytes() -> None:
    assert {*elsewhere(written)} == {ascii(written())}
