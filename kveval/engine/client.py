"""HTTP to one vLLM server: completions from token ids, metrics, health. `throughput.load_client` reuses parts of it."""

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp

from kveval.errors import EngineError
from kveval.store.manifest import Sampling

# The first token can take minutes if a long prompt is prefilled on a CPU, or waits behind others.
READ_TIMEOUT_S = 3600.0
# vLLM closes connections that have been idle for 5 s. A request that reuses one at that moment fails, so idle connections are
# dropped well before.
KEEP_ALIVE_S = 1.0

# Every parameter that vLLM would otherwise take from the model's generation_config.json, set for greedy decoding.
GREEDY_SAMPLING = Sampling(
    n=1,
    temperature=0.0,
    top_p=1.0,
    top_k=0,
    min_p=0.0,
    presence_penalty=0.0,
    frequency_penalty=0.0,
    repetition_penalty=1.0,
    length_penalty=1.0,
    min_tokens=0,
    ignore_eos=False,
    seed=0,
)
GREEDY: dict[str, Any] = {
    **GREEDY_SAMPLING.as_json(),
    "skip_special_tokens": True,
    "spaces_between_special_tokens": True,
    "add_special_tokens": False,
}


def completion_body(
    model: str, prompt_token_ids: Sequence[int], max_tokens: int, stop: Sequence[str] = ()
) -> dict[str, Any]:
    """Build a `/v1/completions` request for one greedy answer with token ids and the two likeliest tokens per position."""
    return {
        **GREEDY,
        **({"stop": list(stop)} if stop else {}),
        "model": model,
        "prompt": list(prompt_token_ids),
        "max_tokens": max_tokens,
        "logprobs": 2,
        "return_tokens_as_token_ids": True,  # two tokens may have the same text
        "return_token_ids": True,
    }


class RequestError(Exception):
    """A request without a complete answer; the text gives the reason."""


@dataclass(frozen=True)
class Completion:
    """One complete answer."""

    token_ids: tuple[int, ...]
    text: str
    finish_reason: str
    """`stop` or `length`."""
    logprobs: tuple[float, ...]
    """Natural logarithm of the probability of each chosen token."""
    margins: tuple[float, ...]
    """By token: its log-probability minus that of the likeliest other token, in nats. Near zero, noise may decide."""
    first_token_s: float
    """Seconds from sending the request to the first token."""
    total_s: float
    """Seconds from sending the request to the end of the stream."""


def open_session(
    base_url: str, headers: Mapping[str, str], *, read_timeout_s: float = READ_TIMEOUT_S
) -> aiohttp.ClientSession:
    """Open a session with unlimited connections to one server; `read_timeout_s` is the longest wait for new data."""
    return aiohttp.ClientSession(
        base_url,
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=read_timeout_s),
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
    )


class Client:
    """Talks to the server at `base_url`. Use as an async context manager."""

    def __init__(self, base_url: str, model: str, api_key: str) -> None:
        self.base_url = base_url
        self.model = model
        """The served model name."""
        self.headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    async def __aenter__(self) -> Self:
        self._session = open_session(self.base_url, self.headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def healthy(self) -> bool:
        try:
            async with self._session.get("/health", timeout=aiohttp.ClientTimeout(total=5)) as response:
                return response.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def metrics(self) -> str:
        """Return the server's metrics in Prometheus text format. Raises EngineError if they cannot be read."""
        try:
            async with self._session.get("/metrics") as response:
                response.raise_for_status()
                return await response.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise EngineError(f"The engine's metrics cannot be read: {error}") from error

    async def complete(
        self,
        prompt_token_ids: Sequence[int],
        max_tokens: int,
        on_first_token: Callable[[], None] = lambda: None,
        *,
        stop: Sequence[str] = (),
    ) -> Completion:
        """Decode greedily from `prompt_token_ids`, up to one of the texts in `stop`, which is not part of the answer.

        Raises RequestError unless the answer is complete.
        """
        body = completion_body(self.model, prompt_token_ids, max_tokens, stop) | {"stream": True}
        started = time.perf_counter()
        first: float | None = None
        ids: list[int] = []
        text: list[str] = []
        logprobs: list[float] = []
        margins: list[float] = []
        finish: str | None = None
        try:
            async with self._session.post("/v1/completions", json=body) as response:
                if response.status != 200:
                    raise RequestError(f"HTTP {response.status}: {error_message(await response.text())}")
                async for event in events(response.content):
                    if "error" in event:
                        raise RequestError(error_message(json.dumps(event)))
                    for choice in event["choices"]:
                        if (choice.get("prompt_token_ids") or body["prompt"]) != body["prompt"]:
                            raise RequestError("the engine read different prompt tokens than were sent")
                        new = choice["token_ids"] or []
                        if new and first is None:
                            first = time.perf_counter() - started
                            on_first_token()
                        ids += new
                        text.append(choice["text"])
                        candidates = choice["logprobs"] or {}
                        logprobs += candidates.get("token_logprobs") or []
                        margins += _margins(candidates)
                        finish = choice["finish_reason"] or finish
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise RequestError(f"{type(error).__name__}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise RequestError(f"the answer is not in vLLM's format: {type(error).__name__} {error}") from error
        if finish not in ("stop", "length"):
            raise RequestError(f"the answer ended with finish reason {finish}" if finish else "the stream ended early")
        total = time.perf_counter() - started
        first_token_s = total if first is None else first
        return Completion(
            tuple(ids), "".join(text), finish, tuple(logprobs), tuple(margins), first_token_s, total_s=total
        )


def _margins(candidates: dict[str, Any]) -> Iterator[float]:
    """Yield for each token of one event its log-probability minus that of the likeliest other listed token."""
    chosen = zip(candidates.get("tokens") or (), candidates.get("token_logprobs") or (), strict=True)
    for (token, logprob), likeliest in zip(chosen, candidates.get("top_logprobs") or (), strict=False):
        others = [other for name, other in likeliest.items() if name != token]
        if others:
            yield logprob - max(others)


async def events(stream: aiohttp.StreamReader) -> AsyncIterator[dict[str, Any]]:
    """Yield the JSON events of a server-sent stream up to `[DONE]`; read it to the end, so the connection can be reused."""
    buffer, done = b"", False
    async for chunk in stream.iter_any():  # not line by line: lines can exceed aiohttp's limit
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            data = line.strip().removeprefix(b"data:").strip()
            done = done or data == b"[DONE]"
            if data and not done:
                yield json.loads(data)


def error_message(text: str) -> str:
    """Return the message inside an error body, on one line."""
    try:
        body = json.loads(text)
        error = body.get("error", body)
        text = error.get("message", text) if isinstance(error, dict) else str(error)
    except (ValueError, AttributeError):
        pass
    return " ".join(text.split())[:500]
