"""English texts of `multihop`: facts about people, and questions that follow them."""

from ..multihop import Words
from .names import PEOPLE, TOWNS

CHAINS = Words(
    people=PEOPLE,
    towns=TOWNS,
    relations=(
        "teacher", "landlord", "lawyer", "doctor", "tailor", "guardian", "employer", "creditor", "godparent", "successor",
    ),
    attributes={
        "number": ("licence number", "membership number", "account number", "locker number", "pension number"),
        "name": ("hometown", "birthplace", "place of marriage", "market town", "post town"),
    },
    relation_facts=(
        "The {relation} of {one} was {other}.",
        "{other} was the {relation} of {one}.",
        "{one} had {other} as {relation}.",
        "For years, {other} had been the {relation} of {one}.",
        "The {relation} of {one} went by the name of {other}.",
        "{one} gave {other} as {relation} when asked.",
        "Everyone knew {other} as the {relation} of {one}.",
        "In the register, {other} is entered as the {relation} of {one}.",
        "When the {relation} of {one} was called, {other} rose.",
        "It was {other} who signed as the {relation} of {one}.",
    ),
    attribute_facts=(
        "The {attribute} of {one} was {value}.",
        "{value} was the {attribute} of {one}.",
        "{one} had {value} as {attribute}.",
        "{one} gave {value} as {attribute} when asked.",
        "The {attribute} written beside {one} was {value}.",
        "In the register, {value} is entered as the {attribute} of {one}.",
        "According to the register, the {attribute} of {one} was {value}.",
        "Everyone knew {value} as the {attribute} of {one}.",
        "Under {attribute}, {one} had put down {value}.",
        "Asked for the {attribute} of {one}, the clerk read out {value}.",
    ),
    nested=(
        "What was the {attribute} of {whose}?",
        "What does the report give as the {attribute} of {whose}?",
        "Which {attribute} belonged to {whose}?",
    ),
    whose="the {relation} of {one}",
    stepwise=(
        "{steps}. What was the {attribute} of that person?",
        "{steps}. Which {attribute} did that person have?",
    ),
    first_step="Find the {relation} of {one}",
    next_step="the {relation} of that person",
    between_steps=", then ",
    answers={
        "number": (
            "Answer with the number only.",
            "Give only the number.",
            "Reply with the number and nothing else.",
            "Write just the number.",
        ),
        "name": (
            "Answer with the name only.",
            "Give only the name.",
            "Reply with the name and nothing else.",
            "Write just the name.",
        ),
    },
    between=" ",
)  # fmt: skip
