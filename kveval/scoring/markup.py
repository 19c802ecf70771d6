r"""Removal of HTML, LaTeX, Markdown and JSON escapes, so that scorers match what a reader would see.

Markup that carries meaning is rewritten: `10^{3}` and `10<sup>3</sup>` become `10^3`, `\frac{5}{6}` becomes `5/6`,
`x_{5}` becomes `x_5`, `\leq` becomes ≤. Struck-out text (`~~42~~`) is a retraction and is removed. Markup next to white
space leaves a space in its place, so that `3 **714**` is not read as the number `3 714`.
"""

import html
import re

from kveval.scoring.characters import WORD

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_JSON_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_TAG = re.compile(r"<!--[^<>]*-->|<\|[^<>|\s]{1,40}\|>|</?(?P<name>[A-Za-z][\w:-]*+)(?:\s[^<>]*+)?/?>")
_INLINE_TAGS = frozenset(["a", "abbr", "b", "code", "em", "font", "i", "mark", "small", "span", "strong", "tt", "u"])

_SYMBOLS = {
    "approx": "≈", "sim": "~", "simeq": "≈", "cong": "≈", "thickapprox": "≈", "lt": "<", "gt": ">", "le": "≤", "leq": "≤",
    "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ll": "<", "gg": ">", "lesssim": "≲", "gtrsim": "≳", "ne": "≠",
    "neq": "≠", "pm": "±", "mp": "±", "times": "×", "cdot": "·", "div": "÷", "to": "→", "rightarrow": "→", "Rightarrow": "→",
    "implies": "→", "degree": "°", "permil": "‰", "sqrt": "√",
}  # fmt: skip
_THIN_SPACE = re.compile(r"\\[,;: ]")
_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
_DEGREES = re.compile(r"\^\s*+\{?\s*+\\(?:circ|degree)\s*\}?")
_INVISIBLE_COMMAND = re.compile(r"\\(?:begin|end|color|textcolor|tag|label|[hv]space|[hv]?phantom)\*?\{[^{}]{0,40}\}")
_ROOT = re.compile(r"\\sqrt\s*\[[^\[\]]{0,20}\]")
_TEXT_HYPHEN = re.compile(r"\\(?:text|mbox|mathrm)\{-\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ESCAPE = re.compile(r"\\([^\sA-Za-z0-9])")
_SCRIPT = re.compile(r"([_^])\s*\{")
_BRACE = re.compile(r"(\}\s*\{)|[{}]")

_QUOTE = re.compile(r"^[ \t]*>(?:[ \t]*>)*[ \t]+", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_UNDERSCORES = re.compile(
    rf"(?<!{WORD})(_{{1,3}})(?=[^\s_])((?:[^_\n]|(?<=\w)_(?=\w)){{1,200}}?)(?<=[^\s_])\1(?!{WORD})"
)
_STARS = re.compile(r"\*+")


def plain(text: str) -> str:
    """Return `text` without markup. Its words, digits and signs keep their order and form."""
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    if ">" in text:
        text = _TAG.sub(_untagged, _QUOTE.sub("", text))
    if "\\u" in text:
        text = _JSON_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    if "\\" in text or "{" in text:
        text = _without_latex(text)
    text = without_struck(text)
    if "_" in text:
        text = _UNDERSCORES.sub(r"*\2*", text)
    return _STARS.sub(_unstarred, text) if "*" in text else text


def without_struck(text: str) -> str:
    """Return `text` without its struck-out parts."""
    return _STRUCK.sub(" ", text) if "~~" in text else text


def _untagged(tag: re.Match[str]) -> str:
    name = (tag["name"] or "").lower()
    if name in ("sup", "sub"):
        return " " if tag[0].startswith("</") else "^" if name == "sup" else "_"
    return _gap(tag) if name in _INLINE_TAGS else " "


def _without_latex(text: str) -> str:
    text = text.replace("{,}", ",")
    if "\\" in text:
        text = _THIN_SPACE.sub(" ", text.replace("\\!", ""))
        text = _ROOT.sub("√", _TEXT_HYPHEN.sub("-", _INVISIBLE_COMMAND.sub(" ", text)))
        text = _FRACTION.sub(r" \1\2/\3\4 ", _DEGREES.sub("°", text))
        text = _COMMAND.sub(lambda command: _SYMBOLS.get(command[1], " "), text)
        text = _ESCAPE.sub(lambda escape: " " if escape[1] in "()[]\\" else escape[1], text)
    return _BRACE.sub(lambda brace: " " if brace[1] else "", _SCRIPT.sub(r"\1", text))


def _unstarred(stars: re.Match[str]) -> str:
    """Replace asterisks: emphasis is removed, products (`4*2`, `4 * 2`) become `×` and powers (`4**2`) become `^`."""
    text, length = stars.string, stars.end() - stars.start()
    before, after = text[stars.start() - 1 : stars.start()], text[stars.end() : stars.end() + 1]
    if before.isdecimal() and after.isdecimal():
        return {1: "×", 2: "^"}.get(length, " ")
    if before == after == " " and length == 1:
        return "×"
    return _gap(stars)


def _gap(markup: re.Match[str]) -> str:
    """Return the replacement of zero-width markup: a space if it touches white space, else nothing."""
    text, start, end = markup.string, markup.start(), markup.end()
    return " " if text[max(0, start - 1) : start].isspace() or text[end : end + 1].isspace() else ""
