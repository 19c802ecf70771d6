"""Questions about records have one answer each, with near twins, and the check rejects faults."""

import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import evidence, values
from kveval.generators.evidence import Records, Words
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.parts import Plant, Question
from kveval.generators.proofs import evidence as evidence_proof
from kveval.generators.values import ValueKind

from .documents import BOTH, CODES, SEEDS, document_of, elsewhere, sentences_of
from .test_values import day_of, is_changed, is_slip, is_swapped

WORDS: dict[Code, Words] = {code: LANGUAGES[code].records for code in CODES}
KINDS = st.lists(st.sampled_from(values.KINDS), min_size=1, unique=True).map(tuple)
OFFICERS = {
    "en": rf"(?:{'|'.join(WORDS['en'].formats.first_names)})[A-Z][a-z]+",
    "zh": "".join(f"[{''.join(part)}]" for part in WORDS["zh"].formats.surnames.parts),
}
VALUES: dict[Code, str] = {
    "en": rf"\b[A-Z\d]{{3,4}}-[A-Z\d]{{2,4}}\b|\d+ [A-Z][a-z]+ \d{{4}}|\d[\d,.]*\d%?|{OFFICERS['en']}",
    "zh": rf"[A-Z\d]{{3,4}}-[A-Z\d]{{2,4}}|\d{{4}}年\d+月\d+日|\d[\d,.]*\d[%万亿]?|{OFFICERS['zh']}",
}
"""Regex for values of any kind in a paragraph."""


def values_in(code: Code, text: str) -> list[str]:
    return re.findall(VALUES[code], text)


def number_or_text(text: str) -> Decimal | str:
    """Return the number of a text, so that notations of a number are equal; else the text."""
    if match := re.fullmatch(r"([\d,.]+)([%万亿]?)", text):
        return Decimal(match[1].replace(",", "")) * {"万": 10**4, "亿": 10**8}.get(match[2], 1)
    return text


@dataclass(frozen=True)
class Request:
    """Arguments of `plant`."""

    records: Records
    targets: list[int]
    absent: int = 0

    def planted(self, seed: object, code: Code) -> Plant:
        rng = random.Random(str(seed))
        return evidence.plant(rng, WORDS[code], self.records, targets=self.targets, absent=self.absent)


@st.composite
def requests(draw: st.DrawFn, shares: Iterable[float] = (0.0, 0.25, 1.0)) -> Request:
    records = Records(
        number=draw(st.integers(8, 50)),
        near_twins=draw(st.integers(0, 6)),
        values=draw(KINDS),
        absent=draw(st.sampled_from(sorted(shares))),
    )
    most = min(records.most_questions, 9)
    targets = draw(st.lists(st.integers(0, records.number - 1), unique=True, max_size=most))
    return Request(records, targets, draw(st.integers(0, min(len(targets), 6))) if records.absent else 0)


def is_absent(question: Question) -> bool:
    return question.piece is None


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=60)
def test_every_question_has_one_answer(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    assert not plant.inline
    assert len(plant.pieces) == request.records.number
    present = [question for question in plant.questions if not is_absent(question)]
    assert [question.piece for question in present] == request.targets[: len(request.targets) - request.absent]
    evidence_proof.check(plant, document_of(code, plant, seed=seed), WORDS[code])


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_no_two_values_are_equal(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    record_values = [values_in(code, piece) for piece in plant.pieces]
    assert all(len(of_record) == 3 for of_record in record_values)
    everything = [*chain(*record_values)]
    assert len({number_or_text(value) for value in everything}) == len(everything) == 3 * len(plant.pieces)
    assert all(
        piece.count(value) >= 1
        for piece, of_record in zip(plant.pieces, record_values, strict=True)
        for value in of_record
    )


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_near_twins_and_other_distractors(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    words, number, twins = WORDS[code], request.records.number, request.records.near_twins
    record_values = [values_in(code, piece) for piece in plant.pieces]
    for question in plant.questions:
        distractors = question.distractors
        assert question.gold not in distractors
        assert len(set(distractors)) == len(distractors)
        assert {*chain(*record_values)}.issuperset(distractors)
        if question.piece is None:
            assert len(distractors) == number
            continue
        own = record_values[question.piece]
        assert question.gold in own
        # One value of every other record, and what the asked one holds beside.
        assert len(distractors) == number - 1 + 2
        assert {*own} - {question.gold} == {*own}.intersection(distractors)
        assert all({*of_record}.intersection(distractors) for of_record in record_values)
        (kind,) = (
            kind for kind in values.KINDS if asks_for(evidence_proof._question_fields(question, words)[0], kind, words)
        )
        for twin in distractors[:twins]:
            assert twin not in own
            assert is_slip(kind, question.gold, twin, words.formats), (question.gold, twin)
        assert question.answer_type == ("number" if kind in ("decimal", "amount", "percent") else "text")


def asks_for(quantity: str, kind: ValueKind, words: Words) -> bool:
    return quantity in {name for name, _ in words.quantities[kind]}


@BOTH
@pytest.mark.parametrize("kind", ["decimal", "amount", "percent", "code"])
def test_most_values_have_a_twin_of_either_slip(code: Code, kind: ValueKind) -> None:
    slips = Counter(
        (is_changed(question.gold, one) or is_changed(question.gold, other))
        and (is_swapped(question.gold, one) or is_swapped(question.gold, other))
        for seed in range(60)
        for question in Request(Records(values=(kind,)), [0, 1, 2, 3]).planted(seed, code).questions
        for one, other in [question.distractors[:2]]
    )
    assert slips[True] > 0.95 * slips.total()


@BOTH
def test_all_values_have_a_twin_of_either_slip(code: Code) -> None:
    for seed in range(500):
        for question in Request(Records(), [0, 1, 2, 3]).planted(seed, code).questions:
            slips = [is_changed(question.gold, twin) for twin in question.distractors[:2]]
            assert sorted(slips) == [False, True], (seed, question)


@BOTH
@given(seed=SEEDS, kind=st.sampled_from(values.KINDS))
@settings(max_examples=40)
def test_no_value_could_be_another_kind_of_number(code: Code, seed: int, kind: ValueKind) -> None:
    """Decimals and percentages are below 100, amounts above 100,000; none ends in a zero."""
    for piece in Request(Records(values=(kind,)), []).planted(seed, code).pieces:
        for value in values_in(code, piece):
            if kind in ("decimal", "percent"):
                assert re.fullmatch(r"\d{1,2}\.\d{0,2}[1-9]%?", value), value
                assert value.endswith("%") == (kind == "percent")
            elif kind == "amount":
                amount = number_or_text(value)
                assert isinstance(amount, Decimal)
                assert amount > 100_000


@BOTH
@given(seed=SEEDS, kinds=KINDS, number=st.integers(8, 40))
@settings(max_examples=30)
def test_near_twins_are_values_of_the_same_quantity(
    code: Code, seed: int, kinds: tuple[ValueKind, ...], number: int
) -> None:
    rng, records = random.Random(seed), Records(number, values=kinds)
    quantities = evidence._quantities(rng, WORDS[code], records)
    cells = [(index, quantities[index % 3]) for index in range(4)]
    table, twins = evidence._fill(rng, WORDS[code].formats, records, quantities, cells)
    assert all(set(record_values) == set(quantities) for record_values in table)
    for index, quantity in cells:
        others = {record_values[quantity][0] for other, record_values in enumerate(table) if other != index}
        assert len(twins[index]) == 2
        assert others.issuperset(twins[index])


@BOTH
@given(seed=SEEDS, kinds=KINDS)
@settings(max_examples=40)
def test_quantities_take_turns_over_the_kinds(code: Code, seed: int, kinds: tuple[ValueKind, ...]) -> None:
    quantities = evidence._quantities(random.Random(seed), WORDS[code], Records(values=kinds))
    assert len({quantity.name for quantity in quantities}) == 3
    turns = Counter(quantity.kind for quantity in quantities)
    assert set(turns) <= set(kinds)
    assert len(turns) == min(3, len(kinds))
    assert max(turns.values()) - min(turns.values()) <= 1
    assert all(asks_for(quantity.name, quantity.kind, WORDS[code]) for quantity in quantities)


@BOTH
@given(seed=SEEDS, kinds=KINDS)
@settings(max_examples=40)
def test_every_sentence_contains_the_name(code: Code, seed: int, kinds: tuple[ValueKind, ...]) -> None:
    rng, words, records = random.Random(seed), WORDS[code], Records(values=kinds)
    quantities = evidence._quantities(rng, words, records)
    table, _ = evidence._fill(rng, words.formats, records, quantities, [])
    names = evidence.Names(rng)
    for k, record_values in enumerate(table):
        record = evidence._record(rng, words, names, words.ordinal(k + 1), words.materials[k], record_values)
        paragraph = evidence._paragraph(rng, words, record)
        sentences = sentences_of(paragraph)
        assert words.between.join(sentences) == paragraph
        assert 2 <= len(sentences) <= 4
        assert len(paragraph.split()) in range(20, 65) if code == "en" else len(paragraph) in range(40, 120)
        assert all(record.name in sentence for sentence in sentences)
        keys = [words.ordinal_key.format(ordinal=record.ordinal), record.supervisor, record.site, record.material]
        assert all(paragraph.count(key) == 1 for key in keys)
        for quantity, (value, *_) in record.values_by_quantity.items():
            (sentence,) = (sentence for sentence in sentences if quantity.name in sentence)
            assert value + quantity.unit in sentence


@BOTH
def test_questions_follow_targets_and_kinds_take_turns(code: Code) -> None:
    starts = set()
    for seed in range(30):
        plant = Request(Records(number=15), [7, 0, 9, 3, 5]).planted(seed, code)
        assert [question.piece for question in plant.questions] == [7, 0, 9, 3, 5]
        kinds = [question.kind for question in plant.questions]
        assert set(kinds[:3]) == {"name", "ordinal", "attribute"}
        assert kinds[3:] == kinds[:2]
        starts.add(kinds[0])
    assert len(starts) == 3


@BOTH
def test_all_attributes_name_records(code: Code) -> None:
    words = WORDS[code]
    patterns = {
        field: re.compile("|".join(re.escape(text).replace(r"\{key\}", ".+") for text in words.group[field]))
        for field in words.attributes
    }
    fields = [
        next(field for field, pattern in patterns.items() if pattern.search(question.text))
        for seed in range(100)
        for question in Request(Records(), [0, 1, 2]).planted(seed, code).questions
        if question.kind == "attribute"
    ]
    assert set(fields) == set(words.attributes)
    assert min(Counter(fields).values()) > 15


@pytest.mark.parametrize(("code", "stems", "templates"), [("en", 200, 500), ("zh", 150, 500)])
def test_wording_varies(code: Code, stems: int, templates: int) -> None:
    words = WORDS[code]
    quantities = "|".join(name for kind in words.quantities.values() for name, _ in kind)
    plants = [Request(Records(), [0, 1, 2, 3]).planted(seed, code) for seed in range(200)]
    asked = set()
    for plant in plants:
        for question in plant.questions:
            key = evidence_proof._question_fields(question, words)[1]
            asked.add(question.text.replace(key, "X"))
    assert len(asked) > stems
    wordings = set()
    for piece in chain(*(plant.pieces for plant in plants)):
        text = re.sub(quantities, "q", re.sub(VALUES[code], "v", piece))
        wordings.add(re.sub(r"\w+ group", "g", re.sub(r"(?<!^)(?<!\. )[A-Z]\w+", "N", text)))
    assert len(wordings) > templates


@pytest.mark.parametrize(
    ("code", "number", "word"),
    [
        ("en", 1, "first"),
        ("en", 12, "twelfth"),
        ("en", 19, "nineteenth"),
        ("en", 20, "twentieth"),
        ("en", 21, "twenty-first"),
        ("en", 40, "fortieth"),
        ("en", 66, "sixty-sixth"),
        ("zh", 1, "一"),
        ("zh", 9, "九"),
        ("zh", 10, "十"),
        ("zh", 12, "十二"),
        ("zh", 20, "二十"),
        ("zh", 21, "二十一"),
        ("zh", 66, "六十六"),
    ],
)
def test_ordinals(code: Code, number: int, word: str) -> None:
    assert WORDS[code].ordinal(number) == word


@BOTH
def test_no_two_ordinals_are_alike(code: Code) -> None:
    assert len({WORDS[code].ordinal(number) for number in range(1, 100)}) == 99


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        (
            "en",
            {
                "name": "Veltrane",
                "ordinal": "twenty-first group",
                "supervisor": "Ines Harrowe",
                "site": "Kethogate",
                "material": "pale mica",
            },
        ),
        (
            "zh",
            {
                "name": "听松阁",
                "ordinal": "第二十一组",
                "supervisor": "沈文衡",
                "site": "青石湾",
                "material": "未处理的云母",
            },
        ),
    ],
)
def test_fields_are_parsed_from_any_wording(code: Code, keys: dict[str, str]) -> None:
    words = WORDS[code]
    question = Request(Records(), [0]).planted(0, code).questions[0]
    for kind, (named_by, ways) in product(values.KINDS, words.group.items()):
        for stem, way, (quantity, _), answer in product(
            words.stems[kind], ways, words.quantities[kind], words.answers[kind]
        ):
            text = stem.format(quantity=quantity, group=way.format(key=keys[named_by])) + words.between + answer
            asked_by = "attribute" if named_by in words.attributes else named_by
            assert evidence_proof._question_fields(replace(question, text=text, kind=asked_by), words) == (
                quantity,
                keys[named_by],
            )
            absent_quantity, key = evidence_proof._question_fields(replace(question, text=text, kind="absent"), words)
            assert absent_quantity == quantity
            assert key in keys[named_by]


@BOTH
@given(seed=SEEDS)
@settings(max_examples=30)
def test_a_date_is_right_in_all_notations(code: Code, seed: int) -> None:
    plant = Request(Records(values=("date", "code", "decimal")), [*range(9)]).planted(seed, code)
    document = document_of(code, plant, seed=seed)
    for question in plant.questions:
        if not re.search(r"\d{4}年|[a-z] \d{4}", question.gold):
            assert question.accepted == ()
            continue
        forms = (question.gold, *question.accepted)
        assert 6 <= len(forms) == len(set(forms))
        assert {day_of(form) for form in question.accepted} == {day_of(question.gold)}
        assert day_of(question.gold).isoformat() in question.accepted
        assert day_of(question.gold) not in {day_of(twin) for twin in question.distractors[:2]}
        assert not any(form in document for form in question.accepted)


class TestAbsent:
    """Questions about groups that are not in the document."""

    @BOTH
    @given(seed=SEEDS, request=requests(shares=(0.5, 1.0)))
    @settings(max_examples=40)
    def test_the_last_questions_are_absent(self, code: Code, seed: int, request: Request) -> None:
        plant = request.planted(seed, code)
        assert len(plant.questions) == len(request.targets)
        present = len(request.targets) - request.absent
        assert [question.kind == "absent" for question in plant.questions] == [
            k >= present for k in range(len(request.targets))
        ]
        assert not any(is_absent(question) for question in plant.questions[:present])

    @BOTH
    @given(seed=SEEDS, request=requests(shares=(1.0,)))
    @settings(max_examples=40)
    def test_their_groups_occur_nowhere(self, code: Code, seed: int, request: Request) -> None:
        plant = request.planted(seed, code)
        document = document_of(code, plant, seed=seed)
        words = WORDS[code]
        parts = re.compile("|".join(re.escape(text) for text in written_names(code, plant)))
        assert words.not_stated.lower() not in document.lower()
        for question in filter(is_absent, plant.questions):
            quantity, key = evidence_proof._question_fields(question, words)
            assert not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])" if code == "en" else key, document)
            assert not parts.search(key)
            assert question.gold == words.not_stated
            assert question.answer_type == "text"
            assert question.accepted == ()
            assert document.count(quantity) >= request.records.number

    @BOTH
    def test_they_use_all_kinds_of_keys(self, code: Code) -> None:
        words = WORDS[code]
        request = Request(Records(absent=1.0), [0, 1, 2, 3, 4], 5)
        ordinals = {words.ordinal_key.format(ordinal=words.ordinal(number)) for number in range(11, 35)}
        asked: Counter[str] = Counter()
        for seed in range(40):
            for question in request.planted(seed, code).questions:
                if any(ordinal in question.text for ordinal in ordinals):
                    asked["ordinal"] += 1
                else:
                    by_name = any(
                        re.search(re.escape(text).replace(r"\{key\}", r"[A-Z]\w+"), question.text)
                        for text in words.group["name"]
                    )
                    asked["name" if by_name or not attribute_in(question.text, words) else "attribute"] += 1
        assert min(asked[way] for way in ("name", "ordinal", "attribute")) > 40

    @BOTH
    @given(seed=SEEDS, request=requests())
    @settings(max_examples=40)
    def test_every_question_has_the_instruction_for_absent_values(
        self, code: Code, seed: int, request: Request
    ) -> None:
        words = WORDS[code]
        ways_out = tuple(text.format(not_stated=words.not_stated) for text in words.if_not_stated)
        for question in request.planted(seed, code).questions:
            assert question.text.endswith(ways_out) == bool(request.records.absent)
            assert (words.not_stated in question.text) == bool(request.records.absent)


def attribute_in(text: str, words: Words) -> bool:
    ways = [way for field in words.attributes for way in words.group[field]]
    return any(re.search(re.escape(way).replace(r"\{key\}", ".+"), text) for way in ways)


def written_names(code: Code, plant: Plant) -> set[str]:
    """Return the invented names in a plant's pieces."""
    if code == "en":
        first_names = {name.split()[0] for name in WORDS[code].supervisors}
        words = {word for piece in plant.pieces for word in re.findall(r"(?<!^)(?<!\. )\b[A-Z][a-z]{4,}", piece)}
        return words - first_names
    kinds = [WORDS[code].groups, WORDS[code].surnames, WORDS[code].sites]
    pattern = "|".join("".join(f"[{''.join(part)}]" for part in kind.parts) for kind in kinds)
    return {name for piece in plant.pieces for name in re.findall(pattern, piece)}


@pytest.mark.parametrize(
    "arguments",
    [
        {"number": 7},
        {"number": 61},
        {"near_twins": -1},
        {"near_twins": 7},
        {"values": ()},
        {"values": ("decimal", "date", "decimal")},
        {"absent": -0.1},
        {"absent": 1.1},
    ],
)
def test_invalid_records(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        Records(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "near_twins", "questions"),
    [(10, 2, 9), (10, 0, 10), (60, 0, 60), (8, 6, 3), (14, 6, 6), (60, 6, 24), (9, 3, 6)],
)
def test_the_most_questions_can_be_asked_and_no_more(number: int, near_twins: int, questions: int) -> None:
    records = Records(number, near_twins)
    assert records.most_questions == questions
    for code in CODES:
        plant = Request(records, [*range(questions)]).planted(0, code)
        evidence_proof.check(plant, document_of(code, plant), WORDS[code])
    if questions < number:
        with pytest.raises(ValueError, match=rf"hold {questions} questions with near twins, not {questions + 1}"):
            Request(records, [*range(questions + 1)]).planted(0, "en")


@pytest.mark.parametrize("targets", [[1, 1], [10], [-1], [0, 10], [*range(10)]])
def test_impossible_requests(targets: list[int]) -> None:
    with pytest.raises(ValueError, match=r"\d"):
        Request(Records(), targets).planted(0, "en")


@pytest.mark.parametrize("absent", [-1, 3])
def test_impossible_numbers_of_absent_questions(absent: int) -> None:
    with pytest.raises(ValueError, match="absent"):
        Request(Records(absent=0.5), [4, 5], absent).planted(0, "en")


@pytest.mark.parametrize(("code", "number", "questions"), [("en", 20, 7), ("zh", 20, 7), ("en", 60, 6)])
def test_all_questions_can_be_absent(code: Code, number: int, questions: int) -> None:
    plant = Request(Records(number, absent=1.0), [*range(questions)], questions).planted(0, code)
    evidence_proof.check(plant, document_of(code, plant), WORDS[code])


@dataclass(frozen=True)
class Case:
    """Plant in a valid document, to inject a fault into."""

    code: Code
    plant: Plant
    document: str

    @property
    def words(self) -> Words:
        return WORDS[self.code]

    def check(self, document: str | None = None, plant: Plant | None = None) -> None:
        evidence_proof.check(plant or self.plant, self.document if document is None else document, self.words)

    def rejects(self, reason: str, document: str | None = None, plant: Plant | None = None) -> None:
        with pytest.raises(ValueError, match=reason):
            self.check(document, plant)

    def question(self, kind: str) -> Question:
        return next(question for question in self.plant.questions if question.kind == kind)

    def key(self, kind: str) -> str:
        return evidence_proof._question_fields(self.question(kind), self.words)[1]

    def with_only(self, question: Question, **changes: object) -> Plant:
        """Return the plant with only this question, changed."""
        return replace(self.plant, questions=(replace(question, **changes),))  # type: ignore[arg-type]

    def answered(self) -> tuple[Question, str]:
        """Return a question whose gold value is not part of another value, and its gold value."""
        present = (question for question in self.plant.questions if not is_absent(question))
        question = next(question for question in present if self.document.count(question.gold) == 1)
        return question, question.gold

    def rewritten(self, text: str, new: str) -> tuple[str, Plant]:
        """Return the document and the plant with a text replaced."""
        pieces = tuple(piece.replace(text, new) for piece in self.plant.pieces)
        return self.document.replace(text, new), replace(self.plant, pieces=pieces)


def case_of(code: Code, *kinds: ValueKind, absent: int = 0) -> Case:
    request = Request(Records(values=kinds, absent=absent / 9), [3, 1, 4, 0, 5, 9, 2, 6, 8], absent)
    plant = request.planted(5, code)
    return Case(code, plant, document_of(code, plant))


@pytest.fixture(scope="module", params=CODES)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param, "decimal")


@pytest.fixture(scope="module", params=CODES)
def with_absent(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param, "decimal", absent=6)


TEXTS = pytest.mark.parametrize("kind", ["date", "code", "name"])


class TestCheckNotices:
    """The check rejects each single fault."""

    def test_nothing_in_a_sound_document(self, case: Case) -> None:
        case.check()
        evidence_proof.check(Plant((), ()), "", case.words)

    def test_nothing_in_a_sound_document_with_absent_records(self, with_absent: Case) -> None:
        with_absent.check()

    @pytest.mark.parametrize(
        "form", ["{}", "0{}", "{}0", "It was {}, once more.", "({})", "x{}", "-{}", "{}%", "又是{}。"]
    )
    def test_the_answer_elsewhere(self, case: Case, form: str) -> None:
        _, gold = case.answered()
        case.rejects(f"{gold} stands at", f"{case.document}\n\n{form.format(gold)}")

    @pytest.mark.parametrize(
        ("before", "after"), [("-", ""), ("x", ""), ("", "%"), ("", "th"), ("", "-fold"), ("v/", ""), ("", "十")]
    )
    def test_the_answer_as_a_part_of_a_word(self, case: Case, before: str, after: str) -> None:
        _, gold = case.answered()
        case.rejects("part of another word", *case.rewritten(gold, before + gold + after))

    def test_a_longer_number_is_another_number(self, case: Case) -> None:
        _, gold = case.answered()
        case.check(f"{case.document}\n\n{gold}1, 1{gold}, 1,0{gold}, 3.{gold}, {gold}万, {gold}亿.")

    def test_a_piece_missing(self, case: Case) -> None:
        case.rejects("piece 4 stands in the document 0 times", case.document.replace(case.plant.pieces[4], ""))

    def test_a_piece_twice(self, case: Case) -> None:
        case.rejects("piece 4 stands in the document 2 times", f"{case.document}\n\n{case.plant.pieces[4]}")

    def test_pieces_out_of_order(self, case: Case) -> None:
        first, second, *rest = case.plant.pieces
        case.rejects("piece 1 stands before piece 0", "\n\n".join([second, first, *rest]))

    def test_ordinals_that_count_wrongly(self, case: Case) -> None:
        asked = case.question("ordinal").piece
        assert asked is not None
        order = [*range(10)]
        order[asked], order[asked - 1] = order[asked - 1], order[asked]
        questions = tuple(
            replace(question, piece=order.index(question.piece))
            for question in case.plant.questions
            if question.piece is not None
        )
        plant = Plant(tuple(case.plant.pieces[index] for index in order), questions)
        case.rejects("' is piece", document_of(case.code, plant), plant)

    @pytest.mark.parametrize("kind", ["name", "ordinal", "attribute"])
    def test_the_key_elsewhere(self, case: Case, kind: str) -> None:
        key = case.key(kind)
        case.rejects(f"'{key}' stands at", f"Nothing is known of the {key}.\n\n{case.document}")

    @pytest.mark.parametrize("kind", ["name", "attribute"])
    def test_a_key_of_another_piece(self, case: Case, kind: str) -> None:
        question = case.question(kind)
        other = next(other for other in case.plant.questions if other.kind == kind and other is not question)
        key = evidence_proof._question_fields(other, case.words)[1]
        changed = case.with_only(question, text=question.text.replace(case.key(kind), key))
        case.rejects(f"'{key}' stands at .*, not in piece {question.piece} only", plant=changed)

    @pytest.mark.parametrize("kind", ["name", "attribute"])
    def test_a_key_that_stands_nowhere(self, case: Case, kind: str) -> None:
        question = case.question(kind)
        plant = case.with_only(question, text=question.text.replace(case.key(kind), "Nemo"))
        case.rejects(r"'Nemo' stands at \[\]", plant=plant)

    def test_the_key_as_a_part_of_a_word_is_another_word(self) -> None:
        case = case_of("en", "decimal")
        key = case.key("name")
        case.check(f"{key}s, non-{key}, {key}-like.\n\n{case.document}")

    def test_a_distractor_missing(self, case: Case) -> None:
        question, _ = case.answered()
        odd = case.with_only(question, distractors=(*question.distractors, "98.7654"))
        case.rejects("98.7654 is missing", plant=odd)

    def test_a_distractor_that_equals_the_answer(self, case: Case) -> None:
        question, gold = case.answered()
        odd = case.with_only(question, distractors=(*question.distractors, f"{gold}0"))
        case.rejects("equals the answer", plant=odd)

    def test_an_answer_to_another_quantity(self, case: Case) -> None:
        question, _ = case.answered()
        quantity, _ = evidence_proof._question_fields(question, case.words)
        piece = case.plant.pieces[question.piece or 0]
        other = next(name for name, _ in case.words.quantities["decimal"] if name not in piece)
        odd = case.with_only(question, text=question.text.replace(quantity, other))
        case.rejects(f"not given as the {other}", plant=odd)

    def test_a_quantity_of_another_sentence(self, case: Case) -> None:
        question, gold = case.answered()
        quantity, _ = evidence_proof._question_fields(question, case.words)
        piece = case.plant.pieces[question.piece or 0]
        elsewhere = {"en": f" So it was {gold}.", "zh": f"就是{gold}。"}[case.code]
        document, plant = case.rewritten(piece, piece.replace(gold, "so") + elsewhere)
        case.rejects(f"not given as the {quantity}", document, plant)

    def test_an_answer_in_another_piece(self, case: Case) -> None:
        question, _ = case.answered()
        odd = case.with_only(question, piece=((question.piece or 0) + 1) % 10)
        case.rejects("not once in piece", plant=odd)

    def test_an_answer_that_is_not_there(self, case: Case) -> None:
        question, _ = case.answered()
        case.rejects(r"98.7654 stands at \[\]", plant=case.with_only(question, gold="98.7654"))

    def test_a_question_in_other_words(self, case: Case) -> None:
        question, _ = case.answered()
        case.rejects(f"not a question by {question.kind}", plant=case.with_only(question, text="How much?"))

    def test_an_absent_question_in_other_words(self, with_absent: Case) -> None:
        absent = with_absent.with_only(with_absent.question("absent"), text="How much?")
        with_absent.rejects("not a question by absent", plant=absent)

    @pytest.mark.parametrize("form", ["Nothing is known of {}.", "{}", "关于{}，一无所知。"])
    def test_what_an_absent_question_asks_about(self, with_absent: Case, form: str) -> None:
        for question in filter(is_absent, with_absent.plant.questions):
            key = evidence_proof._question_fields(question, with_absent.words)[1]
            with_absent.rejects("not nowhere", f"{form.format(key)}\n\n{with_absent.document}")

    def test_a_present_record_asked_for_as_absent(self, with_absent: Case) -> None:
        present = next(question for question in with_absent.plant.questions if not is_absent(question))
        odd = with_absent.with_only(present, kind="absent", piece=None, gold=with_absent.words.not_stated)
        with_absent.rejects("not nowhere", plant=odd)

    def test_an_absent_answer_that_is_a_value(self, with_absent: Case) -> None:
        question = with_absent.question("absent")
        with_absent.rejects("not nowhere", plant=with_absent.with_only(question, gold=question.distractors[0]))

    def test_a_distractor_of_an_absent_question_missing(self, with_absent: Case) -> None:
        question = with_absent.question("absent")
        odd = with_absent.with_only(question, distractors=(*question.distractors, "98.7654"))
        with_absent.rejects("98.7654 is missing", plant=odd)

    @BOTH
    @TEXTS
    @pytest.mark.parametrize("form", ["{}", "({})", "It was {}, once more.", "又是{}。"])
    def test_an_answer_in_letters_elsewhere(self, code: Code, kind: ValueKind, form: str) -> None:
        case = case_of(code, kind)
        _, gold = case.answered()
        case.check()
        case.rejects(f"{gold} stands at", f"{case.document}\n\n{form.format(gold)}")

    @pytest.mark.parametrize(("code", "kind"), [("en", "code"), ("en", "date"), ("zh", "code")])
    @pytest.mark.parametrize(("before", "after"), [("", "th"), ("x", ""), ("", "-7"), ("7/", "")])
    def test_an_answer_in_letters_as_a_part_of_a_word(
        self, code: Code, kind: ValueKind, before: str, after: str
    ) -> None:
        case = case_of(code, kind)
        question, gold = case.answered()
        document, plant = case.rewritten(gold, before + gold + after)
        only = replace(plant, questions=(question,))
        case.rejects(rf"{gold} stands at \[\]", document, only)

    @BOTH
    @TEXTS
    def test_a_distractor_in_letters_that_is_missing_or_equals_the_answer(self, code: Code, kind: ValueKind) -> None:
        case = case_of(code, kind)
        question, gold = case.answered()
        odd = case.with_only(question, distractors=(*question.distractors, gold))
        case.rejects("equals the answer", plant=odd)
        twin = question.distractors[0]
        document, plant = case.rewritten(twin, "nothing")
        case.rejects(f"{twin} is missing", document, replace(plant, questions=(question,)))


def written() -> list[Plant]:
    records = [Records(20), Records(12, 4, values.KINDS, 0.5), Records(values=("name", "date"))]
    return [Request(some, [3, 1, 4, 0], 2 * bool(some.absent)).planted("s", code) for some in records for code in CODES]


def test_another_process_writes_the_same_bytes() -> None:
    assert {*elsewhere(written)} == {ascii(written())}
