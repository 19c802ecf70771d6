"""Encoding word by word gives the ids of the whole text, with all kinds of tokenizers."""

import random
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kveval.generators import copy, haystack
from kveval.generators.language import LANGUAGES
from kveval.prompts.encoding import Encoder
from kveval.prompts.samples import build_all
from kveval.prompts.template import ChatFrame
from kveval.tasks import load_task
from tests.conftest import _english

ENGLISH = LANGUAGES["en"]
SENTENCES = list(islice(haystack.sentences(random.Random(1), ENGLISH.haystack), 50))
PROBE = [" ".join(SENTENCES[:25]) + "\n\n" + " ".join(SENTENCES[25:]), copy.sample(ENGLISH.passages, rows=False)]
ALPHABET = [chr(code) for code in range(32, 127)]
WORD = st.text("aekrsty0123456789'(/-%é中", min_size=1, max_size=6)
MARK = st.sampled_from(["", ",", ".", ";", ":", "?", ").", '."', ',"', "%", "...", "!?"])
MARKED = st.builds(str.__add__, WORD, MARK)
PARAGRAPH = st.lists(MARKED, min_size=1, max_size=20).map(" ".join)
TEXT = st.lists(PARAGRAPH, min_size=1, max_size=4).map("\n\n".join)


def trained(model, trainer, pre_tokenizer=None, texts=None):
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(model)
    if pre_tokenizer:
        backend.pre_tokenizer = pre_tokenizer
    backend.train_from_iterator(texts or [*_english(), *PROBE], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>", unk_token="<unk>")


@pytest.fixture(scope="module")
def cut_at_spaces():
    """Tokenizer whose tokens combine letters, digits and marks."""
    from tokenizers import models, pre_tokenizers, trainers

    pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    trainer = trainers.BpeTrainer(vocab_size=4000, special_tokens=["<s>", "<unk>"], initial_alphabet=ALPHABET)
    return trained(models.BPE(unk_token="<unk>"), trainer, pre_tokenizer)


@pytest.fixture(scope="module")
def cut_nowhere():
    """Tokenizer whose tokens span several words, up to whole sentences."""
    from tokenizers import models, trainers

    special = ["<s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=6000, special_tokens=special, unk_token="<unk>", initial_alphabet=ALPHABET
    )
    return trained(models.Unigram(), trainer)


@given(texts=st.lists(TEXT, max_size=3))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_of_words(any_tokenizer, texts):
    frame = ChatFrame(any_tokenizer)
    encoder = Encoder(frame, PROBE)
    whole = frame.encode_all(texts)
    assert encoder.encode_all(texts) == whole
    assert encoder.count(texts) == list(map(len, whole))
    assert all(encoder.encode(text) == ids for text, ids in zip(texts, whole, strict=True))


def test_a_text_that_begins_with_a_space(any_tokenizer):
    frame = ChatFrame(any_tokenizer)
    text = f" {SENTENCES[0]} {SENTENCES[1]}"
    assert Encoder(frame, PROBE).encode(text) == frame.encode(text)


def test_a_known_word_is_not_encoded_again_for_its_mark(tokenizer, monkeypatch):
    encoded = []
    encode_all = ChatFrame.encode_all
    monkeypatch.setattr(ChatFrame, "encode_all", lambda self, texts: encoded.extend(texts) or encode_all(self, texts))
    encoder = Encoder(ChatFrame(tokenizer), PROBE)
    encoded.clear()
    encoder.encode("Of Quaskith and Yoraffyss")
    assert encoded
    encoded.clear()
    encoder.encode("Of Quaskith, Yoraffyss. Of Yoraffyss and Quaskith.")
    assert not encoded


@pytest.fixture(scope="module")
def numbered():
    """Tokenizer that splits at spaces and has tokens of a number with a full stop, which do not occur in prose."""
    from tokenizers import models, pre_tokenizers, trainers

    special = ["<s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=2000, special_tokens=special, unk_token="<unk>", initial_alphabet=ALPHABET
    )
    pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    prose = islice(haystack.sentences(random.Random(7), ENGLISH.haystack), 4000)
    lines = [
        f"The value was {n / 100:.2f} in group {n}. Of {n % 89}. And {n % 50}, {n % 13}%; ({n}) {n}:"
        for n in range(0, 100_000, 17)
    ]
    return trained(models.Unigram(), trainer, pre_tokenizer, [*prose, *lines])


@pytest.mark.parametrize("cutting", ["cut_at_spaces", "cut_nowhere"])
def test_documents_with_tokens_of_several_words_or_marks(cutting, request):
    """Here neither marks nor words can be encoded separately."""
    tokenizer = request.getfixturevalue(cutting)
    frame, task = ChatFrame(tokenizer), load_task("evidence")
    samples = build_all([task], 6_000, tokenizer, samples=48, seed=3)
    assert {len(sample.prompt_token_ids) for sample in samples} == {6_000 - task.answer_tokens}
    for sample in samples[::4]:
        head = frame.encode(task.before_document + sample.document)
        assert sample.prompt_token_ids[: len(head)] == head


def test_a_number_with_a_mark_may_be_one_token(numbered):
    frame = ChatFrame(numbered)
    assert any(token.endswith("2.") for token in frame.vocabulary())
    encoder = Encoder(frame, PROBE)
    for number in range(90):
        text = f"Of {number}. And {number}, so {number}."
        assert encoder.encode(text) == frame.encode(text)
