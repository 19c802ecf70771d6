"""Duration of `kveval score` on a large stored run: 10,000 samples with answers of about 1,000 tokens, on one core.

    taskset -c 0 python benchmarks/scoring_speed.py

The command scores a synthetic run directory in a separate process: half numbers, half copies, with arms auto and fp8, in
which one answer in ten differs by some words. For comparison, the table shows the time to read and write the same JSON, a
lower bound for any scorer.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kveval.store.json_files import write_json_lines
from kveval.store.run_directory import RunDirectory

ARMS = ("auto", "fp8")
DTYPES = {"auto": "bfloat16", "fp8": "fp8_e4m3"}
STEMS = ("amber", "brick", "cedar", "dune", "ember", "flint", "grove", "harbor", "inlet", "jetty")
QUESTIONS = 4
LENGTHS = (8192, 16384, 32768, 65536)


def words(rng: random.Random, number: int) -> list[str]:
    """Draw words, of which one in thirty is a number, as in a report."""
    return [
        f"{rng.randrange(999)}" if rng.random() < 1 / 30 else rng.choice(STEMS) + rng.choice(STEMS)
        for _ in range(number)
    ]


def answer(rng: random.Random, passage: list[str]) -> str:
    """Return the passage; in one answer of ten some words are replaced or dropped."""
    if rng.random() < 0.9:
        return " ".join(passage)
    return " ".join(word if rng.random() < 0.97 else "otherwise" for word in passage if rng.random() < 0.99)


def write_run(path: Path, samples: int, tokens: int) -> None:
    """Write a finished run whose answers have about `tokens` tokens, two per word."""
    rng = random.Random(0)
    directory = RunDirectory(path)
    identity = {"lengths": list(LENGTHS), "kv_dtypes": list(ARMS), "control": False, "samples": samples, "seed": 0}
    identity |= {"concurrency": 8, "engine_args": [], "model": "made", "model_hash": "0", "kveval": "0", "vllm": "0"}
    identity |= {"task_versions": {"evidence": 1, "copy": 1}, "device": "cpu"}
    host = {"machine": "made", "system": "made", "cpus": 1, "gpus": []}
    write_json_lines(directory.manifest, [{"schema": 1, "identity": identity, "created": "", "host": host}])
    records, documents, outputs = [], {}, {arm: [] for arm in ARMS}
    for index in range(samples):
        task, length = ("evidence", "copy")[index // QUESTIONS % 2], LENGTHS[index % len(LENGTHS)]
        document_id = f"d{length}-{index // (QUESTIONS * len(LENGTHS))}-{task}"
        passage = words(rng, tokens // 2)
        documents.setdefault(document_id, " ".join(words(rng, 2000)))
        gold = f"0.{rng.randrange(100, 999)}"
        records.append(
            {
                **{"id": f"{task}-{index}", "document_id": document_id, "task": task, "length": length, "guess": 0.1},
                **{"answer_type": "copy" if task == "copy" else "number", "prompt_hash": "h", "prompt_tokens": length},
                **{"max_answer_tokens": tokens, "question": "Which value?", "kind": "name", "depth": rng.random()},
                "gold": [" ".join(passage) if task == "copy" else gold],
                "distractors": [f"0.{rng.randrange(100, 999)}" for _ in range(9)],
            }
        )
        for arm in ARMS:
            text = answer(rng, passage) + ("" if task == "copy" else f" The value is {gold}.")
            ids = [hash(word) % 30_000 for word in text.split() for _ in range(2)]
            outputs[arm].append(
                {
                    **{"sample_id": f"{task}-{index}", "prompt_hash": "h", "error": None, "text": text},
                    **{"token_ids": ids, "finish_reason": "stop", "logprobs": [-0.125] * len(ids)},
                    **{"first_token_s": 1.0, "total_s": 2.0},
                }
            )
    write_json_lines(directory.samples, records)
    write_json_lines(directory.documents, ({"id": key, "text": text} for key, text in documents.items()))
    for arm in ARMS:
        write_jsonl_under(directory, arm, outputs[arm])


def write_jsonl_under(directory: RunDirectory, arm: str, records: list[dict[str, object]]) -> None:
    directory.arm(arm).mkdir(parents=True)
    write_json_lines(directory.outputs(arm), records)
    engine = {"status": "done", "kv_dtype_effective": DTYPES[arm], "kv_pool_tokens": 1000, "attention_backend": "A"}
    engine |= {"scales": None, "start_seconds": 1.0}
    write_json_lines(directory.engine(arm), [{"schema": 1, "arm": arm, "kv_dtype": arm, "engines": [engine]}])


def main() -> None:
    parser = argparse.ArgumentParser(description="Duration of `kveval score` on a synthetic run.")
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--tokens", type=int, default=1_000, help="tokens per answer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        write_run(path, options.samples, options.tokens)
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "kveval", "score", str(path)], capture_output=True, text=True)
        scoring = time.perf_counter() - started
        started = time.perf_counter()
        size = 0
        for file in sorted(path.rglob("*.jsonl")):
            lines = file.read_text(encoding="utf-8").splitlines()
            size += file.stat().st_size
            "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines)
        reading = time.perf_counter() - started
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    print("| samples | arms | tokens per answer | stored | cores | kveval score | JSON only | ratio |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(
        f"| {options.samples:,} | {len(ARMS)} | {options.tokens:,} | {size / 1e6:,.0f} MB | {len(os.sched_getaffinity(0))} | "
        f"{scoring:.1f} s | {reading:.1f} s | {scoring / reading:.1f}× |"
    )


if __name__ == "__main__":
    main()
