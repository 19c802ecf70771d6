"""From prose to token ids, word by word.

Most of a document is prose from a small vocabulary, and most tokenizers cut text at its spaces before anything else. A text
then has the ids of its words, one after the other, and each word needs to be encoded only once; sentences, which come again in
other documents, are kept whole as well. Whether a tokenizer is one of these is tried on real text; with all others, texts are
encoded whole.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, filterfalse

from kveval.prompts import ChatFrame

_BREAK, _FIRST = "\n\n", "\0"  # between paragraphs; before the word that begins one
_NEXT = "A"  # begins a paragraph: what follows line breaks decides how they are cut
_CUT = "\1"  # between phrases
_PHRASES = 30_000  # kept: the sentences of a series at 64K tokens, as they stand in and at the ends of paragraphs


class Encoder:
    """Encodes texts of single spaces, which begin and end with words, to the ids that `ChatFrame.encode` gives."""

    def __init__(self, frame: ChatFrame, probe: str) -> None:
        """`probe` is a text of the kind to be encoded, on which it is tried whether words can be encoded one by one."""
        self._frame = frame
        self._known = _Known(frame)
        self._phrase = lru_cache(_PHRASES)(self._encode_phrase)
        self._by_word = " " in probe
        self._by_word = self._by_word and self.encode(probe) == frame.encode(probe)

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        if not self._by_word:
            return self._frame.encode(text)
        ids: list[int] = []
        for phrase in _phrases(text):
            ids += self._phrase(phrase)
        return ids

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of ids of each text."""
        if not self._by_word:
            return [len(ids) for ids in self._frame.encode_all(texts)] if texts else []
        found = list(map(_phrases, texts))
        self._known.learn(set(" ".join(chain.from_iterable(found)).split(" ")))
        return [sum(map(len, map(self._phrase, phrases))) for phrases in found]

    def _encode_phrase(self, phrase: str) -> tuple[int, ...]:
        return tuple(chain.from_iterable(map(self._known.__getitem__, phrase.split(" "))))


class _Known(dict[str, tuple[int, ...]]):
    """The ids of words, encoded at first use."""

    def __init__(self, frame: ChatFrame) -> None:
        self._frame = frame
        self._next = frame.encode(_NEXT)

    def __missing__(self, word: str) -> tuple[int, ...]:
        self.learn({word})
        return self[word]

    def learn(self, words: set[str]) -> None:
        """Encode words that are not known yet."""
        unknown = list(filterfalse(self.__contains__, words))
        if not unknown:
            return
        texts = [word.removeprefix(_FIRST) if word.startswith(_FIRST) else f" {word}" for word in unknown]
        ends = [text.endswith(_BREAK) for text in texts]
        encoded = self._frame.encode_all([text + _NEXT if end else text for text, end in zip(texts, ends, strict=True)])
        for word, end, ids in zip(unknown, ends, encoded, strict=True):
            self[word] = tuple(ids[: -len(self._next)] if end else ids)


def _phrases(text: str) -> list[str]:
    """A text cut behind its sentences, without the space before each; one that begins with a space has an empty first word,
    without ids. Where it is cut only decides what is kept: at a space the words of a phrase begin anew in any case."""
    return (_FIRST + text).replace(". ", f".{_CUT}").replace(_BREAK, f"{_BREAK}{_CUT}{_FIRST}").split(_CUT)
