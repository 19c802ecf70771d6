"""Whole runs without an engine: everything is real but the answers, which a function gives."""

from kveval.config import RunConfig
from kveval.engine.client import Completion
from kveval.engine.inspection import Installed
from kveval.engine.session import EngineLog
from kveval.runner import run as running
from kveval.runner.dispatch import output_record
from kveval.store.json_files import Appender
from kveval.store.run_records import EngineFacts

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


def engine_facts(kv_dtype, *, pool=1000, asked="auto", blocks=None, backend="FLASH_ATTN"):
    """What an engine with such a cache reports."""
    return EngineFacts(
        kv_dtype_asked=asked,
        kv_dtype_effective=kv_dtype,
        kv_pool_tokens=pool,
        kv_pool_bytes=None,
        block_size=16,
        num_gpu_blocks=blocks,
        weight_bytes=None,
        attention_backend=backend,
        model_dtype=None,
        scales=None,
        prefix_caching=True,
        vllm_version="0.32.0",
        device="cpu",
        start_seconds=1.0,
    )


def store_run(monkeypatch, folder, model, answer, tokenizer, **options):
    """Run and store what `answer(arm, sample)` says: a text, or None for a request that failed."""

    async def serve(prepared, arm, samples, directory, _):
        EngineLog(directory, arm).update(
            "done",
            arguments=("--model", prepared.checkpoint.path, "--kv-cache-dtype", arm.kv_dtype),
            facts=engine_facts(DTYPES[arm.name], pool=2000 if arm.name == "fp8" else 1000, asked=arm.kv_dtype),
        )
        outputs = Appender(directory.outputs(arm.name))
        for sample in samples:
            text = answer(arm.name, sample)
            ids = tuple(tokenizer(text or "", add_special_tokens=False).input_ids)
            done = Completion(ids, text or "", "stop", (-0.5,) * len(ids), (1.0,) * len(ids), 0.1, 0.2)
            error = "HTTP 500: out of luck" if text is None else None
            outputs.append(output_record(sample, None if error else done, error))
        outputs.close()

    monkeypatch.setattr("kveval.runner.preparation.Inspection", KnownVllm)
    monkeypatch.setattr(running, "serve_arm", serve)
    given = {"tasks": ("evidence", "copy"), "lengths": (4096, 5120), "samples": 8, **options}
    running.run(RunConfig(model=str(model), **given), folder, NoProgress())
    return folder
