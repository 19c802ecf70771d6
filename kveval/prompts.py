"""From a chat template to token ids.

A prompt is the template's opening, the content, and the template's close. The template's own parts are encoded with
special tokens; the content is encoded without (`split_special_tokens=True`), so that an `<|im_end|>` in a document stays
text. The ids made here are what counts for lengths and what every engine receives.
"""

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from kveval.errors import ModelError

Tokenizer = Any
"""Any tokenizer that `transformers.AutoTokenizer` loads."""

# Some templates print today's date. A prompt must not change overnight: a run that is resumed has to send the same ids.
TEMPLATE_DATE = datetime(2026, 1, 1)
_CONTENT = "\N{OBJECT REPLACEMENT CHARACTER}content\N{OBJECT REPLACEMENT CHARACTER}"


HASH_DIGITS = 16


@dataclass(frozen=True)
class Head:
    """What prompts on one document begin with."""

    head: tuple[int, ...]
    """The ids that all prompts on it begin with, to the last one of the document."""

    @cached_property
    def _hashed(self) -> "hashlib._Hash":
        # The head is long, and the same for all questions on the document: its hash is copied and gone on with.
        return hashlib.sha256(array("I", self.head))

    @property
    def digest(self) -> str:
        """Tells it from others in a document's id."""
        return self._hashed.hexdigest()[:8]

    def prompt_hash(self, rest: tuple[int, ...] = ()) -> str:
        """The hash of the prompt that goes on with `rest`."""
        prompt = self._hashed.copy()
        prompt.update(array("I", rest))
        return prompt.hexdigest()[:HASH_DIGITS]


@dataclass(frozen=True)
class ChatFrame:
    """What a model's template puts around the content of one user turn."""

    tokenizer: Tokenizer

    @cached_property
    def _parts(self) -> tuple[str, str]:
        if not getattr(self.tokenizer, "chat_template", None):
            return "", ""
        try:
            rendered = self.tokenizer.apply_chat_template(
                [{"role": "user", "content": _CONTENT}],
                tokenize=False,
                add_generation_prompt=True,
                strftime_now=TEMPLATE_DATE.strftime,
                enable_thinking=False,  # where a template knows it: an answer budget holds an answer, not a train of thought
            )
        except Exception as error:  # a template is somebody's program: it can raise anything
            raise ModelError(f"The model's chat template cannot render a user turn: {error}.") from error
        before, found, after = rendered.partition(_CONTENT)
        if not found or _CONTENT in after:
            raise ModelError("The model's chat template does not repeat the user's content once and unchanged.")
        return before, after

    @cached_property
    def opening(self) -> tuple[int, ...]:
        """Ids before the content; they begin with the one BOS of a model that uses one."""
        ids = self._encode_template(self._parts[0])
        bos = self.tokenizer.bos_token_id
        adds_bos = bos is not None and self.tokenizer("a").input_ids[:1] == [bos]
        return (bos, *ids) if adds_bos and ids[:1] != (bos,) else ids

    @cached_property
    def close(self) -> tuple[int, ...]:
        """Ids after the content, up to where the model begins its answer."""
        return self._encode_template(self._parts[1])

    def _encode_template(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer(text, add_special_tokens=False).input_ids) if text else ()

    def encode(self, text: str) -> list[int]:
        """The ids of a piece of content; control tokens in it are plain text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of many pieces of content, each on its own."""
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        if backend is None:
            slow: list[list[int]] = self.tokenizer(
                list(texts), add_special_tokens=False, split_special_tokens=True, verbose=False
            ).input_ids
            return slow
        # The same without offsets and masks, which take as long again.
        backend.no_truncation()
        backend.no_padding()
        before, backend.encode_special_tokens = backend.encode_special_tokens, True
        try:
            if len(texts) == 1:  # a batch has a cost of its own
                return [backend.encode(texts[0], add_special_tokens=False).ids]
            return [encoding.ids for encoding in backend.encode_batch_fast(list(texts), add_special_tokens=False)]
        finally:
            backend.encode_special_tokens = before

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids, control tokens included."""
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text


def load_tokenizer(model: str, *, trust_remote_code: bool = False, revision: str | None = None) -> Tokenizer:
    """The tokenizer of a checkpoint. Raises ModelError where it has none that transformers can load."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(model, trust_remote_code=trust_remote_code, revision=revision)
    except Exception as error:  # transformers raises whatever the checkpoint's files provoke
        raise ModelError(f"The tokenizer of {model} cannot be loaded: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """What an exception of another library says, on one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
