"""Sends one streaming request of a load and records when its chunks arrive.

Bodies are serialised before a round begins, so that a prompt of 32K tokens costs nothing when it is due. All times are on the
event loop's clock, which a test can set.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import aiohttp
from pydantic import TypeAdapter, ValidationError

from kveval.engine.client import GREEDY, READ_TIMEOUT_S, error_message, events, open_session
from kveval.store.bench_records import Reply, Request
from kveval.store.record import Count

DETAIL_CHARACTERS = 200
_COUNT: TypeAdapter[int] = TypeAdapter(Count)


def body(model: str, request: Request, ids: Sequence[int], cache_salt: str | None = None) -> bytes:
    """Body of a request for exactly `request.output_tokens` tokens. Prompts with different salts share no cached prefix."""
    payload: dict[str, Any] = {
        **GREEDY,
        "model": model,
        "prompt": list(ids),
        "max_tokens": request.output_tokens,
        "min_tokens": request.output_tokens,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return json.dumps(payload | ({"cache_salt": cache_salt} if cache_salt else {})).encode()


class LoadClient:
    """Sends requests to the server at `base_url` over persistent connections. Use as an async context manager."""

    def __init__(self, base_url: str, headers: Mapping[str, str], *, timeout_s: float = READ_TIMEOUT_S) -> None:
        """`headers` are added to every request; `timeout_s` is the maximum wait for new data."""
        self._base_url = base_url
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout_s = timeout_s

    async def __aenter__(self) -> Self:
        self._session = open_session(self._base_url, self._headers, read_timeout_s=self._timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def send(self, request: Request, body: bytes, due: float, start: float) -> Reply:
        """Send one request now and read its stream to the end. A failed request raises nothing; the reply records its error.

        `due` is in seconds after `start`, which is on the event loop's clock.
        """
        now = asyncio.get_running_loop().time
        chunks: list[float] = []
        usage: Any = {}
        error, detail = None, None
        sent = now() - start
        try:
            async with self._session.post("v1/completions", data=body) as response:
                if response.status != 200:
                    error, detail = f"http {response.status}", error_message(await response.text())
                else:
                    async for event in events(response.content):
                        if "error" in event:
                            error, detail = "engine", error_message(json.dumps(event))
                        if event.get("choices"):
                            chunks.append(now() - start)
                        usage = event.get("usage") or usage
        except TimeoutError as failure:
            error, detail = "timeout", str(failure)
        except (aiohttp.ClientError, OSError) as failure:
            error, detail = "disconnect", f"{type(failure).__name__}: {failure}"
        except (AttributeError, TypeError, ValueError) as failure:
            error, detail = "bad stream", f"{type(failure).__name__}: {failure}"
        end = now() - start
        prompt_tokens, output_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        if error is None:
            error, detail = _mismatch(request, chunks, prompt_tokens, output_tokens)
        return Reply(
            request=request.id,
            due=due,
            sent=sent,
            chunks=tuple(chunks),
            end=end,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            error=error,
            detail=detail and detail[:DETAIL_CHARACTERS],
        )


def _count(usage: Any, name: str) -> int | None:
    """A number of tokens in a server's usage; None if it is missing or not a count."""
    value = usage.get(name) if isinstance(usage, dict) else None
    try:
        return _COUNT.validate_python(value, strict=True)
    except ValidationError:
        return None


def _mismatch(
    request: Request, chunks: Sequence[float], prompt_tokens: int | None, output_tokens: int | None
) -> tuple[str | None, str | None]:
    """Kind and detail of the error of a stream that ended without one, but whose lengths are not those requested."""
    if not chunks or prompt_tokens is None or output_tokens is None:
        return "cut", f"{len(chunks)} chunks without token counts at the end"
    if prompt_tokens != request.prompt_tokens:
        return "tokens in", f"the server read {prompt_tokens} prompt tokens instead of {request.prompt_tokens}"
    if output_tokens != request.output_tokens:
        return "tokens out", f"the server generated {output_tokens} tokens instead of {request.output_tokens}"
    return None, None
