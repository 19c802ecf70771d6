"""`report.html`: the Markdown report as one page with its charts, which loads nothing from elsewhere; and writing both."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kveval.store.json_files import remove, write_text
from kveval.store.report_schema import VERDICTS
from kveval.store.run_directory import Directory

CAPTIONS = {
    "by-length": "Arm minus auto, with 95% intervals. The control, in grey, is auto once more in a fresh engine: the noise.",
    "by-depth": "Right answers, or similarity, by length and by where in the document the evidence lies. Darker is less.",
    "tpot": "Median time per token after the first, one request at a time.",
}
_PLACES = {"By task and length": "by-length", "Results": "by-length", "By depth": "by-depth", "Decode limit": "tpot"}
"""Under which heading a chart stands."""

_STYLE = """
body { margin: 2rem auto; max-width: 88rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid #ddd; white-space: nowrap; vertical-align: top; }
th { text-align: left; border-bottom-color: #888; white-space: normal; vertical-align: bottom; }
td[class] { white-space: normal; min-width: 14rem; }
pre { overflow-x: auto; padding: 0.8rem; background: #f5f5f5; font-size: 0.8rem; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; } figcaption { color: #555; font-size: 0.85rem; }
td.pass { background: #e3f4e6; } td.degraded, td.invalid { background: #fbe0dc; }
td.inconclusive, td.weak-baseline { background: #fdf3d3; }
"""


def write_report(directory: Directory, markdown: str, charts: Mapping[str, str]) -> Path:
    """Write a report as Markdown and as HTML, and its charts as SVG; returns where the HTML is."""
    again = directory.report_html.exists()
    write_text(directory.report_markdown, markdown)
    write_text(directory.report_html, page(markdown, charts))
    for name in CAPTIONS:
        figure = directory.figures / f"{name}.svg"
        if name in charts:
            write_text(figure, charts[name])
        elif again:  # left by an earlier report
            remove(figure)
    return directory.report_html


def page(markdown: str, charts: Mapping[str, str]) -> str:
    """A report in Markdown as HTML, with those of its charts (SVG by name) for which it has a heading."""
    # What servers and models say stands in a report: it makes no links.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link", "autolink"])
    tokens = reader.parse(markdown)
    title = next((tokens[k + 1].content for k, token in enumerate(tokens) if token.type == "heading_open"), "kveval")
    _mark_verdicts(tokens)
    body = reader.renderer.render(_with_charts(tokens, charts), reader.options, {})
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _mark_verdicts(tokens: Sequence[Token]) -> None:
    """Give cells at the end of a row that hold a verdict its name as their class."""
    for k, token in enumerate(tokens):
        if token.type == "tr_close" and tokens[k - 1].type == "td_close":
            verdict = tokens[k - 2].content.partition(":")[0]
            if verdict in VERDICTS:
                tokens[k - 3].attrJoin("class", verdict.replace(" ", "-"))


def _with_charts(tokens: Sequence[Token], charts: Mapping[str, str]) -> list[Token]:
    placed: list[Token] = []
    for k, token in enumerate(tokens):
        placed.append(token)
        name = _PLACES.get(tokens[k - 1].content, "") if token.type == "heading_close" else ""
        if name in charts:
            figure = Token("html_block", "", 0)
            figure.content = f"<figure>\n{_inline(charts[name])}<figcaption>{CAPTIONS[name]}</figcaption>\n</figure>\n"
            placed.append(figure)
    return placed


def _inline(svg: str) -> str:
    """Without the declarations that a file of its own begins with."""
    return svg[svg.index("<svg") :]
