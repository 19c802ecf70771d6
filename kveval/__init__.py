"""kveval: can I turn on a quantized KV cache for my model, my tasks and my context lengths?"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kveval.notebook import load_run as load_run
    from kveval.notebook import run as run
    from kveval.notebook import score as score
    from kveval.prompts.samples import build_samples as build_samples
    from kveval.scoring import copy_fidelity as copy_fidelity
    from kveval.scoring import number_match as number_match
    from kveval.scoring import text_match as text_match
    from kveval.scoring import token_diff as token_diff
    from kveval.scoring.extraction import extract as extract
    from kveval.tasks import load_task as load_task

__all__ = [
    "build_samples",
    "copy_fidelity",
    "extract",
    "load_run",
    "load_task",
    "number_match",
    "run",
    "score",
    "text_match",
    "token_diff",
]

_MODULES = {
    "build_samples": "kveval.prompts.samples",
    "copy_fidelity": "kveval.scoring",
    "extract": "kveval.scoring.extraction",
    "load_run": "kveval.notebook",
    "load_task": "kveval.tasks",
    "number_match": "kveval.scoring",
    "run": "kveval.notebook",
    "score": "kveval.notebook",
    "text_match": "kveval.scoring",
    "token_diff": "kveval.scoring",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import kveval` loads nothing heavy."""
    if name not in _MODULES:
        raise AttributeError(f"module 'kveval' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
