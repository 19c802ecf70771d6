"""The configuration of a run: the options of `kveval run`, checked."""

import math
import re
from collections.abc import Container, Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from kveval.arms import Arm, arms_of
from kveval.errors import UsageError

# Arguments that kveval sets itself for every arm; setting them elsewhere could make arms differ without notice.
RESERVED_ENGINE_ARGS = {
    "api-key": "kveval generates a key for each engine",
    "api-server-count": "kveval reads the metrics of one server",
    "config": "pass its arguments one by one, so that they are recorded",
    "disable-log-stats": "kveval reads the engine's metrics",
    "headless": "kveval needs the HTTP server",
    "hf-token": "set HF_TOKEN in the environment, where it is not recorded",
    "host": "engines listen on the loopback address",
    "kv-cache-dtype": "use --kv-dtypes",
    "model": "use --model",
    "port": "kveval picks a free port for each engine",
    "served-model-name": "kveval names the model itself",
    "skip-tokenizer-init": "kveval needs answers as text",
    "ssl-ca-certs": "engines listen on the loopback address",
    "ssl-certfile": "engines listen on the loopback address",
    "ssl-keyfile": "engines listen on the loopback address",
    "uds": "engines listen on the loopback address",
}

MARGIN_POINTS = (0.1, 50.0)
MAX_DOSE = 30
"""Largest power of two by which planted damage may scale; larger factors would leave bfloat16's range."""
GATES = ("degraded", "inconclusive", "weak baseline", "invalid")
"""Verdicts that `--fail-on` accepts."""


class EngineConfig(BaseModel):
    """The model and the engines under test, as requested."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    """A local folder with a checkpoint, or a name that vLLM and transformers resolve."""
    kv_dtypes: tuple[str, ...] = ("auto", "fp8")
    seed: int = Field(default=0, ge=0)
    engine_args: tuple[str, ...] = ()
    """Command-line words for vLLM, the same for every arm."""
    endpoints: dict[str, str] = Field(default_factory=dict)
    """URLs of servers that are already running, by KV dtype; empty if kveval starts its own."""

    def engine_arg(self, name: str) -> str | None:
        """Return the value of one engine argument; empty for a bare flag, None if it was not given."""
        for word in self.engine_args:
            given, _, value = word.partition("=")
            if given == f"--{name}":
                return value
        return None


class RunConfig(EngineConfig):
    """One run, as requested. Two runs with equal configurations request the same outputs."""

    tasks: tuple[str, ...]
    lengths: tuple[int, ...]
    """Tokens of prompt and answer together, ascending."""
    control: bool = True
    samples: int = Field(default=200, ge=1)
    """Questions per task and length."""
    concurrency: int = Field(default=8, ge=1)
    """Maximum number of requests in flight."""

    @property
    def arms(self) -> tuple[Arm, ...]:
        return arms_of(self.kv_dtypes, control=self.control, endpoints=self.endpoints)


def split_names(text: str, option: str) -> tuple[str, ...]:
    """Split `a,b` into names, in the given order."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{option} {text!r} has an empty name: separate names with one comma.")
    return tuple(names)


def parse_lengths(text: str) -> tuple[int, ...]:
    """Parse `8k,16384` as numbers of tokens, in ascending order; k is 1,024 and m is 1,048,576."""
    lengths = []
    for name in split_names(text, "--lengths"):
        tokens = parse_tokens(name)
        if not tokens:
            raise UsageError(f"--lengths: {name!r} is not a valid length; use a number of tokens, like 8k or 8192.")
        if tokens in lengths:
            raise UsageError(f"--lengths lists {tokens:,} tokens twice: list each length once.")
        lengths.append(tokens)
    return tuple(sorted(lengths))


def parse_tokens(text: str) -> int | None:
    """Parse `8k` as 8,192 tokens; return None unless `text` is a positive number of tokens."""
    found = re.fullmatch(r"(\d+)([kKmM]?)", text, re.ASCII)
    return int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()] or None if found else None


def parse_doses(text: str) -> tuple[int, ...]:
    """Parse `6,8,10` as exponents of two, in ascending order."""
    doses = [int(name) if re.fullmatch(r"\d{1,2}", name, re.ASCII) else 0 for name in split_names(text, "--doses")]
    if not all(1 <= dose <= MAX_DOSE for dose in doses) or len({*doses}) < len(doses):
        raise UsageError(
            f"--doses {text!r} is not a list of different powers of two from 1 to {MAX_DOSE}; use, for example, 6,8,10."
        )
    return tuple(sorted(doses))


def parse_margin(points: float) -> float:
    """Convert points out of 100 to a share: 2 is 0.02."""
    if not MARGIN_POINTS[0] <= points <= MARGIN_POINTS[1]:
        raise UsageError(
            f"--margin {points:g} is not between {MARGIN_POINTS[0]:g} and {MARGIN_POINTS[1]:g}: give it in points out of 100, "
            "like --margin 2."
        )
    return points / 100


def parse_fail_on(text: str) -> frozenset[str]:
    """Parse `degraded,weak-baseline` as verdicts; an empty text is an empty set."""
    if not text:
        return frozenset()
    gates = frozenset(name.lower().replace("-", " ") for name in split_names(text, "--fail-on"))
    if unknown := sorted(gates - set(GATES)):
        known = ", ".join(gate.replace(" ", "-") for gate in GATES)
        raise UsageError(f"--fail-on: {unknown[0]!r} is not an accepted verdict; choose from {known}.")
    return gates


def check_positive(**options: float | None) -> None:
    """Check options by their Python names. Raises UsageError if one is given and is not a finite positive number."""
    for name, value in options.items():
        if value is not None and not 0 < value < math.inf:
            raise UsageError(
                f"--{name.replace('_', '-')} {value:g} is not a positive number; use, for example, 80 or 0.5."
            )


def length_name(tokens: int) -> str:
    """Format 8192 as `8k`; a number that is not a multiple of 1,024 stays a plain number."""
    if tokens % 1024**2 == 0:
        return f"{tokens // 1024**2}m"
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else str(tokens)


def parse_engine_args(pairs: Iterable[str], *, allowed: Container[str] = ()) -> tuple[str, ...]:
    """Convert `max-num-seqs=8` and a bare `enforce-eager` to words for vLLM; `allowed` lists reserved names to accept."""
    words: list[str] = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip().removeprefix("--").replace("_", "-")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9.-]*", name):
            raise UsageError(
                f"--engine-arg {pair!r} has no argument name; use, for example, --engine-arg max-num-seqs=8."
            )
        if name in RESERVED_ENGINE_ARGS and name not in allowed:
            raise UsageError(f"--engine-arg {name} is not allowed: {RESERVED_ENGINE_ARGS[name]}.")
        if any(word.partition("=")[0] == f"--{name}" for word in words):
            raise UsageError(f"--engine-arg {name} is given twice: give each argument once.")
        words.append(f"--{name}={value.strip()}" if equals else f"--{name}")  # one word: a value may begin with a dash
    return tuple(words)


def default_out(model: str, reports: Path = Path("reports")) -> Path:
    """Return the first unused folder `reports/MODEL-N`."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-.") or "run"
    return next(path for path in (reports / f"{stem}-{n}" for n in range(10**6)) if not path.exists())
