"""English texts of `copy`: sentences with names, numbers, quotes and punctuation that cannot be guessed.

The slot `goods` is plural; `good` and `look` begin with a consonant. Quotes and apostrophes are straight; a dash is two
hyphens. Numbers are integers below 1,000, amounts from 1,000 to 98,999, decimals with at least four places that do not end
in zero, percentages of one of these kinds, and years before 1900. None of them can be a value of a record or a chain.
"""

import random
from collections.abc import Callable, Mapping

from ..copy import Words
from ..values import LETTERS
from .names import PASSAGE_PEOPLE, PLACES


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SHORT = (
    "{who} said no.",
    "Paid: {amount}.",
    "Not {n}; {n}.",
    'The answer was "{nick}."',
    "So it stood at {time}.",
    "Of {goods} -- nothing.",
    "{n} {goods}; {n} lids.",
    "Weighed again: {decimal}.",
    "Then {place}, then silence.",
    "See {id}, page {n}.",
    "Gone: the {look} {good}.",
    "{surname}'s share: {percent}.",
    "Dated {date}; unsigned.",
    '"Why {n}?" asked {surname}.',
    "{surname} laughed (twice).",
    "Enter {who}, late.",
    "Back came {n}, all {look}.",
    "No {goods} at {place}.",
    "Sold, at {time}.",
    "{day}: rain, {n} {goods}.",
)

_LONG = (
    "On {date}, at {time}, {who} carried {n} {goods} from {place} to {place}.",
    "{amount} changed hands -- not {amount}, as {surname} claimed.",
    "Of the {n} {goods}, {percent} were {look}; the rest, {look} or {look}, went to {who}.",
    '"{words}," wrote {who} to {surname}, "{words}."',
    '"{words}," said {surname}; "{words}," said {surname}.',
    'Entry {id} lists {n} {goods}, {n} {goods}, and one {look} {good} that {surname} called "{nick}."',
    "Back to {place} went the {goods}, all {n} of them, {look} and unopened.",
    "What {who} weighed ({decimal}, then {decimal}) {surname} struck out.",
    "Heavy were the {goods}, heavier the {goods}, and heaviest of all {surname}'s {look} {good}.",
    "Three things were missing: a {good}, a {look} {good}, and the {goods} of {who}.",
    "By {time} the price stood at {amount}; by {time}, at {amount}.",
    "{who} (born at {place} on {date}) owned no {goods}, only a {good} and {n} {goods}.",
    "Neither {surname} nor {who} would sign {id}: too many {goods}, too few {goods}.",
    "The ratio, {decimal} to {n}, was read out at {place}; nobody wrote it down but {surname}.",
    'Under the {look} {good} lay a note: "{words}."',
    "{surname}'s {good}, once {look}, had turned {look} by {date}.",
    "It was {who} who paid {amount} for {n} {look} {goods}, and {surname} who kept the {good}.",
    "From {place}, {n} {goods}; from {place}, {n}; from {surname}'s own {good}, none.",
    'Line {n} of {id} reads: "{words}, or {words}."',
    "{day}, {time}: {who} counts {n} {goods}, then {n}, then loses count.",
    'The {look} {good} at {place} was called "{nick}," and the one that {who} broke, "{nick}."',
    "That the {goods} were {look}, {surname} admitted; that they were {n}, never.",
    "{percent} to {who}, {percent} to {surname}, and the {look} {good} to whoever asks at {place}.",
    "Asked for {id}, {surname} produced a {good}, {n} {goods}, and a receipt for {amount}.",
    "Into the {good} went {decimal} parts of {look} {goods}, and out of it, at {time}, came {n} {goods}.",
    'Signed on {date} by {who}, {surname}\'s heir, "for {n} {goods} and no {good}."',
    "The {goods} before noon (there were {n}), the {goods} after; so ran rule {id}.",
    'On page {n}, beside the {look} {good}, {surname} had drawn {n} {goods} and written "{words}."',
    "Whether {amount} or {amount} was owed, {who} could not say; {place} owed nothing.",
    "Out of {place}, on {date}, rode {who} with a {look} {good}, {n} {goods} and {surname}'s letter.",
)

_CLOSINGS = (
    " -- or so {who} swore",
    ", {surname}'s {good} included",
    " (in pencil: {n})",
    "; {surname} kept {percent}",
    ", give or take {decimal}",
    " ({who} counted {n})",
    "; not a word about the {goods}",
)

_QUOTES = (
    "no {goods} before {time}",
    "count the {look} ones twice",
    "it was {n}, never {n}",
    "burn page {n} and keep page {n}",
    "{place} owes us {amount}",
    "ask {who} about {id}",
    "a {good} is not a {good}",
    "I'd sooner eat the {goods}",
    "bring {n} {goods} and don't be late",
    "sell at {amount}, buy at {amount}",
    "never trust a {look} {good}",
    "there's a {good} under the {good}",
    "{surname} won't pay; {surname} can't",
    "say {nick} and they'll open",
    "{decimal}, not a hair more",
)

_GOODS = _words(
    "lanterns oars spoons lemons umbrellas bells feathers hinges candlesticks horseshoes violins walnuts thimbles kites "
    "inkwells saddles marbles onions corks whistles buckles turnips mittens padlocks harps sponges dominoes garters"
)
_THINGS = _words(
    "kettle lantern button ladder mirror drum bucket violin compass teapot bell key saddle wig globe cradle clock hat "
    "parrot trumpet basket canoe doorknob telescope pillow chessboard"
)
_LOOKS = _words(
    "striped dented salted painted borrowed crooked hollow mossy gilded damp velvet nameless rusty plaid lopsided singed "
    "twice-mended paper-thin bottle-green half-eaten"
)
_NICKS = (
    _words("wob wid wum yab yib jig jol ug imp od"),
    _words("ble dle ker zle bin ty"),
    _words("wick nap tot moss rum kin lop fen"),
)
_FIRST_NAMES = _words(
    "Ada Basil Corinne Desmond Elsie Fergus Greta Horace Imogen Jocasta Kitty Lionel Maud Ned Olive Percy Quentin Ruby "
    "Silas Tilda Ursula Vera Wilfred Yvonne Abel Bridget Clement Dora Ezra Flora Gideon Hattie"
)
_DAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_MONTHS = _words("January February March April May June July August September October November December")
_COINS = _words("crowns florins ducats thalers guilders shillings")

_TITLES = (
    "The {name} Ledger",
    "The {name} Papers",
    "Notes from {name}",
    "A Letter to {name}",
    "The Trial at {name}",
    "The Lamps of {name}",
    "What {name} Sold",
    "The {name} Inventory",
    "Twelve Nights in {name}",
    "The Quarrel over {name}",
)
_TABLE_TITLES = (
    "Auction at {name}",
    "Stores of {name}",
    "Tolls Taken in {name}",
    "Freight for {name}",
    "Pledges Held at {name}",
    "The {name} Harvest",
)
_COLUMNS = (
    ("lot", "{id}"),
    ("goods", "{n} {goods}"),
    ("state", "{look}"),
    ("price", "{amount}"),
    ("date", "{date}"),
    ("buyer", "{who}"),
)


def _values(rng: random.Random) -> Mapping[str, Callable[[], str]]:
    def decimals() -> str:
        """Draw four or five decimals that do not end in zero."""
        return f"{rng.randint(0, 999):03d}{rng.choice(('', '0', '7'))}{rng.randint(1, 9)}"

    return {
        "n": lambda: str(rng.randint(11, 989)),
        "amount": lambda: f"{rng.randint(1_000, 98_999):,}{rng.choice(('', '.50', '.75'))} {rng.choice(_COINS)}",
        "decimal": lambda: f"{rng.randint(0, 98)}.{decimals()}",
        "percent": lambda: f"{rng.randint(2, 98)}{rng.choice(('', f'.{decimals()}'))}%",
        "id": lambda: f"{rng.choice(LETTERS)}/{rng.randint(11, 989)}-{rng.choice(LETTERS)}",
        "date": lambda: f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} {rng.randint(1501, 1899)}",
        "time": lambda: f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}",
    }


PASSAGES = Words(
    short=_SHORT,
    long=_LONG,
    stop=".",
    closings=_CLOSINGS,
    quotes=_QUOTES,
    nicks=_NICKS,
    pools={"goods": _GOODS, "good": _THINGS, "look": _LOOKS, "day": _DAYS},
    values=_values,
    people=tuple(f"{name} {{surname}}" for name in _FIRST_NAMES),
    surnames=PASSAGE_PEOPLE,
    short_name=lambda name: name.split()[-1],
    places=PLACES,
    between=" ",
    begin="[Passage {key} begins]",
    end="[Passage {key} ends]",
    titles=_TITLES,
    table_titles=_TABLE_TITLES,
    columns=_COLUMNS,
    counts=_words("one two three four five six seven eight nine ten eleven twelve"),
    questions={
        "marked": (
            "Repeat the passage marked {key} word for word, without the markers and without any comment.",
            "Copy passage {key} exactly, from its first word to its last. Leave out the markers and add nothing.",
            "Write down what stands between the markers {key}, word for word and nothing else.",
            "Quote passage {key} in full, exactly as it is written. Do not repeat the markers, and do not comment on it.",
        ),
        "section": (
            'Repeat the first paragraph of the section titled "{key}" word for word, without the heading and without any '
            "comment.",
            'Copy the first paragraph under the heading "{key}" exactly. Leave out the heading, stop where the paragraph ends, '
            "and add nothing.",
            'Write down the paragraph that opens the section "{key}", word for word, without its heading, and nothing else.',
            'Quote the first paragraph of "{key}" in full, exactly as it is written. Do not repeat the heading or go on after '
            "it.",
        ),
        "after": (
            'One sentence of the report reads: "{key}" Repeat the {count} sentences that come right after it, word for word, '
            "and nothing else.",
            'Find this sentence: "{key}" Then copy the next {count} sentences exactly. Leave out the sentence itself, and add '
            "nothing.",
            'Which {count} sentences follow directly on "{key}"? Write them down word for word, without any comment.',
        ),
        "rows": (
            'Copy the rows of the table "{key}" from lot {first} to lot {last}, both included, exactly as they are written, '
            "one line each. Add nothing.",
            'Repeat the lines of the table "{key}" that begin with lot {first} and end with lot {last}, word for word, with '
            "their bars, and nothing else.",
        ),
    },
)
