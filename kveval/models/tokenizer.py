"""Loads the tokenizer of a checkpoint."""

from typing import Any

from kveval.errors import ModelError, first_line

Tokenizer = Any
"""Any tokenizer that `transformers.AutoTokenizer` loads."""


def load_tokenizer(model: str, *, trust_remote_code: bool = False, revision: str | None = None) -> Tokenizer:
    """The tokenizer of a checkpoint. Raises ModelError if transformers cannot load it."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(model, trust_remote_code=trust_remote_code, revision=revision)
    except Exception as error:  # transformers raises errors of many types for damaged checkpoints
        raise ModelError(f"The tokenizer of {model} cannot be loaded: {first_line(error)}") from error
