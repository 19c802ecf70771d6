"""Fillers have exactly the requested number of tokens, even if no whole sentences do."""

import pytest

from kveval.prompts.filler import Prose
from kveval.prompts.template import ChatFrame


@pytest.fixture
def prose(any_tokenizer):
    return Prose("en", 4096, ChatFrame(any_tokenizer), "seed", before="Read this: ", task="own")


@pytest.mark.parametrize("tokens", [1, 2, 7, 64, 777])
def test_any_number_of_tokens(prose, tokens):
    assert len(prose.filler(tokens, 0, ())) == tokens


def test_ending_contains_no_excluded_text(prose, any_tokenizer):
    without = frozenset({"the ", "ing"})
    for tokens in range(40, 90):
        text = any_tokenizer.decode(prose.filler(tokens, 0, (), without)).casefold()
        assert not [excluded for excluded in without if excluded in text]
    assert "the " in any_tokenizer.decode(prose.filler(500, 0, ())).casefold()


@pytest.mark.parametrize("tokens", [1, 40, 500])
def test_ends_within_a_sentence_if_none_fits(prose, any_tokenizer, monkeypatch, tokens):
    monkeypatch.setattr(prose, "_end", lambda *_: None)
    assert len(prose.filler(tokens, 0, ())) == tokens
    text = any_tokenizer.decode(prose.filler(tokens, 0, (), frozenset({"the "}))).casefold()
    assert "the " not in text
