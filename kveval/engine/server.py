"""Starts and stops one vLLM server in separate processes. No other module depends on how vLLM is started."""

import asyncio
import contextlib
import ctypes
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from kveval.arms import Arm
from kveval.engine.client import Client
from kveval.errors import EngineError

SERVED_NAME = "model-under-test"
STOP_GRACE_S = 20.0
START_GRACE_S = 3.0
"""Seconds within which an engine must end by itself: after it has become healthy, and before."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # loaded here, since nothing should be loaded after a fork

# Workers listen on ports too: on the loopback address only, like the server.
_ENVIRONMENT = {"VLLM_HOST_IP": "127.0.0.1", "VLLM_NO_USAGE_STATS": "1"}
# Without these, a CPU engine may not start next to other programs. The user's own settings take precedence.
_CPU_ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "2"}
_CPU_ARGUMENTS = ("--enforce-eager", "--gpu-memory-utilization=0.4")


def command_line(model: str, arm: Arm, max_model_len: int, engine_args: Sequence[str], device: str) -> list[str]:
    """Return the server's arguments without host and port. Between arms, only the KV dtype differs."""
    given = {word.partition("=")[0] for word in engine_args}
    defaults = (f"--max-model-len={max_model_len}", *(_CPU_ARGUMENTS if device == "cpu" else ()))
    words = ["--model", model, "--served-model-name", SERVED_NAME, "--kv-cache-dtype", arm.kv_dtype]
    return [*words, *(word for word in defaults if word.partition("=")[0] not in given), *engine_args]


class Server:
    """One vLLM server on a free loopback port. `start` waits until it is healthy; `stop` leaves no process behind."""

    def __init__(self, arguments: Sequence[str], log: Path, *, device: str, offline: bool, version: str = "") -> None:
        """`device` and `version` are as vLLM reports them; `offline` is for a model in a local folder: no hub is contacted."""
        self._arguments = list(arguments)
        added = {
            **_ENVIRONMENT,
            **(_CPU_ENVIRONMENT if device == "cpu" else {}),
            **({"HF_HUB_OFFLINE": "1"} if offline else {}),
        }
        self._environment = {**added, **os.environ}  # the user's own settings take precedence
        self._log = log
        self._log_start = 0
        self._process: subprocess.Popen[bytes] | None = None
        # Passed in the environment only: every user of the machine can read command lines.
        self._api_key = secrets.token_urlsafe(24)
        self._healthy = False
        self.start_seconds = 0.0
        self.version = version

    @property
    def settings(self) -> dict[str, str]:
        """The environment variables that vLLM reads, without its API key."""
        names = sorted(name for name in self._environment if name.startswith(("VLLM_", "HF_HUB_OFFLINE")))
        return {name: self._environment[name] for name in names if name != "VLLM_API_KEY"}

    async def start(self) -> Client:
        """Start the server and wait until it is healthy. Raises EngineError with the root cause if it does not start."""
        port = _free_port()
        started = time.perf_counter()
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
                    *("--host", "127.0.0.1", "--port", str(port), *self._arguments),
                ],
                env={**self._environment, "VLLM_API_KEY": self._api_key, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # kveval handles Ctrl-C itself, to stop engines in order
                preexec_fn=_die_with_parent,
            )
        client = Client(f"http://127.0.0.1:{port}", SERVED_NAME, self._api_key)
        async with client:
            while not await client.healthy():
                if not self.alive():
                    raise EngineError(f"The engine did not start: {self.root_cause()} (log: {self._log})")
                await asyncio.sleep(0.5)
        self.start_seconds = time.perf_counter() - started
        self._healthy = True
        return client

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    async def died(self) -> str:
        """Wait until the server ends without having been stopped, and return the root cause."""
        while self.alive():
            await asyncio.sleep(0.5)
        return self.root_cause()

    def log_text(self) -> str:
        """Return the log of this server so far, without the logs of earlier servers in the same file."""
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode("utf-8", errors="replace")

    def root_cause(self) -> str:
        code = self._process.poll() if self._process else None
        killed = (
            f"it was killed by signal {-code} (possibly out of memory; check the system log)"
            if code and code < 0
            else None
        )
        return killed or root_cause(self.log_text()) or f"it ended with exit code {code}"

    def stop(self) -> None:
        """End the server and all processes that it started: terminate first, then kill, and wait until they are gone."""
        if self._process is None:
            return
        with _sigint_ignored():
            leader = self._process.pid
            family = _session_of(leader)
            # The server ends its workers itself; if it is already gone, they are terminated here.
            for process in family if self._process.poll() is not None else [psutil.Process(leader)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.terminate()
            _, alive = psutil.wait_procs(family, timeout=STOP_GRACE_S if self._healthy else START_GRACE_S)
            for process in {*alive, *_session_of(leader)}:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(alive, timeout=STOP_GRACE_S)
            self._process.wait()
            self._process = None


@contextlib.contextmanager
def _sigint_ignored() -> Iterator[None]:
    """Ignore Ctrl-C for a while: a second one must not leave an engine behind. Only the main thread can do this."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _die_with_parent() -> None:
    """In the child: request termination when kveval is killed, so that no orphaned engine occupies a GPU."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _session_of(leader: int) -> list[psutil.Process]:
    """Return every living process of the session that `leader` opened, including orphans."""

    def belongs(process: psutil.Process) -> bool:
        try:
            return process.pid == leader or os.getsid(process.pid) == leader
        except (ProcessLookupError, PermissionError):
            return False

    return [process for process in psutil.process_iter() if belongs(process)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_PREFIX = re.compile(r"^(?:\([^)]*\) )?(?:[A-Z]+ \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]*\] ?)?")
_EXCEPTION = re.compile(r"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt)\b: ?(.*)")
# Parts of the messages of outer processes after an inner one has failed.
_ECHOES = (
    "see root cause above",
    "worker proc",
    "workerproc",
    "engine core",
    "enginecore",
    "failed core proc",
    "enginedead",
)


def root_cause(log: str) -> str | None:
    """Return the engine's own reason for ending: the first exception in `log` that is not an echo of another."""
    lines = [_PREFIX.sub("", line).strip() for line in log.splitlines()]
    echo = None
    for number, line in enumerate(lines):
        if "error: " in line and line.startswith("api_server.py"):
            return line.partition("error: ")[2]
        if "exited unexpectedly" in line:
            echo = _one_line(line)
        if _EXCEPTION.fullmatch(line):
            cause = _one_line(line)
            if "validation error" in line:  # pydantic: the message is on the lines below
                cause = next(_validation_message(lines[number + 1 :]), cause)
            if not any(word in line.lower() for word in _ECHOES):
                return cause
            echo = echo or cause
    return echo


def _one_line(line: str) -> str:
    return " ".join(line.split())[:600]


def _validation_message(lines: Sequence[str]) -> Iterator[str]:
    for line in lines[:4]:
        if line.startswith("Value error, "):
            yield line.removeprefix("Value error, ").partition(" [type=")[0]
