"""Fields of every task, and tasks on synthetic documents."""

import re
from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kveval.data import Row
from kveval.generators.copy import Passages
from kveval.generators.document import Contents, Family
from kveval.generators.evidence import Records
from kveval.generators.language import Code
from kveval.generators.multihop import Chains
from kveval.tasks.turn import DOCUMENT, QUESTION, Turn

NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
_SPEC: dict[Family, str] = {"evidence": "records", "copy": "passages", "multihop": "chains"}
_SURROGATE = re.compile("[\ud800-\udfff]")


class Documents(BaseModel):
    """Contents of synthetic documents. Tasks with equal contents, language and prompt share documents token for token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: int = 4
    """Number of questions that each task asks about one document."""
    answer_reserve: int = Field(default=64, ge=1, le=65_536)
    """Tokens reserved in each prompt for the longest answer of all tasks that share the document."""
    records: Records | None = None
    passages: Passages | None = None
    chains: Chains | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "Documents":
        self.contents  # noqa: B018 raises ValueError if invalid
        return self

    @property
    def contents(self) -> Contents:
        return Contents(self.questions, self.records, self.passages, self.chains)


def _check_places(name: str, contents: Sequence[str], *, needs_document: bool) -> None:
    """Raise ValueError unless the turns contain `{document}` (if needed) and, after it, `{question}`, once each."""
    text = "\0".join(contents)
    if _SURROGATE.search(text):
        raise ValueError(f"{name} holds half of a surrogate pair, which is not a valid character")
    documents, questions = text.count(DOCUMENT), text.count(QUESTION)
    if documents > 1 or questions != 1 or needs_document > documents:
        both = needs_document or documents
        raise ValueError(f"{name} must hold {'{document} and {question} once each' if both else '{question} once'}")
    if documents and text.index(DOCUMENT) > text.index(QUESTION):
        raise ValueError(f"{name} must hold {{document}} before {{question}}, so that questions share a prefix")


class Task(BaseModel):
    """Fields of every task. Raise `version` with any change of the texts or documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME)
    version: int = Field(ge=1, strict=True)
    language: Code = "en"
    """Language of documents and questions; the prompt should use it too."""
    answer_tokens: int = Field(ge=1, le=65_536, strict=True)
    """Answer budget in tokens, the same for every sample of the task. It is part of a sample's length."""
    prompt: str | None = None
    """Content of the user turn, with `{document}` and, after it, `{question}`."""
    messages: tuple[Turn, ...] | None = None
    """Several turns instead of `prompt`, with the same placeholders in the same order. The last turn is the user's."""
    answer_prefix: str = ""
    """Text prefilled at the start of the model's answer. It is not part of the answer that is scored."""
    stop: tuple[str, ...] = ()
    """Texts at which generation stops."""
    reasoning_tags: tuple[tuple[str, str], ...] = ()
    """Opening and closing tags of reasoning, in addition to the built-in ones."""

    needs_document: ClassVar[bool] = True
    """Whether the prompt must contain `{document}`."""

    @field_validator("prompt")
    @classmethod
    def _prompt_has_places(cls, prompt: str | None) -> str | None:
        if prompt is not None:
            _check_places("prompt", [prompt], needs_document=cls.needs_document)
        return prompt

    @field_validator("messages")
    @classmethod
    def _messages_are_a_chat(cls, messages: tuple[Turn, ...] | None) -> tuple[Turn, ...] | None:
        if messages is None:
            return None
        roles: list[str] = [turn.role for turn in messages] or ["none"]
        chat = roles[1:] if roles[0] == "system" else roles
        if chat != ["user", "assistant"] * (len(chat) // 2) + ["user"]:
            raise ValueError(
                "they must be user and assistant in turns, beginning and ending with the user, after at most one system turn"
            )
        _check_places("they", [turn.content for turn in messages], needs_document=cls.needs_document)
        return messages

    @model_validator(mode="after")
    def _asks_in_one_way(self) -> Self:
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("give prompt, or messages with several turns: one of them, not both")
        return self

    @field_validator("answer_prefix")
    @classmethod
    def _is_text(cls, prefix: str) -> str:
        if _SURROGATE.search(prefix):
            raise ValueError("it holds half of a surrogate pair, which is not a valid character")
        return prefix

    @field_validator("stop")
    @classmethod
    def _stops_at_something(cls, stop: tuple[str, ...]) -> tuple[str, ...]:
        if "" in stop:
            raise ValueError("an empty text would end every answer at once")
        if _SURROGATE.search("".join(stop)):
            raise ValueError("it holds half of a surrogate pair, which is not a valid character")
        return stop

    @field_validator("reasoning_tags")
    @classmethod
    def _are_tags(cls, tags: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        if any(not opening.strip() or not closing.strip() or opening == closing for opening, closing in tags):
            raise ValueError("each is a pair of an opening and a different closing tag")
        if _SURROGATE.search("".join(text for pair in tags for text in pair)):
            raise ValueError("they hold half of a surrogate pair, which is not a valid character")
        return tags

    @property
    def turns(self) -> tuple[Turn, ...]:
        return (Turn(role="user", content=self.prompt or ""),) if self.messages is None else self.messages

    @property
    def before_document(self) -> str:
        """Text before the document in its turn."""
        return next((turn.content.partition(DOCUMENT)[0] for turn in self.turns if DOCUMENT in turn.content), "")

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows of a task on user data; empty for synthetic documents."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the task's data that are not faults but that the author should know."""
        return ()

    @property
    def guess(self) -> float:
        """Expected accuracy of guessing."""
        return 0.0

    @property
    def is_copying(self) -> bool:
        """Whether answers are copies, scored by similarity."""
        raise NotImplementedError

    @property
    def has_documents(self) -> bool:
        """Whether questions are about documents."""
        return True

    @property
    def is_free(self) -> bool:
        """Whether the task has no gold answers, so that outputs are only compared between arms."""
        return False

    @property
    def at_every_length(self) -> bool:
        """Whether every question is asked at each length, rather than at one length only."""
        return True

    @property
    def shares(self) -> object:
        """Key of the task's documents: tasks with equal keys ask about the same documents."""
        raise NotImplementedError

    def places(self, samples: int) -> list[int]:
        """Return the document index of each question at one length, for up to `samples` questions."""
        raise NotImplementedError


class SyntheticTask(Task):
    """Task on generated documents."""

    documents: Documents
    ask: Family | None = None
    """Family of the questions that are asked."""
    question: str | None = Field(default=None, min_length=1)
    """One question about each document as a whole, instead of `ask`; it has no gold answer."""

    @model_validator(mode="after")
    def _fits_together(self) -> "SyntheticTask":
        if (self.ask is None) == (self.question is None):
            raise ValueError("give ask, or question for one question about each document: one of them, not both")
        if self.ask is not None and self.ask not in self.documents.contents.families:
            raise ValueError(f"documents contain nothing to ask {self.ask} about: give documents.{_SPEC[self.ask]}")
        if self.ask == "copy" and self.documents.passages and self.answer_tokens < self.documents.passages.tokens[1]:
            raise ValueError(
                "answer_tokens is below documents.passages.tokens, too few to copy the longest passages: give more"
            )
        if self.answer_tokens > self.documents.answer_reserve:
            raise ValueError(
                f"answer_tokens is {self.answer_tokens}, above documents.answer_reserve {self.documents.answer_reserve}"
            )
        return self

    @property
    def guess(self) -> float:
        """Accuracy of the better guess: a random value of the requested kind, or always that there is none."""
        if self.ask == "evidence" and self.documents.records:
            return max(1 / self.documents.records.number, self.documents.records.absent)
        if self.ask == "multihop" and self.documents.chains:
            return 1 / self.documents.chains.people
        return 0.0

    @property
    def is_copying(self) -> bool:
        return self.ask == "copy"

    @property
    def is_free(self) -> bool:
        return self.question is not None

    @property
    def shares(self) -> object:
        return self.documents, self.language, self.turns, self.answer_prefix, self.question

    def places(self, samples: int) -> list[int]:
        if self.is_free:  # one question per document, on as many documents as the other tasks use
            return list(range(-(-samples // self.documents.questions)))
        return [index // self.documents.questions for index in range(samples)]
