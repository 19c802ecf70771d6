"""From prose to token ids, word by word.

Most of a document is prose from a small vocabulary, and most tokenizers cut text at its spaces before anything else. A text
then has the ids of its words, one after the other, and each word needs to be encoded only once. Whether a tokenizer is one
of these is tried on real text; with all others, texts are encoded whole.
"""

from array import array
from collections.abc import Sequence
from itertools import chain

from kveval.prompts import ChatFrame

_BREAK, _FIRST = "\n\n", "\0"  # between paragraphs; before the word that begins one
_NEXT = "A"  # begins a paragraph: what follows line breaks decides how they are cut
_ID = "I"  # type code of arrays of ids
_ID_BYTES = array(_ID).itemsize


class Encoder:
    """Encodes texts of single spaces, which begin and end with words, to the ids that `ChatFrame.encode` gives."""

    def __init__(self, frame: ChatFrame, probe: str) -> None:
        """`probe` is a text of the kind to be encoded, on which it is tried whether words can be encoded one by one."""
        self._frame = frame
        self._known = _Known(frame)
        self._by_word = " " in probe
        self._by_word = self._by_word and self.encode(probe) == frame.encode(probe)

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        if not self._by_word:
            return self._frame.encode(text)
        return array(_ID, b"".join(map(self._known.__getitem__, _words(text)))).tolist()

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of ids of each text."""
        if not self._by_word:
            return [len(ids) for ids in self._frame.encode_all(texts)] if texts else []
        found = list(map(_words, texts))
        self._known.learn(set(chain.from_iterable(found)))
        ids_of = self._known.__getitem__
        return [sum(map(len, map(ids_of, words))) // _ID_BYTES for words in found]


class _Known(dict[str, bytes]):
    """The ids of words, encoded at first use, as the bytes of an array: these are joined many times as fast as lists."""

    def __init__(self, frame: ChatFrame) -> None:
        self._frame = frame
        self._next = frame.encode(_NEXT)

    def __missing__(self, word: str) -> bytes:
        self.learn({word})
        return self[word]

    def learn(self, words: set[str]) -> None:
        """Encode words that are not known yet."""
        unknown = [word for word in words if word not in self]
        if not unknown:
            return
        texts = [word.removeprefix(_FIRST) if word.startswith(_FIRST) else f" {word}" for word in unknown]
        ends = [text.endswith(_BREAK) for text in texts]
        encoded = self._frame.encode_all([text + _NEXT if end else text for text, end in zip(texts, ends, strict=True)])
        for word, end, ids in zip(unknown, ends, encoded, strict=True):
            self[word] = array(_ID, ids[: -len(self._next)] if end else ids).tobytes()


def _words(text: str) -> list[str]:
    """The words of a text without the space before them; one that begins with a space has an empty first word, without ids."""
    return (_FIRST + text).replace(_BREAK, f"{_BREAK} {_FIRST}").split(" ")
