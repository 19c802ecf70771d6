"""Words of the filler prose: people, work and things of twelve separate scenes.

Each paragraph of `SCENES` is one scene: a harbour, an archive, a workshop, a garden, a mill, an observatory, a railway
depot, an inn, a printing house, a survey party, a town hall, a weaving works. Its entries are

    person, crew     singular and plural nouns, without article
    work             transitive verbs > objects that any of them takes (`*` in front: plural) > circumstances of both
    state            things > predicates that any of them carries, without a form of "to be"
    place            adverbials
    item             singular indefinite noun phrases for things that stand or lie about
    cause, result    clauses that can explain a delay, clauses that can follow from one

all in the past tense, with alternatives separated by `|`. Verbs are listed with their objects and things with their
predicates, so that the grammar's combinations make sense. There are no digits, ordinals or proper names here, and no words
that questions of `evidence` or `copy` use as keys (tested).
"""

SCENES = """
person: harbour pilot | sailmaker | lock keeper | customs clerk | net mender | ship's chandler | lighthouse keeper |
  boatbuilder | crane driver | rope maker | fish buyer | ferry captain
crew: dock hands | deckhands | boatmen | fishermen | porters | coopers | oarsmen | stevedores
work: repair | patch up | inspect | repaint > the old jetty | the ferry ramp | the hull of the pilot boat | the tide
  gate | the harbour crane | *the mooring posts | the bait shed > before the autumn gales | at the insurers' request |
  in time for the spring tide | at low water
work: unload | weigh | count | stack > *the salt barrels | *the crates of lamp glass | *the sacks of meal | *the bales
  of wool | *the bundles of timber | *the casks of oil | *the boxes of dried fish > to free the berth | for the customs
  men | before the rain reached the cargo | to clear the quay for the ferry
work: coil | dry | splice | sort > *the hemp lines | *the mooring ropes | *the tow lines | *the anchor ropes | *the old
  halyards > to have a dry set in reserve | for the winter boats | before the evening tide
work: launch | haul out | tow | scrub > the pilot boat | *two small skiffs | the mail boat | the river barge | the
  dredger | a borrowed sloop > at high water | to clear the channel | with help from the crane | in time for the regatta
work: check | copy | correct | read out > the tide table | the list of arrivals | *the customs papers | *the pilot's
  notes | the berthing plan > for the harbour office | to settle a quarrel over berths | before the boats came in
state: the harbour crane | the old winch | the ferry ramp > creaked in the wind | stood idle for most of the day | gave
  more trouble than usual | looked better under fresh paint | groaned at every turn of the tide
state: the mail boat | the river barge | a borrowed sloop | the dredger > came in ahead of the tide | lay at anchor
  beyond the bar | left without its cargo | rode low in the water | swung slowly on its chain
state: the tide | the current | the swell > ran harder than the charts allowed | turned earlier than expected | kept the
  small boats in port | undid a week of dredging
place: on the quay | beside the customs shed | along the breakwater | at the foot of the slipway | behind the ice house
  | near the pilot steps | in the sail loft | under the old crane
item: a row of empty barrels | a heap of wet rope | a lantern with a cracked pane | a basket of torn nets | a pile of
  rusted chain | a handcart without wheels | a sheet of tarred canvas | a small brass compass
cause: the tide had turned early | the channel had silted up again | the ice had held the ferry upriver | a chain had
  parted in the night | the customs papers had not arrived | the wind had gone round to the north | the pilot boat was
  already at sea
result: the late boats waited outside the bar | the ferry ran without passengers | the cargo stayed under canvas | the
  crews slept ashore | the market had no fish that day | the harbour lamps were lit an hour early

person: archivist | copyist | bookbinder | reading room clerk | map curator | night porter | visiting scholar |
  cataloguer | paper restorer | librarian | registrar | translator
crew: clerks | readers | trustees | student assistants | messengers | volunteers | antiquaries
work: catalogue | index | copy out | sort > *the parish letters | *the oldest deeds | a bundle of court rolls | *the
  guild ledgers | *the merchants' diaries | a box of unsigned letters | *the wills > to make life easier for the readers
  | for a visiting judge | in the order of their dates | to settle an old dispute
work: mend | rebind | restore | air > a water-stained atlas | *two volumes of sermons | the visitors' book | a cracked
  psalter | the register of baptisms | *the minute books | *the loose pamphlets > to spare the older bindings | with
  paste and linen | on the trustees' orders | for the summer exhibition
work: move | dust | label | measure > *the tin boxes | *the map cases | *the card drawers | *the glass plates | the bust
  from the stairwell | *the folio cabinets > to keep the damp from spreading | for the new shelving plan | to clear a
  table for the readers
work: transcribe | decipher | compare | study > *the marginal notes | a faded charter | a treaty in two hands | *the
  surveyor's notebooks | *the prior's letters | *the tithe rolls > to settle a question of dates | with the help of a
  lens | for a history of the town
work: answer | file | read aloud | set aside > *the morning's letters | a request from the museum | *two enquiries about
  a boundary | the bishop's query | a complaint from a reader > on the same day | without showing much interest | before
  the post went out
state: the reading room | the strongroom | the upper gallery > stayed cold until noon | smelled of glue and damp leather
  | remained locked all week | looked larger without its ladders | needed a better lamp
state: the catalogue | the old index | the card file > contained more gaps than entries | had outgrown its cabinet |
  agreed with nothing on the shelves | broke off in the middle of a letter | listed half of the deeds twice
state: the ink | the glue | the old varnish > dried faster than anyone liked | turned brown at the edges | gave off a
  sour smell | came away at a touch
place: in the reading room | on the upper gallery | under the long window | beside the card file | in the strongroom |
  at the back of the map room | between two tall cabinets | at the binder's bench
item: a tray of loose seals | a stack of grey folders | a magnifying glass on a cord | a pair of cotton gloves | a roll
  of linen tape | a box without a label | a ladder with one short leg | a pot of wheat paste
cause: the damp had reached the lower shelves | two volumes had been filed under the wrong saint | the index was older
  than the building | the key had gone missing over the holiday | the lamp oil was rationed | a reader had left notes
  between the leaves | the old clerk's handwriting defied everyone
result: the readers were sent home early | the search began again from the top shelf | the letters went back into their
  box | the trustees asked for a fresh list | the strongroom stayed open overnight | the copying stopped for a week

person: clockmaker | lens grinder | toolmaker | brass founder | journeyman | engraver | instrument maker | foreman |
  pattern maker | dial painter | glass blower | bell founder
crew: polishers | fitters | turners | smiths | gilders | bench hands | sweepers
work: adjust | clean | oil | take apart > the tower clock | the long lathe | a travelling chronometer | the gear cutter
  | a barometer from the school | *two music boxes | *the balance scales > to find the source of the noise | at the
  owner's request | to quieten the bearings
work: grind | polish | wrap | test > a set of lenses | the larger mirror | *the glass prisms | *the spare eyepieces | a
  pair of reading lenses | the burning glass > to fill the lighthouse order | to get rid of a scratch | with jeweller's
  rouge | by the light of the window
work: cast | file | drill | weigh > *the brass hinges | a new gear wheel | *the clock hands | *the pendulum bobs | a
  bracket for the bench | *the copper plates > to finish the order on time | to match the old pattern | from the last of
  the good brass
work: sketch | draw up | revise | trace > *the plans for the new press | the pattern for a sundial | *the drawings of
  the pump | a design for a lighter frame | the layout of the benches > to win the customer over | on the back of an
  invoice | to prove that the idea was sound
work: sharpen | sort | lay out | grease > *the chisels | *the finest files | *the engraving tools | *the drill bits |
  *the borrowed saws > to save time in the morning | as a lesson for the beginners | before the shop closed
state: the tower clock | the travelling chronometer | the regulator by the door > lost a little time every night | ran
  without a fault for a month | stopped whenever the door slammed | went back to its owner in good order
state: the furnace | the small kiln | the forge > burned low by the afternoon | took half the morning to warm | went out
  during the meal | smoked until the flue was swept | used up the last of the coke
state: the long lathe | the gear cutter | the treadle saw > ran more smoothly after the repair | shook the whole bench |
  waited for a new belt | made more noise than progress
place: at the long bench | beside the furnace | under the skylight | in the pattern store | by the polishing wheel | at
  the back of the shop | next to the tool wall | near the drawing table
item: a tray of brass filings | a half-finished sundial | a jar of polishing paste | a coil of spring steel | a broken
  hourglass | a wooden model of a pump | a box of mismatched screws | a lamp with a green shade
cause: the brass had come out too soft | the drawing left out the smallest wheel | the belt on the lathe had snapped |
  the order had doubled overnight | a lens had cracked on the wheel | the coke had arrived wet | the customer had
  changed the plans again
result: the order left a day late | the whole shop started over | the furnace stayed lit overnight | the price went up a
  little | the beginners swept the floor instead | the drawing went back to the customer

person: head gardener | orchard keeper | beekeeper | seed merchant | botanist | hedge layer | rose grower | cider maker
  | well digger | herbalist | groundskeeper | nurseryman
crew: gardeners | pickers | orchard hands | day labourers | students of botany | hedgers | mowers
work: prune | water | tie up | thin out > *the pear trees | *the climbing roses | *the young vines | *the raspberry
  canes | *the espaliers | *the gooseberry bushes > to let in more light | before the sap rose | to discourage the deer
work: dig over | rake | weed | manure > the kitchen garden | the lower terrace | *the onion beds | *the flower borders |
  the nursery plot | *the asparagus beds | the ground by the well > to have the ground ready for spring | before the
  frost set in | with a borrowed fork
work: gather | sort | weigh | put away > *the early apples | *the bean seeds | *the fallen chestnuts | *the lavender
  heads | a basket of quinces | *the tulip bulbs | *the last plums > to have enough for the winter | before the wasps
  found out | for the kitchen
work: mend | paint | move | scrub > the greenhouse door | *the beehives | *the cold frames | the garden gate | *the seed
  trays | the rain barrel | *the trellis panels > before the visitors came | to make space for the vines | with
  rainwater and sand
work: plant | label | cover | transplant > *the dahlias | *the young leeks | a row of currant bushes | *the irises |
  *the strawberry runners | a bed of sage > on the advice of an old almanac | to save the roots from the frost |
  according to the plan on the shed door
state: the orchard | the lower terrace | the kitchen garden > suffered in the late frost | dried out sooner than
  expected | lay under leaves until spring | recovered after the rain | produced more than the kitchen could use
state: the bees | the wasps | the swallows | the starlings > kept to the south wall | left earlier than usual | came
  back with the warm weather | settled in the old quince
state: the hedge | the old fig | the wisteria > grew faster than anyone could cut it | hid the wall completely | came
  into leaf a week late | leaned toward the light
place: by the south wall | under the pear trees | in the potting shed | along the gravel path | beside the lily pond |
  at the end of the terrace | behind the greenhouse | between the bean rows
item: a barrow of wet leaves | a broken rake | a tray of pale seedlings | a watering can without a handle | a bundle of
  hazel stakes | a sundial covered in moss | a sack of bone meal | a basket of windfalls
cause: the frost had come back in the night | the well had run low | deer had broken through the hedge | the seed had
  been stored too damp | the pump had lost its handle | the soil was still too cold | the day labourers had gone to
  another farm
result: the harvest was a small one | the beds were left bare | the seedlings stayed under glass | the picking started
  before dawn | the kitchen had plums all winter | the gate was kept shut

person: miller | millwright | carter | grain merchant | journeyman baker | sluice keeper | sack mender | weighmaster |
  stone dresser | farm steward | toll collector | wheelwright
crew: farmhands | bakers | threshers | reapers | mill hands | grain porters | gleaners
work: grind | sift | weigh | dry > the barley | *the oats | the last of the rye | a wagonload of wheat | the malt | the
  buckwheat | the winter grain > to have flour ready for the fair | for the bakery | before the damp got in
work: grease | replace | tighten | examine > the main shaft | *the wooden cogs | *the wheel bearings | the drive belt |
  *the sluice hinges | the hoist chain | the brake lever > to stop the knocking | before the heavy grinding began | at
  the millwright's insistence
work: load | unload | cover | turn back > the flour wagon | *two farm carts | the grain barge | the toll cart | a cart
  of damp straw > at the foot of the hoist | before the storm broke | in less than an hour
work: clear | deepen | inspect | fence off > the mill race | the upper pond | the overflow ditch | the side channel |
  the tail water > to give the wheel more water | to free the wheel of weed | while the water was low
work: mend | shake out | count | fold > *the flour sacks | *the sieve cloths | *the barge covers | *the grain bags |
  *the old tarpaulins > to stop the mice | before the harvest | to settle up with the farms
state: the wheel | the main shaft | the upper millstone > turned at half its usual speed | shook the floorboards | ran
  smoothly through the night | stuck fast at noon | wore down faster than planned
state: the mill pond | the stream | the race > froze at the edges | rose above the lower step | ran brown after the
  storm | fell too low for grinding
state: the flour | the meal | the bran > came out coarser than usual | clung to every beam | went straight to the bakery
  | kept well in the dry loft
place: in the grain loft | beside the mill race | on the loading step | under the hoist | below the sluice | in the
  stone room | along the cart track | by the weighing shed
item: a stack of patched sacks | a wooden scoop | a heap of split cogs | a broken tally board | a lantern hung from a
  nail | a jug of cold tea | a row of muddy boots | a barrel of axle grease
cause: the water had dropped below the sill | the grain had come in damp | a cog had split under the load | the toll
  road was closed | mice had found the upper loft | the carts had all arrived at once | the bakery had doubled its order
result: the carts queued down to the bridge | the bakery burned its ovens for nothing | the wheel stood still until dark
  | the flour was sold by the cup | the sacks were piled in the yard | the night shift went home

person: chief observer | meteorologist | station cook | mule driver | telegraph clerk | relief keeper | technician |
  astronomer | caretaker | instrument fitter | night observer | computing clerk
crew: observers | hill farmers | visiting students | assistants | carpenters | shepherds | cadets
work: check | clean | repair | replace > the rain gauge | the wet-bulb thermometer | the wind vane | the sunshine
  recorder | the barometer in the hall | *the soil thermometers | the dome motor > after the hail | to satisfy the
  central office | with numb fingers
work: copy | telegraph | check | file > the evening bulletin | the monthly summary | *the noon observations | the storm
  warning | the pressure table > to warn the villages below | before the line failed | for the central office
work: open | sweep | air | lock up > the dome | the instrument hut | the sleeping quarters | the photographic room | the
  transit house > for the night watch | to let the instruments cool | before the guests arrived
work: fetch | carry up | store | share out > the lamp oil | *the winter stores | *the dry batteries | the firewood |
  *the tinned goods | the drinking water > before the path iced over | to last until spring | with the help of the mules
work: photograph | sketch | watch | describe > the eclipse | the cloud bank | the comet | the halo round the moon | the
  storm front | the evening haze | *the northern lights > through a gap in the clouds | for the yearbook | from the
  upper platform
state: the rain gauge | the wind vane | the sunshine recorder > froze solid overnight | gave the same figure all week |
  stood in the shadow of the new mast | agreed with the station in the valley | suffered from the hail
state: the dome | the shutter | the main telescope > stuck halfway through its turn | moved without a sound | stayed
  closed for three nights | needed two people to shift it
state: the telegraph | the telephone line | the lamp on the mast > failed in the storm | worked only before noon | went
  dead without warning | came back to life by itself
place: on the upper platform | in the instrument hut | below the dome | beside the mast | along the ridge path | at the
  stove in the hall | in the computing room | on the north terrace
item: a pair of frozen boots | a notebook with a torn cover | a sledge of firewood | a spare lens in its case | a kettle
  with a dented lid | a coil of telegraph wire | a folding chair | a thermometer in a leather tube
cause: the ridge path had iced over | the batteries had gone flat | the clouds had closed in before dusk | the relief
  party had turned back | the dome motor had burned out | the line to the valley was down | the stove had gone out in
  the night
result: the bulletin went out late | the observations were made by hand | the dome stayed shut until the moon had set |
  the watch was shared among the rest | the supper was eaten cold | the mules went down without a load

person: stationmaster | signalman | engine driver | track inspector | ticket clerk | fireman | yard foreman |
  telegraphist | carriage cleaner | boiler maker | crossing keeper | dispatcher
crew: platelayers | stokers | shunters | guards | fitters | porters | gangers
work: inspect | repaint | wash | couple up > *the sleeping cars | *the cattle wagons | the dining car | the breakdown
  train | the mail van | *two open trucks > for the royal visit | at the end of the shift | to please the inspectors
work: oil | repair | test | reset > *the points by the shed | *the signal wires | the turntable | the platform clock |
  the level-crossing gate | the water crane > after the hard frost | to prevent another late departure | between two
  trains
work: relay | survey | clear | walk > the branch line | the siding by the quarry | the long curve | the track through
  the cutting | the main line > before the express was due | at the company's expense | after the flood
work: draw up | post | revise | explain > the winter timetable | the duty list | the notice about dogs | the plan for
  the new siding | *the freight rates > for the benefit of the passengers | in plain language | at the request of the
  union
work: sort | load | trace | hand over > *the mail sacks | *the milk churns | *the lost parcels | *the crates of poultry
  | the schoolmaster's trunk | *the bicycles > between two trains | before the guard blew his whistle | against a
  signature
state: the night train | the milk train | the stopping train > left without its mail van | ran late all week | waited
  outside the tunnel | came in on the wrong platform | carried hardly any passengers
state: the turntable | the water crane | the platform clock > seized in the cold | worked better after the repair | had
  not been oiled for years | kept its own time
state: the signal lamp | the telegraph | the gong in the booking hall > went out in the storm | gave no warning | worked
  without a fault | puzzled the passengers
place: on the far platform | in the engine shed | beside the turntable | along the siding | under the footbridge | in
  the booking hall | at the level crossing | behind the goods office
item: a trolley of mail sacks | a red lamp without oil | a stack of rotten sleepers | a basket of carrier pigeons | a
  tin trunk tied with cord | a heap of clinker | a whistle on a chain | a timetable with a page missing
cause: the points had frozen | the branch line was under water | the timetable had been printed with a mistake | a
  coupling had broken on the hill | the coal was full of slate | the relief driver had missed the connection | the
  tunnel was being relined
result: the passengers walked to the village | the mail went by road | the express was held at the bridge | the waiting
  room filled with farmers | the milk was sold at the station | the trains ran on the summer timetable

person: innkeeper | head cook | pastry cook | stable boy | laundress | cellarman | hall porter | chambermaid | brewer |
  coach driver | bookkeeper | night cook
crew: guests | kitchen maids | grooms | coachmen | waiters | scullions | travellers
work: bake | slice | wrap up | hand round > the rye bread | *the meat pies | *the honey cakes | the plum tart | the seed
  loaf | *the ginger biscuits > for the early coach | to honour a wedding party | to keep the children quiet
work: scrub | sweep out | whitewash | heat > the bakehouse | the back kitchen | the long parlour | the wash house | the
  smaller bedroom | the tack room > to get rid of the smell of smoke | for a late company | before the fair
work: salt | smoke | hang up | trim > *the hams | a side of bacon | *the river trout | *the sausages | a leg of mutton >
  according to an old family rule | to have enough for the winter | for the feast
work: tap | roll out | rinse | stack > *the cider casks | *the beer barrels | *the wine kegs | *the vinegar barrels |
  *the brandy casks > to be ready for the fair | under the eyes of the excise man | before the heat came
work: air | mend | iron | count > *the bed sheets | *the table napkins | *the woollen blankets | *the parlour curtains |
  *the bolster covers > for the wedding guests | to keep the moths away | before the rooms were let
state: the long parlour | the back kitchen | the best bedroom > smelled of smoke and cloves | stayed warm until morning
  | overlooked the stables | held more guests than chairs | lost some of its plaster
state: the stew | the barley soup | the broth > simmered on the back of the stove | went further than expected | tasted
  better on the following day | needed more salt than usual
state: the evening coach | the post coach > came in with a broken spring | waited for the late guests | left before the
  meal was over | stood in the yard all night
place: in the back kitchen | on the stairs | beside the bread oven | at the long table | in the cellar | under the eaves
  | across the stable yard | in the front parlour
item: a basket of brown eggs | a copper pan without a lid | a rack of drying herbs | a jug of buttermilk | a trunk with
  a broken clasp | a pile of folded linen | a cask on trestles | a bowl of peeled chestnuts
cause: the oven had cracked in the frost | the coach had brought more guests than beds | the yeast had failed | the
  chimney was blocked with soot | the butter had not been delivered | a wheel had come off on the hill | the fair had
  filled every room
result: the guests slept two to a bed | supper was served in the yard | the beer ran out before dark | the horses were
  fed before the guests | breakfast turned into dinner | the kitchen fire was kept in all night

person: master printer | compositor | proofreader | type founder | pressman | paper merchant | newspaper editor |
  illustrator | wood engraver | errand boy | publisher | ink maker
crew: newsboys | reporters | subscribers | printers' boys | binders | correspondents | delivery men
work: set | proof | correct | print > the almanac | the front page | a book of hymns | a notice of sale | *the theatre
  bills | a pamphlet on drainage | the farmers' weekly > in a single night | to catch the early post | for a very small
  fee
work: clean | sort | melt down | count > the small type | *the worn capitals | *the brass rules | the damaged type |
  *the decorative borders > to save money | with a stiff brush | between two editions
work: fold | trim | stitch | bundle > *the loose sheets | *the early copies | *the school primers | *the election
  leaflets | *the concert programmes > for the morning train | on the kitchen table | to clear the drying lines
work: adjust | wash down | oil | dismantle > the hand press | the flatbed press | *the inking rollers | the folding
  machine | the paper cutter > to get rid of the smears | between two editions | with the wrong spanner
work: write | shorten | rewrite | turn down > the leading article | a letter about the drains | the obituary | a report
  on the fire | the serial story | *the shipping news > at the last minute | to please the subscribers | to leave room
  for the election results
state: the hand press | the flatbed press | the folding machine > jammed at the worst moment | ran until past midnight |
  thumped like a heart | left a smear on every sheet | stood under a dust cloth
state: the almanac | the weekly paper | the hymn book > sold out before noon | came out with blank columns | went to
  press a day late | needed a larger type
state: the paper | the latest delivery of paper > took the ink badly | curled in the damp | cost more than the printing
  | tore along the fold
place: in the composing room | beside the hand press | at the imposing stone | under the gas lamp | in the paper store |
  by the proof table | at the foot of the stairs | near the type cases
item: a tray of spilled type | a stack of spoiled sheets | a pot of black ink | a proof covered in red pencil | a bale
  of rag paper | a chair with a cushion of newspapers | a half-carved woodblock | a basket of old galleys
cause: the ink had thickened in the cold | the editor had changed the headline twice | the paper had run short | a line
  had been set upside down | the telegrams had come in after dark | a roller had split | the engraver had fallen ill
result: the paper came out without pictures | the subscribers received an apology | the last page stayed blank | the
  boys waited in the rain | the whole run was pulped | the press was stopped for good that night

person: surveyor | mountain guide | cartographer | geologist | muleteer | interpreter | expedition cook | draughtsman |
  quartermaster | scout | boatman | chainman
crew: porters | guides | volunteers | woodcutters | goatherds | bearers | recruits
work: map | sketch | explore | cross > the upper valley | the salt marsh | the dry riverbed | the pass | the limestone
  plateau | the birch woods | the gorge below the falls > in two days | without a guide | to fill a blank on the chart
work: pitch | strike | mend | dry out > *the tents | the cook's shelter | the store tent | the map tent | *the canvas
  awnings > before nightfall | in the lee of the rocks | in driving sleet
work: pack | unpack | carry | lay out > *the instruments | *the sample boxes | *the water skins | the medicine chest |
  *the plant presses | *the chart cases > before sunrise | with more haste than order | to be sure that nothing was
  missing
work: shoe | feed | rest | unload > *the mules | *the pack ponies | *the baggage horses | *the tired donkeys > at the
  ford | before the long climb | in a ring of stones
work: study | redraw | correct | copy > the old map | the guide's sketch | *the field notes | the plan of the caves |
  the chart of the lake > by the light of the fire | to be sure of the distances | with a blunt pencil
state: the track | the old road | the path along the cliff > ended at a fallen bridge | climbed more steeply than
  expected | vanished under the stones | turned back on itself twice | led straight into a bog
state: the camp | the upper camp > stood on dry ground at last | looked down on the whole valley | lost two tents in the
  gale | woke to a clear sky
state: the river | the ford | the lake > lay deeper than the guides remembered | froze along the banks | rose in the
  night | held the party up for two days
place: at the ford | below the pass | on the limestone plateau | beside the camp fire | under an overhanging rock | at
  the edge of the marsh | in the map tent | along the old cattle road
item: a cairn of flat stones | a broken sledge | a kettle black with soot | a pair of worn saddlebags | a bundle of tent
  poles | a flag on a bent pole | a notebook wrapped in oilcloth | a length of surveyor's chain
cause: the bridge had been swept away | a mule had gone lame | the old map showed no river | there was a quarrel about
  the pass | the snow line had come down | the flour was wet through | the compass had been dropped on the rocks
result: the party camped where it stood | the loads were shared out again | the maps had to be redrawn | the mules were
  led back to the village | the evening meal was cold | the march began before sunrise

person: mayor | town clerk | treasurer | fire warden | district nurse | schoolmaster | road inspector | bell ringer |
  market superintendent | councillor | bridge keeper | lamplighter
crew: shopkeepers | market women | householders | road menders | bricklayers | firemen | constables
work: discuss | adopt | postpone | reject > the toll proposal | the petition about the bridge | the new market rules |
  the plan for a bathhouse | the offer from the gas works | the lighting contract > in a closed session | to avoid a
  quarrel with the county | after a long silence | by a narrow margin
work: repair | inspect | close off | rebuild > the stone bridge | the market hall | the school roof | the old pump house
  | the fire tower | the lower road > at the county's expense | before the winter floods | to calm the householders
work: count | collect | check | enter > *the market fees | *the school fines | *the bridge tolls | *the harvest taxes |
  *the fairground rents > to balance the books | before the audit | in a new book
work: draft | read out | sign | amend > the minutes | the letter to the ministry | a notice to householders | the
  contract with the builders | the list of jurors > without changing a comma | to satisfy the ministry | under the eyes
  of the gallery
work: light | clean | repaint | replace > *the market lamps | *the lanterns on the bridge | *the lamps at the crossing |
  the tower light | *the lamps by the steps > in time for the fair | before the fog came down | at the shopkeepers'
  expense
state: the meeting | the debate | the hearing > lasted until midnight | ended in good humour | broke up without a vote |
  began an hour late | filled the gallery
state: the market hall | the school roof | the stone bridge > needed new timber | survived another winter | cost the
  town a small fortune | looked sound from a distance
state: the toll proposal | the petition | the new contract > pleased nobody | arrived too late for the vote | went back
  to the committee | passed without a word against it
place: in the council chamber | on the market square | under the arcade | at the pump | beside the town scales | at the
  foot of the tower | in the clerk's office | along the river road
item: a box of unopened letters | a plaster model of the bridge | a bench painted green | a notice board under glass | a
  chest of old seals | a bell without a clapper | a row of leather buckets | a chair with carved arms
cause: the flood had loosened the piers | the treasurer was away | the builders had doubled their price | the petition
  had not been signed | half of the lamps were broken | the fair had been moved | the minutes could not be found
result: the vote was put off | the market moved to the meadow | the bridge stayed closed to carts | the committee met
  again in private | the lamps stayed dark | the matter was dropped

person: weaver | master dyer | wool merchant | loom fitter | spinner | pattern drawer | lace maker | carder | felt maker
  | overseer | cloth inspector | madder grower
crew: dyers | seamstresses | bobbin boys | drapers | knitters | fullers | mill girls
work: card | spin | wash | bleach > the lambswool | the raw flax | the combed fleece | the coarse wool | the new flax >
  for the winter coats | in soft water | by the old method
work: dye | rinse | hang out | fold > *the wool skeins | the cotton cloth | *the linen sheets | a length of flannel |
  *the silk scarves | *the hemp blankets > to match the older cloth | for a difficult buyer | in the early sun
work: thread | repair | speed up | stop > the narrow loom | the broad loom | the ribbon loom | the spinning frame | the
  winding machine > to save the warp | in the middle of a piece | to finish the order
work: stir | strain | cool | test > the indigo vat | the madder bath | the walnut dye | the onion-skin dye | the alum
  bath > to let the colour settle | with a copper ladle | before the wool went in
work: cut | hem | price | ship > *the wedding coats | *the grey blankets | *the table runners | *the army tunics | *the
  shawls > for the autumn fair | in the usual sizes | without waiting for orders
state: the broad loom | the spinning frame | the winding machine > ran out of true | clattered through the evening |
  broke a thread every hour | worked best in damp air | waited for a new shuttle
state: the indigo | the madder | the walnut dye > took a whole day to settle | stained the floor for good | faded in
  strong light | came out darker than planned
state: the flannel | the checked cloth | the blue linen > shrank in the wash | sold well at the fair | dried on the
  hedges | felt rough to the hand
place: in the dye house | beside the indigo vat | on the drying ground | under the loom gallery | at the sorting table |
  by the rinsing stream | in the wool loft | near the pressing room
item: a basket of tangled yarn | a heap of madder roots | a stool with a leather seat | a card of bone buttons | a bolt
  of undyed cloth | a copper ladle | a pair of long shears | a box of cracked shuttles
cause: the stream had turned muddy | the alum had run out | a belt had slipped in the night | the wool was full of burrs
  | the buyers wanted a darker blue | the shuttle had split | the weather was too wet for drying
result: the cloth went for half its price | the vats were emptied into the ditch | the looms stood silent for a day |
  the buyers went elsewhere | the order was filled in brown | the skeins were dyed again
"""
