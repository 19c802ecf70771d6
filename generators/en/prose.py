"""Grammar of the filler prose, and words that fit every scene.

Each paragraph of `GRAMMAR` is a symbol with its alternatives: a word in capitals is expanded further, a `{slot}` is filled
from the scene or from `COMMON`. The slots of a sentence, in order, are its shape. An alternative that is listed twice is
drawn twice as often.

Two rules keep the sentences sensible. Causes only explain delays; actions have their own reasons (`did_so` and similar
slots). Places are combined with people and with things that stay in place, not with work.
"""

GRAMMAR = """
SENTENCE
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  DELAY
  REPORT
  REPORT
  SCENERY
  SCENERY
  SHORT
  SHORT
  SHORT
  SPECIAL
  SPECIAL

STATEMENT
  SUBJECT ACT TAIL
  SUBJECT ACT TAIL
  SUBJECT ACT
  SUBJECT had already {done}, {comment}
  {when}, SUBJECT had {just} {done_so}
  {when}, SUBJECT ACT TAIL
  FRONT, SUBJECT ACT
  READY, SUBJECT ACT
  READY, SUBJECT ACT TAIL
  FRONT, PEOPLE ACT, LINK PEOPLE ACT
  READY, PEOPLE ACT, LINK PEOPLE ACT
  PEOPLE ACT, LINK PEOPLE ACT
  PEOPLE {did}; PEOPLE ACT
  PEOPLE {did}, PEOPLE {did}, and PEOPLE {did}
  FRONT, THING TAIL
  THING, LINK PEOPLE ACT
  THING TAIL

SUBJECT
  PEOPLE
  PEOPLE
  the {person} and the {person}
  the {person} and {some} of the {crew}
  {a_person} {origin}
  the {person}, {aside},
  the {person}, who had {done} {earlier},
  the {person}, who {liked} to {do},
  the {person} who had {done}
  everyone {place}
  the {crew} {place}
  the {person}, together with {some} of the {crew},

PEOPLE
  the {person}
  the {person}
  the {person}
  the {crew}
  the {crew}
  the {trait} {person}
  {some} of the {crew}

ACT
  {did}
  {did}
  {did_so}
  {did_so}
  {did} {manner}
  {did} and {did}
  {did} and then {did_so}
  {did}, {did}, and {did}
  {did} and {shirked} {doing}
  {tried} to {do}
  {tried} to {do_so}
  {tried} to {do} and {do}
  {kept} {doing}
  {kept} {doing_so}
  spent {span} {doing}
  spent {span} {doing} and {doing}
  helped the {crew} to {do}
  asked the {person} to {do}
  persuaded the {crew} to {do_so}
  left the {crew} to {do}
  watched the {crew} {do}
  {rested} {place}
  {rested} {place} and {did}
  left {item} {place}
  found {item} {place}
  pushed {item} aside and {did}

THING
  {passive}
  {passive} {manner}
  {passive_so}
  {passive} by the {crew}
  {passive} by the {person} and the {person}
  {passive_ongoing}
  {passive_must}
  {state}
  {state}
  {state}
  {weather}

LINK
  and
  but
  while
  and meanwhile
  but afterwards
  and {when}

FRONT
  {when}
  {when}
  {however}
  {however}
  {place}
  once {passive_perfect}
  by the time {passive_perfect}
  as soon as {passive_perfect}
  while the {crew} {did}
  while PEOPLE {rested} {place}
  as {weather}
  although {weather}
  although {passive_must}
  when {weather}
  with {absolute}
  {when}, with {absolute}
  {when}, while {weather}
  {however}, and with {absolute}

READY
  after {doing}
  after {doing} and {doing}
  before {doing}
  having {done}
  having {done} {manner}
  {mood}
  {mood} and {mood}
  instead of {doing}
  rather than {do}
  besides {doing}
  {when}, after {doing}
  {when}, {mood}

TAIL
  {when}
  , {comment}
  , {comment}
  , but {setback}
  , but {setback}
  , with {absolute}
  while {weather}
  as {weather}
  until {weather}
  , just as {weather}
  , as PEOPLE had {foretold}
  , or so the {person} {thought}
  , much to the {relief} of the {crew}
  , though not before {passive_perfect}
  as soon as {passive_perfect}
  , and {ending}

DELAY
  because {cause}, PEOPLE POSTPONED
  PEOPLE POSTPONED because {cause}
  PEOPLE POSTPONED, since {cause}
  {cause}, so {result}
  {cause}, and {result}
  {when}, {cause}, and PEOPLE POSTPONED
  {cause}, and so PEOPLE POSTPONED
  PEOPLE had meant to {do}, but {cause}
  {trouble} because {cause}
  {trouble}, for {cause}, and {result}
  when it turned out that {cause}, PEOPLE POSTPONED
  although PEOPLE {tried} to {do}, {result}
  since {cause} and {cause}, {result}
  {when}, {result}
  FRONT, SUBJECT POSTPONED
  {result}, but PEOPLE still {did}

POSTPONED
  put off {doing}
  gave up {doing} for the day
  could not {do} until {later}
  had to {do} all over again
  did not {do} after all
  had no choice but to {do} {later}
  forgot to {do}
  {did} later than usual

REPORT
  PEOPLE {said} that CONTENT
  PEOPLE {said} that CONTENT
  {when}, PEOPLE {said} that CONTENT
  PEOPLE {said} that CONTENT and that CONTENT
  according to the {person}, CONTENT
  CONTENT, PEOPLE {thought}
  CONTENT, or so the {person} {thought}
  PEOPLE asked whether {passive_perfect}
  PEOPLE wanted to know who had {done}
  nobody could say who had {done}
  nobody {place} remembered who had {done}
  PEOPLE wondered why {cause}
  what {worried} the {crew} was that {cause}
  it seemed to the {person} that CONTENT
  there was some doubt whether {passive_perfect}
  PEOPLE {rested} {place}, talking of {doing}
  the {person} wrote in the daybook that CONTENT
  in a note to the {person}, {a_person} {said} that CONTENT
  the {person} told {some} of the {crew} that CONTENT
  asked about the delay, the {person} {said} that {cause}
  SUBJECT {said} that CONTENT TAIL
  the matter of who should {do} was {settled}

CONTENT
  {passive_perfect}
  {passive_perfect} {manner}
  {passive_should}
  {cause}
  the {crew} had {done}
  the {person} had {done_so}
  nobody had {done}
  it was too early to {do}
  there was no need to {do}
  it made no sense to {do_so}
  {some} of the {crew} had {rested_perfect} {place}

SCENERY
  there was {item} {place}
  there was {item} {place}, {forgotten}
  there was {item} {place}, and next to it {item}
  {place} was {item}
  {place} was {item}, {forgotten}
  {place} someone had left {item} and {item}
  {item} had been left {place}
  {item} had been left {place}, {forgotten}
  nothing was left {place} but {item} and {item}
  SUBJECT found {item}, {item}, and {item} {place}
  {weather}, and {weather}
  {weather}, yet SUBJECT ACT
  {weather}, so PEOPLE {rested} {place}
  {weather}, and PEOPLE ACT
  {when}, {weather}
  {when}, {weather}, and PEOPLE {rested} {place}
  {state}, and {state}
  {state} while {weather}
  {when}, {state}
  {state}, but {state}
  {place}, SUBJECT {rested}
  {place}, PEOPLE {rested} while the {crew} {did}
  {place}, with {absolute}, PEOPLE {rested}

SHORT
  the {person} {did} {manner}
  the {crew} {did} {manner}
  {passive} {manner}
  {passive} {when}
  {state} {when}
  the {person} {rested} {place}
  the {crew} {rested} {place}
  the {trait} {person} {did}
  {some} of the {crew} {rested}
  PEOPLE {tried} to {do}
  PEOPLE {kept} {doing}
  nobody {did} {when}
  {passive_must} {when}
  {when}, {weather}
  {when}, PEOPLE {did}
  {doing} {proved}
  {trouble}, for {cause}
  nobody {place} {objected}
  {however}, {passive}
  {however}, PEOPLE {did}
  {cause}, or so PEOPLE {thought}
  PEOPLE said little and {did}

SPECIAL
  it took PEOPLE {length} to {do}
  it took PEOPLE {length} to {do_so}
  it fell to the {person} to {do}
  it fell to the {person} to {do}, while the {crew} {did}
  it was the {person} who {did}
  it was the {person}, not the {person}, who {did}
  it was {when} that PEOPLE {did}
  {doing} {proved}, and {doing} {proved}
  {doing} {manner} {proved}
  not until {later} did PEOPLE {do}
  only after {passive_perfect} did PEOPLE {do}
  no sooner had PEOPLE {done} than {weather}
  hardly had the {crew} {done} when {weather}
  never before had the {person} {done} {manner}
  whenever {weather}, PEOPLE would {do}
  whenever {weather}, the {person} {rested} {place}
  if {passive_perfect} in time, {would_have}
  had the {person} {done}, {would_have}
  neither the {person} nor the {person} had {done}
  PEOPLE would rather {do} than {do}
  PEOPLE did not {do} but {did}
  between {doing} and {doing}, the {person} {found_time} to {do}
  of all the {crew}, only {few} had {done}
  of all the {crew}, only {few} knew how to {do}
  like most of the {crew}, the {person} {liked} to {do}
  the {person}, like most of the {crew}, {did}
  where the {person} had {done}, the {crew} now {did}
  for {long} the {crew} did nothing but {do}
  one of the {crew} {did}, another {did}, and the rest {rested}
  to {do} was easy; to {do} was not
  to {do}, the {person} {thought}, was {task}
  either the {person} or the {person} had {done}
  {passive}, {passive}, and {passive}
  PEOPLE {did}, as {a_person} {origin} had {foretold}, and {rested} {place}
  the {person} was the only one who {liked} to {do}
  the {person}, {mood}, {did} and {did}
  both the {person} and the {person} {tried} to {do}
  so {tiring} was the work that PEOPLE {rested} {place}
  PEOPLE {did} as if {as_if}
  the longer PEOPLE {rested} {place}, the less anyone wanted to {do}
"""

COMMON = """
when: early in the morning | toward evening | at noon | on market day | after dark | before sunrise | that evening | in
  the late afternoon | at the end of the week | during the night | the next morning | on the day after the storm | late
  in the autumn | shortly after breakfast | before the midday meal | in the middle of the week | that winter | a few
  days later | on the eve of the holiday | in the early hours | around midnight | one grey morning | at daybreak |
  before the morning bell | after the midday meal | in the small hours | late that night | in the cool of the evening |
  on a windless afternoon | during the long frost | between two showers | at the height of the season | on the shortest
  day of the year | the week before the fair | after a sleepless night | one wet afternoon | on washing day | at the
  usual hour | well before breakfast | just after sundown | in the quiet of the afternoon | halfway through the morning
  | toward the end of the summer | early that spring | in the last days of autumn | over the holidays | in the middle of
  the night | shortly before closing time | two days after the fair | on the coldest day of the year | later that week |
  one still evening | during the midday rest | late in the season | after several dry days | on pay day | a little
  before dusk | at the close of a long day | in the dead of winter
later: the following day | the next morning | late in the evening | the week after | well after dark | well after
  midnight | the following week | the day after that | later that night | much later | after supper | some days later |
  late at night | the following afternoon | after the holiday | two days later | long after sunset | after nightfall
manner: with great care | without hurry | by lamplight | in silence | as usual | at a steady pace | with some
  reluctance | in bad light | without much talk | behind closed doors | for the sake of order | with practised ease |
  under protest | in record time | without being asked | with unusual thoroughness
however: even so | as a rule | in the end | to general relief | for once | against all advice | oddly enough | all the
  same | as always | in spite of everything | on the whole | as luck would have it | without further talk | as
  expected
trait: older | younger | tall | patient | soft-spoken | retired | cautious | cheerful | weary | sceptical | former |
  quiet | stubborn | new
some: some | most | a few | two | three | half | several | many
few: one | two | three | a handful | the oldest | the youngest
origin: from the next valley | from the coast | from the old quarter | on a day's leave | in a borrowed coat | with a
  bad cough | with years of practice
aside: never one to hurry | new to the place | already dressed for the cold | back from a long journey | deaf in one
  ear | as stubborn as ever | cheerful as always | by far the oldest of them all | still in a bad temper
earlier: the day before | that morning | a week earlier | in the spring | many times before
mood: working in silence | glad of the warmth | short of hands | tired but cheerful | in no great hurry | hoping for
  better weather | in a good temper for once | wrapped in blankets | still half asleep | afraid of missing supper |
  fed up with waiting | encouraged by the news
rested: waited | stood in thought | took a short rest | sat without a word | ate a piece of bread | listened to the news
  | dozed | fell asleep | watched the sky | waited for orders | drank cold tea | hummed an old tune | talked to a
  passer-by
rested_perfect: waited | stood in thought | taken a rest | eaten a piece of bread | talked to a passer-by | fallen
  asleep | waited for orders | spent the night | watched the sky
liked: liked | hated | loved | preferred | always offered | never learned | often forgot | rarely troubled
tried: tried | began | managed | hoped | offered | agreed | declined | meant | promised | hesitated | prepared |
  learned | refused | hurried | volunteered
found_time: found time | remembered | managed | contrived | tried
kept: went on | finished | put off | began | insisted on | gave up | set about | avoided | talked of | enjoyed | grew
  tired of | suggested | spoke against
shirked: avoided | put off | gave up | complained about | forgot about
just: already | just | almost | never | at last
said: said | reported | noted | remarked | admitted | insisted | recalled | pointed out | explained | suspected |
  declared | conceded | maintained | repeated
thought: said | thought | claimed | believed | reported | admitted
foretold: asked | suggested | predicted | feared | promised | hoped
worried: worried | annoyed | surprised | delayed | amused | puzzled
relief: relief | surprise | annoyance | delight | amusement | regret
objected: objected | complained | said a word | offered to help | seemed surprised | looked up | wanted to go home
settled: left open | settled over breakfast | decided by lot | never raised again | answered with a shrug
forgotten: forgotten since the summer | covered with an old sheet | waiting for an owner | just where it had always
  been | half hidden in the shadows | with nobody to claim it
comment: which nobody had expected | which saved a good hour | which took longer than it should have | which was no
  small matter | which settled the argument | which left time for a walk | which made a pleasant change | which came as
  a surprise | which said a good deal about the place | which was more than anyone had hoped | which was easier said
  than done | which did not go unnoticed | which took some persuading | which made the afternoon shorter | which no one
  had thought possible | which left everyone hungry | which raised a few eyebrows | which seemed only sensible | which
  pleased the older hands | which called for some patience | which earned a nod or two | which was long overdue | which
  gave rise to much talk | which nobody regretted
setback: nobody seemed to notice | the cold soon put an end to it | there was little time left | it made no difference
  | the result pleased no one | few were satisfied | it was already too late | the rest had to wait | not everyone
  approved
ending: that was that | there the matter rested | nobody asked for more | all was quiet again | the day was over |
  life went on as before
absolute: the lamps already lit | the door propped open | the stove burning low | the windows shut tight | rain
  dripping from the eaves | a dog barking somewhere | hardly a word spoken | the light going fast | half of the day
  gone | nobody in charge
trouble: the work took longer than planned | nothing was finished that day | tempers were short | there was little to
  do | progress was slow | the morning was wasted | the mood was poor | everyone went home early
proved: proved harder than expected | took most of the day | needed more patience than strength | was nobody's
  favourite task | left little time for anything else | cost more than it was worth | turned out to be easy enough |
  kept everyone busy | called for a steady hand
task: the work of an hour | a matter of patience | nobody's idea of pleasure | a job for younger hands | harder than
  it looked
tiring: tiring | slow | dull | noisy | cold | thankless
as_if: there were no hurry in the world | nothing had happened | the whole town were watching | it were the simplest
  thing of all | the day would never end
would_have: nobody would have complained | the day might have ended better | there would have been less to explain |
  much time would have been saved | the rest would have been easy
length: an hour | most of the day | two evenings | a whole week | the better part of a morning | no time at all |
  three attempts | longer than expected
span: the morning | most of the day | the whole evening | the better part of a week | a long afternoon | the quiet
  hours | the holiday | three days
long: an hour | days | most of the week | a whole afternoon | weeks | the rest of the day
weather: a thin rain | a fine drizzle | a cold rain > fell on the roofs | blew in from the west | set in toward noon |
  hid the far hills | darkened the walls
weather: fog | a low mist | a grey haze > lay over the fields | came up the valley | hid the rooftops | refused to
  lift
weather: the wind | a sharp wind | an east wind > shook the shutters | rose without warning | dropped all at once |
  smelled of snow | kept the doors banging
weather: snow | wet snow | a light snow > covered the steps | melted as it fell | softened every sound | whirled past
  the windows
weather: the sky > cleared for an hour | promised nothing good | turned the colour of slate | hung low over the hills
weather: thunder | distant thunder > rolled over the hills | came nearer | sent the dogs under the tables
weather: the cold | the damp air | the raw cold > crept under the doors | got into everything | numbed every hand
weather: hail | a sudden hail > rattled on the roofs | flattened the grass | stopped as quickly as it came
weather: a hard frost | the frost > whitened the fences | drew ferns on the window panes | held until noon
weather: a pale sun | the low sun > broke through at last | dried the paths | dazzled anyone who looked up
weather: dark clouds | heavy clouds > gathered in the south | drifted inland | broke up before dusk
"""

IRREGULAR_VERBS = """
    cast cast, cut cut, dig dug, draw drew drawn, feed fed, grind ground, hang hung, label labelled, lay laid, light lit,
    put put, read read, rebind rebound, rebuild rebuilt, redraw redrew redrawn, relay relaid, reset reset,
    rewrite rewrote rewritten, set set, shake shook shaken, shoe shod, speed sped, spin spun, strike struck, sweep swept,
    take took taken, write wrote written
"""
"""Base form, past, and past participle if it differs from the past."""
