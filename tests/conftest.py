"""Tokenizers of three kinds, trained on the spot; a tiny model with random weights; a run that is stored without an engine."""

import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from kveval.generators import haystack
from kveval.generators.language import LANGUAGES
from kveval.store.run_directory import RunDirectory
from tests.stored_runs import careful, store_run

# How fast something is says nothing here: machines that run tests do other work too.
settings.register_profile("kveval", deadline=None)
settings.load_profile("kveval")

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] | trim }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL_TOKENS = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]


def _english() -> Iterator[str]:
    yield from islice(haystack.sentences(random.Random(7), LANGUAGES["en"].haystack), 3000)
    yield from (f"The value was {n / 100:.2f} in group {n}." for n in range(0, 1000, 7))


def _chinese() -> Iterator[str]:
    return islice(haystack.sentences(random.Random(7), LANGUAGES["zh"].haystack), 3000)


def train_tokenizer(kind: str):
    """A tokenizer with a chat template: byte-level BPE, one that knows no Chinese, or a SentencePiece-like unigram."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    if kind == "unigram":
        backend = Tokenizer(models.Unigram())
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=2000, special_tokens=[*SPECIAL_TOKENS, "<unk>"], unk_token="<unk>")
        backend.train_from_iterator([*_english(), *_chinese()], trainer)
        vocabulary = [tuple(entry) for entry in json.loads(backend.to_str())["model"]["vocab"]]
        vocabulary += [(f"<0x{byte:02X}>", -30.0) for byte in range(256)]
        backend.model = models.Unigram(vocabulary, unk_id=len(SPECIAL_TOKENS), byte_fallback=True)
        backend.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
    else:
        backend = Tokenizer(models.BPE())
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=800 if kind == "no Chinese" else 2000,
            special_tokens=SPECIAL_TOKENS,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        )
        backend.train_from_iterator(_english() if kind == "no Chinese" else [*_english(), *_chinese()], trainer)
    if kind != "no Chinese":  # a tokenizer that puts a BOS before plain text by itself
        backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


@pytest.fixture(scope="session", params=["byte-level", "unigram", "no Chinese"])
def any_tokenizer(request):
    return train_tokenizer(request.param)


@pytest.fixture(scope="session")
def tokenizer():
    return train_tokenizer("byte-level")


@pytest.fixture(scope="session")
def tiny_model(tokenizer, tmp_path_factory) -> Path:
    """A Llama of two layers with random weights: enough for everything but right answers."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=32,
        max_position_embeddings=8192,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        tie_word_embeddings=True,
        dtype="bfloat16",
    )
    folder = tmp_path_factory.mktemp("models") / "tiny"
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def run(monkeypatch, tmp_path, tiny_model, tokenizer):
    """Makes a run from what each arm is to answer, without an engine."""

    def make(answer=careful, **options):
        return RunDirectory(store_run(monkeypatch, tmp_path / "run", tiny_model, answer, tokenizer, **options))

    return make
