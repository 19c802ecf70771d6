"""What the built-in tasks ask: hashes, so that no text changes without a new version, and a page of documents to read.

`python -m tests.golden` writes both anew: raise the `version` of every task whose texts changed before that.
"""

import hashlib
import json
from array import array
from pathlib import Path

from kveval.prompts.samples import build_all, build_samples
from kveval.tasks import builtin_tasks, load_task

FILE = Path(__file__).parent / "cases" / "golden.json"
PAGE = Path(__file__).parents[1] / "docs" / "tasks" / "documents.md"
SHOWN = ((("evidence", "copy"), 12_000), (("multihop",), 9_000), (("multihop-zh",), 7_000))
"""Tasks about one document, with its length in bytes: about 2,000 tokens with tokenizers of large models."""
LENGTHS, SEEDS, SAMPLES = (16_384, 65_536), (0, 1), 8


def byte_tokenizer():
    """Tokenizer with one token per byte. It is not trained, so that it is the same everywhere."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE({symbol: number for number, symbol in enumerate(alphabet)}, []))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=backend)


def digest(name: str, length: int, seed: int) -> str:
    """Return a hash of the prompts, answers and distractors of one task."""
    hashed = hashlib.sha256()
    for sample in build_samples(load_task(name), length, byte_tokenizer(), samples=SAMPLES, seed=seed):
        hashed.update(array("I", sample.prompt_token_ids).tobytes())
        hashed.update(repr((sample.id, sample.gold, sample.distractors, sample.kind, sample.depth)).encode())
    return hashed.hexdigest()[:16]


def digests(name: str) -> dict[str, str]:
    return {f"{length}/{seed}": digest(name, length, seed) for length in LENGTHS for seed in SEEDS}


def page() -> str:
    """Return whole documents with their questions and answers, as Markdown."""
    parts = [
        "# Documents to read",
        "Whole documents of about 2,000 tokens, as models read them, and after each what is asked about it, with the right "
        "answer. At greater lengths there is more prose; records, passages and facts stay as many, and passages grow longer. "
        "(Written by `python -m tests.golden`.)",
    ]
    for names, length in SHOWN:
        samples = build_all([load_task(name) for name in names], length, byte_tokenizer(), samples=4, seed=0)
        versions = " and ".join(f"{name} (version {load_task(name).version})" for name in names)
        quoted = "\n".join(f"> {line}".rstrip() for line in samples[0].document.splitlines())
        parts += [f"## {versions}", quoted]
        parts += [
            f"**{sample.kind}.** {sample.question}\n\n`{'` `'.join(sample.gold[0].splitlines())}`" for sample in samples
        ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    golden = {name: {"version": load_task(name).version, "digests": digests(name)} for name in builtin_tasks()}
    FILE.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
