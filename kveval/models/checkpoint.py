"""One checkpoint as a run sees it: its config, its tokenizer, its limit, and a hash that tells it from others."""

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
"""Models that kveval brings or makes itself, by name, and what gives their folder."""

SAMPLED_BLOCKS, BLOCK_BYTES = 64, 65536


@dataclass(frozen=True)
class Model:
    """What a model's config alone tells of it."""

    name: str
    """What a report calls it."""
    path: str
    """What vLLM is given: a folder, or a name it resolves. For `kveval plan` also a config.json."""
    config: Any = field(repr=False)

    @property
    def shown_path(self) -> str:
        return shown_path(self.path)

    def shown(self, arguments: Sequence[str]) -> list[str]:
        """An engine's arguments as they are written down."""
        return [self.shown_path if word == self.path else word for word in arguments]

    @property
    def is_local(self) -> bool:
        return Path(self.path).is_dir()

    @property
    def folder(self) -> Path | None:
        """The checkpoint's folder, where it is on this machine."""
        path = Path(self.path)
        return path if path.is_dir() else path.parent if path.is_file() and path.name == "config.json" else None

    @property
    def max_length(self) -> int | None:
        """Tokens of prompt and answer that the model's config allows, or None where it does not say."""
        return getattr(self.config.get_text_config(), "max_position_embeddings", None)

    def check_lengths(self, lengths: tuple[int, ...], limit: int | None, by: str) -> None:
        """Raises LengthError where a length is above `limit` tokens; `by` says what sets that, if not the model."""
        over = [length for length in lengths if limit and length > limit]
        if over:
            raise LengthError(
                f"--lengths {','.join(map(length_name, over))}: {self.name} holds {limit:,} tokens{by}. Use lengths up to "
                "that, or raise it with --engine-arg max-model-len=N where the model can be extended."
            )


@dataclass(frozen=True)
class Checkpoint(Model):
    """A model that transformers can describe and vLLM can serve."""

    tokenizer: Tokenizer = field(repr=False)
    digest: str
    """Hash of config, tokenizer and chat template; of samples of a folder's weights, or of a hub's commit."""


def load_checkpoint(config: EngineConfig) -> Checkpoint:
    """Load config and tokenizer of the model that `config` names. Raises ModelError where it cannot be used."""
    model = load_model(config)
    tokenizer = load_tokenizer(config.engine_arg("tokenizer") or model.path, **_origin(config))
    return Checkpoint(
        model.name, model.path, model.config, tokenizer, _digest(model.config, tokenizer, Path(model.path))
    )


def load_model(config: EngineConfig, *, allow_file: bool = False) -> Model:
    """Load the config of the model that `config` names; with `allow_file` that may be a config.json without a checkpoint.

    Raises ModelError where it cannot be used.
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
            f"--model {path} is no folder{' and no file' * allow_file}: give the folder of a checkpoint, or a name such as "
            f"{' or '.join(KNOWN)}."
        )
    try:
        model_config = AutoConfig.from_pretrained(path, **_origin(config))
    except Exception as error:  # transformers raises whatever the checkpoint's files provoke
        raise ModelError(f"--model {config.model} cannot be loaded: {first_line(error)}") from error
    named = Path(path).parent if Path(path).name == "config.json" else Path(path)
    return Model(config.model if config.model in KNOWN else named.name, path, model_config)


def weight_bytes(folder: Path) -> int | None:
    """Bytes of the safetensors files of a checkpoint, those of its index where it has one; None where there are none."""
    index = folder / "model.safetensors.index.json"
    try:
        if index.is_file():
            names: set[str] = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
            return sum((folder / name).stat().st_size for name in names)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(f"{index} does not name the files of a checkpoint: {first_line(error)}") from error
    return sum(path.stat().st_size for path in folder.glob("*.safetensors")) or None


def _origin(config: EngineConfig) -> dict[str, Any]:
    """What transformers has to know besides a model's name."""
    trust = config.engine_arg("trust-remote-code") is not None
    return {"trust_remote_code": trust, "revision": config.engine_arg("revision")}


def shown_path(path: str) -> str:
    """A path as it is written down: what lies in a home folder does not name whose. A name stays what it is."""
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
    """Each weight file by its name, its size and blocks spread over it: hashing hundreds of gigabytes would take too long."""
    for entry in sorted(folder.glob("*.safetensors")) + sorted(folder.glob("*.bin")):
        size = entry.stat().st_size
        digest = hashlib.sha256()
        with entry.open("rb") as file:
            for k in range(SAMPLED_BLOCKS):
                file.seek(k * max(0, size - BLOCK_BYTES) // (SAMPLED_BLOCKS - 1))
                digest.update(file.read(BLOCK_BYTES))
        yield f"{entry.name} {size} {digest.hexdigest()}"
