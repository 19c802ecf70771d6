import random
import re
from itertools import islice

import pytest
from transformers import AutoTokenizer

from kveval.generators import haystack
from kveval.generators.en import names
from kveval.generators.names import Names
from kveval.prompts.template import ChatFrame
from probe.codec import FOLDER, Codec
from probe.tokenizer import ASSISTANT_ID, BEGIN_ID, CUT, END_ID, ENGLISH, USER_ID, VOCABULARY


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(FOLDER)


@pytest.fixture(scope="module")
def codec():
    return Codec()


@pytest.mark.parametrize("kind", names.KINDS, ids=range(len(names.KINDS)))
def test_every_invented_name_is_the_same_two_tokens_wherever_it_stands(codec, kind):
    drawn = Names(random.Random(0))
    for _ in range(20):
        name = drawn.draw(kind)
        plain, spaced, quoted = codec.encode(name), codec.encode(f" {name}"), codec.encode(f'"{name},')[1:-1]
        assert len(plain) == len(spaced) == 2
        assert quoted == plain
        assert [codec.canonical[number] for number in plain] == [codec.canonical[number] for number in spaced]


def test_digits_stand_alone(codec):
    assert len(codec.encode("0.923")) == 5
    assert len(codec.encode(" 4817")) == 4


@pytest.mark.parametrize("text", ["中文 émoji 😀\t x\r\n  two", "", "\x00\x7f", "<|end|>", "A-B_c1,2"])
def test_any_text_comes_back(tokenizer, text):
    ids = ChatFrame(tokenizer).encode(text)
    assert tokenizer.decode(ids) == text
    assert END_ID not in ids


def test_the_codec_encodes_as_transformers_does(tokenizer, codec):
    text = " ".join(islice(haystack.sentences(random.Random(1), ENGLISH.haystack), 50))
    text += '\n\n[Passage HB-2078 begins]\n\nThe "wob" -- 644 of it, I\'d say (7.2%).\n</report>\n\nWhat?'
    assert codec.encode(text) == list(ChatFrame(tokenizer).encode(text))
    assert "".join(re.findall(CUT, text)) == text


def test_the_template_makes_one_turn_that_ends_with_eos(tokenizer):
    frame = ChatFrame(tokenizer)
    assert frame.around(["user"])[0] == (BEGIN_ID, USER_ID)
    assert frame.around(["user"])[1] == (END_ID, ASSISTANT_ID)
    assert tokenizer.eos_token_id == END_ID
    assert len(tokenizer) == VOCABULARY
