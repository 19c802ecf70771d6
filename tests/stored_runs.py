"""Whole runs without an engine: everything is real but the answers, which a function gives."""

from kveval.config import RunConfig
from kveval.engine.client import Completion
from kveval.engine.inspection import Installed
from kveval.engine.session import EngineRecord
from kveval.runner import run as running
from kveval.runner.dispatch import _output_record
from kveval.store.run_directory import Appender

DTYPES = {"auto": "bfloat16", "control": "bfloat16", "fp8": "fp8_e4m3"}


def careful(arm, sample):
    """Right; but fp8 confuses two records at 5k, and drops a word of a copy. Nothing is known without the document."""
    if not sample.with_document:
        return "I cannot know."
    if arm == "fp8" and sample.length == 5120:
        if sample.task == "copy":
            return " ".join(sample.gold[0].split()[:-1])
        return f"It was {sample.distractors[0]}."
    return sample.gold[0] if sample.task == "copy" else f"It was {sample.gold[0]}."


class NoProgress:
    def __getattr__(self, _):
        return lambda *_, **__: None


class KnownVllm:
    """What asking the installed vLLM gives, without asking."""

    def __init__(self, _): ...

    def result(self):
        return Installed("0.32.0", "cpu", 8192)

    def cancel(self): ...


def store_run(monkeypatch, folder, model, answer, tokenizer, **options):
    """Run and store what `answer(arm, sample)` says: a text, or None for a request that failed."""

    async def serve(prepared, arm, samples, directory, _):
        EngineRecord(directory, arm).update(
            "done",
            {
                "arguments": ["--model", prepared.checkpoint.path, "--kv-cache-dtype", arm.kv_dtype],
                "kv_dtype_effective": DTYPES[arm.name],
                "kv_pool_tokens": 2000 if arm.name == "fp8" else 1000,
                "attention_backend": "FLASH_ATTN",
                "scales": None,
                "start_seconds": 1.0,
            },
        )
        outputs = Appender(directory.outputs(arm.name))
        for sample in samples:
            text = answer(arm.name, sample)
            ids = tuple(tokenizer(text or "", add_special_tokens=False).input_ids)
            done = Completion(ids, text or "", "stop", (-0.5,) * len(ids), (1.0,) * len(ids), 0.1, 0.2)
            error = "HTTP 500: out of luck" if text is None else None
            outputs.append(_output_record(sample, None if error else done, error))
        outputs.close()

    monkeypatch.setattr("kveval.runner.preparation.Inspection", KnownVllm)
    monkeypatch.setattr(running, "serve_arm", serve)
    given = {"tasks": ("evidence", "copy"), "lengths": (4096, 5120), "samples": 8, **options}
    running.run(RunConfig(model=str(model), **given), folder, NoProgress())
    return folder
