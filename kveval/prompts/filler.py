"""Prose of a series of documents, and fillers with an exact number of tokens.

A filler is prose after a document that brings a prompt to its exact length. It consists of whole sentences if the tokenizer
permits.
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
"""Number of sentences drawn for the pool, whose shorter half ends fillers at the exact token."""
STOCK_DOCUMENTS = 4
"""Size of the stock of sentences, in documents. Each document uses part of the stock, in its own order."""
_RUN = 8  # consecutive sentences about one scene, which stay together
_PROBE_SENTENCES = 50
_STARS = ("", *(BREAK + " ".join("*" * number) for number in range(1, 4)))
"""Possible endings of a filler. With three tokens per Chinese character, sentences alone only reach some token counts."""


class Prose:
    """Prose of the documents of a series, each of about `length` tokens."""

    def __init__(self, code: Code, length: int, frame: ChatFrame, seed: str, *, before: str, task: str) -> None:
        """`before` is the text before a document in its turn; `task` is the name used in errors."""
        self.language = LANGUAGES[code]
        self._code = code
        self._length = length
        self._frame = frame
        self._seed = seed
        self._before = before
        self._task = task
        self._encoded_paragraphs: dict[tuple[int, int], TokenIds] = {}
        self._end = cache(self._make_end)

    @cached_property
    def encoder(self) -> Encoder:
        """Encoder of prose and the text before it. Raises ModelError if the tokenizer loses characters of them."""
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
        """Short sentences that occur in no document, by number of tokens."""
        in_stock = {sentence for run in self._stock for sentence, _ in run}
        new = (sized for sized in islice(self._write("filler"), POOL_SENTENCES) if sized[0] not in in_stock)
        pool: dict[int, list[str]] = defaultdict(list)
        for sentence, tokens in sorted(new, key=itemgetter(1))[: POOL_SENTENCES // 2]:
            pool[tokens].append(sentence)
        return dict(pool)

    @cached_property
    def ending_tokens(self) -> int:
        """Number of tokens that two sentences of the pool can have in total, as they can any number slightly below."""
        sizes = sorted(tokens for tokens, sentences in self._pool.items() for _ in sentences)
        return 2 * sizes[len(sizes) * 3 // 4]

    @cached_property
    def _commonest(self) -> int:
        """Most frequent number of tokens among the sentences of the pool."""
        return max(self._pool, key=lambda tokens: len(self._pool[tokens]))

    @cached_property
    def _break(self) -> TokenIds:
        """Ids of a break between paragraphs."""
        return self._frame.encode(f"{BREAK}A")[: -len(self._frame.encode("A"))]

    @cached_property
    def _stock(self) -> list[list[Sentence]]:
        """Runs of sentences with their tokens, shared by all documents; new ones per document would dominate the run time."""
        sentences = list(within(self._write("prose"), STOCK_DOCUMENTS * self._length))
        return [sentences[start : start + _RUN] for start in range(0, len(sentences), _RUN)]

    def _write(self, name: str) -> Iterator[Sentence]:
        """Return an endless stream of new sentences."""
        return report.prose(random.Random(f"{self._seed}/{name}"), self.language, self.encoder.count)

    def sentences(self, rng: random.Random) -> Iterator[Sentence]:
        """Return the sentences of one document, without repetition."""
        return chain.from_iterable(rng.sample(self._stock, len(self._stock)))

    def filler(
        self, tokens: int, index: int, more: Sequence[Sentence], without: frozenset[str] = frozenset()
    ) -> TokenIds:
        """Return a filler of exactly `tokens` ids after document `index`, from `more` sentences and an ending from the pool.

        The ending contains none of the texts in `without`, which are in lower case.
        """
        chosen = 0
        left: float = tokens - len(self._break)
        for _, size in more:
            if left - size < self.ending_tokens:
                break
            chosen += 1
            left -= size + report.BREAK_SHARE
        start = self._first_paragraphs(index, more, chosen)
        if (end := self._end(tokens - len(start), chosen == 0, without)) is not None:
            return start + end
        # No whole sentences have the missing number of tokens: end within one. If tokens span spaces, `more` can have fewer
        # tokens as a whole than its sentences have one by one.
        excluded = self._sentences_containing(without)
        others = [sentence for alike in self._pool.values() for sentence in alike if sentence not in excluded]
        text = self.language.between.join([*(sentence for sentence, _ in more), *others])
        return (self._break + self.encoder.encode(text))[:tokens]

    def _make_end(self, tokens: int, begins: bool, without: frozenset[str]) -> TokenIds | None:
        """Return exactly `tokens` ids of sentences of the pool, or None if no combination has that many.

        `begins` says that the first sentence begins a paragraph.
        """
        used = self._sentences_containing(without)
        rest = tokens
        last: list[str] = []
        while rest >= self.ending_tokens and (ending := self._ending([self._commonest], used)):
            last += ending
            used.update(ending)
            rest -= self._commonest
        between = self.language.between
        for stars in _STARS:
            want = rest - len(self._frame.encode(stars)) if stars else rest
            # A sentence can have another number of tokens at the start of a paragraph than after a sentence: try neighbors.
            for total in (want, want + 1, want - 1):
                for first in [0, *sorted(self._pool)]:
                    if ending := self._ending([first, total - first] if first else [total], used):
                        text = between.join([*last, *ending]) + stars
                        ids = self.encoder.encode(text if begins else between + text)
                        if len(ids) == tokens:
                            return ids
        return None

    def _sentences_containing(self, without: frozenset[str]) -> set[str]:
        """Return the sentences of the pool that contain one of these texts."""
        endings = chain.from_iterable(self._pool.values()) if without else ()
        return {sentence for sentence in endings if any(text in sentence.casefold() for text in without)}

    def _first_paragraphs(self, index: int, more: Sequence[Sentence], chosen: int) -> TokenIds:
        """Return the ids of a break and the first `chosen` sentences, in paragraphs."""
        key = (index, chosen)
        if key not in self._encoded_paragraphs:
            sentences = [sentence for sentence, _ in more[:chosen]]
            paragraphs = report.paragraphs(random.Random(index), sentences, self.language.between)
            self._encoded_paragraphs[key] = self._break + self.encoder.encode(BREAK.join(paragraphs))
        return self._encoded_paragraphs[key]

    def _ending(self, sizes: Sequence[int], used: Collection[str]) -> list[str] | None:
        """Return distinct unused sentences of the pool with these numbers of tokens, or None if there are too few."""
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
    """Yield sentences until they reach `tokens`, and one more."""
    while tokens > 0:
        sentence, size = next(sentences)
        tokens -= size
        yield sentence, size
    yield next(sentences)


def lost_characters(frame: ChatFrame, *texts: str) -> list[str]:
    """Return the characters other than white space that a tokenizer does not reproduce."""
    lost: set[str] = set()
    for text, ids in zip(texts, frame.encode_all(texts), strict=True):
        lost |= set(normalize("NFKC", text)) - set(normalize("NFKC", frame.decode(ids)))
    return sorted(character for character in lost if not character.isspace())
