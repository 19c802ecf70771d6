"""Initial weights that already do approximately what the tasks need.

From random weights, none of these mechanisms forms in the available training time. The residual stream is divided into slots
of 16 numbers, each for the code of one token. Layer 0 fetches the four previous tokens. Layer 1 collects the subject, the
relation and the value of a sentence. Layer 2 continues a text that has begun (n-gram matching), and follows one fact; layers
3 and 4 follow two more; layer 5 fetches the value. All other weights are random, and training can change all of them.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from kveval.generators.en import names
from probe.codec import Codec
from probe.labels import Field
from probe.model import HEAD, Layer, Probe, Readouts
from probe.tokenizer import ASSISTANT_ID, BEGIN_ID, ENGLISH

WIDE = 16
(
    OWN, BACK_1, BACK_2, BACK_3, BACK_4, HEAD_OF, TAIL_OF, RELATION, *VALUES, ORDINAL, SURNAME, SITE, MATERIAL, FAMILY,
    GOT_HEAD, GOT_TAIL, NEXT_HEAD, NEXT_TAIL, FETCHED, BAG,
) = (slice(k * WIDE, (k + 1) * WIDE) for k in range(23))  # fmt: skip
BACK = (OWN, BACK_1, BACK_2, BACK_3, BACK_4)
KEYS = (ORDINAL, SURNAME, SITE, MATERIAL)
"""Slots of the keys by which questions identify a record, besides its name. Tokens of these kinds have their code there too."""
WIDTH = 384
CONSTANT, IS_KEY, ANSWER_FOLLOWS, FIRST = 383, 382, 381, 380
"""Dimensions after the slots: a constant; whether a token is a key; whether an answer follows; the first token of the text.
The first token has no content, and heads without a match attend to it."""
_LETTERS = range(12)  # dimensions of a code that identify tokens
_SHORT = 8  # number of them where fewer are enough
_SPACE, _TAIL, _DIGIT, _KEYWORD = 12, 13, 14, 15  # dimensions of a code for the kind of token
_LESS = 0.5  # mark of a tail in names that are not subjects of facts
_CONSTANT_VALUE = 4.0  # value of the constant in embeddings
_HALF = HEAD // 2


def codes(codec: Codec, generator: torch.Generator) -> Tensor:
    """Return a code [vocabulary, WIDE] for every token; text with and without a space differs in one dimension only."""
    found = torch.randn(codec.size, len(_LETTERS), generator=generator)
    for block in (slice(0, _SHORT), slice(_SHORT, len(_LETTERS))):  # equal norms, so that all tokens match equally well
        found[:, block] *= math.sqrt(found[:, block].shape[1]) / found[:, block].norm(dim=1, keepdim=True)
    canonical = torch.tensor(codec.canonical)
    kinds = torch.zeros(codec.size, WIDE - len(_LETTERS))
    has_space = torch.tensor([codec.decode([number]).startswith(" ") for number in range(codec.size)])
    kinds[:, 0] = torch.where(has_space, 1.0, -1.0)
    for kind in names.KINDS:
        is_marked = kind in (names.GROUPS, names.PEOPLE, names.TOWNS, names.PLACES)
        kinds[list(codec.tails(kind)), _TAIL - _SPACE] = 1.5 if is_marked else _LESS
    digits = sorted(codec.digits)
    kinds[digits, _DIGIT - _SPACE] = 1.5
    chains = ENGLISH.chains
    keywords = {*codec.quantities, *map(codec.last_of, chains.relations)}
    keywords |= {codec.last_of(name) for kind in chains.attributes.values() for name in kind}
    kinds[sorted(keywords), _KEYWORD - _SPACE] = 1.5
    kinds[:, 1:] = kinds[canonical, 1:].maximum(kinds[:, 1:])
    kinds[canonical[digits], _DIGIT - _SPACE] = 1.5
    return torch.cat([found[canonical], kinds], 1)


class _Builder:
    """Writer of attention heads into layers."""

    def __init__(self, theta: float) -> None:
        self.speeds = theta ** -(torch.arange(0, HEAD, 2).float() / HEAD)
        slow = [k for k in range(_HALF) if self.speeds[k] < 2e-5]
        self.slow = [*slow, *(k + _HALF for k in slow)]
        """Dimensions of a head that rotate little within a document, used to compare contents."""

    def look(self, layer: Layer, head: int, amplitudes: Tensor, back: int, rms: float) -> None:
        """Attend `back` tokens back. `amplitudes` by rotary speed, in units of sqrt(8 nats)."""
        rows = slice(head * HEAD, (head + 1) * HEAD)
        phase = -self.speeds * back
        scale = rms / _CONSTANT_VALUE
        attention = layer.self_attn
        attention.q_proj.weight[rows] *= 0.2
        attention.k_proj.weight[rows] *= 0.2
        attention.q_proj.weight[rows, CONSTANT] = (
            torch.cat([amplitudes * phase.cos(), amplitudes * phase.sin()]) * scale
        )
        attention.k_proj.weight[rows, CONSTANT] = torch.cat([amplitudes, amplitudes * 0]) * scale

    def near(self, layer: Layer, head: int, low: float, high: float, nats: float, rms: float) -> None:
        """Prefer near tokens. The rotary speeds from `low` to `high` share `nats`."""
        chosen = (self.speeds >= low) & (self.speeds <= high)
        amplitude = math.sqrt(8 * nats / int(chosen.sum()))
        self.look(layer, head, chosen.float() * amplitude, 0, rms)

    def match(self, layer: Layer, head: int, pairs: Sequence[tuple[slice, slice, int, float]], rms: float) -> None:
        """Attend where the key's slot equals the query's slot. Pairs are query slot, key slot, number of dimensions, nats."""
        at = 0
        for query, key, numbers, nats in pairs:
            scale = math.sqrt(8 * nats / numbers) * rms
            for k in range(numbers):
                row = head * HEAD + self.slow[at]
                layer.self_attn.q_proj.weight[row, query.start + k] += scale
                layer.self_attn.k_proj.weight[row, key.start + k] += scale
                at += 1

    def prefer(self, layer: Layer, head: int, wanted: Tensor, rms: float, at: int = 0, asker: int = CONSTANT) -> None:
        """Attend to states that agree with `wanted` (nats by dimension), from tokens with a high value in dimension `asker`."""
        row = head * HEAD + self.slow[at]
        layer.self_attn.q_proj.weight[row, asker] += 8 * rms / _CONSTANT_VALUE
        layer.self_attn.k_proj.weight[row] += wanted * rms

    def rest(self, layer: Layer, head: int, nats: float, rms: float, asking: float = 0) -> None:
        """Attend to the first token with `nats`, as a default, and with `asking` further nats where an answer follows."""
        row = head * HEAD + self.slow[-1]
        layer.self_attn.q_proj.weight[row, CONSTANT] += 8 * rms / _CONSTANT_VALUE
        layer.self_attn.q_proj.weight[row, ANSWER_FOLLOWS] += 8 * rms / _CONSTANT_VALUE * asking / nats
        layer.self_attn.k_proj.weight[row, FIRST] += nats / _CONSTANT_VALUE * rms

    def carry(self, layer: Layer, head: int, pairs: list[tuple[slice, slice]], rms: float, gain: float = 1) -> None:
        """Copy slots of the attended token to slots of the current one."""
        eye = torch.eye(WIDE)
        for k, (source, target) in enumerate(pairs):
            rows = slice(head * HEAD + k * WIDE, head * HEAD + (k + 1) * WIDE)
            layer.self_attn.v_proj.weight[rows, source] += eye * (rms * gain)
            layer.self_attn.o_proj.weight[target, rows] += eye


def _marks(**nats: float) -> Tensor:
    """Return the argument `wanted` of `prefer` for tokens with marks (1.5) in slots, by names such as `back_1_digit`."""
    wanted = torch.zeros(WIDTH)
    places = {"own": OWN, "back_1": BACK_1}
    for name, value in nats.items():
        slot, _, mark = name.rpartition("_")
        wanted[places[slot].start + {"tail": _TAIL, "digit": _DIGIT, "keyword": _KEYWORD}[mark]] = value / 1.5
    return wanted


def _embed(probe: Probe, codec: Codec, code: Tensor) -> None:
    embedding = probe.model.embed_tokens.weight
    embedding *= 0.05
    embedding[:, OWN] = code
    embedding[:, CONSTANT] = _CONSTANT_VALUE
    embedding[:, [IS_KEY, ANSWER_FOLLOWS, FIRST]] = 0
    records = ENGLISH.records
    for slot, keys in (
        (ORDINAL, {codec.last_of(records.ordinal(number)) for number in range(1, 21)}),
        (SURNAME, codec.tails(names.SURNAMES)),
        (SITE, codec.tails(names.SITES)),
        (MATERIAL, {codec.last_of(material) for material in records.materials}),
    ):
        alike = [number for number in range(codec.size) if codec.canonical[number] in keys]
        embedding[alike, slot] = code[alike]
        embedding[alike, IS_KEY] = 1.5
    embedding[ASSISTANT_ID, ANSWER_FOLLOWS] = _CONSTANT_VALUE
    embedding[BEGIN_ID, : 23 * WIDE] = 0
    embedding[BEGIN_ID, FIRST] = _CONSTANT_VALUE


@torch.no_grad()
def initialize(probe: Probe, readouts: Readouts, codec: Codec, seed: int = 0) -> None:
    """Replace the random weights of `probe` and `readouts` by the initial weights of training.

    Raises ValueError if the width is not `WIDTH`, or if there are fewer than 6 layers or 4 heads.
    """
    config = probe.config
    if config.width != WIDTH or config.layers < 6 or config.heads < 4:
        raise ValueError(f"the probe must have a width of {WIDTH}, at least 6 layers and at least 4 heads")
    code = codes(codec, torch.Generator().manual_seed(seed))
    build = _Builder(config.theta)
    layers = list(probe.model.layers)
    for layer in layers:
        for weight in layer.parameters():
            if weight.dim() == 2:
                weight *= 0.5
    _embed(probe, codec, code)
    probe.lm_head.weight *= 0.2
    probe.lm_head.weight[:, FETCHED] = code
    # At the start of an answer, prefer tokens without a space.
    probe.lm_head.weight[:, ANSWER_FOLLOWS] -= code[:, _SPACE]
    # Approximate root mean square by which the norm of each layer divides.
    rms = [math.sqrt((slots * WIDE + _CONSTANT_VALUE**2) / WIDTH) for slots in (1, 5, 9, 12, 13, 14)]

    amplitudes = torch.full((_HALF,), math.sqrt(20.0))
    amplitudes[:4] = math.sqrt(90.0)
    amplitudes[build.speeds < 1e-5] = 0
    for head in range(4):
        build.look(layers[0], head, amplitudes, head + 1, rms[0])
        build.carry(layers[0], head, [(OWN, BACK[head + 1])], rms[0])

    gather = layers[1]
    build.near(gather, 0, 0.03, 0.2, 12, rms[1])
    build.carry(gather, 0, [(OWN, BAG)], rms[1], 3)
    for head in (1, 2, 3):
        build.near(gather, head, 0.001, 0.1, 16, rms[1])
    build.prefer(gather, 1, _marks(back_1_tail=24), rms[1])
    build.carry(gather, 1, [(BACK_2, HEAD_OF), (BACK_1, TAIL_OF)], rms[1])
    build.prefer(gather, 2, _marks(back_1_tail=24, back_1_digit=24, own_digit=-16), rms[1])
    build.carry(gather, 2, list(zip(BACK[1:], VALUES, strict=True)), rms[1])
    build.prefer(gather, 3, _marks(own_keyword=24), rms[1])
    build.carry(gather, 3, [(OWN, RELATION)], rms[1])

    second = layers[2]
    build.match(
        second, 0, [(OWN, BACK_1, 8, 18), (BACK_1, BACK_2, 8, 15), (BACK_2, BACK_3, 8, 12), (BAG, BAG, 5, 6)], rms[2]
    )
    build.rest(second, 0, 14, rms[2], asking=40)
    build.carry(second, 0, [(OWN, FETCHED)], rms[2])
    build.match(
        second, 1, [(HEAD_OF, HEAD_OF, 11, 14), (TAIL_OF, TAIL_OF, 11, 14), (RELATION, RELATION, 7, 12)], rms[2]
    )
    build.rest(second, 1, 24, rms[2])
    build.carry(second, 1, [(VALUES[1], GOT_HEAD), (VALUES[0], GOT_TAIL)], rms[2])
    build.near(second, 2, 0.001, 0.1, 16, rms[2])
    is_key = torch.zeros(WIDTH)
    is_key[IS_KEY] = 24 / 1.5
    build.prefer(second, 2, is_key, rms[2])
    for k, slot in enumerate(KEYS):  # one head copies all keys, each to its own slot
        part = slice(2 * HEAD + k * 13, 2 * HEAD + k * 13 + len(_LETTERS))
        eye = torch.eye(len(_LETTERS))
        letters = slice(slot.start, slot.start + len(_LETTERS))
        second.self_attn.v_proj.weight[part, letters] += eye * rms[2] * 2
        second.self_attn.o_proj.weight[letters, part] += eye

    third = layers[3]
    _follow(build, third, 3, (GOT_HEAD, GOT_TAIL), (NEXT_HEAD, NEXT_TAIL), rms)
    build.match(third, 2, [(slot, slot, 7, 14) for slot in KEYS], rms[3])
    build.rest(third, 2, 10, rms[3])
    build.carry(third, 2, [(HEAD_OF, NEXT_HEAD), (TAIL_OF, NEXT_TAIL)], rms[3])
    pairs = [(HEAD_OF, HEAD_OF, 6, 6), (TAIL_OF, TAIL_OF, 6, 6), *((slot, slot, 5, 6) for slot in VALUES[:3])]
    build.match(third, 3, pairs, rms[3])
    begins = torch.zeros(WIDTH)
    begins[BACK_1] = code[codec.break_id] * (20 / float(code[codec.break_id].square().sum()))
    build.prefer(third, 3, begins, rms[3], at=28, asker=ANSWER_FOLLOWS)
    build.rest(third, 3, 30, rms[3])
    build.carry(third, 3, [(OWN, FETCHED)], rms[3])

    _follow(build, layers[4], 4, (NEXT_HEAD, NEXT_TAIL), (GOT_HEAD, GOT_TAIL), rms)
    _follow(build, layers[5], 5, (GOT_HEAD, GOT_TAIL), None, rms)
    build.carry(layers[5], 1, list(zip(VALUES, KEYS, strict=True)), rms[5])

    fields = code[sorted(codec.fields, key=codec.fields.__getitem__)]
    for what, slot in (
        (Field.SUBJECT_HEAD, HEAD_OF),
        (Field.SUBJECT_TAIL, TAIL_OF),
        (Field.RELATION, RELATION),
        *((Field.VALUE_1 + k, slot) for k, slot in enumerate(VALUES)),
        (Field.GROUP_HEAD, HEAD_OF),
        (Field.GROUP_TAIL, TAIL_OF),
        (Field.ORDINAL, ORDINAL),
        (Field.SURNAME_TAIL, SURNAME),
        (Field.SITE_TAIL, SITE),
        (Field.MATERIAL, MATERIAL),
        (Field.FIRST_HEAD, GOT_HEAD),
        (Field.FIRST_TAIL, GOT_TAIL),
        (Field.SECOND_HEAD, NEXT_HEAD),
        (Field.SECOND_TAIL, NEXT_TAIL),
        (Field.LAST_HEAD, GOT_HEAD),
        (Field.LAST_TAIL, GOT_TAIL),
    ):
        readouts.weights[what, :, slot] = fields * 0.4


def _follow(
    build: _Builder,
    layer: Layer,
    number: int,
    who: tuple[slice, slice],
    target: tuple[slice, slice] | None,
    rms: list[float],
) -> None:
    """Make the second head attend to a fact about `who` and fetch the person that it names."""
    pairs = [(who[0], HEAD_OF, 11, 14), (who[1], TAIL_OF, 11, 14), (RELATION, RELATION, 7, 6)]
    build.match(layer, 1, pairs, rms[number])
    build.rest(layer, 1, 20, rms[number])
    if target:
        build.carry(layer, 1, [(VALUES[1], target[0]), (VALUES[0], target[1])], rms[number])
