"""Conversion of chat prompts to token ids.

A prompt consists of the template's text before, between and after the turns, and of the contents of the turns. The
template's text is encoded with special tokens. Contents are encoded without them (`split_special_tokens=True`), so that an
`<|im_end|>` in a document stays text. These ids define the lengths and are sent to every engine.
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
"""Array of unsigned integers. A prompt has tens of thousands of ids; an array needs half the memory of a tuple, and is
concatenated and hashed at the speed of bytes."""

# Some templates print the current date. It is fixed, since a resumed run has to send the same ids.
TEMPLATE_DATE = datetime(2026, 1, 1)
TEMPLATE_ARGUMENTS: dict[str, Any] = {"enable_thinking": False}
"""Where a template knows it: an answer budget is for an answer, not for reasoning."""
_CONTENT = "\N{OBJECT REPLACEMENT CHARACTER}content %d\N{OBJECT REPLACEMENT CHARACTER}"

HASH_DIGITS = 16
_BATCH = 1_000_000
"""Maximum number of characters that are encoded in one call."""


def token_ids(*parts: Iterable[int]) -> TokenIds:
    """Concatenate the ids of all parts."""
    ids = array("I")
    for part in parts:
        ids.extend(part)
    return ids


@dataclass(frozen=True)
class Head:
    """Common prefix of the prompts on one document."""

    head: TokenIds
    """Ids up to the end of the document."""

    @cached_property
    def _hashed(self) -> "hashlib._Hash":
        # The head is long and the same for all questions on the document, so its hash state is computed once and copied.
        return hashlib.sha256(self.head)

    @property
    def digest(self) -> str:
        """Short hash of the head, for document ids."""
        return self._hashed.hexdigest()[:8]

    def prompt_hash(self, rest: TokenIds | None = None) -> str:
        """Return the hash of the prompt that consists of the head and `rest`."""
        prompt = self._hashed.copy()
        prompt.update(rest or b"")
        return prompt.hexdigest()[:HASH_DIGITS]


@dataclass(frozen=True)
class ChatFrame:
    """Chat template of a model, as token ids around the contents of turns."""

    tokenizer: Tokenizer

    def around(self, roles: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """Return the template's ids before, between and after the contents of turns with these roles, ending with a user turn.

        The first part begins with exactly one BOS token if the model uses one; the last part ends where the answer begins.
        Raises ModelError if the template cannot render these turns, or if there are several turns and no template.
        """
        first, *others = (self._encode_template(text) for text in self._rendered(roles))
        bos = self.tokenizer.bos_token_id
        adds_bos = bos is not None and self.tokenizer("a").input_ids[:1] == [bos]
        return ((bos, *first) if adds_bos and first[:1] != (bos,) else first), *others

    def _rendered(self, roles: Sequence[str]) -> list[str]:
        contents = [_CONTENT % number for number in range(len(roles))]
        if not getattr(self.tokenizer, "chat_template", None):
            if len(roles) > 1:
                raise ModelError("The model has no chat template: a task with several turns cannot be run on it.")
            return ["", ""]
        turns = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=True)]
        shown_turns = "a user turn" if len(roles) == 1 else f"turns of {', '.join(roles)}"
        try:
            rendered = self.tokenizer.apply_chat_template(
                turns,
                tokenize=False,
                add_generation_prompt=True,
                strftime_now=TEMPLATE_DATE.strftime,
                **TEMPLATE_ARGUMENTS,
            )
        except Exception as error:  # a template is a program and can raise any error
            raise ModelError(f"The model's chat template cannot render {shown_turns}: {error}.") from error
        parts: list[str] = []
        for content in contents:
            before, found, rendered = rendered.partition(content)
            if not found or any(other in before + rendered for other in contents[: len(parts) + 1]):
                raise ModelError(
                    f"The model's chat template does not render the contents of {shown_turns} once, in order, unchanged."
                )
            parts.append(before)
        return [*parts, rendered]

    def _encode_template(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer(text, add_special_tokens=False).input_ids) if text else ()

    def encode(self, text: str) -> TokenIds:
        """Encode a piece of content; control tokens in it are treated as plain text."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[TokenIds]:
        """Encode many pieces of content separately."""
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        encode = self._encode_slowly if backend is None else self._encode_fast
        return [ids for batch in _batches(texts) for ids in encode(batch)]

    def _encode_fast(self, texts: list[str]) -> list[TokenIds]:
        """Encode as `_encode_slowly` does, but without offsets and masks, which double the time."""
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        before, backend.encode_special_tokens = backend.encode_special_tokens, True
        try:
            if len(texts) == 1:  # avoids the overhead of a batch
                return [token_ids(backend.encode(texts[0], add_special_tokens=False).ids)]
            encodings = backend.encode_batch_fast(texts, add_special_tokens=False)
            return [token_ids(encoding.ids) for encoding in encodings]
        finally:
            backend.encode_special_tokens = before

    def _encode_slowly(self, texts: list[str]) -> list[TokenIds]:
        encoded = self.tokenizer(texts, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return list(map(token_ids, encoded.input_ids))

    def vocabulary(self) -> list[str]:
        """Return all tokens of the vocabulary as text; empty if the tokenizer does not provide them."""
        try:
            tokens = list(self.tokenizer.get_vocab())
        except NotImplementedError:
            return []
        return tokens if all(isinstance(token, str) for token in tokens) else []

    def decode(self, ids: Sequence[int]) -> str:
        """Decode ids to text, including control tokens."""
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield batches of texts of at most `_BATCH` characters, or of one longer text, since tokenizers need much memory."""
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
    """Prompts of one task, without documents and questions.

    A prompt is split at the document; without a document, before the turn with the question.
    """

    def __init__(self, frame: ChatFrame, turns: Sequence[Turn], answer_prefix: str = "") -> None:
        """`answer_prefix` is prefilled at the start of the model's answer."""
        self._frame = frame
        self._turns = turns
        self._prefix = answer_prefix

    @cached_property
    def _around(self) -> tuple[tuple[int, ...], ...]:
        return self._frame.around([turn.role for turn in self._turns])

    @cached_property
    def _place(self) -> int:
        """Index of the turn at which the prompt is split: with the document or, if there is none, the question."""
        wanted = DOCUMENT if any(DOCUMENT in turn.content for turn in self._turns) else QUESTION
        return next(index for index, turn in enumerate(self._turns) if wanted in turn.content)

    @cached_property
    def opening(self) -> TokenIds:
        """Ids before the content of the turn with the document."""
        before = zip(self._around, self._turns[: self._place], strict=False)
        turns = [ids for around, turn in before for ids in (around, self._frame.encode(turn.content))]
        return token_ids(*turns, self._around[self._place])

    @property
    def before(self) -> str:
        """Text before the document in its turn."""
        before, found, _ = self._turns[self._place].content.partition(DOCUMENT)
        return before if found else ""

    def tails(self, questions: Sequence[str]) -> list[TokenIds]:
        """Return, for each question, the ids that follow the document and its filler."""
        before, found, after = self._turns[self._place].content.partition(DOCUMENT)
        return self._ends(after if found else before, questions)

    def without_document(self, question: str) -> TokenIds:
        """Return the ids of a closed-book prompt, without the document."""
        return self.opening + self._ends(self._turns[self._place].content.replace(DOCUMENT, ""), [question])[0]

    def _ends(self, text: str, questions: Sequence[str]) -> list[TokenIds]:
        """Return, for each question, the ids of `text`, the rest of a turn, and of all later turns."""
        texts = [text, *(turn.content for turn in self._turns[self._place + 1 :])]
        question_turn = next(index for index, text in enumerate(texts) if QUESTION in text)
        question_ids = self._frame.encode_all(
            [texts[question_turn].replace(QUESTION, question, 1) for question in questions]
        )
        around = self._around[self._place + 1 :]
        before = [ids for k in range(question_turn) for ids in (self._frame.encode(texts[k]), around[k])]
        after = [ids for k in range(question_turn + 1, len(texts)) for ids in (self._frame.encode(texts[k]), around[k])]
        closing = (around[question_turn], *after, self._frame.encode(self._prefix))
        return [token_ids(*before, ids, *closing) for ids in question_ids]
