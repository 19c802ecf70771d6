"""From a chat template to token ids.

A prompt is what the template puts before, between and after its turns, and the contents of the turns. The template's own
parts are encoded with special tokens; contents are encoded without (`split_special_tokens=True`), so that an `<|im_end|>`
in a document stays text. The ids made here are what counts for lengths and what every engine receives.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from kveval.errors import ModelError
from kveval.models.tokenizer import Tokenizer
from kveval.tasks.turn import DOCUMENT, QUESTION, Turn

if TYPE_CHECKING:
    TokenIds: TypeAlias = array[int]
else:
    TokenIds = array  # takes no parameter before Python 3.12
"""Unsigned numbers side by side. A prompt has tens of thousands: so they take half the memory of a tuple, and prompts are put
together and hashed as fast as bytes."""

# Some templates print today's date. A prompt must not change overnight: a run that is resumed has to send the same ids.
TEMPLATE_DATE = datetime(2026, 1, 1)
TEMPLATE_ARGUMENTS: dict[str, Any] = {"enable_thinking": False}
"""Where a template knows it: an answer budget is for an answer, not for reasoning."""
_CONTENT = "\N{OBJECT REPLACEMENT CHARACTER}content %d\N{OBJECT REPLACEMENT CHARACTER}"

HASH_DIGITS = 16
_BATCH = 1_000_000
"""Characters that are encoded at once."""


def token_ids(*parts: Iterable[int]) -> TokenIds:
    """The ids of all parts, one after the other."""
    ids = array("I")
    for part in parts:
        ids.extend(part)
    return ids


@dataclass(frozen=True)
class Head:
    """What prompts on one document begin with."""

    head: TokenIds
    """The ids that all prompts on it begin with, to the last one of the document."""

    @cached_property
    def _hashed(self) -> "hashlib._Hash":
        # The head is long, and the same for all questions on the document: its hash is copied and gone on with.
        return hashlib.sha256(self.head)

    @property
    def digest(self) -> str:
        """Tells it from others in a document's id."""
        return self._hashed.hexdigest()[:8]

    def prompt_hash(self, rest: TokenIds | None = None) -> str:
        """The hash of the prompt that goes on with `rest`."""
        prompt = self._hashed.copy()
        prompt.update(rest or b"")
        return prompt.hexdigest()[:HASH_DIGITS]


@dataclass(frozen=True)
class ChatFrame:
    """What a model's template puts around the contents of turns."""

    tokenizer: Tokenizer

    def around(self, roles: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """The template's ids before, between and after the contents of turns with these roles, the last of them a user's.

        The first ones begin with the one BOS of a model that uses one; the last ones end where the model begins its answer.
        Raises ModelError where the model has no template, and more than one turn is asked, or where it cannot render them.
        """
        first, *others = (self._encode_template(text) for text in self._rendered(roles))
        bos = self.tokenizer.bos_token_id
        adds_bos = bos is not None and self.tokenizer("a").input_ids[:1] == [bos]
        return ((bos, *first) if adds_bos and first[:1] != (bos,) else first), *others

    def _rendered(self, roles: Sequence[str]) -> list[str]:
        contents = [_CONTENT % number for number in range(len(roles))]
        if not getattr(self.tokenizer, "chat_template", None):
            if len(roles) > 1:
                raise ModelError("The model has no chat template: a task with several turns cannot be asked of it.")
            return ["", ""]
        turns = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=True)]
        said = "a user turn" if len(roles) == 1 else f"turns of {', '.join(roles)}"
        try:
            rendered = self.tokenizer.apply_chat_template(
                turns,
                tokenize=False,
                add_generation_prompt=True,
                strftime_now=TEMPLATE_DATE.strftime,
                **TEMPLATE_ARGUMENTS,
            )
        except Exception as error:  # a template is somebody's program: it can raise anything
            raise ModelError(f"The model's chat template cannot render {said}: {error}.") from error
        parts: list[str] = []
        for content in contents:
            before, found, rendered = rendered.partition(content)
            if not found or any(other in before + rendered for other in contents[: len(parts) + 1]):
                raise ModelError(
                    f"The model's chat template does not repeat the contents of {said} once, in order, unchanged."
                )
            parts.append(before)
        return [*parts, rendered]

    def _encode_template(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer(text, add_special_tokens=False).input_ids) if text else ()

    def encode(self, text: str) -> TokenIds:
        """The ids of a piece of content; control tokens in it are plain text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[TokenIds]:
        """The ids of many pieces of content, each on its own."""
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        encode = self._encode_slowly if backend is None else self._encode_fast
        return [ids for batch in _batches(texts) for ids in encode(batch)]

    def _encode_fast(self, texts: list[str]) -> list[TokenIds]:
        """The same as below, without offsets and masks, which take as long again."""
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        before, backend.encode_special_tokens = backend.encode_special_tokens, True
        try:
            if len(texts) == 1:  # a batch has a cost of its own
                return [token_ids(backend.encode(texts[0], add_special_tokens=False).ids)]
            encodings = backend.encode_batch_fast(texts, add_special_tokens=False)
            return [token_ids(encoding.ids) for encoding in encodings]
        finally:
            backend.encode_special_tokens = before

    def _encode_slowly(self, texts: list[str]) -> list[TokenIds]:
        encoded = self.tokenizer(texts, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return list(map(token_ids, encoded.input_ids))

    def vocabulary(self) -> list[str]:
        """All tokens as the tokenizer writes them; none where it does not tell."""
        try:
            tokens = list(self.tokenizer.get_vocab())
        except NotImplementedError:
            return []
        return tokens if all(isinstance(token, str) for token in tokens) else []

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids, control tokens included."""
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in batches of so many characters, or of one longer text: tokenizers take hundreds of bytes a token."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


class PromptFrame:
    """The prompts of one task: its turns, without the documents and questions that stand in them.

    They are cut where the document stands; where there is none, before the turn with the question.
    """

    def __init__(self, frame: ChatFrame, turns: Sequence[Turn], answer_prefix: str = "") -> None:
        """`answer_prefix` is what the model's answer is made to begin with."""
        self._frame = frame
        self._turns = turns
        self._prefix = answer_prefix

    @cached_property
    def _around(self) -> tuple[tuple[int, ...], ...]:
        return self._frame.around([turn.role for turn in self._turns])

    @cached_property
    def _place(self) -> int:
        """Index of the turn with the document."""
        wanted = DOCUMENT if any(DOCUMENT in turn.content for turn in self._turns) else QUESTION
        return next(index for index, turn in enumerate(self._turns) if wanted in turn.content)

    @cached_property
    def opening(self) -> TokenIds:
        """The ids before the turn with the document."""
        before = zip(self._around, self._turns[: self._place], strict=False)
        turns = [ids for around, turn in before for ids in (around, self._frame.encode(turn.content))]
        return token_ids(*turns, self._around[self._place])

    @property
    def before(self) -> str:
        """The text of that turn before the document."""
        before, found, _ = self._turns[self._place].content.partition(DOCUMENT)
        return before if found else ""

    def tails(self, questions: Sequence[str]) -> list[TokenIds]:
        """The ids that follow a document, and what fills up behind it, one after the other for each question."""
        before, found, after = self._turns[self._place].content.partition(DOCUMENT)
        return self._ends(after if found else before, questions)

    def without_document(self, question: str) -> TokenIds:
        """The ids of a prompt from which the document is gone."""
        return self.opening + self._ends(self._turns[self._place].content.replace(DOCUMENT, ""), [question])[0]

    def _ends(self, text: str, questions: Sequence[str]) -> list[TokenIds]:
        """The ids of what a turn goes on with, `text`, and of all turns behind it."""
        texts = [text, *(turn.content for turn in self._turns[self._place + 1 :])]
        asks = next(index for index, text in enumerate(texts) if QUESTION in text)
        asked = self._frame.encode_all([texts[asks].replace(QUESTION, question, 1) for question in questions])
        around = self._around[self._place + 1 :]
        before = [ids for k in range(asks) for ids in (self._frame.encode(texts[k]), around[k])]
        after = [ids for k in range(asks + 1, len(texts)) for ids in (self._frame.encode(texts[k]), around[k])]
        behind = (around[asks], *after, self._frame.encode(self._prefix))
        return [token_ids(*before, ids, *behind) for ids in asked]
