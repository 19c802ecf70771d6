"""English filler prose consists of well-formed sentences without words of questions."""

import re
from itertools import product

import pytest
from hypothesis import given, settings

from kveval.generators.en import chains, haystack, names, records

from ..test_haystack import SEEDS, first_sentences, vocabulary

ASKED = r"supervis|passage|section|paragraph|heading|title|\bmarke[dr]|verbatim|document|number|value"
"""Parts of words in keys of records and passages."""
KIN = r"\b(debtor|neighbou?r|tenant|partner|licen[cs]e|member|account|street|locker)"
"""Parts of words for relations and attributes of people."""


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", text)


@given(SEEDS)
@settings(max_examples=20)
def test_sentences_are_sentences(seed: int) -> None:
    for sentence in first_sentences(seed, haystack.HAYSTACK, 500):
        assert re.fullmatch(r"[A-Z][a-z' ,;-]*[a-z]\.", sentence), sentence
        assert 5 <= len(sentence.split()) <= 55, sentence
        assert not re.search(r"[,;] ?[,;]|  | ,", sentence), sentence


@given(SEEDS)
@settings(max_examples=20)
def test_no_conspicuous_word_occurs_twice_in_a_sentence(seed: int) -> None:
    for sentence in first_sentences(seed, haystack.HAYSTACK, 500):
        long = [word for word in words_of(sentence.lower()) if len(word) > 4]
        assert len(set(long)) == len(long), sentence


def test_words_of_questions_never_occur() -> None:
    asked = {"group", "groups", *records.RECORDS.materials, *chains.CHAINS.relations}
    ordinals = {records.RECORDS.ordinal(number) for number in range(1, 100)}
    invented = {"".join(parts).lower() for kind in names.KINDS for parts in product(*kind.parts)}
    phrases = [name for kind in records.RECORDS.quantities.values() for name, _ in kind]
    phrases += [name for kind in chains.CHAINS.attributes.values() for name in kind]
    quantities = re.compile(rf"\b({'|'.join(map(re.escape, phrases))})\b")
    taken = asked | ordinals | invented
    for text in {text.lower() for text in vocabulary(haystack.HAYSTACK)}:
        assert not re.search(r"[0-9]", text), text
        assert not re.search(rf"{ASKED}|{KIN}", text), text
        assert not quantities.search(text), text
        assert not taken.intersection(words_of(text)), text


def test_no_proper_names() -> None:
    for text in vocabulary(haystack.HAYSTACK):
        assert not re.search(r"[A-Z]", text[1:]), text


def test_articles_agree() -> None:
    for text in vocabulary(haystack.HAYSTACK):
        assert not re.search(r"\ba [aeiou]|\ban (?!hour)[^aeiou]", text, re.IGNORECASE), text


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
