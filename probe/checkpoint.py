"""Training checkpoints, split into small files.

    python -m probe.checkpoint FOLDER TARGET

exports a training checkpoint to TARGET, in the format of transformers and vLLM, next to the tokenizer in that folder.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from probe.model import Config, Probe, Readouts, export

PART_BYTES = 15 * 2**20


def save(folder: Path, probe: Probe, readouts: Readouts, state: dict[str, Any]) -> None:
    """Write the weights as bfloat16, and `state`. Existing files are replaced only after all new ones are written."""
    tensors = {f"probe.{name}": weight for name, weight in probe.state_dict().items()}
    tensors |= {f"readouts.{name}": weight for name, weight in readouts.state_dict().items()}
    pieces = {
        f"{name}#{k}": piece.contiguous()
        for name, tensor in tensors.items()
        for k, piece in enumerate(_pieces(tensor.detach().to("cpu", torch.bfloat16)))
    }
    parts: list[dict[str, Tensor]] = []
    free_bytes: list[int] = []
    for name in sorted(pieces, key=lambda name: -pieces[name].nbytes):
        fitting = next((k for k, left in enumerate(free_bytes) if pieces[name].nbytes <= left), len(parts))
        if fitting == len(parts):
            parts.append({})
            free_bytes.append(PART_BYTES)
        parts[fitting][name] = pieces[name]
        free_bytes[fitting] -= pieces[name].nbytes
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"part-{number}.safetensors" for number in range(len(parts))]
    for name, part in zip(names, parts, strict=True):
        save_file(part, str(folder / f"{name}.new"))
    for name in names:
        (folder / f"{name}.new").replace(folder / name)
    index = json.dumps({"config": vars(probe.config), "parts": names, "state": state}, indent=1)
    (folder / "checkpoint.json").write_text(index + "\n", encoding="utf-8")


def _pieces(tensor: Tensor) -> list[Tensor]:
    """Split a tensor into slices of at most half the size of a part, but of at least one row."""
    rows = max(1, PART_BYTES // 2 * len(tensor) // tensor.nbytes)
    return list(tensor.split(rows))


def load(folder: Path) -> tuple[Probe, dict[str, Tensor], dict[str, Any]]:
    """Load the probe, the weights of its readouts, and the state given to `save`."""
    index = json.loads((folder / "checkpoint.json").read_text(encoding="utf-8"))
    pieces: dict[str, dict[int, Tensor]] = {}
    for part in index["parts"]:
        for key, tensor in load_file(str(folder / part)).items():
            name, _, number = key.partition("#")
            pieces.setdefault(name, {})[int(number)] = tensor
    tensors = {name: torch.cat([found[k] for k in sorted(found)]).float() for name, found in pieces.items()}
    probe = Probe(Config(**index["config"]))
    probe.load_state_dict(
        {name.removeprefix("probe."): tensor for name, tensor in tensors.items() if name.startswith("probe.")}
    )
    readouts = {
        name.removeprefix("readouts."): tensor for name, tensor in tensors.items() if name.startswith("readouts.")
    }
    return probe, readouts, index["state"]


def state_of(folder: Path | None) -> dict[str, Any]:
    """Load only the state of a checkpoint; empty without a folder."""
    if folder is None:
        return {}
    state: dict[str, Any] = json.loads((folder / "checkpoint.json").read_text(encoding="utf-8"))["state"]
    return state


if __name__ == "__main__":
    export(load(Path(sys.argv[1]))[0], Path(sys.argv[2]))
