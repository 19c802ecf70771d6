"""Invented English names.

Names in records begin with a consonant other than J, W and Y; names in passages begin with J, W, Y or a vowel; names in
chains have endings that no other names have.
"""

from ..names import Syllables

DISTANCE = 3


def _syllables(*parts: str) -> Syllables:
    return Syllables(tuple(part.split() for part in parts), DISTANCE)


_CONSONANTS = "B Br C Cr D Dr F Fr G Gr H K Kr L M N P Pr Qu R S Sk St T Tr V Z"
_OTHERS = "Al Am Ar Ed El Em Er Il Im Ir Ob Ol Om Or Ul Ur Jal Jor Jun Wal Wen Wim Yal Yor Yun"
_ALL = "B Br C Cr D Dr F G Gr H K Kr L M N P Pr R S St T Tr V Z Al Ar El Er Il Ol Or Ul Jor Jun Wal Wen Yor"

GROUPS = _syllables(
    _CONSONANTS, "a e i o u", "ld lt ltr mb ndr nz lk lv rg rv sk st zz lm", "ane ell ith ax or une isk ym"
)
SURNAMES = _syllables(_CONSONANTS, "a e i o u", "rr nn ll dd v lb rch m", "owe icott omby away enfold esk imore ups")
SITES = _syllables(_CONSONANTS, "a e i o u", "ll n rl nd th v", "ermoor inghaven umstead afell ewick ombury ogate arby")
OFFICERS = _syllables(_CONSONANTS, "a e i o u", "ck bb gg ft nt rd ss tch", "alding ister ogan umford entree onby")
"""People who are values of records."""

PASSAGE_PEOPLE = _syllables(_OTHERS, "a e i o u", "br d gn lb mp nc v x", "in ook anni ush ett")
PLACES = _syllables(_OTHERS, "a e i o u", "dr ff g nk rt sk v ll", "embe iel oth uffa yss")

PEOPLE = _syllables(_ALL, "a e i o u", "b d g l m n r t v z", "aric ossa enko umbel iden agh")
TOWNS = _syllables(_ALL, "a e i o u", "ck ll nn rr sh ss tt", "aford ingwell ostow umouth elby owater")

KINDS = (GROUPS, SURNAMES, SITES, OFFICERS, PASSAGE_PEOPLE, PLACES, PEOPLE, TOWNS)
