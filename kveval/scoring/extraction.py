r"""Extraction of the answer that is scored from a model's output, with flags for defective outputs.

1. **Reasoning is removed**: the text between `<think>` and `</think>` (and similar tags), all text before a closing tag
   without an opening one (the chat template may contain it), and all text after an opening tag without a closing one.
2. **Run-on text is cut** where a new question begins at the start of a line (`Question:`, `Q:`, `User:`, …), where the
   model ends its turn, and at any `Question:` after a marked answer.
3. **A marked answer** is isolated. The first marker counts (`Answer:`, a heading `**Answer**`, `#### `, `\boxed{}`,
   `<answer>`). Boxes and tags mark their contents, the others all text that follows, not only their line. `####` before
   words is a heading unless it is in the last line. All boxes are kept: two boxed values are two answers. A sign before
   a box and a percent sign or magnitude after it are part of the answer.
4. **Wrapping** of the whole answer is removed: emphasis, backticks, fences, math delimiters, `\text{}`, `<b></b>`.

Copied and free texts (`reasoning_only`) get only the first step.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kveval.scoring.notation import VALUE_BEHIND

REASONING_TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reason>", "</reason>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis", "assistantfinal"),  # the closing tag after special tokens are dropped
)
"""Opening and closing tags of reasoning of known models, matched without regard to case."""

_NEW_QUESTION = re.compile(
    r"""^[ \t>*_]*+ (?: \#{1,6}[ \t]*+(?:question|problem|instruction)\b
                     | \#*[ \t]*(?:(?:next|new)[ \t])? (?:question|problem|q|user|human|问题|题目|问|用户)
                       [ \t]?\d{0,3}[*_ \t]{0,4}[:：]
                     | (?-i:user)\n(?=\S) )
      | <[|｜](?:im_start|im_end|end|endoftext|eot_id|eom_id|end_of_text|end_of_turn|return|user|start_header_id
               |end▁of▁sentence|User)[|｜]>
      | </s> | <(?:eos|end_of_turn|start_of_turn)> | \[INST\]""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_NEW_QUESTION_IN_LINE = re.compile(r"\s(?:Question|QUESTION|问题)[ ]?\d{0,3}[:：]")
# An empty box repeats the instruction and does not match. The backslash may be missing.
_BOX = re.compile(r"(?:\\|(?<![A-Za-z\\]))(?:boxed|fbox)\s?\{(?=\s*+[^}\s])", re.IGNORECASE)
_MARKER = re.compile(
    rf"(?P<box>{_BOX.pattern})"
    r"""
      | (?P<tag><answer>(?!\s*+</answer>))
      | (?P<hashes>^[ \t]*+\#{4}(?!\#)[ \t]*+(?=[-+−$€£¥(\\*]{0,4}\d | [^\n]++\s*+\Z))
      | (?P<heading>^[ \t]*+(?:\#{1,6}[ \t]*+[*_]{0,3}|[*_]{2,3})(?:(?:final|correct)[ ])?answer[*_]{0,3}[ \t]*+$
                   | 【(?:答案|回答)】[:：]?)
      | (?P<emphasis>[*_]{1,3})? (?:(?<![A-Za-z])(?:final[ ]{1,3})?answer(?:[ ]is)? | (?:答案|回答)(?:是|为)?)
        (?P<closed>[*_]{0,3}) [ \t]{0,3}[:：] (?P<closed_late>(?(emphasis)[*_]{0,3}))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Every marker contains one of these; this search is fast.
_MARKS = re.compile(r"answer|boxed|fbox|####|答案|回答", re.IGNORECASE)
_BEFORE_BOX = re.compile(  # a bullet `- ` is not a sign
    r"(?:(?<![\w)\]}%])[-−]\$?|[=(]\s?[-−]\s\$?|(?:[≈±≠≤≥]|\\(?:approx|sim|pm|neq?|leq?|geq?))[ $]{0,2})\Z"
)
_BEHIND_BOX = re.compile(
    r"(?:[ $~)\]]|\\[,;:! )])*+(?:\\(?:text|mathrm)\s?\{\s?)?\\?"
    rf"(?:{VALUE_BEHIND}|(?<=[}}$])[kKMB](?!\w)|(?:times|cdot|[×·]) ?10(?:\^\{{?[-−]?\d+\}}?|[⁻⁰¹²³⁴-⁹]+))"
)
_TAGGED = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
_DELIMITERS = ("***", "**", "*", "___", "__", "_", "```", "`", "$$", "$")
_COMMAND = re.compile(
    r"\\(?:boxed|fbox|mbox|emph|underline|text(?:bf|it|rm|sf|tt)?|math(?:bf|it|rm|sf|tt))\s?\{([^{}]*)\}"
    r"|\\\((.*)\\\)|\\\[(.*)\\\]|<(?P<tag>b|code|em|i|p|span|strong|u)>([^<>]*)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_SEPARATORS = " \t\r\n.,;:|-_=+*#~/\\&─━═│┼"
_BRACE = re.compile(r"(?<!\\)[{}]")
_FENCE = re.compile(r"```[\w-]*\n(.*)\n[ \t]*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer extracted from an output, and the defects of the output."""

    text: str
    """Text to score; empty if there is no answer."""
    flags: tuple[str, ...]
    """Any of `empty`, `truncated` (by the token budget), `repetition` (ends in a loop) and `unfinished_reasoning`."""


def extract(
    output: str,
    finish_reason: str | None = None,
    *,
    reasoning_only: bool = False,
    reasoning_tags: Sequence[tuple[str, str]] = REASONING_TAGS,
) -> Answer:
    """Extract the answer from `output`. Never raises; takes time linear in the length of the output.

    `finish_reason` comes from the engine; `length` means that the token budget ran out. With `reasoning_only` only the
    reasoning is removed, for tasks that score the whole output. `reasoning_tags` are pairs of opening and closing tag.
    """
    remaining, unfinished = without_reasoning(output, reasoning_tags)
    text = remaining.strip()
    if not reasoning_only:
        text = _unwrapped(_marked(_before_new_question(text)))
    flags = {
        "empty": not text and not unfinished,
        "truncated": finish_reason == "length",
        "repetition": ends_in_loop(text or output),
        "unfinished_reasoning": unfinished,
    }
    return Answer(text, tuple(flag for flag, is_set in flags.items() if is_set))


def without_reasoning(output: str, tags: Sequence[tuple[str, str]] = REASONING_TAGS) -> tuple[str, bool]:
    """Return `output` without its reasoning, and whether the reasoning is unfinished."""
    pattern, lowered_tags = _tag_pattern(tuple(tags))
    lowered = output.lower()
    if not any(tag in lowered for tag in lowered_tags):  # true of nearly all outputs, and far faster than the pattern
        return output, False
    kept: list[str] = []
    start: int | None = 0  # where the text after the last closing tag starts; None inside reasoning
    for tag in pattern.finditer(output):
        if tag["closing"]:
            if start is not None:
                kept.clear()  # a closing tag without an opening one: all text before it is reasoning
            start = tag.end()
        elif start is not None:
            kept.append(output[start : tag.start()])
            start = None
    if start is not None:
        kept.append(output[start:])
    return "".join(kept), start is None


@lru_cache(maxsize=16)
def _tag_pattern(tags: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return a pattern for all tags, and the tags in lower case."""
    opening, closing = (
        ("|".join(re.escape(tag) for tag in side) for side in zip(*tags, strict=True)) if tags else ("(?!)",) * 2
    )
    pattern = re.compile(f"(?P<opening>{opening})|(?P<closing>{closing})", re.IGNORECASE)
    return pattern, tuple(tag.lower() for pair in tags for tag in pair)


def ends_in_loop(text: str) -> bool:
    """Whether `text` ends in exact repetitions of one piece (a character, a word, a phrase, a paragraph).

    The piece has at most 2,000 characters. It occurs at least eight times; five times from 8 characters on, four times
    from 40 and three times from 200. The loop has at least 20 characters; 64 if the piece consists of digits and
    separators, and 200 if it consists of separators only, since numbers and tables contain such runs (0.333…,
    `| 0 | 0 |`, `-----`).
    """
    text = text.rstrip("\ufffd \t\r\n")[-8000:]
    stripped = 4  # maximum white space after the last piece, removed above
    if len(text) < 20:
        return False
    most = min(2000, (len(text) + stripped) // 3)
    tail = text[-6:]  # also occurs one period earlier, so only these positions are candidates
    place = text.rfind(tail, 0, len(text) - 1)
    while place >= 0 and (period := len(text) - len(tail) - place) <= most:
        times = 8 if period < 8 else 5 if period < 40 else 4 if period < 200 else 3
        left = text[-period:].strip(_SEPARATORS)
        length = max(times * period - stripped, 20 if left.strip(_SEPARATORS + "0123456789") else 64 if left else 200)
        if length <= len(text) and text[-length:-period] == text[period - length :]:
            return True
        place = text.rfind(tail, 0, place + len(tail) - 1)
    return False


def _before_new_question(text: str) -> str:
    """Cut `text` before the first new question that follows an answer; a question at its start only restates the task."""
    start = 0
    for question in _NEW_QUESTION.finditer(text):
        before = text[start : question.start()].rstrip()
        if before.strip() and not (start == 0 and before.endswith((":", "："))):
            return text[: question.start()].rstrip()
        start = question.end()
    return text


def _marked(text: str) -> str:
    """Return the text that the first marker marks, or all of `text` if there is none. Follows up to four nested markers."""
    marker = _MARKER.search(text) if _MARKS.search(text) else None
    for _ in range(4):
        if marker is None:
            break
        if marker["box"]:
            return "\n".join(_boxed(text))
        if marker["tag"]:
            text = "\n".join(_distinct(_TAGGED.findall(text)))
        else:
            rest = text[marker.end() :]
            if marker["emphasis"] and not marker["closed"] and not marker["closed_late"]:
                rest = rest.replace(marker["emphasis"], "", 1)
            text = _NEW_QUESTION_IN_LINE.split(rest, maxsplit=1)[0].strip()
        if _BOX.search(text.partition("\n")[0]):
            return "\n".join(_boxed(text))
        marker = _MARKER.match(text)
    return text


def _boxed(text: str) -> list[str]:
    r"""Return the distinct contents of the boxes in `text`; `-\boxed{5}` gives -5 and `\boxed{20}\%` gives 20\%."""
    values: list[str] = []
    box = _BOX.search(text)
    while box:
        end = _closing_brace(text, box.end())
        sign = _BEFORE_BOX.search(text, max(0, box.start() - 12), box.start())
        behind = _BEHIND_BOX.match(text, end + 1)
        values.append((sign[0] if sign else "") + text[box.end() : end].strip() + (behind[0] if behind else ""))
        box = _BOX.search(text, end)
    return _distinct(values)


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(stripped for value in values if (stripped := value.strip())))


def _closing_brace(text: str, start: int) -> int:
    """Return where the brace that is open at `start` closes, or the end of `text` if it does not close."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def _unwrapped(text: str) -> str:
    """Return `text` without the markup that wraps all of it. At most eight layers, which keeps the time linear."""
    for _ in range(8):
        command = _FENCE.fullmatch(text) or _COMMAND.fullmatch(text)
        inner = command[command.lastindex or 0] if command else _undelimited(text)  # the last group is the content
        if inner == text:
            break
        text = inner.strip()
    return text


def _undelimited(text: str) -> str:
    for mark in _DELIMITERS:
        inner = text[len(mark) : -len(mark)]
        if inner and text.startswith(mark) and text.endswith(mark) and mark not in inner:
            return inner
    return text
