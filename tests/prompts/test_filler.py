"""Fillers have exactly the tokens that are asked for, also where no whole sentences make these up."""

import pytest

from kveval.prompts.filler import Prose
from kveval.prompts.template import ChatFrame


@pytest.fixture
def prose(any_tokenizer):
    return Prose("en", 4096, ChatFrame(any_tokenizer), "seed", before="Read this: ", task="own")


@pytest.mark.parametrize("tokens", [1, 2, 7, 64, 777])
def test_any_number_of_tokens(prose, tokens):
    assert len(prose.filler(tokens, 0, ())) == tokens


def test_what_ends_it_holds_nothing_that_is_kept_out(prose, any_tokenizer):
    without = frozenset({"the ", "ing"})
    for tokens in range(40, 90):
        text = any_tokenizer.decode(prose.filler(tokens, 0, (), without)).casefold()
        assert not [kept_out for kept_out in without if kept_out in text]
    assert "the " in any_tokenizer.decode(prose.filler(500, 0, ())).casefold()


@pytest.mark.parametrize("tokens", [1, 40, 500])
def test_without_fitting_sentences_it_ends_within_one(prose, any_tokenizer, monkeypatch, tokens):
    monkeypatch.setattr(prose, "_end", lambda *_: None)
    assert len(prose.filler(tokens, 0, ())) == tokens
    text = any_tokenizer.decode(prose.filler(tokens, 0, (), frozenset({"the "}))).casefold()
    assert "the " not in text
