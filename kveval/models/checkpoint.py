"""Config, tokenizer, context window and hash of a checkpoint."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kveval.config import EngineConfig, length_name
from kveval.errors import LengthError, ModelError, first_line
from kveval.models import probe, smollm2
from kveval.models.tokenizer import Tokenizer, load_tokenizer

KNOWN = {probe.NAME: probe.ensure, smollm2.NAME: smollm2.ensure}
"""Models that kveval bundles or builds, by name, with the function that returns their folder."""

SAMPLED_BLOCKS, BLOCK_BYTES = 64, 65536


@dataclass(frozen=True)
class Model:
    """A model as described by its config alone."""

    name: str
    """The name shown in reports."""
    path: str
    """The value passed to vLLM: a folder, or a name that vLLM resolves. For `kveval plan` it may also be a config.json."""
    config: Any = field(repr=False)

    @property
    def shown_path(self) -> str:
        return shown_path(self.path)

    def shown(self, arguments: Sequence[str]) -> list[str]:
        """An engine's arguments as they are stored, with the model's path shortened."""
        return [self.shown_path if word == self.path else word for word in arguments]

    @property
    def is_local(self) -> bool:
        return Path(self.path).is_dir()

    @property
    def folder(self) -> Path | None:
        """The checkpoint's folder; None if it is not on this machine."""
        path = Path(self.path)
        return path if path.is_dir() else path.parent if path.is_file() and path.name == "config.json" else None

    @property
    def max_length(self) -> int | None:
        """The model's context window (prompt and answer), in tokens; None if the config does not give it."""
        return getattr(self.config.get_text_config(), "max_position_embeddings", None)

    def check_lengths(self, lengths: tuple[int, ...], limit: int | None, by: str) -> None:
        """Raises LengthError if a length exceeds `limit` tokens; `by` names what sets the limit if it is not the model."""
        over = [length for length in lengths if limit and length > limit]
        if over:
            names, verb = ", ".join(map(length_name, over)), "exceeds" if len(over) == 1 else "exceed"
            raise LengthError(
                f"{names} {verb} the model's context window{by} ({limit:,} tokens). Use shorter --lengths, or raise the limit "
                "with --engine-arg max-model-len=N if the model supports it."
            )


@dataclass(frozen=True)
class Checkpoint(Model):
    """A model with its tokenizer, ready to be served by vLLM."""

    tokenizer: Tokenizer = field(repr=False)
    digest: str
    """Hash of config, tokenizer and chat template, plus blocks sampled from a folder's weights, or the hub commit."""


def load_checkpoint(config: EngineConfig) -> Checkpoint:
    """Load config and tokenizer of the model that `config` names. Raises ModelError if either cannot be loaded."""
    model = load_model(config)
    tokenizer = load_tokenizer(config.engine_arg("tokenizer") or model.path, **_origin(config))
    return Checkpoint(
        model.name, model.path, model.config, tokenizer, _digest(model.config, tokenizer, Path(model.path))
    )


def load_model(config: EngineConfig, *, allow_file: bool = False) -> Model:
    """Load the config of the model that `config` names; with `allow_file`, the name may be the path of a config.json.

    Raises ModelError if it cannot be loaded.
    """
    from transformers import AutoConfig

    if not config.model.strip():
        raise ModelError("--model is empty: give the folder of a checkpoint, or a name that vLLM resolves.")
    path = str(KNOWN[config.model]()) if config.model in KNOWN else config.model
    folder = Path(path).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(f"--model {path} is a folder without a config.json: give the folder of a checkpoint.")
        path = str(folder.resolve())
    elif allow_file and folder.is_file():
        path = str(folder.resolve())
    elif folder.exists() or path.startswith((".", "/", "~")) or path.endswith(".json"):
        raise ModelError(
            f"--model {path} is not a folder{' or a file' * allow_file}: give the folder of a checkpoint, or a name such as "
            f"{' or '.join(KNOWN)}."
        )
    try:
        model_config = AutoConfig.from_pretrained(path, **_origin(config))
    except Exception as error:  # transformers raises errors of many types for damaged checkpoints
        raise ModelError(f"--model {config.model} cannot be loaded: {first_line(error)}") from error
    named = Path(path).parent if Path(path).name == "config.json" else Path(path)
    return Model(config.model if config.model in KNOWN else named.name, path, model_config)


def weight_bytes(folder: Path) -> int | None:
    """Total bytes of a checkpoint's safetensors files, only those in its index if it has one; None if it has no such files."""
    index = folder / "model.safetensors.index.json"
    try:
        if index.is_file():
            names: set[str] = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
            return sum((folder / name).stat().st_size for name in names)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(f"{index} does not list the files of a checkpoint: {first_line(error)}") from error
    return sum(path.stat().st_size for path in folder.glob("*.safetensors")) or None


def _origin(config: EngineConfig) -> dict[str, Any]:
    """Arguments that transformers needs in addition to a model's name."""
    trust = config.engine_arg("trust-remote-code") is not None
    return {"trust_remote_code": trust, "revision": config.engine_arg("revision")}


def shown_path(path: str) -> str:
    """A path as it is stored: the home folder is written as `~`, so that no user name appears. Names are left unchanged."""
    home = Path.home()
    return f"~/{Path(path).relative_to(home)}" if Path(path).is_relative_to(home) else path


def _digest(config: Any, tokenizer: Tokenizer, folder: Path) -> str:
    commit = getattr(config, "_commit_hash", None)
    described = {k: v for k, v in config.to_dict().items() if k not in {"_name_or_path", "transformers_version"}}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    vocabulary = backend.to_str() if backend else repr(sorted(tokenizer.get_vocab().items()))
    parts = [
        repr(sorted(described.items(), key=repr)),
        vocabulary,
        repr(tokenizer.chat_template),
        repr(commit),
        *_weights(folder),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _weights(folder: Path) -> Iterator[str]:
    """Name, size and hash of evenly spaced blocks of each weight file; hashing hundreds of gigabytes would take too long."""
    for entry in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*.bin")):
        size = entry.stat().st_size
        digest = hashlib.sha256()
        with entry.open("rb") as file:
            for k in range(SAMPLED_BLOCKS):
                file.seek(k * max(0, size - BLOCK_BYTES) // (SAMPLED_BLOCKS - 1))
                digest.update(file.read(BLOCK_BYTES))
        yield f"{entry.name} {size} {digest.hexdigest()}"
