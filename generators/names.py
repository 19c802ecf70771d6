"""Random invented names that are dissimilar within one document.

The kinds of names of a language are in its module `names`. No name belongs to two kinds, so that records, passages and
chains can share a document.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

_ATTEMPTS = 10_000


@dataclass(frozen=True, eq=False)
class Syllables:
    """Syllables of one kind of names. A name has one syllable of each part, in order."""

    parts: tuple[Sequence[str], ...]
    distance: int
    """Minimum edit distance of two names in one document."""


class _Bits(dict[str, int]):
    """First of the two bits of each letter; a new letter gets the next free bits."""

    def __missing__(self, letter: str) -> int:
        return self.setdefault(letter, 1 << 2 * len(self))


class Names:
    """Source of the names of one document, which are dissimilar."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._drawn: dict[Syllables, list[int]] = {}
        self._letters = _Bits()

    def draw(self, kind: Syllables) -> str:
        """Return a name with an edit distance of at least `kind.distance` from all others of its kind.

        Compares the letters that one of two names has and the other lacks. Each of them needs a separate edit, so their
        number is a lower bound of the distance. Names are bit masks with two bits per letter, for letters that occur twice.
        Raises ValueError if no name is left.
        """
        drawn = self._drawn.setdefault(kind, [])
        pick, bits, distance = self._rng.random, self._letters, kind.distance
        for _ in range(_ATTEMPTS):
            name = "".join([part[int(pick() * len(part))] for part in kind.parts])
            letters = 0
            for letter in name.lower():
                bit = bits[letter]
                letters |= bit << 1 if letters & bit else bit
            for other in drawn:
                if (letters & ~other).bit_count() < distance > (other & ~letters).bit_count():
                    break
            else:
                drawn.append(letters)
                return name
        raise ValueError(f"no name left that is unlike the {len(drawn)} names drawn before")
