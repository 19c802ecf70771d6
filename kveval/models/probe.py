"""The probe: a bundled model of 11 million parameters that solves kveval's English tasks at up to 65,536 tokens.

It serves only to test engines. Because it solves the tasks, answers that it loses with a quantized cache are due to the
format or the kernels of the cache, not to a weak model. The folder `probe/` of the repository describes its training.
"""

from pathlib import Path

from kveval.errors import ModelError

NAME = "probe"
FOLDER = Path(__file__).parent / "kveval-probe"


def ensure() -> Path:
    """The folder of the checkpoint. Raises ModelError if its weights are missing."""
    if not (FOLDER / "model.safetensors").is_file():
        raise ModelError(f"{FOLDER} has no model.safetensors: install kveval again.")
    return FOLDER
