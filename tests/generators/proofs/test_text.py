"""Search for a text as a whole word, and as a part of a longer one."""

import pytest

from kveval.generators.proofs import text as proof


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("0.73", "0.73"),
        ("0.73", "It was 0.73."),
        ("0.73", "(0.73)"),
        ("0.73", "0.73, 0.8"),
        ("0.73", "“0.73”"),
        ("0.73", "为0.73，"),
        ("0.73", "定在0.73。"),
        ("0.73", "是0.73元"),
        ("0.73", "——0.73——"),
        ("7.3%", "came to 7.3%, then"),
        ("4837", "It was 4837."),
        ("4837", "4837, 12, 5"),
        ("4837", "12, 4837"),
        ("4837", "是12，4837"),
        ("Veltrane", "1.Veltrane,2"),
        ("7.3%", "为7.3%的"),
        ("12.34万", "是12.34万元"),
        ("王建强", "安全员王建强登记"),
        ("王建强", "第3王建强4"),
        ("Veltrane", "The Veltrane group"),
        ("Veltrane", "\nVeltrane's\n"),
        ("first group", "the first group."),
        ("第三组", "由第三组带队"),
        ("B12-345C", "B12-345C;"),
        ("B12-345C", "代号是B12-345C，"),
        ("3 May 1950", "on 3 May 1950, at"),
    ],
)
def test_whole_word(text: str, document: str) -> None:
    place = document.index(text)
    assert proof.is_whole_word(document, place, len(text))
    assert proof.whole_word_positions(text, document) == [place]


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("0.73", "-0.73"),
        ("0.73", "0.73%"),
        ("0.73", "0.73万"),
        ("0.73", "0.73亿元"),
        ("0.73", "为0.73万。"),
        ("3", "3十"),
        ("3", "3百"),
        ("3", "3千"),
        ("0.73", "10.73"),
        ("0.73", "1.0.73"),
        ("0.73", "0.73.1"),
        ("4837", "24.4837"),
        ("4837", "12,4837"),
        ("4837", "4837,123"),
        ("4837", "4837.5"),
        ("0.73", "0.735"),
        ("0.73", "x0.73"),
        ("0.73", "0.73th"),
        ("0.73", "0.73-fold"),
        ("0.73", "v/0.73"),
        ("0.73", "0.73_"),
        ("Veltrane", "Veltranes"),
        ("Veltrane", "non-Veltrane"),
        ("Veltrane", "Veltrane-like"),
        ("Veltrane", "Veltraneé"),
        ("first group", "the twenty-first group"),
        ("first group", "the first groups"),
        ("3 May 1950", "13 May 1950"),
        ("3 May 1950", "3 May 19501"),
        ("B12-345C", "B12-345CK"),
        ("B12-345C", "KB12-345C"),
        ("B12-345C", "B12-345C/2"),
        ("7.3%", "27.3%"),
    ],
)
def test_a_part_of_a_longer_word(text: str, document: str) -> None:
    assert not proof.is_whole_word(document, document.index(text), len(text))
    assert proof.whole_word_positions(text, document) == []


def test_only_whole_words_among_many() -> None:
    document = "7.3, 17.3, -7.3, 7.3%, 7.3万, 为7.3。"
    assert proof.whole_word_positions("7.3", document) == [0, document.rindex("7.3")]


def test_occurrences_may_overlap() -> None:
    assert list(proof.occurrences("aa", "aaa b aa")) == [0, 1, 6]
    assert list(proof.occurrences("c", "aaa b aa")) == []


def test_spans_of_pieces() -> None:
    assert list(proof.spans(["one", "three"], "one two three")) == [range(3), range(8, 13)]
    assert list(proof.spans([], "one two three")) == []


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        (["three", "one"], "piece 1 stands before piece 0"),
        (["one", "four"], "piece 1 stands in the document 0 times"),
        (["two"], "piece 0 stands in the document 2 times"),
        (["one two", "two three"], "piece 1 stands before piece 0"),
    ],
)
def test_pieces_must_occur_once_and_in_order(pieces: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        list(proof.spans(pieces, "one two three, two"))
