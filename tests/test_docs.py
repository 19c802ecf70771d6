"""Pages say what the code does: every example in the tables on scoring is run, the README is the same in both languages,
links lead somewhere, and stored reports are what the code makes of their figures."""

import re
from pathlib import Path

import pytest

from kveval.report.bench_report import throughput_markdown
from kveval.scoring import copy_fidelity, number_match, text_match, token_diff
from kveval.scoring.extraction import extract
from kveval.scoring.score_outputs import score_sample
from kveval.store.bench_results_schema import BenchResults
from kveval.store.json_files import read_object
from kveval.store.run_records import OutputRecord, SampleRecord
from kveval.throughput.advice import advice

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/scoring.md").read_text("utf-8")


def rows(heading: str, table: int = 0) -> list[list[str]]:
    """The rows of a table under a heading, each a list of cells; code without its backticks, ⏎ as a new line."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    tables = re.findall(r"(?m)^\|.*\n\| ---.*\n((?:\|.*\n)+)", section)
    cells = [[cell.strip() for cell in line.strip("|").split(" |")] for line in tables[table].splitlines()]
    return [[re.sub("`(.*)`", r"\1", cell).replace("⏎", "\n") for cell in row] for row in cells]


@pytest.mark.parametrize("row", rows("The answer in an output"), ids=str)
def test_extraction(row: list[str]) -> None:
    output, answer = row
    assert extract(output).text == ("" if answer == "nothing" else answer)


@pytest.mark.parametrize(
    ("match", "row"),
    [(number_match, row) for row in rows("Numbers")] + [(text_match, row) for row in rows("Texts")],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_answers(match, row: list[str]) -> None:
    gold, answer, distractors, verdict, _why = row
    score = match(answer, gold, [distractors] if distractors else [])
    assert score.right == {"right": True, "wrong": False}[verdict]


@pytest.mark.parametrize("row", rows("Copies"), ids=str)
def test_copies(row: list[str]) -> None:
    passage, output, counts, _why = row
    score = copy_fidelity(output, passage)
    assert f"{score.substituted}, {score.inserted}, {score.dropped}" == counts


@pytest.mark.parametrize("row", rows("Token differences"), ids=str)
def test_token_differences(row: list[str]) -> None:
    baseline, output, rate, first = row
    difference = token_diff(*([int(token) for token in tokens.split()] for tokens in (baseline, output)))
    assert difference.rate == float(rate)
    assert difference.first_divergence == (None if first == "none" else int(first))


SAMPLE = SampleRecord(
    id="s",
    document_id="d",
    task="t",
    answer_type="number",
    guess=0.0,
    length=8192,
    prompt_tokens=8128,
    prompt_hash="h",
    max_answer_tokens=64,
    question="What was the drift of group 17?",
    gold=("0.73",),
    distractors=("0.83", "4.1"),
    kind="name",
    depth=None,
)
ABSENT = SAMPLE.model_copy(update={"kind": "absent", "answer_type": "text", "gold": ("not stated",)})


def output(text: str) -> OutputRecord:
    return OutputRecord(
        sample_id="s", prompt_hash="h", error=None, token_ids=(1,), text=text, finish_reason="stop", total_s=0.1
    )


@pytest.mark.parametrize(
    ("sample", "row"),
    [(SAMPLE, row) for row in rows("Why a wrong answer is wrong")]
    + [(ABSENT, row) for row in rows("Why a wrong answer is wrong", table=1)],
    ids=str,
)
def test_reasons(sample, row: list[str]) -> None:
    reason, _meaning, answer = row
    assert score_sample(sample, "", "fp8", output(answer), None).reason == reason


@pytest.mark.parametrize("row", rows("Free answers"), ids=str)
def test_free_answers(row: list[str]) -> None:
    auto, arm, similarity = row
    sample = SAMPLE.model_copy(update={"answer_type": "free", "gold": (), "distractors": ()})
    score = score_sample(sample, "", "fp8", output(arm), output(auto))
    assert score.value == pytest.approx(float(similarity))
    assert score.reason == ("the same words" if auto == arm else "other words")


def test_every_reason_of_the_code_is_on_the_page() -> None:
    code = "".join(
        (ROOT / "kveval/scoring" / name).read_text("utf-8") for name in ("score_outputs.py", "numbers.py", "text.py")
    )
    reasons = set(re.findall(r'Score\([01]\.0, "([a-z ]+)"', code)) | set(
        re.findall(r'(?:reason =|else) "([a-z ]+)"', code)
    )
    assert {"hedged", "near value", "invented", "not stated"} <= reasons
    assert all(f"`{reason}`" in PAGE for reason in reasons)


READMES = {"README.md": "README.zh-CN.md", "README.zh-CN.md": "README.md"}
"""Each with the one in the other language, which it links to."""
FENCED = re.compile(r"(?ms)^```.*?^```$")


def readme(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def links(name: str) -> list[str]:
    """The files that a README links to, in no order, since sentences may put things in another one."""
    return sorted(re.findall(r"\]\(([^)\s#]+)", FENCED.sub("", readme(name))))


def test_readmes_have_the_same_blocks() -> None:
    english, chinese = (FENCED.findall(readme(name)) for name in READMES)
    assert len(english) > 3
    assert english == chinese


def test_readmes_link_to_each_other_and_else_to_the_same() -> None:
    for name, other in READMES.items():
        assert links(name).count(other) == 1
    english, chinese = ([link for link in links(name) if link not in READMES] for name in READMES)
    assert len(english) > 5
    assert english == chinese


@pytest.mark.parametrize("path", sorted((ROOT / "reports/throughput-h200").glob("*.json")), ids=lambda path: path.stem)
def test_reports_of_speed_say_what_their_figures_say(path: Path) -> None:
    results = read_object(path, BenchResults)
    assert tuple(advice(results)) == results.advice
    assert throughput_markdown(results) == path.with_suffix(".md").read_text("utf-8")


PAGES = sorted([*map(ROOT.joinpath, READMES), *(ROOT / "docs").rglob("*.md")])


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_pages_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text("utf-8"))):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "docs/README.md").read_text("utf-8"))
    pages = [str(page.relative_to(ROOT / "docs")) for page in PAGES if page.is_relative_to(ROOT / "docs")]
    assert set(pages) - {"README.md"} <= set(listed)


def test_pictures_load_nothing_from_elsewhere() -> None:
    for picture in (ROOT / "docs/images").glob("*.svg"):
        text = picture.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?:|@import|@font-face", text), picture.name
