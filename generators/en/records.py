"""English texts of `evidence`: records and questions about them."""

from ..evidence import Words
from ..values import Formats
from .names import GROUPS, OFFICERS, SITES, SURNAMES


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FORMATS = Formats(
    # Numbers below 100 with one to three decimals, and amounts above 100,000, do not occur in passages.
    masks={
        "decimal": ("0.##", "#.#", "#.##", "##.#", "0.###"),
        "amount": ("###,###", "###,###", "#,###,###"),
        "percent": ("#.#%", "##.#%", "0.##%", "#.##%"),
        "code": ("@##-###@", "@@##-##", "#@@-###", "@#@-###"),
    },
    dates=(
        "{day} {month} {year}",
        *("{month} {day}, {year}", "{month} {day} {year}", "{day} {month}, {year}", "{day}. {month} {year}"),
        *(
            "{day}{th} {month} {year}",
            "{day}{th} of {month} {year}",
            "{month} {day}{th}, {year}",
            "the {day}{th} of {month}, {year}",
        ),
        *("{dd} {month} {year}", "{month} {dd}, {year}", "{year}-{mm}-{dd}", "{dd}.{mm}.{year}", "{day}.{m}.{year}"),
    ),
    months=_words("January February March April May June July August September October November December"),
    first_year=1921,
    last_year=2019,
    first_names=tuple(
        f"{name} "
        for name in _words("Adrian Cosima Dorian Elvira Fred Gesine Hanno Isolde Jasper Kilian Leonore Moritz")
    ),
    surnames=OFFICERS,
)

_DECIMALS = (
    "drift", "yield ratio", "absorbance", "porosity", "damping factor", "shrinkage", "turbidity", "elongation",
    "hysteresis", "viscosity", "reflectance", "opacity", "permeability", "friction coefficient", "anisotropy", "swelling",
    "fatigue limit", "luminance", "conductivity", "retention", "dispersion", "stiffness", "resonance", "contraction",
)  # fmt: skip
_PERCENTAGES = (
    "rejection rate", "moisture share", "recovery rate", "breakage rate", "impurity share", "uptake", "overlap", "wear rate",
    "bleaching loss", "fill level", "success rate", "residue share",
)  # fmt: skip
_AMOUNTS = (
    "budget", "equipment cost", "insured sum", "grant", "overdraft", "wage bill", "repair cost", "deposit",
    "shipping cost", "reserve fund", "estimate", "energy bill",
)  # fmt: skip
_DATES = (
    "starting date", "inspection date", "delivery date", "closing date", "calibration date", "review date",
    "sampling date", "release date",
)  # fmt: skip
_CODES = (
    "sample code", "storage code", "batch code", "instrument code", "protocol code", "filing code", "seal code",
    "crate code",
)  # fmt: skip
_OFFICERS = (
    "chief technician", "safety officer", "first reviewer", "instrument keeper", "data clerk", "external examiner",
    "night operator", "quality inspector",
)  # fmt: skip

_SUPERVISORS = _words(
    "Ines Tobias Clara Anselm Marta Leopold Judith Rasmus Helena Caspar Edith Bruno Miriam Florian Agnes Konrad Lydia Mattis "
    "Ottilie Vincent Paula Gregor Sabine Emil Thea Ludwig Rosalind Hugo Beate Simon Irma Valentin Cecily Oskar Dagmar Felix"
)
_TREATMENTS = _words("aged coarse dark hardened heated layered pale powdered pressed untreated washed weathered")
_MATERIALS = _words(
    "agar alabaster amber bamboo basalt beeswax bitumen bronze camphor casein celluloid cellulose ceramic charcoal cork "
    "enamel feldspar flint gauze gelatin glaze granite graphite gypsum jasper jute kaolin lacquer loam marble mica nickel "
    "obsidian onyx papyrus paraffin peat pectin pewter porcelain pumice quartz raffia rattan resin rubber sandstone satin "
    "shellac sisal slag soapstone starch talc tallow turpentine vellum velvet zinc silica"
)
_ONES = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")


_WHAT = (
    "What was the {quantity} of {group}?",
    "What does the report give as the {quantity} of {group}?",
    "For {group}, what was the {quantity}?",
)
_MEASURED = (
    "What {quantity} was measured for {group}?",
    "How large was the {quantity} of {group}?",
    "Which value does the report give for the {quantity} of {group}?",
)
_NUMBER_ONLY = (
    "Answer with the number only.",
    "Give only the number.",
    "Reply with the number and nothing else.",
    "Write just the number.",
)


def ordinal(number: int) -> str:
    """Return an ordinal from 1 to 99 in words: first, twenty-first."""
    if number <= len(_ONES):
        return _ONES[number - 1]
    tens, ones = _TENS[number // 10 - 2], number % 10
    return f"{tens}-{_ONES[ones - 1]}" if ones else f"{tens.removesuffix('y')}ieth"


RECORDS = Words(
    formats=_FORMATS,
    quantities={
        "decimal": tuple((name, "") for name in _DECIMALS),
        "percent": tuple((name, "") for name in _PERCENTAGES),
        "amount": tuple((name, " crowns") for name in _AMOUNTS),
        "date": tuple((name, "") for name in _DATES),
        "code": tuple((name, "") for name in _CODES),
        "name": tuple((name, "") for name in _OFFICERS),
    },
    groups=GROUPS,
    supervisors=tuple(f"{name} {{surname}}" for name in _SUPERVISORS),
    surnames=SURNAMES,
    sites=SITES,
    materials=_MATERIALS,
    treatments=tuple(f"{treatment} {{material}}" for treatment in _TREATMENTS),
    ordinal=ordinal,
    ordinal_key="{ordinal} group",
    whole=(
        "The {ordinal} group, {name}, worked with {material} at {site}, supervised by {supervisor}.",
        "At {site}, {supervisor} supervised {name}, the {ordinal} group, which tested {material}.",
        "{name}, the {ordinal} group, was set up at {site}; {supervisor} supervised its work on {material}.",
        "Work on {material} at {site} fell to {name}, the {ordinal} group, and {supervisor} supervised it.",
        "The trials of {material} at {site} were the task of the {ordinal} group, {name}, with {supervisor} as supervisor.",
        "Supervised by {supervisor}, the {ordinal} group, known as {name}, studied {material} at {site}.",
        "As the {ordinal} group, {name} took on {material} at {site}, where {supervisor} supervised the work.",
        "{supervisor} supervised the {ordinal} group, called {name}, which studied {material} at {site}.",
        "With {supervisor} as its supervisor, {name}, the {ordinal} group, worked at {site} and tested {material}.",
        "It was {name}, the {ordinal} group, that tested {material} at {site}, with {supervisor} as supervisor.",
    ),
    halves=(
        (
            (
                "The {ordinal} group, {name}, was supervised by {supervisor}.",
                "{supervisor} supervised {name}, the {ordinal} group.",
            ),
            ("The {name} group tested {material} at {site}.", "At {site}, {name} worked with {material}."),
        ),
        (
            ("{name}, the {ordinal} group, was based at {site}.", "At {site} worked the {ordinal} group, {name}."),
            (
                "{supervisor} supervised {name} in its work on {material}.",
                "{name} tested {material}, supervised by {supervisor}.",
            ),
        ),
        (
            (
                "{name} was the {ordinal} group and tested {material}.",
                "The {ordinal} group, {name}, worked with {material}.",
            ),
            (
                "At {site}, {supervisor} supervised the {name} group.",
                "{name} worked at {site}, supervised by {supervisor}.",
            ),
        ),
    ),
    measured={
        "1": (
            "The {q1} of the {name} group was {v1}.",
            "{name} reported {v1} for the {q1}.",
            "The {name} group put the {q1} at {v1}.",
            "For {name}, the {q1} came to {v1}.",
            "The {q1} measured by {name} was {v1}.",
        ),
        "2": (
            "The {q1} of {name} was {v1} and its {q2} {v2}.",
            "For {name}, the {q1} settled at {v1} and the {q2} at {v2}.",
            "The {name} group reported {v1} for the {q1} and {v2} for the {q2}.",
            "{name} found the {q1} to be {v1} and the {q2} {v2}.",
            "In the {name} group the {q1} reached {v1}, while the {q2} stayed at {v2}.",
        ),
        "3": (
            "For {name}, the {q1} came to {v1}, the {q2} to {v2}, and the {q3} to {v3}.",
            "The {q1} of the {name} group was {v1}, its {q2} {v2}, and its {q3} {v3}.",
            "The {name} group reported {v1} for the {q1}, {v2} for the {q2}, and {v3} for the {q3}.",
            "Results of the {name} group: {q1} {v1}, {q2} {v2}, {q3} {v3}.",
            "{name} put the {q1} at {v1}, the {q2} at {v2}, and the {q3} at {v3}.",
            "In the {name} trials the {q1} was {v1} and the {q2} {v2}; the {q3} stood at {v3}.",
        ),
    },
    stated={
        "1": (
            "The {q1} of the {name} group was {v1}.",
            "{name} gave {v1} as its {q1}.",
            "For {name}, the {q1} was {v1}.",
            "The {name} group entered {v1} as its {q1}.",
        ),
        "2": (
            "The {q1} of {name} was {v1} and its {q2} {v2}.",
            "For {name}, the {q1} was {v1} and the {q2} was {v2}.",
            "{name} entered {v1} as its {q1} and {v2} as its {q2}.",
            "The {name} group entered {v1} as its {q1}, and {v2} as its {q2}.",
        ),
        "3": (
            "For {name}, the {q1} was {v1}, the {q2} {v2}, and the {q3} {v3}.",
            "The {q1} of the {name} group was {v1}, its {q2} {v2}, and its {q3} {v3}.",
            "Entries of the {name} group: {q1} {v1}, {q2} {v2}, {q3} {v3}.",
            "{name} entered {v1} as its {q1}, {v2} as its {q2}, and {v3} as its {q3}.",
        ),
    },
    orders=("W3", "3W", "W21", "W12", "1W2", "2W1", "Hh3", "H3h", "3Hh", "H2h1", "H1h2", "Hh21", "Hh12"),
    between=" ",
    stems={
        **dict.fromkeys(("decimal", "percent"), (*_WHAT, *_MEASURED)),
        **dict.fromkeys(("amount", "date", "code"), _WHAT),
        "name": ("Who was the {quantity} of {group}?", "For {group}, who was the {quantity}?", _WHAT[1]),
    },
    group={
        "name": ("the {key} group", "the group named {key}"),
        "ordinal": ("the {key}",),
        "supervisor": ("the group that {key} supervised", "the group supervised by {key}"),
        "site": ("the group that worked at {key}", "the group based at {key}"),
        "material": ("the group that worked with {key}", "the group that tested {key}"),
    },
    attributes=("supervisor", "site", "material"),
    answers={
        **dict.fromkeys(("decimal", "amount"), _NUMBER_ONLY),
        "percent": (
            "Answer with the percentage only.",
            "Give only the percentage.",
            "Reply with the percentage and nothing else.",
        ),
        "date": (
            "Answer with the date only, written as in the report.",
            "Give only the date, as the report has it.",
            "Reply with the date as the report writes it, and nothing else.",
        ),
        "code": (
            "Answer with the code only.",
            "Give only the code.",
            "Reply with the code and nothing else.",
        ),
        "name": (
            "Answer with the full name only.",
            "Give only the full name.",
            "Reply with the full name and nothing else.",
        ),
    },
    not_stated="not stated",
    if_not_stated=(
        'If the report does not say, answer "{not_stated}".',
        'Where the report does not give it, reply "{not_stated}".',
        'Should it not be in the report, write "{not_stated}".',
    ),
)
