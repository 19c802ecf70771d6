"""The sentences of `copy`'s passages: names, numbers, quotes and punctuation that nobody can guess.

In a sentence `{who}`, `{surname}` and `{place}` come from the cast of the passage, the rest is drawn anew each time:
`goods` (plural), `good` and `look` (both start with a consonant), `nick` (a word of no language), `n` (an integer),
`amount`, `decimal`, `percent`, `id`, `date`, `day`, `time`, and `words` (something that was said). Quotes and
apostrophes are straight; a dash is two hyphens.
"""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SHORT = (
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

LONG = (
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

CLOSINGS = (
    " -- or so {who} swore",
    ", {surname}'s {good} included",
    " (in pencil: {n})",
    "; {surname} kept {percent}",
    ", give or take {decimal}",
    " ({who} counted {n})",
    "; not a word about the {goods}",
)
"""What may stand between the end of a long sentence and its full stop."""

WORDS = (
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

GOODS = _words(
    "lanterns oars spoons lemons umbrellas bells feathers hinges candlesticks horseshoes violins walnuts thimbles kites "
    "inkwells saddles marbles onions corks whistles buckles turnips mittens padlocks harps sponges dominoes garters"
)
THINGS = _words(
    "kettle lantern button ladder mirror drum bucket violin compass teapot bell key saddle wig globe cradle clock hat "
    "parrot trumpet basket canoe doorknob telescope pillow chessboard"
)
LOOKS = _words(
    "striped dented salted painted borrowed crooked hollow mossy gilded damp velvet nameless rusty plaid lopsided singed "
    "twice-mended paper-thin bottle-green half-eaten"
)
NICKS = (
    _words("wob wid wum yab yib jig jol ug imp od"),
    _words("ble dle ker zle bin ty"),
    _words("wick nap tot moss rum kin lop fen"),
)
"""Three syllables of a word of no language."""
FIRST_NAMES = _words(
    "Ada Basil Corinne Desmond Elsie Fergus Greta Horace Imogen Jocasta Kitty Lionel Maud Ned Olive Percy Quentin Ruby "
    "Silas Tilda Ursula Vera Wilfred Yvonne Abel Bridget Clement Dora Ezra Flora Gideon Hattie"
)
DAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = _words("January February March April May June July August September October November December")
COINS = _words("crowns florins ducats thalers guilders shillings")

TITLES = (
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
