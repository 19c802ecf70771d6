"""Fast encoding of text to token ids: each piece of text is encoded only once per process."""

import re
from functools import cached_property
from itertools import chain
from pathlib import Path

from tokenizers import Tokenizer

from kveval.generators.en import names
from kveval.generators.names import Syllables
from probe.tokenizer import CUT, ENGLISH, SPECIAL, halves

FOLDER = Path(__file__).parent.parent / "kveval" / "models" / "kveval-probe"
_PIECES = re.compile(CUT).findall


class Codec:
    """Tokenizer of a folder, with the roles of its tokens in the tasks."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.encode_special_tokens = True
        self._known: dict[str, tuple[int, ...]] = {}
        self.size = self._tokenizer.get_vocab_size()
        self.break_id = self.encode("\n\n")[0]

    def encode(self, text: str) -> list[int]:
        """Encode a text of ASCII characters."""
        known, pieces = self._known, _PIECES(text)
        try:
            return list(chain.from_iterable(map(known.__getitem__, pieces)))
        except KeyError:
            for piece in pieces:
                if piece not in known:
                    known[piece] = tuple(self._tokenizer.encode(piece, add_special_tokens=False).ids)
            return list(chain.from_iterable(map(known.__getitem__, pieces)))

    def decode(self, ids: list[int]) -> str:
        text: str = self._tokenizer.decode(ids, skip_special_tokens=False)
        return text

    @cached_property
    def canonical(self) -> list[int]:
        """For each id, the id of the same text after a space if that is a single token, else the id itself."""
        vocabulary = self._tokenizer.get_vocab()
        found = list(range(self.size))
        for token, number in vocabulary.items():
            if number >= len(SPECIAL) and not token.startswith("Ġ"):
                found[number] = vocabulary.get(f"Ġ{token}", number)
        # Tails of names never follow a space.
        return found

    def last_of(self, text: str) -> int:
        """Return the canonical id of the last token of a text within a sentence."""
        return self.canonical[self.encode(f" {text}")[-1]]

    def tails(self, kind: Syllables) -> frozenset[int]:
        """Return the ids that end names of one kind."""
        return frozenset(self.encode(tail)[0] for tail in halves(kind)[1])

    @cached_property
    def heads(self) -> frozenset[int]:
        """Canonical ids that begin a name."""
        return frozenset(self.canonical[self.encode(f" {head}")[0]] for kind in names.KINDS for head in halves(kind)[0])

    @cached_property
    def digits(self) -> frozenset[int]:
        """Ids of digits without a space."""
        return frozenset(self.encode(str(digit))[0] for digit in range(10))

    @cached_property
    def quantities(self) -> dict[int, str]:
        """Names of quantities in records, by the canonical id of their last token."""
        kinds = ENGLISH.records.quantities
        return {self.last_of(name): name for kind in ("decimal", "percent") for name, _ in kinds[kind]}

    @cached_property
    def fields(self) -> dict[int, int]:
        """Indices of the canonical ids that readouts predict from inner layers."""
        records, chains = ENGLISH.records, ENGLISH.chains
        ids = {*self.heads, *(self.canonical[digit] for digit in self.digits), self.encode(".")[0]}
        for kind in names.KINDS:
            ids |= {self.canonical[tail] for tail in self.tails(kind)}
        ids |= set(self.quantities)
        words = [*chains.relations, *(name for kind in chains.attributes.values() for name in kind)]
        words += [*records.materials, *map(records.ordinal, range(1, 21))]
        ids |= {self.last_of(word) for word in words}
        return {number: k for k, number in enumerate(sorted(ids))}
