"""What a run is asked to do: the options of `kveval run`, checked."""

import math
import re
from collections.abc import Container, Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from kveval.arms import Arm, arms_of
from kveval.errors import UsageError

# What kveval itself decides for every arm; handing these to the engine would make arms differ in silence.
RESERVED_ENGINE_ARGS = {
    "api-key": "kveval makes a key for each engine",
    "api-server-count": "kveval reads the metrics of one server",
    "config": "give its arguments one by one, so that they are written down",
    "disable-log-stats": "kveval reads the engine's metrics",
    "headless": "kveval talks to the server",
    "hf-token": "set HF_TOKEN in the environment, where it is not written down",
    "host": "engines listen on the loopback address",
    "kv-cache-dtype": "use --kv-dtypes",
    "model": "use --model",
    "port": "kveval picks a free port for each engine",
    "served-model-name": "kveval names the model itself",
    "skip-tokenizer-init": "answers come back as text",
    "ssl-ca-certs": "engines listen on the loopback address",
    "ssl-certfile": "engines listen on the loopback address",
    "ssl-keyfile": "engines listen on the loopback address",
    "uds": "engines listen on the loopback address",
}

MARGIN_POINTS = (0.1, 50.0)
MAX_DOSE = 30
"""Power of two by which planted damage may scale: what is beyond bfloat16's range would not compute the same."""
GATES = ("degraded", "inconclusive", "weak baseline", "invalid")
"""Verdicts that `--fail-on` knows."""


class EngineConfig(BaseModel):
    """The model and the engines under test, as asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    """A local folder with a checkpoint, or a name that vLLM and transformers resolve."""
    kv_dtypes: tuple[str, ...] = ("auto", "fp8")
    seed: int = Field(default=0, ge=0)
    engine_args: tuple[str, ...] = ()
    """Command-line words for vLLM, the same for every arm."""
    endpoints: dict[str, str] = Field(default_factory=dict)
    """URLs of servers that run already, by KV dtype; none where kveval starts its own."""

    def engine_arg(self, name: str) -> str | None:
        """The value given for one engine argument; empty for a bare flag, None where it was not given."""
        for word in self.engine_args:
            given, _, value = word.partition("=")
            if given == f"--{name}":
                return value
        return None


class RunConfig(EngineConfig):
    """One run, as asked for. Two runs with equal configurations ask for the same outputs."""

    tasks: tuple[str, ...]
    lengths: tuple[int, ...]
    """Tokens of prompt and answer together, ascending."""
    control: bool = True
    samples: int = Field(default=200, ge=1)
    """Questions of each task at each length."""
    concurrency: int = Field(default=8, ge=1)
    """Requests in flight at a time."""

    @property
    def arms(self) -> tuple[Arm, ...]:
        return arms_of(self.kv_dtypes, control=self.control, endpoints=self.endpoints)


def split_names(text: str, option: str) -> tuple[str, ...]:
    """`a,b` as names, in the order given, each once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{option} {text!r} has an empty name: put one comma between two names.")
    return tuple(names)


def parse_lengths(text: str) -> tuple[int, ...]:
    """`8k,16384` as tokens, ascending: k is 1,024 and m is 1,048,576."""
    lengths = []
    for name in split_names(text, "--lengths"):
        tokens = parse_tokens(name)
        if not tokens:
            raise UsageError(f"--lengths has {name!r}, which is no length: write tokens, like 8k or 8192.")
        if tokens in lengths:
            raise UsageError(f"--lengths names {tokens:,} tokens twice: name each length once.")
        lengths.append(tokens)
    return tuple(sorted(lengths))


def parse_tokens(text: str) -> int | None:
    """`8k` as 8,192 tokens; None for what is no number of tokens above zero."""
    found = re.fullmatch(r"(\d+)([kKmM]?)", text, re.ASCII)
    return int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()] or None if found else None


def parse_doses(text: str) -> tuple[int, ...]:
    """`6,8,10` as powers of two, ascending."""
    doses = [int(name) if re.fullmatch(r"\d{1,2}", name, re.ASCII) else 0 for name in split_names(text, "--doses")]
    if not all(1 <= dose <= MAX_DOSE for dose in doses) or len({*doses}) < len(doses):
        raise UsageError(
            f"--doses {text!r} are not different powers of two from 1 to {MAX_DOSE}: write them like 6,8,10."
        )
    return tuple(sorted(doses))


def parse_margin(points: float) -> float:
    """Points out of 100 as a share: 2 is 0.02."""
    if not MARGIN_POINTS[0] <= points <= MARGIN_POINTS[1]:
        raise UsageError(
            f"--margin {points:g} is not between {MARGIN_POINTS[0]:g} and {MARGIN_POINTS[1]:g}: give it in points, of which "
            "100 are all answers, like --margin 2."
        )
    return points / 100


def parse_fail_on(text: str) -> frozenset[str]:
    """`degraded,weak-baseline` as verdicts; nothing as none."""
    if not text:
        return frozenset()
    wanted = frozenset(name.lower().replace("-", " ") for name in split_names(text, "--fail-on"))
    if unknown := sorted(wanted - set(GATES)):
        known = ", ".join(gate.replace(" ", "-") for gate in GATES)
        raise UsageError(f"--fail-on has {unknown[0]!r}, which is no verdict to fail on: choose from {known}.")
    return wanted


def check_positive(**options: float | None) -> None:
    """Raises UsageError where an option, named as in Python, was given and is no finite number above zero."""
    for name, value in options.items():
        if value is not None and not 0 < value < math.inf:
            raise UsageError(
                f"--{name.replace('_', '-')} {value:g} is not a number above zero: write it like 80 or 0.5."
            )


def length_name(tokens: int) -> str:
    """8192 as `8k`, and what is no multiple of 1,024 as the plain number."""
    if tokens % 1024**2 == 0:
        return f"{tokens // 1024**2}m"
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else str(tokens)


def parse_engine_args(pairs: Iterable[str], *, allowed: Container[str] = ()) -> tuple[str, ...]:
    """`max-num-seqs=8` and bare `enforce-eager` as command-line words for vLLM; `allowed` are reserved ones that may be."""
    words: list[str] = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip().removeprefix("--").replace("_", "-")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9.-]*", name):
            raise UsageError(f"--engine-arg {pair!r} has no argument name: write it like --engine-arg max-num-seqs=8.")
        if name in RESERVED_ENGINE_ARGS and name not in allowed:
            raise UsageError(f"--engine-arg {name} cannot be passed: {RESERVED_ENGINE_ARGS[name]}.")
        if any(word.partition("=")[0] == f"--{name}" for word in words):
            raise UsageError(f"--engine-arg {name} is given twice: give each argument once.")
        words.append(f"--{name}={value.strip()}" if equals else f"--{name}")  # one word: a value may begin with a dash
    return tuple(words)


def default_out(model: str, reports: Path = Path("reports")) -> Path:
    """The first unused folder `reports/MODEL-N`."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-.") or "run"
    return next(path for path in (reports / f"{stem}-{n}" for n in range(10**6)) if not path.exists())
