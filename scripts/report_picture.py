"""Draw a stored report as the terminal shows it, as an SVG for the README.

    python scripts/report_picture.py reports/damaged-h200/report.json docs/images/report.svg

The picture loads nothing: its text is drawn in the reader's own monospace font, stretched to the width of the columns.
"""

import argparse
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from kveval.report.console import print_report
from kveval.store.json_files import read_object
from kveval.store.report_schema import Report

COLUMNS = 112
"""Wide enough for a report's table, and still readable at the width of a page."""

THEME = TerminalTheme(
    background=(13, 17, 23),
    foreground=(230, 237, 243),
    normal=[
        *((72, 79, 88), (255, 123, 114), (63, 185, 80), (227, 179, 65)),
        *((88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)),
    ],
)

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
  <style>
    .{unique_id}-matrix {{
      font-family: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
      font-size: {char_height}px;
      line-height: {line_height}px;
      font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
      font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
      font-size: 18px;
    }}
    {styles}
  </style>
  <defs>
    <clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
    {lines}
  </defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix" xml:space="preserve">
    {matrix}
    </g>
  </g>
</svg>
"""
"""Rich's own frame without the fonts that it downloads."""


def picture(report_json: Path, title: str) -> str:
    """The SVG of a stored `report.json`, the same bytes each time."""
    report = read_object(report_json, Report)
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard", highlight=False
    )
    print_report(console, report, str(report_json.with_name("report.html")))
    svg = console.export_svg(title=title, theme=THEME, code_format=SVG, unique_id="report")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def main() -> None:
    """Write the picture that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="a stored report.json")
    parser.add_argument("picture", type=Path, help="the SVG to write")
    parser.add_argument("--title", default="kveval run", help="what stands in the window's title")
    asked = parser.parse_args()
    asked.picture.parent.mkdir(parents=True, exist_ok=True)
    asked.picture.write_text(picture(asked.report, asked.title), "utf-8")


if __name__ == "__main__":
    main()
