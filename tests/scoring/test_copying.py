"""Copy fidelity: known copies, the span search against brute force, splices, and speed."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from kveval.scoring import CopyScore, copy_fidelity
from kveval.scoring.copying import _nearest_run, words

PASSAGE = 'On 4 May the ferry "Alba" left Oban with 312 crates; Mr. O\'Neil counted them twice.'


def errors(score: CopyScore) -> tuple[int, int, int]:
    return score.substituted, score.inserted, score.dropped


@pytest.mark.parametrize(
    ("output", "preamble", "trailer"),
    [
        (PASSAGE, "", ""),
        (f"  {PASSAGE}\n", "", ""),
        (PASSAGE.replace(" ", "\n"), "", ""),
        (PASSAGE.replace(" ", "\u00a0 "), "", ""),
        (f"Sure, here is the passage:\n\n{PASSAGE}", "Sure, here is the passage:", ""),
        (f"```\n{PASSAGE}\n```\nAnything else?", "```", "```\nAnything else?"),
        (f"```\n{PASSAGE}```", "```", ""),
        (f'"{PASSAGE}"', "", ""),
        (f"“{PASSAGE}” — that is all.", "", "— that is all."),
        (f"**{PASSAGE}**", "", ""),
        (f"Passage: `{PASSAGE}`", "Passage:", ""),
        (f"{PASSAGE} {PASSAGE}", "", PASSAGE),
        (f"> {PASSAGE}", "", ""),
        (">" + PASSAGE.replace(";", ";\n>"), "", ""),
        (f"<text>{PASSAGE}</text>", "<text>", "</text>"),
        (f"{PASSAGE}</s>", "", "</s>"),
        (f"\ufeff{PASSAGE}", "", ""),
        (f'It says: "{PASSAGE}".', "It says:", ""),
        (f'It says: “{PASSAGE}", I think.', "It says:", "I think."),
    ],
)
def test_exact(output: str, preamble: str, trailer: str) -> None:
    score = copy_fidelity(output, PASSAGE)
    assert score == CopyScore(1.0, None, 0, 0, 0, 0, preamble, trailer)
    assert score.exact


@pytest.mark.parametrize(
    ("output", "passage", "counts", "first"),
    [
        ("a b x d", "a b c d", (1, 0, 0), 2),
        ("a b d", "a b c d", (0, 0, 1), 2),
        ("a b x c d", "a b c d", (0, 1, 0), 2),
        ("a b c", "a b c d", (0, 0, 1), 3),  # stopped by the budget
        ("b c d", "a b c d", (0, 0, 1), 0),
        ("x b c d", "a b c d", (1, 0, 0), 0),  # a wrong word, not a dropped one and a preamble
        ("a b c x", "a b c d", (1, 0, 0), 3),
        ("A b c d", "a b c d", (1, 0, 0), 0),  # case counts
        ("a b c, d", "a b c d", (1, 0, 0), 2),  # punctuation counts
        ("a b “c” d", 'a b "c" d', (1, 0, 0), 2),
        ("a b 1,205 d", "a b 1205 d", (1, 0, 0), 2),
        ("", "a b c d", (0, 0, 4), 0),
        ("x y z", "a b c d", (0, 0, 4), 0),
        ("the the the", "the the", (0, 0, 0), None),
        ("cafe\u0301 au lait", "café au lait", (0, 0, 0), None),
        ('a b c d"', "a b c d", (1, 0, 0), 3),  # closed, never opened
        ('"a b c', "a b c d", (0, 0, 1), 3),
        ('"x b c d"', "a b c d", (1, 0, 0), 0),
        ("a b c d.", "a b c d", (1, 0, 0), 3),
        ('"a b c d."', "a b c d", (1, 0, 0), 3),
        ("> a b\n> c d", "> a b\n> c d", (0, 0, 0), None),
        ("a b\nc d", "> a b\n> c d", (0, 0, 2), 0),
        ("a <b> c d", "a b c d", (1, 0, 0), 1),
        ("a < b", "a < b", (0, 0, 0), None),
        ("a b c d", '"a b c d"', (2, 0, 0), 0),  # quotes of the passage itself
        ('""a b c d""', '"a b c d"', (2, 0, 0), 0),
        ('"hello"', "hello", (0, 0, 0), None),
        ("北京大学在北市", "北京大学在北京市", (0, 0, 1), 6),
        ("他说：“北京 大学”", "北京大学", (0, 0, 0), None),
    ],
)
def test_known(output: str, passage: str, counts: tuple[int, int, int], first: int | None) -> None:
    score = copy_fidelity(output, passage)
    assert errors(score) == counts
    assert score.first_error == first
    assert score.similarity == pytest.approx(1 - sum(counts) / len(words(passage)))


def test_words() -> None:
    assert words("A b-c, d.\n\n e") == ["A", "b-c,", "d.", "e"]
    assert words("用GPU跑3次。 好") == ["用", "GPU", "跑", "3", "次", "。", "好"]
    assert words("<p>a<b b</p> x<5>y") == ["<p>", "a<b", "b", "</p>", "x<5>y"]
    assert words("서울 대학") == ["서울", "대학"]
    assert words("\ud800 x") == ["\ud800", "x"]


def test_passage_without_words() -> None:
    assert copy_fidelity("anything", " ").exact


def test_similarity_is_floored_at_zero() -> None:
    assert copy_fidelity("", "a").similarity == 0.0
    assert copy_fidelity("x y z", "a b").similarity == 0.0


def nearest_by_brute_force(wanted: list[str], output: list[str]) -> int:
    """Return the smallest distance of `wanted` to any run of `output`, from the full edit-distance matrix with free ends."""
    column = [0] * (len(output) + 1)
    for i, word in enumerate(wanted, 1):
        above, column = column, [i]
        for j, other in enumerate(output, 1):
            column.append(min(above[j - 1] + (word != other), above[j] + 1, column[j - 1] + 1))
    return min(column)


some_words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@given(some_words, st.lists(st.sampled_from("abcdxy"), max_size=24))
def test_span_is_the_nearest_one(wanted: list[str], output: list[str]) -> None:
    start, end = _nearest_run(wanted, output)
    distance = nearest_by_brute_force(wanted, output)
    assert Levenshtein.distance(wanted, output[start:end]) == distance
    score = copy_fidelity(" ".join(output), " ".join(wanted))
    assert sum(errors(score)) == distance
    assert len(score.preamble.split()) == (start if end else len(output))
    assert len(score.trailer.split()) == (len(output) - end if end else 0)


@given(some_words, st.lists(st.sampled_from("abcdxy"), max_size=24))
def test_no_longer_run_is_as_near_from_the_same_end(wanted: list[str], output: list[str]) -> None:
    start, end = _nearest_run(wanted, output)
    distance = Levenshtein.distance(wanted, output[start:end])
    if 0 < distance < len(wanted):
        assert all(Levenshtein.distance(wanted, output[i:end]) > distance for i in range(start))
        assert end == len(output) or nearest_by_brute_force(wanted, output[: end + 1]) <= distance


@given(some_words, st.integers(0, 11), st.sampled_from("xyz"))
def test_one_error_is_one_error(wanted: list[str], place: int, other: str) -> None:
    place %= len(wanted)
    passage = " ".join(wanted)
    start, end = ["s1", "s2", "s3"], ["e1", "e2", "e3"]  # so that no other run is as near
    replaced = [*start, *wanted[:place], other, *wanted[place + 1 :], *end]
    inserted = [*start, *wanted[:place], other, *wanted[place:], *end]
    framed = " ".join([*start, passage, *end])
    assert errors(copy_fidelity(" ".join(replaced), framed)) == (1, 0, 0)
    assert errors(copy_fidelity(" ".join(inserted), framed)) == (0, 1, 0)
    assert copy_fidelity(" ".join(replaced), framed).first_error == 3 + place


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_copy_of_itself_is_exact_and_nothing_raises(text: str, other: str) -> None:
    assert copy_fidelity(text, text, source=other).similarity == 1.0
    assert copy_fidelity(f"Sure: {text} Done.", text).exact
    score = copy_fidelity(text, other, source=text + other)
    assert 0.0 <= score.similarity <= 1.0
    assert score.exact == (sum(errors(score)) == 0)


DOCUMENT = [f"w{i}" for i in range(400)]


@pytest.mark.parametrize(
    ("copied", "spliced"),
    [
        (DOCUMENT[100:150] + DOCUMENT[200:205] + DOCUMENT[150:200], 1),  # inserted
        (DOCUMENT[100:150] + DOCUMENT[200:204] + DOCUMENT[150:200], 0),  # four words are too few
        (DOCUMENT[100:150] + DOCUMENT[300:350], 1),  # went on elsewhere
        ([*DOCUMENT[100:150], "x1", "x2", "x3", "x4", "x5", "x6", *DOCUMENT[150:200]], 0),  # stands nowhere
        (DOCUMENT[100:150] + DOCUMENT[145:150] + DOCUMENT[150:200], 0),  # stands in the passage only
        (DOCUMENT[100:120] + DOCUMENT[10:16] + DOCUMENT[120:150] + DOCUMENT[300:310] + DOCUMENT[150:200], 2),
        (
            DOCUMENT[100:150] + DOCUMENT[300:310] + ["x"] + DOCUMENT[311:320] + DOCUMENT[150:200],
            1,
        ),  # one, with an error
        (DOCUMENT[100:200], 0),
    ],
)
def test_splices(copied: list[str], spliced: int) -> None:
    passage, document = " ".join(DOCUMENT[100:200]), " ".join(DOCUMENT)
    assert copy_fidelity(" ".join(copied), passage, document).spliced == spliced
    assert copy_fidelity(" ".join(copied), passage).spliced == 0


def test_a_chance_match_does_not_split_a_splice() -> None:
    document = DOCUMENT[:]
    document[305] = "w155"
    copied = document[100:150] + document[300:311] + document[161:200]
    assert copy_fidelity(" ".join(copied), " ".join(document[100:200]), " ".join(document)).spliced == 1


def test_characters_are_counted_in_scripts_without_spaces() -> None:
    document = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地玄黄宇宙洪荒日月盈昃辰宿列张"
    score = copy_fidelity(f"{document[:8]}{document[22:28]}{document[8:20]}", document[:20], document)
    assert (score.inserted, score.spliced, score.first_error) == (6, 1, 8)


def test_speed() -> None:
    rng = random.Random(0)
    vocabulary = [f"word{i}" for i in range(3000)]
    document = rng.choices(vocabulary, k=24_000)
    passage = document[1000:1512]
    wrong = [*passage[:100], "x", *passage[101:], *document[5000:5190]]
    outputs = {"near": (" ".join(wrong), 40, 0.5), "garbage": (" ".join(rng.choices(vocabulary, k=20_000)), 2, 4.0)}
    for kind, (output, times, limit) in outputs.items():
        started = time.process_time()
        for _ in range(times):
            copy_fidelity(output, " ".join(passage), " ".join(document))
        assert time.process_time() - started < limit, kind  # 0.06 s and 0.05 s here


@pytest.mark.parametrize("piece", ["a ", "a", "中", "\u0300\u0316", "\ud800 ", "x", "\n", "<a", "> "])
def test_large_outputs_take_linear_time(piece: str) -> None:
    started = time.process_time()
    copy_fidelity(piece * (200_000 // len(piece)), "a b c d " * 100, "a b c d " * 1000)
    assert time.process_time() - started < 5
