"""A running vLLM server, used instead of one that kveval starts."""

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
"""Environment variables that hold API keys: of one arm, with its name in capitals after it, and of all. Never written down."""
ANSWER_S = 30.0
DEFAULT_KV_DTYPES = "auto,fp8"


class AnyServer(Protocol):
    """What a run needs of a server, whether kveval started it or not."""

    start_seconds: float
    version: str

    async def start(self) -> Client: ...
    def alive(self) -> bool: ...
    async def died(self) -> str: ...
    def log_text(self) -> str: ...
    def root_cause(self) -> str: ...
    def stop(self) -> None: ...


def api_key(arm: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key for an arm's server; empty if the environment has none."""
    own = KEY + re.sub(r"[^A-Z0-9]", "_", arm.upper())
    return environment.get(own) or environment.get(COMMON_KEY) or ""


class Endpoint:
    """The server at `url`. It is neither started nor stopped, and its log cannot be read."""

    def __init__(self, arm: str, url: str, tokens: int) -> None:
        """`tokens` are those of the longest sequence that will be sent."""
        self._arm, self._url, self._tokens = arm, url, tokens
        self.start_seconds = 0.0
        self.version = ""
        """Of its vLLM, once it has answered."""

    async def start(self) -> Client:
        """Connect. Raises EngineError if the server does not answer or rejects the key."""
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
                f"--endpoint {self._arm}: {self._url} has a context window of {limit:,} tokens; {self._tokens:,} are needed."
            )
        return Client(self._url, str(model["id"]), key)

    def alive(self) -> bool:
        return True  # only its answers can tell

    async def died(self) -> str:
        """Never returns: requests fail if the server is gone."""
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    def log_text(self) -> str:
        return ""

    def root_cause(self) -> str:
        return f"{self._url} no longer answers"

    def stop(self) -> None:
        """Do nothing: kveval did not start this server."""


async def _json(session: aiohttp.ClientSession, path: str) -> Any:
    async with session.get(path) as response:
        response.raise_for_status()
        return await response.json()


def parse_endpoints(pairs: Iterable[str]) -> dict[str, str]:
    """`auto=http://host:8000` as URLs by arm, the baseline's among them."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, url = pair.partition("=")
        name, url = name.strip(), url.strip().rstrip("/").removesuffix("/v1")
        if not equals or not re.fullmatch("[a-z0-9_]+", name):
            raise UsageError(
                f"--endpoint {_shown(pair)!r} names no arm: write it like --endpoint auto=http://host:8000, with the KV dtype "
                "as vLLM names it."
            )
        if not re.fullmatch(r"https?://[^/?#\s]+", url):
            raise UsageError(f"--endpoint {name}: {_shown(url)!r} is not a URL: write it like http://host:8000.")
        if "@" in url:  # before it stands what nobody should read
            raise UsageError(
                f"--endpoint {name} has a user or password in its URL, which would be stored with the run: put a key into the "
                f"environment as {KEY}{name.upper()}."
            )
        if name in found:
            raise UsageError(f"--endpoint names {name} twice: give each arm one URL.")
        found[name] = url
    if found and BASELINE not in found:
        raise UsageError(f"--endpoint has no {BASELINE}, the baseline: add --endpoint {BASELINE}=URL.")
    return found


def _shown(url: str) -> str:
    """Return the URL without the part before an @, which may be a password."""
    return url.rpartition("@")[2]


def kv_dtypes_of(text: str | None, endpoints: Mapping[str, str]) -> tuple[str, ...]:
    """Return the KV dtypes of `--kv-dtypes`, or those of the endpoints. Raises UsageError if both are given."""
    if text is not None and endpoints:
        raise UsageError("--kv-dtypes and --endpoint exclude each other: each endpoint names its KV dtype.")
    return tuple(endpoints) or split_names(DEFAULT_KV_DTYPES if text is None else text, "--kv-dtypes")
