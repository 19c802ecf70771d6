"""Chains of facts: one answer each, several facts away, with every wrong turn leading to a value of the same kind.

What the facts and questions say is read here without the module under test.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kveval.generators import multihop
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.multihop import AnswerKind, Chains, Words
from kveval.generators.parts import Plant, Question
from kveval.generators.proofs import multihop as multihop_proof

from .documents import BOTH, CODES, SEEDS, document_of, elsewhere

WORDS: dict[Code, Words] = {code: LANGUAGES[code].chains for code in CODES}
NAME: dict[Code, str] = {"en": "[A-Z][a-z]+", "zh": "[\u4e00-\u9fff]{3}"}
HOPS = st.lists(st.sampled_from([2, 3, 4]), min_size=1, max_size=3, unique=True).map(tuple)
ANSWERS = st.lists(st.sampled_from(get_args(AnswerKind)), min_size=1, unique=True).map(tuple)

Facts = Mapping[tuple[str, str], str]
"""Person or value, by person and relation or attribute."""


class Asked(NamedTuple):
    """Parsed question."""

    start: str
    path: list[str]
    attribute: str


def either(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


def attributes_of(words: Words) -> tuple[str, ...]:
    return (*words.attributes["number"], *words.attributes["name"])


def parse_fact(piece: str, code: Code) -> tuple[str, str, str]:
    """Parse a fact into its person, its relation or attribute, and the person or value that it states."""
    words = WORDS[code]
    fields = {
        "relation": f"(?P<what>{either(words.relations)})",
        "attribute": f"(?P<what>{either(attributes_of(words))})",
        "one": f"(?P<one>{NAME[code]})",
        "other": f"(?P<stated>{NAME[code]})",
        "value": rf"(?P<stated>{NAME[code]}|\d{{4}})",
    }
    found = set()
    for template in (*words.relation_facts, *words.attribute_facts):
        pattern = re.escape(template)
        for field, what in fields.items():
            pattern = pattern.replace(rf"\{{{field}\}}", what)
        if match := re.fullmatch(pattern, piece):
            found.add((match["one"], match["what"], match["stated"]))
    assert len(found) == 1, piece
    return found.pop()


def facts_of(plant: Plant, code: Code) -> Facts:
    parsed_facts = [parse_fact(piece, code) for piece in plant.pieces]
    facts = {(one, what): stated for one, what, stated in parsed_facts}
    assert len(facts) == len(parsed_facts)
    return facts


def people_of(facts: Facts) -> list[str]:
    return list(dict.fromkeys(one for one, _ in facts))


def asked_by(question: Question, facts: Facts, code: Code) -> Asked:
    words = WORDS[code]
    (start,) = (one for one in people_of(facts) if one in question.text)
    (attribute,) = (name for name in attributes_of(words) if name in question.text)
    path = re.findall(either(words.relations), question.text)
    # English counts back from the end, unless it tells how to find the way.
    return Asked(start, path if code == "zh" or question.text.startswith("Find") else path[::-1], attribute)


def followed(start: str, path: tuple[str, ...] | list[str], facts: Facts) -> list[str]:
    """Return the people on the path, including both ends."""
    met = [start]
    for relation in path:
        met.append(facts[met[-1], relation])
    return met


@dataclass(frozen=True)
class Request:
    """Arguments of `plant`."""

    chains: Chains
    places: list[int]
    index: int = 0

    def planted(self, seed: object, code: Code) -> Plant:
        rng = random.Random(str(seed))
        return multihop.plant(rng, WORDS[code], self.chains, places=self.places, index=self.index)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    chains = Chains(draw(st.integers(6, 40)), draw(st.integers(1, 3)), draw(HOPS), draw(ANSWERS))
    places = draw(st.lists(st.integers(0, chains.facts - 1), unique=True, max_size=min(chains.people, 8)))
    return Request(chains, places, draw(st.integers(0, 50)))


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_every_question_has_one_answer(code: Code, seed: int, request: Request) -> None:
    plant, words = request.planted(seed, code), WORDS[code]
    facts = facts_of(plant, code)
    document = document_of(code, plant, seed=seed)
    multihop_proof.check(plant, document, words)
    assert plant.inline
    assert len(plant.questions) == len({question.gold for question in plant.questions}) == len(request.places)
    for question in plant.questions:
        start, path, attribute = asked_by(question, facts, code)
        *before, end = followed(start, path, facts)
        assert facts[end, attribute] == question.gold
        assert len({*before, end}) == len(path) + 1
        assert question.kind == f"{len(path) + 1} hops"
        assert len(path) + 1 in request.chains.hops
        assert question.accepted == ()
        assert document.count(question.gold) == 1


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_no_sentence_answers_a_question_alone(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    document = document_of(code, plant, seed=seed)
    facts = facts_of(plant, code)
    for question in plant.questions:
        start, _, _ = asked_by(question, facts, code)
        for sentence in re.split(r"(?<=\.) |(?<=。)|\n\n", document):
            assert not (question.gold in sentence and start in sentence), sentence


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_everybody_stands_in_every_relation_and_has_everything(code: Code, seed: int, request: Request) -> None:
    chains, words = request.chains, WORDS[code]
    plant = request.planted(seed, code)
    facts = facts_of(plant, code)
    assert len(plant.pieces) == len({*plant.pieces}) == len(facts) == chains.facts
    people = people_of(facts)
    whats = {what for _, what in facts}
    relations, attributes = whats & {*words.relations}, whats & {*attributes_of(words)}
    assert (len(people), len(relations), len(attributes)) == (chains.people, chains.relations, len(chains.answers))
    assert {*facts} == set(product(people, whats))
    # The chains cross: a name stands in a fact of its own and one of somebody else for each relation.
    for relation in relations:
        assert sorted(facts[one, relation] for one in people) == sorted(people)
        assert all(facts[one, relation] != one for one in people)
        assert len(set(followed(people[0], [relation] * (chains.people - 1), facts))) == chains.people
    for one in people:
        assert len({facts[one, relation] for relation in relations}) == chains.relations
        assert sum(one in piece for piece in plant.pieces) == 2 * chains.relations + len(chains.answers)
    values = [facts[one, attribute] for attribute in attributes for one in people]
    assert len({*values}) == len(values)
    assert not {*values} & {*people}
    for kind, names in words.attributes.items():
        of_kind = attributes & {*names}
        assert len(of_kind) == (kind in chains.answers)
        for attribute in of_kind:
            assert all(re.fullmatch("[2-8][1-9]{3}", facts[one, attribute]) or kind == "name" for one in people)
            assert all(facts[one, attribute].isdecimal() == (kind == "number") for one in people)


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_distractors_are_where_wrong_turns_lead(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    facts = facts_of(plant, code)
    relations = sorted({what for _, what in facts} & {*WORDS[code].relations})
    for question in plant.questions:
        start, path, attribute = asked_by(question, facts, code)
        distractors = question.distractors
        assert len({*distractors}) == len(distractors)
        assert {*distractors} == {facts[one, attribute] for one in people_of(facts)} - {question.gold}
        early = [facts[one, attribute] for one in followed(start, path, facts)[:-1]]
        wrong = {facts[followed(start, way, facts)[-1], attribute] for way in product(relations, repeat=len(path))}
        assert list(distractors[: len(early)]) == early
        rest = {*distractors[: len(early) + len(wrong)]}
        assert rest >= wrong - {question.gold}


@BOTH
@given(seed=SEEDS, request=requests())
@settings(max_examples=40)
def test_answers_stand_where_they_are_to_stand(code: Code, seed: int, request: Request) -> None:
    plant = request.planted(seed, code)
    assert [question.piece for question in plant.questions] == request.places
    for question in plant.questions:
        assert question.piece is not None
        assert parse_fact(plant.pieces[question.piece], code)[2] == question.gold
        assert question.answer_type == ("number" if question.gold.isdecimal() else "text")


@BOTH
@given(seed=SEEDS, hops=HOPS, answers=ANSWERS)
@settings(max_examples=15)
def test_hops_and_kinds_of_answers_take_turns_over_a_series(
    code: Code, seed: int, hops: tuple[int, ...], answers: tuple[AnswerKind, ...]
) -> None:
    chains, asked = Chains(hops=hops, answers=answers), []
    for index in range(6):
        plant = Request(chains, [5, 0, 17, 2], index).planted(f"{seed}/{index}", code)
        asked += [(question.kind, question.gold.isdecimal()) for question in plant.questions]
    assert [kind for kind, _ in asked] == [f"{hops[k % len(hops)]} hops" for k in range(24)]
    turns = Counter(asked)
    assert len(turns) == len(hops) * len(answers)
    assert set(turns.values()) == {24 // len(turns)}


@BOTH
def test_ways_differ_where_there_are_several_relations(code: Code) -> None:
    paths: Counter[int] = Counter()
    starts = set()
    for seed in range(60):
        plant = Request(Chains(hops=(3,)), [0, 1, 2, 3]).planted(seed, code)
        facts = facts_of(plant, code)
        for question in plant.questions:
            start, path, _ = asked_by(question, facts, code)
            paths[len({*path})] += 1
            starts.add(people_of(facts).index(start))
    assert min(paths[1], paths[2]) > 50
    assert len(starts) > 5


@BOTH
def test_wording_varies(code: Code) -> None:
    words = WORDS[code]
    plants = [Request(Chains(), [0, 1, 2, 3]).planted(seed, code) for seed in range(100)]
    names = re.compile(rf"{either(words.relations)}|{either(attributes_of(words))}")
    parsed_facts: Counter[str] = Counter()
    for piece in (piece for plant in plants for piece in plant.pieces):
        one, _, stated = parse_fact(piece, code)
        parsed_facts[names.sub("R", piece.replace(one, "A").replace(stated, "B"))] += 1
    assert len(parsed_facts) > 10
    assert max(parsed_facts.values()) < 0.2 * parsed_facts.total()
    asked = Counter(
        "step" if re.search("Find|先找到", question.text) else "nested"
        for plant in plants
        for question in plant.questions
    )
    assert min(asked["step"], asked["nested"]) > 80
    singles = [question.text for plant in plants for question in plant.questions if question.kind == "2 hops"]
    assert not any(re.search("Find|先找到", text) for text in singles)  # one step is parsed_facts at once


PLACES = {"en": ("Jorabaric", "Belossa", "Kikelby"), "zh": ("唐晓帆", "秦思洋", "安柳镇")}


@BOTH
def test_a_fact_is_read_back_from_any_wording(code: Code) -> None:
    words = WORDS[code]
    one, other, town = PLACES[code]
    for text, relation in product(words.relation_facts, words.relations):
        piece = text.format(one=one, other=other, relation=relation)
        assert multihop_proof._read_fact(piece, words) == (relation, one, other)
        assert parse_fact(piece, code) == (one, relation, other)
    for text, kind in product(words.attribute_facts, words.attributes):
        for attribute, value in product(words.attributes[kind], ("4837", town)):
            piece = text.format(one=one, value=value, attribute=attribute)
            assert multihop_proof._read_fact(piece, words) == (attribute, one, value)
            assert parse_fact(piece, code) == (one, attribute, value)


@BOTH
def test_a_question_is_read_back_from_any_wording(code: Code) -> None:
    words, start = WORDS[code], PLACES[code][0]
    ways = [path for steps in (1, 2, 3) for path in product(words.relations[:4], repeat=steps)]
    read: Counter[str] = Counter()
    for seed, (path, attribute) in enumerate(product(ways, attributes_of(words))):
        query = multihop.Query(start, path, attribute)
        text = multihop._ask(random.Random(seed), words, query)
        answer = words.answers["name"][seed % len(words.answers["name"])]
        assert multihop_proof._read_question(text + words.between + answer, words) == query
        question = Question(text, "", "text", "", None)
        assert asked_by(question, {(start, attribute): ""}, code) == (start, [*path], attribute)
        read[re.sub(rf"{start}|{either(words.relations)}|{either(attributes_of(words))}", "", text)] += 1
    templates = 3 * len(words.nested) + 2 * len(words.stepwise)
    assert len(read) == templates


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "What was the locker number of the doctor of the landlord of Belossa?"),
        (
            "en",
            "Find the landlord of Belossa, then the doctor of that person. What was the locker number of that person?",
        ),
        ("zh", "秦思洋的房东的医生的柜号是什么？"),
        ("zh", "先找到秦思洋的房东，再找到这个人的医生。最后这个人的柜号是什么？"),
    ],
)
def test_the_order_in_which_relations_are_followed(code: Code, text: str) -> None:
    relations = {"en": ("landlord", "doctor"), "zh": ("房东", "医生")}[code]
    attribute = {"en": "locker number", "zh": "柜号"}[code]
    query = multihop.Query(PLACES[code][1], relations, attribute)
    assert multihop_proof._read_question(text, WORDS[code]) == query
    asked = {multihop._ask(random.Random(seed), WORDS[code], query) for seed in range(60)}
    assert text in asked


@pytest.mark.parametrize(
    "arguments",
    [
        {"people": 5},
        {"people": 41},
        {"relations": 0},
        {"relations": 4},
        {"hops": ()},
        {"hops": (1, 2)},
        {"hops": (4, 5)},
        {"answers": ()},
        {"answers": ("name", "name")},
    ],
)
def test_chains_that_cannot_be(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        Chains(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([1, 1], "different"),
        ([40], "below 40"),
        ([-1], "below 40"),
        ([*range(11)], "10 people .* not 11"),
    ],
)
def test_impossible_requests(places: list[int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Request(Chains(), places).planted(0, "en")


@BOTH
@pytest.mark.parametrize(("people", "relations"), [(6, 3), (6, 1), (40, 3), (10, 2)])
def test_everybody_can_be_asked_about(code: Code, people: int, relations: int) -> None:
    chains = Chains(people, relations, (4,))
    assert chains.facts == people * (relations + 2)
    assert chains.most_questions == people
    plant = Request(chains, [*range(people)]).planted(0, code)
    multihop_proof.check(plant, document_of(code, plant), WORDS[code])


@dataclass(frozen=True)
class Case:
    """Plant in a valid document, with one question to inject a fault into."""

    code: Code
    plant: Plant
    document: str

    @property
    def question(self) -> Question:
        return self.plant.questions[0]

    @property
    def piece(self) -> int:
        assert self.question.piece is not None
        return self.question.piece

    @property
    def facts(self) -> Facts:
        return facts_of(self.plant, self.code)

    @property
    def query(self) -> Asked:
        return asked_by(self.question, self.facts, self.code)

    @property
    def met(self) -> list[str]:
        return followed(self.query.start, self.query.path, self.facts)

    def number_of(self, one: str, what: str) -> int:
        """Return the index of a fact."""
        return next(k for k, piece in enumerate(self.plant.pieces) if parse_fact(piece, self.code)[:2] == (one, what))

    def changed(self, **changes: object) -> Plant:
        """Return the plant with only its question, changed."""
        return replace(self.plant, questions=(replace(self.question, **changes),))  # type: ignore[arg-type]

    def rejects(self, reason: str, document: str | None = None, plant: Plant | None = None) -> None:
        with pytest.raises(ValueError, match=reason):
            multihop_proof.check(plant or self.plant, self.document if document is None else document, WORDS[self.code])

    def retold(self, number: int, piece: str) -> tuple[str, Plant]:
        """Return the document and the plant with one fact replaced."""
        pieces = (*self.plant.pieces[:number], piece, *self.plant.pieces[number + 1 :])
        return self.document.replace(self.plant.pieces[number], piece), replace(self.plant, pieces=pieces)


def cases() -> Iterator[Case]:
    for code, answers in product(CODES, get_args(AnswerKind)):
        plant = Request(Chains(hops=(3, 4), answers=(answers,)), [12, 3, 20]).planted(1, code)
        yield Case(code, plant, document_of(code, plant))


class TestCheckNotices:
    """The check rejects each single fault."""

    @pytest.fixture(params=cases(), ids=lambda case: f"{case.code}-{case.question.answer_type}")
    def case(self, request: pytest.FixtureRequest) -> Case:
        return request.param

    def test_nothing_in_a_sound_document(self, case: Case) -> None:
        multihop_proof.check(case.plant, case.document, WORDS[case.code])
        multihop_proof.check(Plant((), (), inline=True), "", WORDS[case.code])

    def test_a_fact_missing_from_the_document(self, case: Case) -> None:
        document = case.document.replace(case.plant.pieces[7], "")
        case.rejects("piece 7 stands in the document 0 times", document)

    def test_a_fact_twice(self, case: Case) -> None:
        case.rejects("piece 7 stands in the document 2 times", f"{case.document}\n\n{case.plant.pieces[7]}")

    def test_facts_out_of_order(self, case: Case) -> None:
        first, second = case.plant.pieces[:2]
        document = case.document.replace(first, "!").replace(second, first).replace("!", second)
        case.rejects("piece 1 stands before piece 0", document)

    @pytest.mark.parametrize("step", [0, 1, -1])
    def test_a_fact_of_the_chain_that_nobody_tells(self, case: Case, step: int) -> None:
        steps = [*zip(case.met, [*case.query.path, case.query.attribute], strict=True)]
        one, what = steps[step]
        pieces = list(case.plant.pieces)
        del pieces[case.number_of(one, what)]
        plant = Plant(tuple(pieces), (case.question,), inline=True)
        case.rejects(f"the {what} of {one} is not stated", document_of(case.code, plant), plant)

    def test_a_fact_contradicted(self, case: Case) -> None:
        start, (relation, *_), _ = case.query
        other = next(one for one in people_of(case.facts) if one not in (start, case.facts[start, relation]))
        text = WORDS[case.code].relation_facts[0].format(one=start, other=other, relation=relation)
        plant = replace(case.plant, pieces=(*case.plant.pieces, text))
        case.rejects(f"the {relation} of {start} is stated twice", document_of(case.code, plant), plant)
        case.rejects(f"{start} is named outside of the facts", f"{case.document} {text}")

    def test_a_fact_that_leads_elsewhere(self, case: Case) -> None:
        start, (relation, *_), _ = case.query
        right = case.facts[start, relation]
        for other in people_of(case.facts):
            if other not in (start, right):
                number = case.number_of(start, relation)
                document, plant = case.retold(number, case.plant.pieces[number].replace(right, other))
                case.rejects("its chain ends at|its chain is", document, replace(plant, questions=(case.question,)))

    def test_a_fact_in_other_words(self, case: Case) -> None:
        number = case.number_of(case.query.start, case.query.path[0])
        document, plant = case.retold(number, "All of this is true.")
        case.rejects("can be read in 0 ways", document, plant)

    def test_a_fact_that_can_be_read_in_two_ways(self, case: Case) -> None:
        words = WORDS[case.code]
        turned = tuple(
            text.replace("{one}", "{}").replace("{other}", "{one}").replace("{}", "{other}")
            for text in words.relation_facts
        )
        ambiguous = replace(words, relation_facts=(*words.relation_facts, *turned))
        with pytest.raises(ValueError, match="can be read in 2 ways"):
            multihop_proof.check(case.plant, case.document, ambiguous)

    @pytest.mark.parametrize("form", ["{}", "({})", "It was {}, once more.", "又是{}。"])
    def test_the_answer_elsewhere(self, case: Case, form: str) -> None:
        document = f"{case.document}\n\n{form.format(case.question.gold)}"
        case.rejects(f"{case.question.gold} stands at", document)

    def test_the_answer_as_a_part_of_a_word(self, case: Case) -> None:
        gold, text = case.question.gold, case.plant.pieces[case.piece]
        for form in ("{}x", "x{}") if gold.isdecimal() or case.code == "en" else ():
            odd = form.format(gold)
            document, plant = case.retold(case.piece, text.replace(gold, odd))
            case.rejects(f"its chain ends at {odd}", document, replace(plant, questions=(case.question,)))
        if gold.isdecimal():
            multihop_proof.check(case.plant, f"{case.document} {gold}1, 1{gold}, {gold}万, -{gold}", WORDS[case.code])

    @pytest.mark.parametrize("more", [-1, 1])
    def test_a_wrong_number_of_hops(self, case: Case, more: int) -> None:
        hops = int(case.question.kind.split()[0])
        plant = case.changed(kind=f"{hops + more} hops")
        case.rejects(f"its chain is .*, not one of {hops + more} hops", plant=plant)

    def test_a_chain_that_comes_back_to_where_it_was(self, case: Case) -> None:
        start, (relation, *more), _ = case.query
        number = case.number_of(case.facts[start, relation], more[0])
        right = parse_fact(case.plant.pieces[number], case.code)[2]
        document, plant = case.retold(number, case.plant.pieces[number].replace(right, start))
        case.rejects("its chain is", document, replace(plant, questions=(case.question,)))

    def test_another_answer(self, case: Case) -> None:
        for distractor in case.question.distractors:
            case.rejects(f"its chain ends at {case.question.gold} in piece", plant=case.changed(gold=distractor))

    def test_an_answer_in_another_piece(self, case: Case) -> None:
        case.rejects(
            f"its chain ends at .*, not at .* in piece {case.piece + 1}", plant=case.changed(piece=case.piece + 1)
        )

    def test_a_sentence_that_answers_alone(self, case: Case) -> None:
        # Somebody is to be named together with the answer: one whose name is a part of the last one's.
        start, end = case.query.start, case.met[-1]
        part = end[:2]
        plant = Plant(
            tuple(piece.replace(start, part) for piece in case.plant.pieces),
            (replace(case.question, text=case.question.text.replace(start, part)),),
            inline=True,
        )
        case.rejects("answers it alone", document_of(case.code, plant), plant)

    def test_somebody_named_outside_of_the_facts(self, case: Case) -> None:
        for one in case.met:
            for text in ("{} came late.", "Late came {}", "来的是{}。"):
                document = f"{text.format(one)}\n\n{case.document}"
                case.rejects(f"{one} is named outside of the facts", document, case.changed())

    def test_a_name_as_a_part_of_a_word_is_another_word(self, case: Case) -> None:
        if case.code == "en":
            multihop_proof.check(case.plant, f"{case.met[0]}s, non-{case.met[1]}.\n\n{case.document}", WORDS["en"])

    def test_a_distractor_missing(self, case: Case) -> None:
        plant = case.changed(distractors=(*case.question.distractors, "9876"))
        case.rejects("distractor 9876 .*missing", plant=plant)

    def test_a_distractor_that_equals_the_answer(self, case: Case) -> None:
        gold = case.question.gold
        case.rejects(f"distractor {gold} equals the answer", plant=case.changed(distractors=(gold,)))

    def test_a_question_in_other_words(self, case: Case) -> None:
        case.rejects("not a question on a chain", plant=case.changed(text="Who was it?"))

    def test_a_question_on_somebody_else(self, case: Case) -> None:
        start = case.query.start
        for other in people_of(case.facts):
            if other != start:
                plant = case.changed(text=case.question.text.replace(start, other))
                case.rejects("its chain ends at|its chain is", plant=plant)

    def test_a_question_on_a_stranger(self, case: Case) -> None:
        stranger = "".join(part[0] for part in WORDS[case.code].people.parts)
        assert stranger not in people_of(case.facts)
        plant = case.changed(text=case.question.text.replace(case.query.start, stranger))
        case.rejects(f"of {stranger} is not stated", plant=plant)


def written() -> list[Plant]:
    chains = [Chains(), Chains(40, 3), Chains(6, 1, (4,), ("name",))]
    return [Request(some, [3, 1, 11, 0]).planted("s", code) for some in chains for code in CODES]


def test_another_process_writes_the_same_bytes() -> None:
    assert {*elsewhere(written)} == {ascii(written())}
