"""What every task has, and tasks on synthetic documents."""

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
    """What synthetic documents hold. Tasks with equal documents, language and prompt share them, token for token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: int = 4
    """Questions of each task on a document."""
    answer_reserve: int = Field(default=64, ge=1, le=65_536)
    """Tokens kept free in every document for the longest answer of all tasks that share it."""
    records: Records | None = None
    passages: Passages | None = None
    chains: Chains | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "Documents":
        self.contents  # noqa: B018 raises ValueError
        return self

    @property
    def contents(self) -> Contents:
        return Contents(self.questions, self.records, self.passages, self.chains)


def _check_places(name: str, contents: Sequence[str], *, needs_document: bool) -> None:
    """Raises ValueError where document and question have no place in some turns, or more than one."""
    text = "\0".join(contents)
    if _SURROGATE.search(text):
        raise ValueError(f"{name} holds half of a surrogate pair, which is no character")
    documents, questions = text.count(DOCUMENT), text.count(QUESTION)
    if documents > 1 or questions != 1 or needs_document > documents:
        both = needs_document or documents
        raise ValueError(f"{name} must hold {'{document} and {question} once each' if both else '{question} once'}")
    if documents and text.index(DOCUMENT) > text.index(QUESTION):
        raise ValueError(f"{name} must hold {{document}} before {{question}}, so that questions share a prefix")


class Task(BaseModel):
    """What every task has. `version` rises with any change of its texts or documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=NAME)
    version: int = Field(ge=1, strict=True)
    language: Code = "en"
    """Of documents and questions; the prompt should be in it too."""
    answer_tokens: int = Field(ge=1, le=65_536, strict=True)
    """The answer budget. It counts into a length, and is the same for every sample of the task."""
    prompt: str | None = None
    """The user turn, with `{document}` and, after it, `{question}`."""
    messages: tuple[Turn, ...] | None = None
    """Or several turns, in which these stand in that order. The last one is the user's."""
    answer_prefix: str = ""
    """What the model's answer is made to begin with; it is no part of the answer that is judged."""
    stop: tuple[str, ...] = ()
    """Texts at which an answer ends."""
    reasoning_tags: tuple[tuple[str, str], ...] = ()
    """Opening and closing tags of reasoning, beside those that are known."""

    needs_document: ClassVar[bool] = True
    """Whether a prompt without `{document}` is a fault."""

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
                "they must be user and assistant in turns, first and last the user; one system turn may come before"
            )
        _check_places("they", [turn.content for turn in messages], needs_document=cls.needs_document)
        return messages

    @model_validator(mode="after")
    def _asks_in_one_way(self) -> Self:
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("give prompt, or messages with several turns: one of them")
        return self

    @field_validator("answer_prefix")
    @classmethod
    def _is_text(cls, prefix: str) -> str:
        if _SURROGATE.search(prefix):
            raise ValueError("it holds half of a surrogate pair, which is no character")
        return prefix

    @field_validator("stop")
    @classmethod
    def _stops_at_something(cls, stop: tuple[str, ...]) -> tuple[str, ...]:
        if "" in stop:
            raise ValueError("an empty text would end every answer at once")
        if _SURROGATE.search("".join(stop)):
            raise ValueError("it holds half of a surrogate pair, which is no character")
        return stop

    @field_validator("reasoning_tags")
    @classmethod
    def _are_tags(cls, tags: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        if any(not opening.strip() or not closing.strip() or opening == closing for opening, closing in tags):
            raise ValueError("each is a pair of an opening and another, closing tag")
        if _SURROGATE.search("".join(text for pair in tags for text in pair)):
            raise ValueError("they hold half of a surrogate pair, which is no character")
        return tags

    @property
    def turns(self) -> tuple[Turn, ...]:
        return (Turn(role="user", content=self.prompt or ""),) if self.messages is None else self.messages

    @property
    def before_document(self) -> str:
        """The text of a turn before the document that stands in it."""
        return next((turn.content.partition(DOCUMENT)[0] for turn in self.turns if DOCUMENT in turn.content), "")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The questions of a task on data of one's own; none of one on synthetic documents."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not wrong with the task's data, and its author should know."""
        return ()

    @property
    def guess(self) -> float:
        """The share of right answers that guessing reaches."""
        return 0.0

    @property
    def is_copying(self) -> bool:
        """Whether answers are copies, judged by similarity."""
        raise NotImplementedError

    @property
    def has_documents(self) -> bool:
        """Whether questions are about documents."""
        return True

    @property
    def is_free(self) -> bool:
        """Whether no answer is known to be right: outputs are compared between arms, and not judged."""
        return False

    @property
    def at_every_length(self) -> bool:
        """Whether all its questions are asked at each length, and not each at one of them."""
        return True

    @property
    def shares(self) -> object:
        """Tasks of which this is equal ask about the same documents."""
        raise NotImplementedError

    def places(self, samples: int) -> list[int]:
        """For each question that a length has when `samples` are asked for, the index of its document."""
        raise NotImplementedError


class SyntheticTask(Task):
    """Questions on documents that are made for them."""

    documents: Documents
    ask: Family | None = None
    """Which of the document's questions are asked."""
    question: str | None = Field(default=None, min_length=1)
    """Or what is asked of each document as a whole, once; no answer to that is known to be right."""

    @model_validator(mode="after")
    def _fits_together(self) -> "SyntheticTask":
        if (self.ask is None) == (self.question is None):
            raise ValueError("give ask, or question for one that is asked of each document: one of them")
        if self.ask is not None and self.ask not in self.documents.contents.families:
            raise ValueError(f"documents hold nothing to ask {self.ask} about: give documents.{_SPEC[self.ask]}")
        if self.ask == "copy" and self.documents.passages and self.answer_tokens < self.documents.passages.tokens[1]:
            raise ValueError(
                "answer_tokens is below documents.passages.tokens, so that no answer holds the longest passages"
            )
        if self.answer_tokens > self.documents.answer_reserve:
            raise ValueError(
                f"answer_tokens is {self.answer_tokens}, above documents.answer_reserve {self.documents.answer_reserve}"
            )
        return self

    @property
    def guess(self) -> float:
        """One of the values of the asked kind in a document, or always that there is none."""
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
        if self.is_free:  # as many documents as the other tasks have
            return list(range(-(-samples // self.documents.questions)))
        return [index // self.documents.questions for index in range(samples)]
