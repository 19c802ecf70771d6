"""Text answers: the cases of text.jsonl, similar ones, distractors, and changes that must not affect the score."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kveval.scoring import text_match

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "cases/text.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case.get('why', '')}".strip())
def test_case(case: dict[str, Any]) -> None:
    score = text_match(case["output"], case["gold"], case.get("distractors", ()))
    assert score.value == case["expect"], case.get("why")


def test_all_cases_are_here() -> None:
    assert len(CASES) == 16
    assert {case["expect"] for case in CASES} == {0, 1}


@pytest.mark.parametrize(
    ("gold", "output"),
    [
        ("Oslo", "in OSLO-based firms"),
        ("Oslo", "(oslo)"),
        ("Oslo", "**Oslo**"),
        ("Oslo", "__Oslo__"),
        ("Oslo", "<b>Oslo</b>"),
        ("Oslo", "$\\text{Oslo}$"),
        ("Oslo", "Oslo's harbour"),
        ("Oslo", "\ud800Oslo\udfff"),
        ("Oslo", "Os\u200blo"),
        ("walk the pier", "walk **the** pier"),
        ("walk the pier", "walk\u00a0the\n  pier"),
        ("C++", "I use C++."),
        ("C#", "C#, mostly"),
        ("don't", "I don’t"),
        ("O’Brien", "o'brien"),
        ('the "Hi" sign', "the “Hi” sign"),
        ("Zürich", "Z&uuml;rich"),
        ("Straße", "STRASSE"),
        ("ＮＡＳＡ", "nasa"),
        ("ﬁle", "file"),
        ("SHP-2024-001", "SHP‑2024‑001."),
        ("SHP-2024-001", "see (SHP-2024-001)"),
        ("12", "the 12-month plan"),
        ("12", "12."),
        ("A", "**A**"),
        ("A", "(A)."),
        ("京", "京。"),
        ("大学", "北京大学附属"),
        ("Oslo", "答案是Oslo吗"),
        ("서울", "서울에서"),
        ("split_data", "_split_data_"),
        ("__init__", "__init__"),
        ("北京🤗", "是北京🤗。"),
        ("A", "A"),
        ("A", "- A"),
        ("A", "A。"),
        ("J. K. Rowling", "by J.K. Rowling."),
        ("U.S.", "in the U.S. Army"),
        (".NET", "use .NET 8"),
        ("R&D", "R&amp;D's"),
        ("A*", "the A* search"),
        ("j.doe@example.com", "Write to j.doe@example.com."),
        ("j.doe@example.com", "邮箱是j.doe@example.com。"),
        ("王小明", "由王小明主持"),
        ("SHP-2024-001", "SHP\\text{-}2024\\text{-}001"),
        ("Anna Berg", '{"name":"Anna Berg"}'),
        ("北京", '{"答案": "\\u5317\\u4eac"}'),
        ("2024年5月6日", "是 2024 年 5 月 6 日。"),
        ("段落9", "段落 9"),
        ("约翰·史密斯", "约翰•史密斯"),
        ("दिल्ली", "यह दिल्ली है"),
        ("Anna Berg", "Anna Berg's (born 1970)[1]"),
        ("not stated", "**Not stated.**"),
    ],
)
def test_right(gold: str, output: str) -> None:
    assert text_match(output, gold) == text_match(gold, gold)
    assert text_match(output, gold).reason == "right"


@pytest.mark.parametrize(
    ("gold", "output"),
    [
        ("Oslo", "Oslos"),
        ("Oslo", "preOslo"),
        ("Oslo", "Oslo_2"),
        ("Oslo", "Os lo"),
        ("C++", "C"),
        ("C++", "C++11"),
        ("Visual C", "Visual C++"),
        ("Objective C", "Objective C#"),
        ("b2", "a+b2"),
        ("SHP-2024-001", "SHP-2024-001-B"),
        ("SHP-2024-001", "X-SHP-2024-001"),
        ("SHP-2024-001", "SHP-2024-002"),
        ("001", "SHP-2024-001"),
        ("16", "F-16"),
        ("12", "12.5"),
        ("12", "1.12"),
        ("12", "12%"),
        ("12", "12,500"),
        ("12", "-12"),
        ("2024", "2024-05-06"),
        ("A", "a"),
        ("A", "An A"),
        ("A", "A-"),
        ("C", "C#"),
        ("京", "北京"),
        ("cafe", "cafe\u0301"),
        ("U.S.", "U.S.A."),
        (".NET", "ASP.NET"),
        ("AT", "AT&T"),
        ("$5 million", "US$5 million"),
        ("v7.2", "v7.2-rc1"),
        ("doe@example.com", "j.doe@example.com"),
        ("j.doe@example.com", "j.doe@example.com.au"),
        ("Anna Berg", "Anna-Berg"),
        ("split_data", "_split_data"),
        ("Oslo", "~~Oslo~~ Bergen"),
        ("段落9", "段落 90"),
        ("2024年5月6日", "2024 年 15 月 6 日"),
        ("दिल", "दिल्ली"),
        ("__init__", "init"),
        ("the pier", "the\npiers"),
        ("", "anything"),
        (" ", "anything"),
        ("Oslo", ""),
    ],
)
def test_wrong(gold: str, output: str) -> None:
    assert text_match(output, gold).value == 0.0


def test_reasons() -> None:
    assert text_match("Bergen", "Oslo", ["Bergen"]).reason == "other record"
    assert text_match("Oslo or Bergen", "Oslo", ["Bergen"]).reason == "hedged"
    assert text_match("Paris", "Oslo", ["Bergen"]).reason == "other"
    assert text_match(" \n", "Oslo", ["Bergen"]).reason == "no answer"
    assert text_match("C", "B", ["A", "C"]).reason == "other record"
    assert text_match("**Oslo** Harbour", "Oslo", ["Oslo Harbour"]).value == 0.0
    assert text_match("~~Bergen~~ Oslo", "Oslo", ["Bergen"]).reason == "right"


def test_distractors_in_the_question_or_equal_to_a_gold_are_ignored() -> None:
    assert text_match("Oslo, not Bergen", "Oslo", ["Bergen"], question="Is it Bergen?").value == 1.0
    assert text_match("Oslo, not Bergen", "Oslo", ["Bergen"], question="Is it Bergens?").value == 0.0
    assert text_match("Oslo", ["Oslo", "oslo city"], ["OSLO"]).value == 1.0


@pytest.mark.parametrize(
    ("output", "gold", "distractor", "reason"),
    [
        ("Oslo Harbour", "Oslo", "Oslo Harbour", "other record"),
        ("Oslo Harbour", "Oslo Harbour", "Oslo", "right"),
        ("Oslo and Oslo Harbour", "Oslo", "Oslo Harbour", "hedged"),
        ("Oslo Harbour and Oslo", "Oslo Harbour", "Oslo", "hedged"),
    ],
)
def test_text_inside_a_longer_one_does_not_match(output: str, gold: str, distractor: str, reason: str) -> None:
    assert text_match(output, gold, [distractor]).reason == reason


names = st.from_regex(r"[A-Z][a-z]{2,8}( [A-Z][a-z]{2,8})?", fullmatch=True)
FRAMES = [
    "{}",
    "{}.",
    "({})",
    "**{}**",
    "“{}”",
    "It is {}, they say.",
    "<i>{}</i>",
    "答案是{}。",
    "* {}\n",
    "\\text{{{}}}",
    "`{}`",
    "\t{}\r\n",
]


@given(names, st.sampled_from(FRAMES), st.sampled_from([str, str.upper, str.lower, str.swapcase]))
def test_frame_and_case_never_change_the_verdict(name: str, frame: str, case: Any) -> None:
    assert text_match(frame.format(case(name)), name).value == 1.0


@given(names, names, st.sampled_from(FRAMES))
def test_another_name_never_matches(name: str, other: str, frame: str) -> None:
    if name.casefold() not in other.casefold().split() and name.casefold() != other.casefold():
        framed = frame.format(other)
        if name.casefold() not in framed.casefold().replace(other.casefold(), " ").split():
            assert text_match(framed, name).value == 0.0


@given(st.text(st.characters()), st.text(st.characters()), st.text(st.characters()))
def test_no_output_raises(output: str, gold: str, distractor: str) -> None:
    assert text_match(output, gold, [distractor], question=output[:5]).value in (0.0, 1.0)


@pytest.mark.parametrize(
    "piece", ["a", "aa ", "*", "_a", "\u0300\u0316", "\ufdfa", "\ud800", "中", "<a ", "&amp;", "\\{", "\n"]
)
def test_large_outputs_take_linear_time(piece: str) -> None:
    started = time.process_time()
    text_match(piece * (200_000 // len(piece)), ["aa", "中中"], ["aaa", "a aa"])
    assert time.process_time() - started < 5
