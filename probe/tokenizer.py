"""The probe's tokenizer: a byte-level BPE with two tokens per invented name and one per digit.

`python -m probe.tokenizer FOLDER` trains it on text of the English generators and writes it to FOLDER.

Text is split before merges into line breaks, single digits, single capitals, punctuation and words. A capitalized word is
also split after its first vowel that follows a consonant, where the syllables of an invented name meet (Fo|nzisk). A name is
then always the same two tokens, wherever it occurs.
"""

import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from kveval.generators import copy, evidence, haystack, multihop
from kveval.generators.copy import Passages
from kveval.generators.counting import write_one
from kveval.generators.en import names
from kveval.generators.evidence import Records
from kveval.generators.language import LANGUAGES
from kveval.generators.multihop import Chains
from kveval.generators.names import Syllables
from probe.prompts import PROMPT

ENGLISH = LANGUAGES["en"]
VOCABULARY = 4096
PAD, BEGIN, END, USER, ASSISTANT = SPECIAL = ("<|pad|>", "<|begin|>", "<|end|>", "<|user|>", "<|assistant|>")
PAD_ID, BEGIN_ID, END_ID, USER_ID, ASSISTANT_ID = range(len(SPECIAL))
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
HEAD = r"(?:[JWY][a-z][a-z][aeiou]|Qu[aeiou]|[A-Z][b-df-hj-np-tv-z]*[aeiou])"
CUT = rf"\n+| ?[0-9]| ?{HEAD}| ?[A-Z]| ?[a-z]+| ?[^\sA-Za-z0-9]|\s"
_MUST = 3000  # repetitions of the texts that must become one token
_SENTENCES = 60_000
_DOCUMENTS = 400


def halves(kind: Syllables) -> tuple[set[str], set[str]]:
    """Return the first halves and the second halves of all names of one kind."""
    found: tuple[set[str], set[str]] = set(), set()
    for parts in product(*kind.parts):
        head = re.match(HEAD, name := "".join(parts))
        assert head is not None
        found[0].add(head[0])
        found[1].add(name[head.end() :])
    return found


def keywords() -> Iterator[str]:
    """Yield the words for things, relations and quantities; each of their words becomes one token with the space before it."""
    records, chains = ENGLISH.records, ENGLISH.chains
    yield from records.materials
    yield from (name.format(surname="") for name in (*records.supervisors, *ENGLISH.passages.people))
    for texts in ENGLISH.passages.pools.values():
        yield from texts
    yield from (name for quantities in records.quantities.values() for name, _ in quantities)
    yield from (treatment.replace("{material}", "") for treatment in records.treatments)
    yield from (records.ordinal(number) for number in range(1, 21))
    yield from chains.relations
    yield from (name for attributes in chains.attributes.values() for name in attributes)


def _text(rng: random.Random) -> Iterator[str]:
    yield from islice(haystack.sentences(rng, ENGLISH.haystack), _SENTENCES)
    for k in range(_DOCUMENTS):
        for plant in (
            evidence.plant(rng, ENGLISH.records, Records(), targets=[0, 3, 6, 9]),
            write_one(
                copy.plant(rng, ENGLISH.passages, Passages(), number=4, most_tokens=512),
                lambda text: len(re.findall(CUT, text)),
            ),
            multihop.plant(rng, ENGLISH.chains, Chains(), places=[3, 13, 23, 33], index=k),
        ):
            for text in (*plant.pieces, *(question.text for question in plant.questions)):
                yield from (text, f" {text}")
    must = {piece for text in keywords() for piece in re.findall(CUT, f" {text}") if piece.strip()}
    for kind in names.KINDS:
        heads, tails = halves(kind)
        must |= {*heads, *(f" {head}" for head in heads), *tails}
    must |= {f"{space}{number}" for space in ("", " ") for number in range(10)}
    for piece in sorted(must):
        yield from [piece] * _MUST
    yield from [PROMPT] * _MUST


def train() -> Tokenizer:
    """Train the tokenizer, without its chat template."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CUT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    special = [AddedToken(token, special=True, normalized=False) for token in SPECIAL]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_text(random.Random("kveval.probe.tokenizer")), trainer)
    return tokenizer


def save(tokenizer: Tokenizer, folder: Path, most_tokens: int) -> None:
    """Write the tokenizer in the format of transformers and vLLM."""
    from transformers import PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[USER, ASSISTANT],
        model_max_length=most_tokens,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    folder.mkdir(parents=True, exist_ok=True)
    fast.save_pretrained(folder)
    config = folder / "tokenizer_config.json"
    settings = json.loads(config.read_text(encoding="utf-8"))
    settings["tokenizer_class"] = "PreTrainedTokenizerFast"  # known to transformers 4 and 5
    config.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    save(train(), Path(sys.argv[1]), 65_536)
