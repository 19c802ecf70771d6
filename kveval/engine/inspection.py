"""Asks the installed vLLM whether it accepts a command line, before any model is loaded.

`Inspection` runs this file in a separate process: importing vLLM takes seconds and changes process-wide state, which must
not affect the caller.
"""

import importlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kveval.errors import UsageError

# Modules that contain the parser: in vLLM 0.32, then in older versions.
_PARSERS = ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")
_PARSER_CLASSES = ("vllm.utils.argparse_utils", "vllm.utils")

_OURS = ("api_key", "config", "headless", "host", "port", "ssl_certfile", "ssl_keyfile", "uds")


@dataclass(frozen=True)
class Installed:
    """The vLLM that engines will run."""

    version: str
    device: str
    """`cpu`, `cuda`, …, as vLLM names it."""
    max_model_len: int | None
    """The context limit in tokens that the command lines set, as vLLM parses it (`4k` is 4,000)."""
    kv_dtypes: tuple[str, ...] = ()
    """KV dtypes that its command line accepts; empty if unknown."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Those that this machine does not support, with vLLM's reasons. On a GPU, only starting an engine shows them."""


ELSEWHERE = Installed("of the endpoints", "endpoint", None)
"""Placeholder for endpoints, each of which reports its own version."""


class Inspection:
    """A query to the installed vLLM, running in the background; `result` waits for the answer."""

    def __init__(self, command_lines: Sequence[Sequence[str]]) -> None:
        if importlib.util.find_spec("vllm") is None:
            raise UsageError("vLLM is not installed: run pip install vllm, or see the README for CPUs.")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kveval.engine.inspection", json.dumps([list(line) for line in command_lines])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self) -> Installed:
        """Return the answer. Raises UsageError with vLLM's message if it rejects one of the command lines."""
        out, err = self._process.communicate()
        last = out.strip().splitlines()[-1:] or [""]
        if self._process.returncode == 2:
            reason = [line for line in err.splitlines() if "error:" in line][-1:] or err.splitlines()[-1:]
            raise UsageError(f"vLLM rejects this command line: {reason[0].partition('error: ')[2] or reason[0]}")
        if self._process.returncode:
            raise UsageError(f"vLLM cannot be imported: {(err.strip().splitlines() or ['no reason given'])[-1]}")
        return Installed(**json.loads(last[0]))

    def cancel(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def _first_attribute(modules: Sequence[str], name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    return None


def _unsupported(kv_dtype: str, device: str) -> str | None:
    """Return vLLM's reason why this CPU does not support a dtype; an engine would only report it a minute after its start."""
    find_isa = _first_attribute(("vllm.v1.attention.backends.cpu_attn",), "_get_attn_isa") if device == "cpu" else None
    if not callable(find_isa):
        return None
    import torch

    try:
        find_isa(torch.bfloat16, 128, kv_cache_dtype=kv_dtype)
    except NotImplementedError as error:
        return str(error)
    except TypeError:  # another signature in another vLLM version
        pass
    return None


def _main(command_lines: list[list[str]]) -> None:
    import vllm
    from vllm.platforms import current_platform

    make_parser = _first_attribute(_PARSERS, "make_arg_parser")
    parser_class = _first_attribute(_PARSER_CLASSES, "FlexibleArgumentParser")
    limit = None
    kv_dtypes: list[str] = []
    device = current_platform.device_type
    # If this vLLM has its parser elsewhere, nothing is checked here; its server rejects unknown arguments when it starts.
    if callable(make_parser) and callable(parser_class):
        parser = make_parser(parser_class())
        kv_dtypes = next((list(a.choices or ()) for a in parser._actions if "--kv-cache-dtype" in a.option_strings), [])
        for line in command_lines:
            parsed = parser.parse_args(line)
            for name in _OURS:  # an abbreviation may set an argument that kveval sets itself
                if getattr(parsed, name, None) != parser.get_default(name):
                    parser.error(f"--{name.replace('_', '-')} is set by kveval")
            if reason := _unsupported(parsed.kv_cache_dtype, device):
                parser.error(f"--kv-cache-dtype {parsed.kv_cache_dtype}: {reason}")
            limit = parsed.max_model_len
    refused = {dtype: reason for dtype in kv_dtypes if (reason := _unsupported(dtype, device))}
    facts = {"version": vllm.__version__, "device": device, "max_model_len": limit}
    print(json.dumps({**facts, "kv_dtypes": kv_dtypes, "refused": refused}))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
