"""The report as a page: whole, with its charts, harmless and on its own."""

import re
from html.parser import HTMLParser

import pytest

from kveval.report.html import CAPTIONS, page, write_report
from kveval.report.markdown import markdown
from kveval.store.run_directory import RunDirectory
from tests.report.handmade import made

SVG = '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>\n'
VOID = {"meta"}
HOSTILE = [
    "<script>alert(1)</script>",
    "![x](http://x/y.png)",
    "[x](http://x)",
    "<http://x>",
    "<img src=x onerror=y>",
    "&lt;b",
]


class Reader(HTMLParser):
    """Collects a page's elements; fails where they are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def tags(self):
        return [tag for tag, _ in self.elements]


def test_the_whole_report_stands_on_the_page(report):
    text = page(markdown(made(report)), {})
    tags = Reader(text).tags()
    assert tags.count("table") == len(re.findall("^[|] ---", markdown(made(report)), re.MULTILINE))
    assert tags.count("h2") == markdown(made(report)).count("\n## ")
    assert "<title>llama: degradation by KV-cache dtype</title>" in text


def test_charts_stand_under_their_headings(report):
    text = page(markdown(made(report)), {"by-length": SVG, "by-depth": SVG})
    heads = [*re.finditer("<h2>(.*?)</h2>\n(<figure>)?", text)]
    assert [head[1] for head in heads if head[2]] == ["By task and length", "By depth"]
    assert Reader(text).tags().count("svg") == 2
    assert "<?xml" not in text
    assert CAPTIONS["by-depth"] in text


def test_verdicts_are_marked(report):
    report["cells"][1]["verdict"] = "weak baseline"
    cells = [
        attrs["class"]
        for tag, attrs in Reader(page(markdown(made(report)), {})).elements
        if "class" in attrs and tag == "td"
    ]
    assert sorted(cells) == ["degraded", "weak-baseline"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_a_model_says_is_text(report, hostile):
    report["worst_pairs"][0] |= {"output": f"{hostile}\n```\n{hostile}", "gold": [hostile]}
    report["remarks"] = [hostile]
    report["model"] = hostile
    reader = Reader(page(markdown(made(report)), {}))
    assert not {"script", "img", "b", "a"} & set(reader.tags())
    assert not [attrs for _, attrs in reader.elements if any(name.startswith("on") for name in attrs)]


def test_a_page_loads_nothing(report):
    report["remarks"] = ["see https://example.org/a.png"]
    elements = Reader(page(markdown(made(report)), {"by-length": SVG})).elements
    assert not [attrs for tag, attrs in elements if {"src", "href"} & set(attrs) and tag != "a"]
    policy = next(attrs["content"] for tag, attrs in elements if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_markdown_page_and_charts_are_written(report, tmp_path):
    directory = RunDirectory(tmp_path)
    where = write_report(directory, markdown(made(report)), {"by-length": SVG, "by-depth": SVG})
    assert where == directory.report_html
    assert directory.report_markdown.read_text(encoding="utf-8") == markdown(made(report))
    assert directory.report_html.read_text(encoding="utf-8") == page(
        markdown(made(report)), {"by-length": SVG, "by-depth": SVG}
    )
    assert {path.name for path in directory.figures.iterdir()} == {"by-length.svg", "by-depth.svg"}
    assert (directory.figures / "by-depth.svg").read_text(encoding="utf-8") == SVG


def test_charts_of_an_earlier_report_do_not_stay(report, tmp_path):
    directory = RunDirectory(tmp_path)
    write_report(directory, markdown(made(report)), {"by-length": SVG, "by-depth": SVG})
    (directory.figures / "mine.svg").write_text(SVG)
    write_report(directory, markdown(made(report)), {"by-length": SVG})
    assert {path.name for path in directory.figures.iterdir()} == {"by-length.svg", "mine.svg"}


def test_a_folder_that_holds_something_else_keeps_it(report, tmp_path):
    directory = RunDirectory(tmp_path)
    directory.figures.mkdir()
    (directory.figures / "tpot.svg").write_text("mine")
    write_report(directory, markdown(made(report)), {"by-length": SVG})
    assert (directory.figures / "tpot.svg").read_text() == "mine"


def test_only_a_verdict_at_the_end_of_a_row_is_marked():
    text = page("# t\n\n| by | verdict |\n| --- | --- |\n| degraded | pass: at most 1 pt lost |\n", {})
    assert text.count("<td class=") == 1
    assert '<td class="pass">' in text
