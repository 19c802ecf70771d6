"""The probe: a model of 11 million parameters that comes with kveval and solves its English tasks, up to 65,536 tokens.

It was made to test engines with, and can do nothing else: answers that it loses with a quantized cache were lost by the
cache, its format or its kernels, and not by a weak model. How it was trained is in `probe/` of the repository.
"""

from pathlib import Path

from kveval.errors import ModelError

NAME = "probe"
FOLDER = Path(__file__).parent / "kveval-probe"


def ensure() -> Path:
    """The folder of the checkpoint. Raises ModelError where its weights are missing."""
    if not (FOLDER / "model.safetensors").is_file():
        raise ModelError(f"{FOLDER} has no model.safetensors: install kveval again.")
    return FOLDER
