"""Prose of a series of documents, and fillers of exactly so many tokens.

A filler is prose that stands behind a document and makes up, to the token, for what a question lacks. It is whole sentences,
wherever the tokenizer allows.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, islice
from operator import itemgetter
from unicodedata import normalize

from kveval.errors import ModelError
from kveval.generators import copy, haystack
from kveval.generators import document as report
from kveval.generators.document import Sentence
from kveval.generators.language import LANGUAGES, Code
from kveval.prompts.encoding import Encoder
from kveval.prompts.template import ChatFrame, TokenIds

BREAK = "\n\n"
POOL_SENTENCES = 800
"""Sentences from which the short ones are taken to end a filler at exactly the right token."""
STOCK_DOCUMENTS = 4
"""Documents that the sentences of a series would fill: each of them takes some, in an order of its own."""
_RUN = 8  # sentences that stay together, since they are about one scene
_PROBE_SENTENCES = 50
_STARS = ("", *(BREAK + " ".join("*" * number) for number in range(1, 4)))
"""What may end a filler: where each Chinese character has three tokens, no sentences make up other numbers of tokens."""


class Prose:
    """The prose of all documents of a series, of about `length` tokens each."""

    def __init__(self, code: Code, length: int, frame: ChatFrame, seed: str, *, before: str, task: str) -> None:
        """`before` is the text that stands before a document, `task` the name by which an error calls the series."""
        self.language = LANGUAGES[code]
        self._code = code
        self._length = length
        self._frame = frame
        self._seed = seed
        self._before = before
        self._task = task
        self._begun_fillers: dict[tuple[int, int], TokenIds] = {}
        self._end = cache(self._new_end)

    @cached_property
    def encoder(self) -> Encoder:
        """Encodes prose, and what stands before it."""
        sentences = list(
            islice(haystack.sentences(random.Random(self._seed), self.language.haystack), _PROBE_SENTENCES)
        )
        paragraphs = report.paragraphs(random.Random(self._seed), sentences, self.language.between)
        probe = self._before + BREAK.join(paragraphs)
        if lost := lost_characters(self._frame, probe):
            raise ModelError(
                f"The model's tokenizer cannot write the documents of task {self._task} ({self._code}): it loses "
                f"{''.join(lost[:10])}. Leave that task out."
            )
        return Encoder(self._frame, [probe, copy.sample(self.language.passages, rows=False)])

    @cached_property
    def _pool(self) -> dict[int, list[str]]:
        """Short sentences that stand in no document, one list for each number of tokens."""
        taken = {sentence for run in self._stock for sentence, _ in run}
        drawn = (drawn for drawn in islice(self._write("filler"), POOL_SENTENCES) if drawn[0] not in taken)
        pool: dict[int, list[str]] = defaultdict(list)
        for sentence, tokens in sorted(drawn, key=itemgetter(1))[: POOL_SENTENCES // 2]:
            pool[tokens].append(sentence)
        return dict(pool)

    @cached_property
    def ending_tokens(self) -> int:
        """Tokens that two sentences of the pool can make up exactly, as they can any number not far below."""
        sizes = sorted(tokens for tokens, sentences in self._pool.items() for _ in sentences)
        return 2 * sizes[len(sizes) * 3 // 4]

    @cached_property
    def _commonest(self) -> int:
        """The number of tokens that most sentences of the pool have."""
        return max(self._pool, key=lambda tokens: len(self._pool[tokens]))

    @cached_property
    def _break(self) -> TokenIds:
        """The ids of a break between paragraphs."""
        return self._frame.encode(f"{BREAK}A")[: -len(self._frame.encode("A"))]

    @cached_property
    def _stock(self) -> list[list[Sentence]]:
        """Runs of sentences, with their tokens: to write new ones for every document would take most of the time."""
        sentences = list(within(self._write("prose"), STOCK_DOCUMENTS * self._length))
        return [sentences[start : start + _RUN] for start in range(0, len(sentences), _RUN)]

    def _write(self, name: str) -> Iterator[Sentence]:
        """New sentences without end."""
        return report.prose(random.Random(f"{self._seed}/{name}"), self.language, self.encoder.count)

    def sentences(self, rng: random.Random) -> Iterator[Sentence]:
        """The sentences of one document, none twice."""
        return chain.from_iterable(rng.sample(self._stock, len(self._stock)))

    def filler(
        self, tokens: int, index: int, more: Sequence[Sentence], without: frozenset[str] = frozenset()
    ) -> TokenIds:
        """The ids of exactly `tokens` tokens of paragraphs, of `more` sentences that do not stand in document `index`.

        What ends it holds none of the texts in `without`, in small letters.
        """
        chosen = 0
        left: float = tokens - len(self._break)
        for _, size in more:
            if left - size < self.ending_tokens:
                break
            chosen += 1
            left -= size + report.BREAK_SHARE
        begun = self._begun(index, more, chosen)
        if (end := self._end(tokens - len(begun), chosen == 0, without)) is not None:
            return begun + end
        # No whole sentences make up the rest, with this tokenizer: end in the middle of one. Where tokens reach over spaces,
        # `more` can have fewer of them together than one by one.
        kept_out = self._kept_out(without)
        others = [sentence for alike in self._pool.values() for sentence in alike if sentence not in kept_out]
        text = self.language.between.join([*(sentence for sentence, _ in more), *others])
        return (self._break + self.encoder.encode(text))[:tokens]

    def _new_end(self, tokens: int, begins: bool, without: frozenset[str]) -> TokenIds | None:
        """The ids of exactly so many tokens of sentences of the pool, the first of which `begins` a paragraph; None where
        they make up none."""
        used = self._kept_out(without)
        rest = tokens
        last: list[str] = []
        while rest >= self.ending_tokens and (ending := self._ending([self._commonest], used)):
            last += ending
            used.update(ending)
            rest -= self._commonest
        between = self.language.between
        for stars in _STARS:
            want = rest - len(self._frame.encode(stars)) if stars else rest
            # A sentence that begins a paragraph can have another number of tokens than behind another one: try those around.
            for total in (want, want + 1, want - 1):
                for first in [0, *sorted(self._pool)]:
                    if ending := self._ending([first, total - first] if first else [total], used):
                        text = between.join([*last, *ending]) + stars
                        ids = self.encoder.encode(text if begins else between + text)
                        if len(ids) == tokens:
                            return ids
        return None

    def _kept_out(self, without: frozenset[str]) -> set[str]:
        """The sentences of the pool that hold one of these texts."""
        endings = chain.from_iterable(self._pool.values()) if without else ()
        return {sentence for sentence in endings if any(text in sentence.casefold() for text in without)}

    def _begun(self, index: int, more: Sequence[Sentence], chosen: int) -> TokenIds:
        """The ids of a break and the first `chosen` sentences, in paragraphs."""
        key = (index, chosen)
        if key not in self._begun_fillers:
            sentences = [sentence for sentence, _ in more[:chosen]]
            paragraphs = report.paragraphs(random.Random(index), sentences, self.language.between)
            self._begun_fillers[key] = self._break + self.encoder.encode(BREAK.join(paragraphs))
        return self._begun_fillers[key]

    def _ending(self, sizes: Sequence[int], used: Collection[str]) -> list[str] | None:
        """Different sentences of the pool with so many tokens each, none of them used before, or None."""
        ending: list[str] = []
        for size in sizes:
            for sentence in self._pool.get(size, []):
                if sentence not in used and sentence not in ending:
                    ending.append(sentence)
                    break
            else:
                return None
        return ending


def within(sentences: Iterator[Sentence], tokens: int) -> Iterator[Sentence]:
    """Sentences that add up to `tokens` and a little more."""
    while tokens > 0:
        sentence, size = next(sentences)
        tokens -= size
        yield sentence, size
    yield next(sentences)


def lost_characters(frame: ChatFrame, *texts: str) -> list[str]:
    """The characters, but for white space, that a tokenizer does not give back."""
    lost: set[str] = set()
    for text, ids in zip(texts, frame.encode_all(texts), strict=True):
        lost |= set(normalize("NFKC", text)) - set(normalize("NFKC", frame.decode(ids)))
    return sorted(character for character in lost if not character.isspace())
