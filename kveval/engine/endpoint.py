"""A vLLM server that is already running, in place of one that kveval starts."""

import asyncio
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import aiohttp

from kveval.arms import BASELINE
from kveval.config import split_names
from kveval.engine.client import Client
from kveval.errors import EngineError, UsageError

KEY, COMMON_KEY = "KVEVAL_API_KEY_", "VLLM_API_KEY"
"""Environment variables for API keys: a prefix for the key of one arm, and a name for all arms. Keys are never stored."""
ANSWER_S = 30.0
DEFAULT_KV_DTYPES = "auto,fp8"


class AnyServer(Protocol):
    """The interface of a server, whether kveval starts it or it is already running."""

    start_seconds: float
    version: str

    async def start(self) -> Client: ...
    def alive(self) -> bool: ...
    async def died(self) -> str: ...
    def log_text(self) -> str: ...
    def root_cause(self) -> str: ...
    def stop(self) -> None: ...


def api_key(arm: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the API key for the server of an arm; empty if the environment has none."""
    own = KEY + re.sub(r"[^A-Z0-9]", "_", arm.upper())
    return environment.get(own) or environment.get(COMMON_KEY) or ""


class Endpoint:
    """The server at `url`, which kveval neither starts nor stops, and whose log it cannot read."""

    def __init__(self, arm: str, url: str, tokens: int) -> None:
        """`tokens` is the length of the longest sequence that will be sent."""
        self._arm, self._url, self._tokens = arm, url, tokens
        self.start_seconds = 0.0
        self.version = ""
        """Version of the server's vLLM; empty until it has answered."""

    async def start(self) -> Client:
        """Connect. Raises EngineError if the server does not answer, rejects the key, or has too short a context window."""
        key = api_key(self._arm)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            timeout = aiohttp.ClientTimeout(total=ANSWER_S)
            async with aiohttp.ClientSession(f"{self._url}/", headers=headers, timeout=timeout) as session:
                model = (await _json(session, "v1/models"))["data"][0]
                self.version = str((await _json(session, "version"))["version"])
        except aiohttp.ClientResponseError as error:
            hint = f": set {KEY}{self._arm.upper()}" if error.status in (401, 403) else ""
            raise EngineError(f"--endpoint {self._arm}: {self._url} answers HTTP {error.status}{hint}.") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise EngineError(f"--endpoint {self._arm}: {self._url} does not answer ({error}).") from error
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise EngineError(f"--endpoint {self._arm}: {self._url} does not answer like vLLM.") from error
        limit = model.get("max_model_len")
        if limit is not None and limit < self._tokens:
            raise EngineError(
                f"--endpoint {self._arm}: {self._tokens:,} tokens exceed the context window of {self._url} ({limit:,} tokens)."
            )
        return Client(self._url, str(model["id"]), key)

    def alive(self) -> bool:
        return True  # only failed requests show that it is not

    async def died(self) -> str:
        """Never return: only failed requests show that the server is gone."""
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    def log_text(self) -> str:
        return ""

    def root_cause(self) -> str:
        return f"{self._url} no longer answers"

    def stop(self) -> None:
        """Do nothing, since kveval did not start the server."""


async def _json(session: aiohttp.ClientSession, path: str) -> Any:
    async with session.get(path) as response:
        response.raise_for_status()
        return await response.json()


def parse_endpoints(pairs: Iterable[str]) -> dict[str, str]:
    """Parse `auto=http://host:8000` into URLs by arm. Raises UsageError if the baseline has none."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, url = pair.partition("=")
        name, url = name.strip(), url.strip().rstrip("/").removesuffix("/v1")
        if not equals or not re.fullmatch("[a-z0-9_]+", name):
            raise UsageError(
                f"--endpoint {_shown(pair)!r} does not name an arm; use, for example, --endpoint auto=http://host:8000, "
                "with vLLM's name of the KV dtype."
            )
        if not re.fullmatch(r"https?://[^/?#\s]+", url):
            raise UsageError(
                f"--endpoint {name}: {_shown(url)!r} is not a valid URL; use, for example, http://host:8000."
            )
        if "@" in url:  # the part before @ may contain a password
            raise UsageError(
                f"--endpoint {name} has a user name or password in its URL, which would be recorded: put a key into "
                f"the environment as {KEY}{name.upper()}."
            )
        if name in found:
            raise UsageError(f"--endpoint is given twice for {name}: give each arm one URL.")
        found[name] = url
    if found and BASELINE not in found:
        raise UsageError(
            f"--endpoint has no {BASELINE}, with which the others are compared: add --endpoint {BASELINE}=URL."
        )
    return found


def _shown(url: str) -> str:
    """Return a URL without the part before @, which may contain a password."""
    return url.rpartition("@")[2]


def kv_dtypes_of(text: str | None, endpoints: Mapping[str, str]) -> tuple[str, ...]:
    """Return the KV dtypes of `--kv-dtypes` or of the endpoints. Raises UsageError if both are given."""
    if text is not None and endpoints:
        raise UsageError(
            "--kv-dtypes and --endpoint are both given: leave out --kv-dtypes, since endpoints name their KV dtypes."
        )
    return tuple(endpoints) or split_names(DEFAULT_KV_DTYPES if text is None else text, "--kv-dtypes")
