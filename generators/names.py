"""Invented names, and the rules that keep what `evidence` and `copy` write apart in one document.

Names   Those of `evidence` start with a consonant other than J, W and Y; those of `copy` start with J, W, Y or a vowel.
Numbers The values of `evidence` lie below 100 and have one to three decimals, the last of them not zero. `copy` has
        integers (dates, times and parts of ids are made of them), amounts above 1,000, and decimals of at least four
        places that do not end in zero: never a number that a record could hold.
"""

import random
from typing import NamedTuple

LEAST_DISTANCE = 3
"""Edits between two names of one kind in one document, at least."""
_ATTEMPTS = 10_000


class Syllables(NamedTuple):
    """What the names of one kind are made of, in this order."""

    heads: tuple[str, ...]
    vowels: tuple[str, ...]
    middles: tuple[str, ...]
    tails: tuple[str, ...]


def _syllables(*parts: str) -> Syllables:
    heads, vowels, middles, tails = (tuple(part.split()) for part in parts)
    return Syllables(heads, vowels, middles, tails)


_CONSONANTS = "B Br C Cr D Dr F Fr G Gr H K Kr L M N P Pr Qu R S Sk St T Tr V Z"
_OTHERS = "Al Am Ar Ed El Em Er Il Im Ir Ob Ol Om Or Ul Ur Jal Jor Jun Wal Wen Wim Yal Yor Yun"

GROUPS = _syllables(
    _CONSONANTS, "a e i o u", "ld lt ltr mb ndr nz lk lv rg rv sk st zz lm", "ane ell ith ax or une isk ym"
)
SURNAMES = _syllables(_CONSONANTS, "a e i o u", "rr nn ll dd v lb rch m", "owe icott omby away enfold esk imore ups")
SITES = _syllables(_CONSONANTS, "a e i o u", "ll n rl nd th v", "ermoor inghaven umstead afell ewick ombury ogate arby")
STRANGERS = _syllables(_OTHERS, "a e i o u", "br d gn lb mp nc v x", "in ook anni ush ett")
PLACES = _syllables(_OTHERS, "a e i o u", "dr ff g nk rt sk v ll", "embe iel oth uffa yss")

KINDS = (GROUPS, SURNAMES, SITES, STRANGERS, PLACES)
"""The first three for `evidence`, the others for `copy`."""


class Names:
    """Draws invented names for one document, none like another."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._drawn: dict[Syllables, list[tuple[str, int]]] = {}

    def draw(self, kind: Syllables) -> str:
        """A name that is at least `LEAST_DISTANCE` edits from every other of its kind; ValueError when there is none left.

        What is counted is the letters that one of two names has and the other lacks: each of them costs an edit of its
        own, and as sets of bits (two for each letter, for a name that has it twice) they are found at once.
        """
        drawn = self._drawn.setdefault(kind, [])
        for _ in range(_ATTEMPTS):
            name = "".join([part[int(self._rng.random() * len(part))] for part in kind])
            letters = 0
            for letter in name.lower():
                bit = 1 << 2 * (ord(letter) - ord("a"))
                letters |= bit << 1 if letters & bit else bit
            if all(_unlike(letters, other) for _, other in drawn):
                drawn.append((name, letters))
                return name
        raise ValueError(f"no name left that is unlike the {len(drawn)} names drawn before")


def _unlike(one: int, other: int) -> bool:
    return max((one & ~other).bit_count(), (other & ~one).bit_count()) >= LEAST_DISTANCE
