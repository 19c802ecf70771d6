"""A turn of a chat, and the places in it that a prompt fills."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

DOCUMENT, QUESTION = "{document}", "{question}"
"""Placeholders for a document and for a question on it."""


class Turn(BaseModel):
    """One turn of a chat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str
