"""Draws invented names, and keeps those of one document apart.

Every language has its kinds of names in a module `names` of its own. No name of one kind is also one of another, so that
records, passages and chains can share a document.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

_ATTEMPTS = 10_000


@dataclass(frozen=True, eq=False)
class Syllables:
    """What the names of one kind are made of: one of each part, in this order."""

    parts: tuple[Sequence[str], ...]
    distance: int
    """Edits between two names of one document, at least."""


class _Bits(dict[str, int]):
    """The first of two bits for each letter, the next free ones on first sight."""

    def __missing__(self, letter: str) -> int:
        return self.setdefault(letter, 1 << 2 * len(self))


class Names:
    """Draws the names of one document, none like another."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._drawn: dict[Syllables, list[int]] = {}
        self._letters = _Bits()

    def draw(self, kind: Syllables) -> str:
        """A name that is `kind.distance` edits or more from every other of its kind; ValueError when there is none left.

        What is counted is the letters that one of two names has and the other lacks: each of them costs an edit of its
        own, and as sets of bits (two for each letter, for a name that has it twice) they are found at once.
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
