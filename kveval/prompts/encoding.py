"""From prose to token ids, word by word.

Most of a document is prose from a small vocabulary, and most tokenizers cut text at its spaces before anything else. A text
then has the ids of its words, one after the other, and each word needs to be encoded only once, in most tokenizers also for all
marks that stand behind it; sentences, which come again in other documents, are kept whole as well. Whether a tokenizer is one
of these is tried on real text; with all others, texts are encoded whole.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from kveval.prompts.template import ChatFrame, TokenIds, token_ids

_BREAK, _FIRST = "\n\n", "\0"  # between paragraphs; before the word that begins one
_NEXT = "A"  # begins a paragraph: what follows line breaks decides how they are cut
_CUT = "\1"  # between phrases
_MARKS = '.,;:?!%)"\n'
"""What can end a word."""
_JOINED = re.compile(r'[A-Za-z0-9][.,;:?!%)"\nĊ]')
"""A letter or digit with a mark behind it, in one token; byte-level vocabularies write a line break as Ċ."""

_ID = token_ids().itemsize
"""The bytes of an id: as bytes, ids are put together fastest."""


class Encoder:
    """Encodes texts of single spaces, which begin and end with words, to the ids that `ChatFrame.encode` gives."""

    def __init__(self, frame: ChatFrame, probe: Sequence[str]) -> None:
        """`probe` are texts of the kinds to be encoded, on which it is tried whether words can be encoded one by one."""
        self._frame = frame
        self._next = frame.encode(_NEXT)
        self._words: dict[str, bytes] = {}
        self._phrases: dict[str, bytes] = {}
        self._marks: dict[str, bytes] = {}
        self._by_word = all(" " in text for text in probe)
        self._by_word = self._by_word and self.encode_all(probe) == frame.encode_all(probe)
        self._marks = self._tried_marks()

    def _tried_marks(self) -> dict[str, bytes]:
        """The ids of each mark behind the words known so far; none of any mark, unless all of these words have the same ids
        without theirs, and all marks the same ids behind different words, and no token could hold both."""
        vocabulary = self._frame.vocabulary()
        if not vocabulary or _JOINED.search("\0".join(vocabulary)):
            return {}
        cut = {word: _cut(word) for word in self._words}
        stems = {stem for stem, _ in cut.values()}
        ids = dict(zip(stems, self._encode_words(stems), strict=True))
        marks: dict[str, bytes] = {}
        for word, (stem, mark) in cut.items():
            rest = self._words[word].removeprefix(ids[stem])
            if ids[stem] + rest != self._words[word] or marks.setdefault(mark, rest) != rest:
                return {}
        return marks

    def encode(self, text: str) -> TokenIds:
        """The ids of a text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[TokenIds]:
        """The ids of many texts, each on its own."""
        if not self._by_word:
            return self._frame.encode_all(texts)
        return [array("I", b"".join(map(self._phrases.__getitem__, phrases))) for phrases in self._read(texts)]

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of ids of each text."""
        if not self._by_word:
            return list(map(len, self.encode_all(texts)))
        return [sum(map(len, map(self._phrases.__getitem__, phrases))) // _ID for phrases in self._read(texts)]

    def _read(self, texts: Iterable[str]) -> list[list[str]]:
        """The phrases of each text, all of which are known then."""
        found = list(map(_phrases, texts))
        new = {phrase: phrase.split(" ") for phrases in found for phrase in phrases if phrase not in self._phrases}
        if unknown := set(chain.from_iterable(new.values())).difference(self._words):
            self._learn(unknown)
        word = self._words.__getitem__
        for phrase, words in new.items():
            self._phrases[phrase] = b"".join(map(word, words))
        return found

    def _learn(self, words: Collection[str]) -> None:
        cut = {word: (stem, mark) for word in words for stem, mark in [_cut(word)] if mark in self._marks}
        stems = {cut[word][0] if word in cut else word for word in words}.difference(self._words)
        self._words |= zip(stems, self._encode_words(stems), strict=True)
        self._words |= {word: self._words[stem] + self._marks[mark] for word, (stem, mark) in cut.items()}

    def _encode_words(self, words: Collection[str]) -> list[bytes]:
        """The ids of words, all encoded at once: a call of the tokenizer has a cost of its own, and uses all cores for many."""
        texts = [word[1:] if word.startswith(_FIRST) else f" {word}" for word in words]
        ends = [text.endswith(_BREAK) for text in texts]
        encoded = self._frame.encode_all([text + _NEXT if end else text for text, end in zip(texts, ends, strict=True)])
        return [(ids[: -len(self._next)] if end else ids).tobytes() for ids, end in zip(encoded, ends, strict=True)]


def _cut(word: str) -> tuple[str, str]:
    """A word that ends in a letter or a digit of ASCII, and the mark behind it, if any."""
    stem = word.rstrip(_MARKS)
    return (stem, word[len(stem) :]) if stem.isascii() and stem[-1:].isalnum() else (word, "")


def _phrases(text: str) -> list[str]:
    """A text cut behind its sentences, without the space before each; one that begins with a space has an empty first word,
    without ids. Where it is cut only decides what is kept: at a space the words of a phrase begin anew in any case."""
    return (_FIRST + text).replace(". ", f".{_CUT}").replace(_BREAK, f"{_BREAK}{_CUT}{_FIRST}").split(_CUT)
