"""Measures the loss due to a cache format alone: answers a run's samples in transformers with rounded keys and values.

Losses beyond that are attributed to the engine's kernels.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kveval.kv_cache.dtypes import emulated_dtypes
from kveval.kv_cache.emulation import answer_all
from kveval.models.tokenizer import load_tokenizer
from kveval.prompts.samples import Sample
from kveval.store.json_files import Appender
from kveval.store.run_directory import read_outputs
from kveval.store.run_records import Key, OutputRecord

BEYOND = 32
"""Maximum tokens of an answer after it departs from the engine's. This is enough for a number or a name. A copy that departs
from its passage is wrong already, and damaged copies may not end."""


def has_emulation(kv_dtype: str) -> bool:
    return kv_dtype in emulated_dtypes()


def read_in_format(
    checkpoint: Path,
    samples: Sequence[Sample],
    kv_dtype: str | None,
    path: Path,
    drafts: Mapping[Key, Sequence[int]],
) -> None:
    """Append an output to the file at `path` for each sample that has none yet.

    `kv_dtype` is the format of the cache (None: the model's dtype); `drafts` contains likely answers, which save time.
    """
    done = read_outputs(path)
    todo = [sample for sample in samples if (sample.id, sample.prompt_hash) not in done]
    if not todo:
        return
    import torch
    from transformers import AutoModelForCausalLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = load_tokenizer(str(checkpoint))
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.bfloat16).eval().to(device)
    answers = answer_all(
        model,
        [sample.prompt_token_ids for sample in todo],
        [sample.max_answer_tokens for sample in todo],
        kv_dtype=kv_dtype,
        drafts=[drafts.get((sample.id, sample.prompt_hash), ()) for sample in todo],
        beyond=BEYOND,
    )
    outputs = Appender(path)
    for sample, answer in zip(todo, answers, strict=True):
        outputs.append(
            OutputRecord(
                sample_id=sample.id,
                prompt_hash=sample.prompt_hash,
                error=None,
                token_ids=answer.token_ids,
                text=tokenizer.decode(answer.token_ids, skip_special_tokens=True),
                finish_reason="stop" if answer.ended else "length",
                margins=tuple(round(margin, 4) for margin in answer.margins),
                total_s=0.0,
            )
        )
    outputs.close()
