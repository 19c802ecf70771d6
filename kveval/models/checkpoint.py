"""One checkpoint as a run sees it: its config, its tokenizer, its limit, and a hash that tells it from others."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kveval.config import RunConfig, length_name
from kveval.errors import LengthError, ModelError
from kveval.models import smollm2
from kveval.prompts import Tokenizer, first_line, load_tokenizer

SAMPLED_BLOCKS, BLOCK_BYTES = 64, 65536


@dataclass(frozen=True)
class Checkpoint:
    """A model that transformers can describe and vLLM can serve."""

    name: str
    """What a report calls it."""
    path: str
    """What vLLM is given: a folder, or a name it resolves."""
    config: Any = field(repr=False)
    tokenizer: Tokenizer = field(repr=False)
    digest: str
    """Hash of config, tokenizer and chat template; of samples of a folder's weights, or of a hub's commit."""

    @property
    def shown_path(self) -> str:
        return shown_path(self.path)

    @property
    def is_local(self) -> bool:
        return Path(self.path).is_dir()

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


def load_checkpoint(config: RunConfig) -> Checkpoint:
    """Load config and tokenizer of the model that `config` names. Raises ModelError where it cannot be used."""
    from transformers import AutoConfig

    if not config.model.strip():
        raise ModelError("--model is empty: give the folder of a checkpoint, or a name that vLLM resolves.")
    path = str(smollm2.ensure()) if config.model == smollm2.NAME else config.model
    folder = Path(path).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(f"--model {path} is a folder without a config.json: give the folder of a checkpoint.")
        path = str(folder.resolve())
    elif folder.exists() or path.startswith((".", "/", "~")):
        raise ModelError(
            f"--model {path} is no folder: give the folder of a checkpoint, or a name such as {smollm2.NAME}."
        )
    trust = config.engine_arg("trust-remote-code") is not None
    revision = config.engine_arg("revision")
    try:
        model_config = AutoConfig.from_pretrained(path, trust_remote_code=trust, revision=revision)
    except Exception as error:  # transformers raises whatever the checkpoint's files provoke
        raise ModelError(f"--model {config.model} cannot be loaded: {first_line(error)}") from error
    tokenizer = load_tokenizer(config.engine_arg("tokenizer") or path, trust_remote_code=trust, revision=revision)
    name = config.model if config.model == smollm2.NAME else Path(path).name
    return Checkpoint(name, path, model_config, tokenizer, _digest(model_config, tokenizer, Path(path)))


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
