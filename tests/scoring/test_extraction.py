"""Answer extraction: the cases of extraction.jsonl, similar ones, flags, and robustness to any output."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kveval.scoring.extraction import ends_in_loop, extract, without_reasoning

CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "cases/extraction.jsonl").read_text("utf-8").splitlines()
]
PARAGRAPH = "The council met on a wet evening, heard two speakers on the pier, and put off the vote again. "


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case.get('why', '')}".strip())
def test_case(case: dict[str, Any]) -> None:
    answer = extract(case["output"], case.get("finish_reason"))
    assert answer.text == case["answer"], case.get("why")
    assert answer.flags == ((case["flag"],) if "flag" in case else ())


def test_all_cases_are_here() -> None:
    assert len(CASES) == 14
    assert len({case["id"] for case in CASES}) == 14


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("<think>a</think>\n\n17", "17"),
        ("<think></think>17", "17"),
        ("<THINK>a</THINK>17", "17"),
        ("<thinking>a</thinking>17", "17"),
        ("[THINK]a[/THINK]17", "17"),
        ("<think>Answer: 9</think>17", "17"),
        ("<think>a<think>b</think>c</think>17", "17"),
        ("<think>a</think>The key <think>b</think>is 17", "The key is 17"),
        ("a\n</think>\nAnswer: 17", "17"),
        ("9<think>a</think>b</think>17", "17"),
        ("Answer: 17 <think>or is it", "17"),
        ("<think>a<think>b</think>17", "17"),
        ("<think>a</think>b</think>17", "17"),
        ("<think>\\boxed{9}</think>\\boxed{17}", "17"),
        ("<think>9<answer>8</answer></think>17", "17"),
        ("<scratchpad>9</scratchpad>17", "17"),
        ("<|begin_of_thought|>9<|end_of_thought|>17", "17"),
        ("analysisIt may be 9.assistantfinal17", "17"),
        ("<|channel|>analysis<|message|>9<|end|><|start|>assistant<|channel|>final<|message|>17", "17"),
    ],
)
def test_reasoning_is_removed(output: str, text: str) -> None:
    assert extract(output).text == text


def test_reasoning_tags_of_a_task() -> None:
    assert extract("{{9}}17", reasoning_tags=[("{{", "}}")]).text == "17"
    assert extract("<think>9</think>17", reasoning_tags=[]).text == "<think>9</think>17"


@pytest.mark.parametrize("output", ["<think>maybe 42", "<think>a</think><think>b", "[THINK] hmm"])
def test_unfinished_reasoning_is_flagged_and_no_answer(output: str) -> None:
    assert extract(output).flags == ("unfinished_reasoning",)
    assert extract(output).text == ""
    assert extract(output, "length").flags == ("truncated", "unfinished_reasoning")


def test_reasoning_only_changes_nothing_else() -> None:
    output = "<think>x</think>\n**Answer:** A\nQuestion: B\n"
    assert extract(output, reasoning_only=True).text == "**Answer:** A\nQuestion: B"
    assert without_reasoning(output) == ("\n**Answer:** A\nQuestion: B\n", False)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("**Answer: 42**", "42"),
        ("**Answer**: 42", "42"),
        ("**Answer:** **42**", "42"),
        ("Answer:**A**", "A"),
        ("Final answer: \\boxed{17}", "17"),
        ("The correct answer is: B", "B"),
        ("答案：北京", "北京"),
        ("最终答案是：42", "42"),
        ("#### Answer: 42", "42"),
        ("<answer>A</answer> I am sure.", "A"),
        ("So it is \\boxed{\\frac{1}{2}} in all.", "\\frac{1}{2}"),
        ("\\boxed{17", "17"),
        ("$$\\boxed{17}$$", "17"),
        ("\\(17\\)", "17"),
        ("```\n17\n```", "17"),
        ("```text\n17\n```", "17"),
        ("`17`", "17"),
        ("ANSWER: <b>A</b>", "A"),
        ("<STRONG>A</STRONG>", "A"),
        ("$\\boxed{\\texttt{A}}$", "A"),
        ("\\emph{A}", "A"),
        ("Answer:\n\n42", "42"),
        ("Answer: 17\nor 42", "17\nor 42"),
        ("Sum it.\n#### Paris", "Paris"),
        ("#### $1,000", "$1,000"),
        ("### Answer\n\nB", "B"),
        ("**Final Answer**\n\\[\n\\boxed{17}\n\\]", "17"),
        ("【答案】B", "B"),
        ("Answer: the option is $\\boxed{B}$.", "B"),
        ("\\boxed{17}, that is \\boxed{17}", "17"),
        ("\\boxed{5}. No: \\boxed{7}", "5\n7"),
        ("<answer>5</answer> or <answer>7</answer>", "5\n7"),
        ("<answer>\\boxed{17}</answer>", "17"),
        ("$boxed{17}$", "17"),
        ("I put it in \\boxed{}. So \\boxed{17}.", "17"),
        ("In <answer></answer> tags: <answer>17</answer>", "17"),
        ("x = -\\boxed{5}", "-5"),
        ("- \\boxed{5}", "5"),
        ("10-\\boxed{5}", "5"),
        ("x \\approx \\boxed{5}", "\\approx 5"),
        ("\\boxed{20}\\%", "20\\%"),
        ("$\\boxed{20}$ percent", "20$ percent"),
        ("\\boxed{1.5}\\text{ million} people", "1.5\\text{ million"),
        ("\\boxed{1.5}万", "1.5万"),
        ("\\boxed{2} B) 3", "2"),
        ("\\boxed{5} km", "5"),
    ],
)
def test_marked_answer(output: str, text: str) -> None:
    assert extract(output).text == text


@pytest.mark.parametrize(
    "output",
    [
        "The answer is 42.",
        "42\n\n#### Explanation\nThe sum of 17 and 25.",
        "**A** and **B**",
        "<b>A</b> and <b>B</b>",
        "$5 and $6",
        "Unanswered: 3",
        "- Answered: 3 of 5",
        "a box{3} and unboxed{4}",
        "I put it in \\boxed{}: 17",
        "The role is\nuser",
    ],
)
def test_unmarked_answer_is_unchanged(output: str) -> None:
    assert extract(output).text == output


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("42\nQuestion: how many?\nAnswer: 7", "42"),
        ("42\n\nQ: how many?\nA: 7", "42"),
        ("42\n\n### Question 2: how many?", "42"),
        ("42\n**Question:** how many?", "42"),
        ("Oslo\nUser: thanks", "Oslo"),
        ("奥斯陆\n问题：哪里？\n答案：北京", "奥斯陆"),
        ("Answer: 42\nNext question: how many?\nAnswer: 7", "42"),
        ("Question: how many?\nAnswer: 42\n\nQuestion: more?\nAnswer: 7", "42"),
        ("Here it is:\n\nQuestion: how many?\nAnswer: 42", "42"),
        ("42<|im_end|>\n<|im_start|>user", "42"),
        ("42<end_of_turn>\n<start_of_turn>user\n7", "42"),
        ("42<｜end▁of▁sentence｜>7", "42"),
        ("42<|end|><|user|>7", "42"),
        ("42 [INST] 7 [/INST]", "42"),
        ("42\nuser\nHow many?\nassistant\n7", "42"),
        ("\\boxed{42}\n\nQuestion: how many?\n\\boxed{7}", "42"),
        ("Answer: 42 Question: how many? Answer: 7", "42"),
    ],
)
def test_run_on_is_cut(output: str, text: str) -> None:
    assert extract(output).text == text


@pytest.mark.parametrize(
    "text",
    [
        "the " * 10,
        "ha" * 12,
        "?" * 20,
        "42 " * 25,
        "哈" * 30,
        "我不知道。" * 8,
        "!!!! " * 12,
        "\ufffd" * 3 + "!" * 40,
        "It is so. " * 6,
        "The key is 42. The key" + " is 42. The key" * 8,
        "yes\n" * 20,
        "yes\n\n\n" * 20,
        PARAGRAPH * 4,
        PARAGRAPH[40:] + PARAGRAPH * 3 + PARAGRAPH[:50],
        "\n\n".join([PARAGRAPH * 2 + "\n" + PARAGRAPH.upper() * 2] * 3),
        "3" * 300,
        "-" * 500,
    ],
)
def test_loop(text: str) -> None:
    assert ends_in_loop(text)
    assert "repetition" in extract(text).flags
    assert "repetition" in extract("<think>" + text).flags


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no no no",
        "Wow!!!!",
        "0." + "3" * 30,
        "1" + "0" * 40,
        "-" * 80,
        "|---|---|---|---|---|---|---|---|",
        "\n".join(f"{i}. item" for i in range(99)),
        "\n".join(f"| {i} | 0 | 0 | yes |" for i in range(99)),
        "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0",
        PARAGRAPH * 2,
        "the " * 30 + "end of it",
    ],
)
def test_no_loop(text: str) -> None:
    assert not ends_in_loop(text)


def test_flags_come_in_one_order() -> None:
    assert extract("data " * 30, "length").flags == ("truncated", "repetition")
    assert extract("42", "stop").flags == ()
    assert extract("  \n", "length").flags == ("empty", "truncated")


@given(st.text(st.characters()), st.sampled_from([None, "stop", "length"]))
def test_no_output_raises(output: str, finish_reason: str | None) -> None:
    answer = extract(output, finish_reason)
    assert len(answer.text) <= len(output)
    assert answer.text == answer.text.strip()
    assert extract(output, reasoning_only=True).text in output


PIECES = [
    "<think>",
    "</think>",
    "Answer:",
    "####",
    "\\boxed{",
    "}",
    "{",
    "**",
    "`",
    "$",
    "\n",
    "Q:",
    " ",
    "42",
    "A",
    "<answer>",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_mixture_of_markers_raises(output: str) -> None:
    answer = extract(output)
    assert len(answer.text) <= len(output)
    if "<" not in answer.text:
        assert "think>" not in answer.text


@given(
    st.text("abc 42.,", min_size=1, max_size=30), st.sampled_from(["{}", "**{}**", "Answer: {}", "<think>no</think>{}"])
)
def test_wrapping_never_changes_the_answer(text: str, wrapping: str) -> None:
    assert extract(wrapping.format(text.strip() or "a")).text == (text.strip() or "a")


@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "</think>",
        "#### ",
        "Answer: ",
        "Q: a:\n",
        "\\boxed{",
        "\\boxed{1}\\",
        "<answer>",
        "### Answer\n",
        "*",
        "{",
        "\n",
        "a",
        "中",
        "\ud800",
        "!",
        "a\u0300\u0316",
    ],
)
def test_time_is_linear(piece: str) -> None:
    started = time.process_time()
    extract(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 5  # a second here; quadratic time would be minutes
