"""From prose to token ids, word by word.

Most of a document is prose from a small vocabulary, and most tokenizers cut text at its spaces before anything else. A text
then has the ids of its words, one after the other, and each word needs to be encoded only once. Whether a tokenizer is one
of these is tried on real text; with all others, texts are encoded whole.
"""

from collections.abc import Sequence
from itertools import chain

from kveval.prompts import ChatFrame

_BREAK, _FIRST = "\n\n", "\0"  # between paragraphs; before the word that begins one
_NEXT = "A"  # begins a paragraph: what follows line breaks decides how they are cut
_MOST_WORDS = 1_000_000  # kept


class Encoder:
    """Encodes texts of single spaces, which begin and end with words, to the ids that `ChatFrame.encode` gives."""

    def __init__(self, frame: ChatFrame, probe: str) -> None:
        """`probe` is a text of the kind to be encoded, on which it is tried whether words can be encoded one by one."""
        self._frame = frame
        self._words: dict[str, list[int]] = {}
        self._next = frame.encode(_NEXT)
        self._by_word = " " in probe
        self._by_word = self._by_word and self.encode(probe) == frame.encode(probe)

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of many texts, each on its own."""
        if not self._by_word:
            return self._frame.encode_all(texts) if texts else []
        # Without the space before them; a text that begins with a space begins with an empty word, which has no ids.
        found = [(_FIRST + text).replace(_BREAK, f"{_BREAK} {_FIRST}").split(" ") for text in texts]
        try:
            return self._look_up(found)
        except KeyError:
            self._learn([word for word in dict.fromkeys(chain.from_iterable(found)) if word not in self._words])
            return self._look_up(found)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of ids of each text."""
        return [len(ids) for ids in self.encode_all(texts)]

    def _look_up(self, found: Sequence[list[str]]) -> list[list[int]]:
        ids_of = self._words.__getitem__
        return [list(chain.from_iterable(map(ids_of, words))) for words in found]

    def _learn(self, words: Sequence[str]) -> None:
        if len(self._words) > _MOST_WORDS:
            self._words.clear()
        texts = [word.removeprefix(_FIRST) if word.startswith(_FIRST) else f" {word}" for word in words]
        ends = [text.endswith(_BREAK) for text in texts]
        encoded = self._frame.encode_all([text + _NEXT if end else text for text, end in zip(texts, ends, strict=True)])
        for word, end, ids in zip(words, ends, encoded, strict=True):
            self._words[word] = ids[: -len(self._next)] if end else ids
