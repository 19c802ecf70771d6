"""Measures the loss of a cache's format alone: a run's samples in transformers, with keys and values rounded to it.

Any further loss of an engine comes from its kernels.
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
"""Tokens of an answer from where it leaves the engine's on. They hold a whole answer that is a number or a name; a copy that
leaves the passage is none any more, and damaged ones run on and on."""


def has_emulation(kv_dtype: str) -> bool:
    return kv_dtype in emulated_dtypes()


def read_in_format(
    checkpoint: Path,
    samples: Sequence[Sample],
    kv_dtype: str | None,
    path: Path,
    drafts: Mapping[Key, Sequence[int]],
) -> None:
    """Append to the file at `path` an output for each sample that has none there.

    `kv_dtype` is the cache's format, None for the model's own type; `drafts` are answers as they may well come out.
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
