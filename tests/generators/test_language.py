"""Words of the languages are complete, have known fields, and do not collide between families of questions."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import combinations, islice, product
from typing import get_args

from kveval.generators import copy, evidence, haystack, multihop, values
from kveval.generators.copy import PassageKind
from kveval.generators.en import names as en_names
from kveval.generators.language import LANGUAGES, Code
from kveval.generators.multihop import AnswerKind
from kveval.generators.names import Syllables
from kveval.generators.proofs import text as proof
from kveval.generators.values import ValueKind
from kveval.generators.zh import names as zh_names

from .documents import BOTH, CODES, fields_of

KINDS_OF_NAMES: dict[Code, tuple[Syllables, ...]] = {"en": en_names.KINDS, "zh": zh_names.KINDS}
MAY_BE_EMPTY = {"between", "records.between", "passages.between", "chains.between", "records.formats.first_names"}
"""Texts that are empty in Chinese: the space, and the first name before the syllables of a name."""
FIELDS_OF_RECORDS = {"ordinal", "name", "supervisor", "site", "material"}


def texts_in(value: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a language with its field, and an empty text for each empty container."""
    if is_dataclass(value):
        for field in fields(value):
            yield from texts_in(getattr(value, field.name), f"{where}.{field.name}".removeprefix("."))
    elif isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping | tuple):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        if not value:
            yield where, ""
        for key, item in items:
            yield from texts_in(item, f"{where}.{key}" if isinstance(key, str) else where)


def invented(kind: Syllables) -> set[str]:
    return {"".join(parts) for parts in product(*kind.parts)}


def test_the_languages() -> None:
    assert {*LANGUAGES} == {"en", "zh"} == {*get_args(Code)}
    assert [LANGUAGES[code].between for code in CODES] == [" ", ""]


@BOTH
def test_every_field_is_filled(code: Code) -> None:
    language = LANGUAGES[code]
    units = {f"records.quantities.{kind}" for kind in values.KINDS if kind != "amount"}
    for where, text in texts_in(language):
        may_be_empty = code == "zh" and where in MAY_BE_EMPTY
        assert text.strip() or may_be_empty or where in units or (where.endswith("between") and text), where
        assert code == "en" or " " not in text or where.startswith(("haystack", "records.formats.dates")), (where, text)
        assert code == "en" or where.startswith(("haystack", "records.formats")) or not re.search(r"[,.;:?!]$", text), (
            text
        )
    for words in (language, language.haystack, language.records, language.passages, language.chains):
        assert all(getattr(words, field.name) is not None for field in fields(words))
    assert language.records.between == language.passages.between == language.chains.between == language.between


@BOTH
def test_every_kind_has_its_words(code: Code) -> None:
    records, passages, chains = LANGUAGES[code].records, LANGUAGES[code].passages, LANGUAGES[code].chains
    assert {*records.quantities} == {*records.stems} == {*records.answers} == {*values.KINDS}
    assert all(len({*names}) >= 3 for names in records.quantities.values())
    assert {*records.formats.masks} == {*values.KINDS} - {"date", "name"}
    assert {*records.measured} == {*records.stated} == {"1", "2", "3"}
    assert {*records.group} == {"name", "ordinal", *records.attributes}
    assert {*records.attributes} == {"supervisor", "site", "material"}
    assert {*passages.questions} == {*get_args(PassageKind)}
    assert {*chains.attributes} == {*chains.answers} == {*get_args(AnswerKind)}
    assert len(chains.relations) >= multihop.MOST_RELATIONS
    assert len(records.materials) >= evidence.MOST_RECORDS
    assert len(records.formats.months) == 12
    assert len(passages.people) >= 3


@BOTH
def test_no_text_stands_twice_among_its_alternatives(code: Code) -> None:
    language = LANGUAGES[code]
    several = {"records.formats.masks.amount"}  # one that is drawn more often
    for where in {where for where, _ in texts_in(language)} - several:
        texts = [text for place, text in texts_in(language) if place == where and text]
        if (
            where.startswith("haystack")
            or where == "passages.columns"
            or where in ("passages.people", "records.quantities.amount")
        ):
            continue
        assert len({*texts}) == len(texts), where


def expected(code: Code) -> Iterator[tuple[str, tuple[str, ...], set[str]]]:
    """Yield names of fields of `Words`, their templates, and the slots that each template must have."""
    records, passages, chains = LANGUAGES[code].records, LANGUAGES[code].passages, LANGUAGES[code].chains
    yield "supervisors", records.supervisors, {"surname"}
    yield "treatments", records.treatments, {"material"}
    yield "ordinal_key", (records.ordinal_key,), {"ordinal"}
    yield "whole", records.whole, FIELDS_OF_RECORDS
    for number in (1, 2, 3):
        slots = {"name", *(f"{letter}{k}" for letter in "qv" for k in range(1, number + 1))}
        yield "measured", records.measured[str(number)], slots
        yield "stated", records.stated[str(number)], slots
    for stems in records.stems.values():
        yield "stems", stems, {"quantity", "group"}
    for ways in records.group.values():
        yield "group", ways, {"key"}
    for answers in (*records.answers.values(), *chains.answers.values()):
        yield "answers", answers, set()
    yield "not_stated", (records.not_stated,), set()
    yield "if_not_stated", records.if_not_stated, {"not_stated"}
    yield "begin and end", (passages.begin, passages.end), {"key"}
    yield "titles", (*passages.titles, *passages.table_titles), {"name"}
    asked: dict[PassageKind, set[str]] = {
        "marked": {"key"},
        "section": {"key"},
        "after": {"key", "count"},
        "rows": {"key", "first", "last"},
    }
    for kind, names in asked.items():
        yield kind, passages.questions[kind], names
    yield "people", passages.people, {"surname"}
    yield "related", chains.relation_facts, {"relation", "one", "other"}
    yield "given", chains.attribute_facts, {"attribute", "one", "value"}
    yield "nested", chains.nested, {"attribute", "whose"}
    yield "whose", (chains.whose, chains.first_step), {"relation", "one"}
    yield "stepwise", chains.stepwise, {"attribute", "steps"}
    yield "next_step", (chains.next_step,), {"relation"}


@BOTH
def test_every_template_has_its_fields_once_each(code: Code) -> None:
    for where, templates, names in expected(code):
        for template in templates:
            assert sorted(fields_of(template)) == sorted(names), (where, template)


@BOTH
def test_halves_of_an_introduction_make_a_whole(code: Code) -> None:
    for first, second in LANGUAGES[code].records.halves:
        for one, other in product(first, second):
            assert sorted(fields_of(one) + fields_of(other)) == sorted([*FIELDS_OF_RECORDS, "name"]), (one, other)
            assert "name" in fields_of(one)
            assert "name" in fields_of(other)
            assert "ordinal" in fields_of(one)


@BOTH
def test_orders_tell_everything_once(code: Code) -> None:
    for order in LANGUAGES[code].records.orders:
        assert sum(int(part) for part in order if part.isdecimal()) == 3
        assert "".join(sorted(part for part in order if not part.isdecimal())) in ("W", "Hh")


@BOTH
def test_dates_have_their_fields(code: Code) -> None:
    for form in LANGUAGES[code].records.formats.dates:
        assert {name.removesuffix("d") for name in fields_of(form)} <= {"day", "month", "year", "d", "m", "mm", "th"}
        assert len({*fields_of(form)} - {"th"}) == 3
    assert all(
        re.fullmatch(r"[#@.,%\-0万亿]+", mask)
        for masks in LANGUAGES[code].records.formats.masks.values()
        for mask in masks
    )


@BOTH
def test_slots_of_passages_are_known(code: Code) -> None:
    words = LANGUAGES[code].passages
    cast = {"who", "surname", "place"}
    drawn = {*words.pools, *words.values(random.Random(0))}
    assert not cast & drawn
    for template in (*words.short, *words.long, *words.closings):
        assert {*fields_of(template)} <= cast | drawn | {"nick", "words"}, template
    for template in words.quotes:
        assert {*fields_of(template)} <= cast | drawn | {"nick"}, template
    used = {
        slot for template in (*words.short, *words.long, *words.closings, *words.quotes) for slot in fields_of(template)
    }
    assert used == cast | drawn | {"nick", "words"}
    for (first, *_), *others in [words.columns]:
        assert fields_of(dict(words.columns)[first]) == ["id"]
        assert all({*fields_of(cell)} <= cast | drawn for _, cell in others)
    assert all(template.endswith((words.stop, words.stop + '"', "?", "”。", "？", "。”")) for template in words.long)


@BOTH
def test_enough_sentences_are_plain_enough_to_be_counted(code: Code) -> None:
    words = LANGUAGES[code].passages
    assert len(copy._without_inner_stops(words.long)) >= len(words.counts) // 2
    assert len({*words.counts}) == len(words.counts)


@BOTH
def test_no_name_of_one_kind_is_one_of_another(code: Code) -> None:
    sets = [invented(kind) for kind in KINDS_OF_NAMES[code]]
    assert len(sets) == 8
    assert all(one.isdisjoint(other) for one, other in combinations(sets, 2))
    language = LANGUAGES[code]
    used = {
        language.records.groups,
        language.records.surnames,
        language.records.sites,
        language.records.formats.surnames,
        language.passages.surnames,
        language.passages.places,
        language.chains.people,
        language.chains.towns,
    }
    assert used == {*KINDS_OF_NAMES[code]}


@BOTH
def test_no_first_name_is_of_two_families(code: Code) -> None:
    language = LANGUAGES[code]
    lists = [
        {name.split()[0] for name in names if "{" not in name.split()[0]}
        for names in (language.records.supervisors, language.passages.people)
    ]
    lists.append({name.strip() for name in language.records.formats.first_names if name})
    assert all(lists) == (code == "en")
    assert all(one.isdisjoint(other) for one, other in combinations(lists, 2))
    names = set().union(*(invented(kind) for kind in KINDS_OF_NAMES[code]))
    assert names.isdisjoint(set().union(*lists))


def test_people_of_different_chinese_families() -> None:
    """Then no short name belongs to a person of another family of questions."""
    kinds = (zh_names.SUPERVISORS, zh_names.OFFICERS, zh_names.PASSAGE_PEOPLE, zh_names.PEOPLE)
    assert all({*one.parts[0]}.isdisjoint(other.parts[0]) for one, other in combinations(kinds, 2))
    assert all({*a}.isdisjoint(b) for kind in zh_names.KINDS for a, b in combinations(kind.parts, 2))
    assert all({*one.parts[2]}.isdisjoint(other.parts[2]) for one, other in combinations(zh_names.KINDS, 2))


@BOTH
def test_no_quantity_material_relation_or_attribute_is_a_part_of_another(code: Code) -> None:
    records, chains = LANGUAGES[code].records, LANGUAGES[code].chains
    asked = [name for kind in records.quantities.values() for name, _ in kind]
    asked += [*chains.relations, *(name for names in chains.attributes.values() for name in names)]
    assert not [(a, b) for a, b in product(asked, repeat=2) if a != b and a in b]
    assert len({*asked}) == len(asked)
    materials = [
        treatment.format(material=material) for treatment in records.treatments for material in records.materials
    ]
    if code == "zh":  # where nothing tells a word from a part of a longer one
        assert not [(a, b) for a in records.materials for b in records.materials if a != b and b.startswith(a)]
    assert len({*materials}) == len(materials)


def drawn_for_records(code: Code, count: int, *kinds: ValueKind) -> Iterator[str]:
    rng, formats = random.Random(0), LANGUAGES[code].records.formats
    for kind in kinds:
        yield from (values.write(values.draw(rng, kind, formats), formats)[0] for _ in range(count))


def drawn_for_passages(code: Code, count: int) -> Iterator[str]:
    """Return all texts with digits in passages, and their markers."""
    rng = random.Random(1)
    draws = LANGUAGES[code].passages.values(rng)
    for draw in draws.values():
        yield from (draw() for _ in range(count))
    yield from islice(copy._markers(rng), 30)


@BOTH
def test_no_number_of_a_passage_is_one_of_a_record(code: Code) -> None:
    of_records = {values.number_of(text) for text in drawn_for_records(code, 10_000, "decimal", "amount", "percent")}
    of_passages = {number for text in drawn_for_passages(code, 10_000) for number, _ in values.numbers_in(text)}
    assert len(of_records) > 5_000
    assert len(of_passages) > 5_000
    assert not of_records & of_passages


@BOTH
def test_no_number_of_a_chain_is_one_of_a_record(code: Code) -> None:
    of_chains = {*islice(multihop._numbers(random.Random(2)), 3_000)}
    for text in drawn_for_records(code, 5_000, "decimal", "amount", "percent", "code"):
        assert not {*re.findall(r"(?=(\d{4}))", text)} & of_chains, text
    numbers = {values.number_of(number) for number in of_chains}
    assert (
        not {
            number
            for text in drawn_for_records(code, 5_000, "decimal", "amount", "percent", "code")
            for number, _ in values.numbers_in(text)
        }
        & numbers
    )
    formats = LANGUAGES[code].records.formats
    assert not {str(year) for year in range(formats.first_year, formats.last_year + 1)} & of_chains


@BOTH
def test_no_number_of_a_passage_is_one_of_a_chain(code: Code) -> None:
    of_chains = {*islice(multihop._numbers(random.Random(2)), 3_000)}
    for text in drawn_for_passages(code, 2_000):
        for number in of_chains.intersection(re.findall(r"(?=(\d{4}))", text)):
            assert not proof.whole_word_positions(number, f"是{text}。"), text


@BOTH
def test_no_code_is_the_id_of_a_passage(code: Code) -> None:
    def shape_of(text: str) -> str:
        return re.sub("[A-Z]", "@", re.sub(r"\d", "#", text))

    shapes = {shape_of(text) for text in drawn_for_records(code, 500, "code")}
    ids = {shape_of(text) for text in drawn_for_passages(code, 500) if re.search("[A-Z]|/", text)}
    assert len(ids) >= 2
    assert not [(one, other) for one, other in product(shapes, ids) if one in other or other in one]


@BOTH
def test_no_date_of_a_passage_is_one_of_a_record(code: Code) -> None:
    rng, formats = random.Random(0), LANGUAGES[code].records.formats
    of_records = {form for _ in range(5_000) for form in values.write(values.draw(rng, "date", formats), formats)}
    draw = LANGUAGES[code].passages.values(rng)["date"]
    of_passages = {draw() for _ in range(5_000)}
    years = {re.search(r"\d{4}", text)[0] for text in of_passages}  # type: ignore[index]
    assert max(map(int, years)) < formats.first_year
    assert of_records.isdisjoint(of_passages)
    assert not any(year in form for year in years for form in islice(of_records, 300))


@BOTH
def test_no_word_of_a_passage_or_chain_is_asked_about_elsewhere(code: Code) -> None:
    """Ordinals, groups, materials and quantities occur only in records; relations and attributes only with people."""
    language = LANGUAGES[code]
    texts = [text for where, text in texts_in(language.passages) if not where.startswith("questions")]
    texts += [*language.chains.relation_facts, *language.chains.attribute_facts]
    ordinals = [language.records.ordinal_key.format(ordinal=language.records.ordinal(k)) for k in range(1, 70)]
    quantities = [name for names in language.records.quantities.values() for name, _ in names]
    asked = [*ordinals, *quantities, language.records.not_stated]
    asked += [name for names in language.chains.attributes.values() for name in names]
    for text in texts:
        assert not [word for word in asked if proof.whole_word_positions(word, text)], text


@BOTH
def test_no_name_comes_up_in_the_words_of_another_family(code: Code) -> None:
    names = set().union(*(invented(kind) for kind in KINDS_OF_NAMES[code]))
    for where, text in texts_in(LANGUAGES[code]):
        if where.startswith("haystack"):
            continue
        words = re.findall(r"\w+", text) if code == "en" else [text[k : k + 3] for k in range(len(text))]
        assert names.isdisjoint(words), (where, text)


@BOTH
def test_prose_has_none_of_the_marks_of_pieces(code: Code) -> None:
    words = LANGUAGES[code].passages
    marks = re.compile(rf"[#|\d\n{re.escape(words.begin[0])}]")
    sentences = islice(haystack.sentences(random.Random(0), LANGUAGES[code].haystack), 5_000)
    assert not [sentence for sentence in sentences if marks.search(sentence)]
