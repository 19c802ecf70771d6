"""The words of `evidence`: what a record says, and how a question asks for it.

In a sentence `{ordinal}`, `{name}`, `{supervisor}`, `{site}` and `{material}` are those of the record, `{q1}` and `{v1}` a
quantity and its value. Every sentence names the record, so that one is enough to get from any key to the name, and from
the name to any value.
"""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


QUANTITIES = (
    "drift", "yield ratio", "absorbance", "porosity", "damping factor", "shrinkage", "turbidity", "elongation",
    "hysteresis", "viscosity", "reflectance", "opacity", "permeability", "friction coefficient", "anisotropy", "swelling",
    "fatigue limit", "luminance", "conductivity", "retention", "dispersion", "stiffness", "resonance", "contraction",
)  # fmt: skip
"""What records can measure; the records of one document all measure the same three."""

FIRST_NAMES = _words(
    "Ines Tobias Clara Anselm Marta Leopold Judith Rasmus Helena Caspar Edith Bruno Miriam Florian Agnes Konrad Lydia Mattis "
    "Ottilie Vincent Paula Gregor Sabine Emil Thea Ludwig Rosalind Hugo Beate Simon Irma Valentin Cecily Oskar Dagmar Felix"
)
TREATMENTS = _words("aged coarse dark hardened heated layered pale powdered pressed untreated washed weathered")
MATERIALS = _words(
    "agar alabaster amber bamboo basalt beeswax bitumen bronze camphor casein celluloid cellulose ceramic charcoal cork "
    "enamel feldspar flint gauze gelatin glaze granite graphite gypsum jasper jute kaolin lacquer loam marble mica nickel "
    "obsidian onyx papyrus paraffin peat pectin pewter porcelain pumice quartz raffia rattan resin rubber sandstone satin "
    "shellac sisal slag soapstone starch talc tallow turpentine vellum velvet zinc silica"
)
ONES = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")

# Sentences that introduce a record. Each names it, so that one sentence is enough to get from any key to the name.
WHOLE = (
    "The {ordinal} group, {name}, worked with {material} at {site}, supervised by {supervisor}.",
    "At {site}, {supervisor} supervised {name}, the {ordinal} group, which tested {material}.",
    "{name}, the {ordinal} group, was set up at {site}; {supervisor} supervised its work on {material}.",
    "Work on {material} at {site} fell to {name}, the {ordinal} group, and {supervisor} supervised it.",
    "The trials of {material} at {site} were the task of the {ordinal} group, {name}, with {supervisor} as supervisor.",
    "Supervised by {supervisor}, the {ordinal} group, known as {name}, studied {material} at {site}.",
    "As the {ordinal} group, {name} took on {material} at {site}, where {supervisor} supervised the work.",
    "{supervisor} supervised the {ordinal} group, called {name}, which studied {material} at {site}.",
    "With {supervisor} as its supervisor, {name} was the {ordinal} group; it worked at {site} and tested {material}.",
    "It was {name}, the {ordinal} group, that tested {material} at {site}, with {supervisor} as supervisor.",
)
HALVES = (
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
)
# Sentences that give values, by their number. Each names the record and the quantities.
VALUES = {
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
}
# How a paragraph runs: W is a whole introduction, H and h are the halves of one, a digit is a sentence with that many values.
ORDERS = ("W3", "3W", "W21", "W12", "1W2", "2W1", "Hh3", "H3h", "3Hh", "H2h1", "H1h2", "Hh21", "Hh12")

STEMS = (
    "What was the {quantity} of {group}?",
    "What {quantity} was measured for {group}?",
    "Which value does the text give for the {quantity} of {group}?",
    "For {group}, what was the {quantity}?",
    "How large was the {quantity} of {group}?",
)
GROUP = {
    "name": ("the {key} group", "the group named {key}"),
    "ordinal": ("the {key}",),
    "supervisor": ("the group that {key} supervised", "the group supervised by {key}"),
    "site": ("the group that worked at {key}", "the group based at {key}"),
    "material": ("the group that worked with {key}", "the group that tested {key}"),
}
ATTRIBUTES = ("supervisor", "site", "material")
ANSWERS = (
    "Answer with the number only.",
    "Give only the number.",
    "Reply with the number and nothing else.",
    "Write just the number.",
)
