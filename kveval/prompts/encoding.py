"""Fast encoding of prose to token ids, word by word.

Most of a document is prose with a small vocabulary, and most tokenizers split text at spaces first. The ids of a text are
then the concatenated ids of its words, and each word is encoded only once. With most tokenizers the same holds for
punctuation after a word. The ids of whole sentences are cached too, since sentences recur in other documents. Whether a
tokenizer behaves this way is tested on real text; otherwise texts are encoded as a whole.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from kveval.prompts.template import ChatFrame, TokenIds, token_ids

_BREAK, _FIRST = "\n\n", "\0"  # between paragraphs; before the word that begins one
_NEXT = "A"  # placed after line breaks, whose ids depend on the text that follows
_CUT = "\1"  # between phrases
_MARKS = '.,;:?!%)"\n'
"""Punctuation that can end a word."""
_JOINED = re.compile(r'[A-Za-z0-9][.,;:?!%)"\nĊ]')
"""Regex for a token with a mark directly after a letter or digit; byte-level vocabularies write a line break as Ċ."""

_ID = token_ids().itemsize
"""Bytes per id. Ids are stored as bytes, which are the fastest to concatenate."""


class Encoder:
    """Encoder of texts that begin and end with words and contain only single spaces, equivalent to `ChatFrame.encode`."""

    def __init__(self, frame: ChatFrame, probe: Sequence[str]) -> None:
        """`probe` are representative texts, on which encoding by words is tested."""
        self._frame = frame
        self._next = frame.encode(_NEXT)
        self._words: dict[str, bytes] = {}
        self._phrases: dict[str, bytes] = {}
        self._marks: dict[str, bytes] = {}
        self._by_word = all(" " in text for text in probe)
        self._by_word = self._by_word and self.encode_all(probe) == frame.encode_all(probe)
        self._marks = self._find_separable_marks()

    def _find_separable_marks(self) -> dict[str, bytes]:
        """Return the ids of each mark that follows a known word, or nothing if words and marks cannot be encoded separately.

        They can if no token could contain both, every known word starts with the ids of its stem, and each mark has the same
        ids after all words.
        """
        vocabulary = self._frame.vocabulary()
        if not vocabulary or _JOINED.search("\0".join(vocabulary)):
            return {}
        splits = {word: _split_mark(word) for word in self._words}
        stems = {stem for stem, _ in splits.values()}
        ids = dict(zip(stems, self._encode_words(stems), strict=True))
        marks: dict[str, bytes] = {}
        for word, (stem, mark) in splits.items():
            rest = self._words[word].removeprefix(ids[stem])
            if ids[stem] + rest != self._words[word] or marks.setdefault(mark, rest) != rest:
                return {}
        return marks

    def encode(self, text: str) -> TokenIds:
        """Encode a text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[TokenIds]:
        """Encode many texts separately."""
        if not self._by_word:
            return self._frame.encode_all(texts)
        return [array("I", b"".join(map(self._phrases.__getitem__, phrases))) for phrases in self._read(texts)]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of ids of each text."""
        if not self._by_word:
            return list(map(len, self.encode_all(texts)))
        return [sum(map(len, map(self._phrases.__getitem__, phrases))) // _ID for phrases in self._read(texts)]

    def _read(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the phrases of each text, after encoding the new ones."""
        text_phrases = list(map(_phrases, texts))
        new = {
            phrase: phrase.split(" ") for phrases in text_phrases for phrase in phrases if phrase not in self._phrases
        }
        if unknown := set(chain.from_iterable(new.values())).difference(self._words):
            self._learn(unknown)
        word = self._words.__getitem__
        for phrase, words in new.items():
            self._phrases[phrase] = b"".join(map(word, words))
        return text_phrases

    def _learn(self, words: Collection[str]) -> None:
        splits = {word: (stem, mark) for word in words for stem, mark in [_split_mark(word)] if mark in self._marks}
        stems = {splits[word][0] if word in splits else word for word in words}.difference(self._words)
        self._words |= zip(stems, self._encode_words(stems), strict=True)
        self._words |= {word: self._words[stem] + self._marks[mark] for word, (stem, mark) in splits.items()}

    def _encode_words(self, words: Collection[str]) -> list[bytes]:
        """Encode words in one call, since each call has an overhead and a batch uses all cores."""
        texts = [word[1:] if word.startswith(_FIRST) else f" {word}" for word in words]
        ends = [text.endswith(_BREAK) for text in texts]
        encoded = self._frame.encode_all([text + _NEXT if end else text for text, end in zip(texts, ends, strict=True)])
        return [(ids[: -len(self._next)] if end else ids).tobytes() for ids, end in zip(encoded, ends, strict=True)]


def _split_mark(word: str) -> tuple[str, str]:
    """Split a word into an ASCII stem that ends in a letter or digit and the marks after it; else the word and no mark."""
    stem = word.rstrip(_MARKS)
    return (stem, word[len(stem) :]) if stem.isascii() and stem[-1:].isalnum() else (word, "")


def _phrases(text: str) -> list[str]:
    """Split a text after its sentences, dropping the space before each.

    A text that begins with a space gets an empty first word, without ids. The split only decides what is cached, since words
    are encoded separately in any case.
    """
    return (_FIRST + text).replace(". ", f".{_CUT}").replace(_BREAK, f"{_BREAK}{_CUT}{_FIRST}").split(_CUT)
