"""Folders in the form that lm-evaluation-harness 0.4.13 writes with --log_samples."""

import hashlib
import json
from pathlib import Path

TIME = "2026-01-02T03-04-05.678901"
REAL = Path(__file__).parents[1] / "cases" / "lm_eval" / "org__Tiny-8B"
"""Written by lm-evaluation-harness 0.4.13 itself; environment and task configurations were taken out of its results file."""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def line(doc_id: int, *, question: str | None = None, choices: int = 0, name: str = "none", shots: int = 0, **metrics):
    """One line of a samples file; `metrics` are the metrics' values."""
    question = question or f"What is {doc_id} plus {doc_id}?"
    doc = {"question": question, "answer": question.upper()}
    prompt = "An example. " * shots + f"Q: {question}\nA:"
    said = f"The answer is {sorted(metrics.items(), key=str)}."
    arguments = {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"], "do_sample": False, "temperature": 0.0}}}
    resps: list = [[said]]
    if choices:
        arguments = {f"gen_args_{i}": {"arg_0": prompt, "arg_1": f" {i}"} for i in range(choices)}
        resps = [[[f"-{i}.{len(said)}", "False"]] for i in range(choices)]
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": doc["answer"],
        "arguments": arguments,
        "resps": resps,
        "filtered_resps": [response[0] for response in resps],
        "filter": name,
        "metrics": list(metrics),
        "doc_hash": sha(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": sha(prompt),
        "target_hash": sha(doc["answer"]),
        **metrics,
    }


def lines(n: int, right=lambda _: True, **options):
    return [line(i, exact_match=float(bool(right(i))), **options) for i in range(n)]


def write(
    folder: Path, samples: dict[str, list], *, time: str = TIME, model_args: str = "", better=None, **more
) -> Path:
    """A samples file for each task and their results file; returns the folder that was given as --output_path."""
    model = folder / "org__Model-8B"
    model.mkdir(parents=True, exist_ok=True)
    for task, records in samples.items():
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (model / f"samples_{task}_{time}.jsonl").write_text(text, encoding="utf-8")
    results = {
        "results": {},
        "versions": dict.fromkeys(samples, 1.0),
        "n-shot": dict.fromkeys(samples, 0),
        "higher_is_better": better or {},
        "config": {"model": "vllm", "model_args": f"pretrained=org/Model-8B,{model_args}", "limit": None},
        "lm_eval_version": "0.4.13",
        **more,
    }
    (model / f"results_{time}.json").write_text(json.dumps(results), encoding="utf-8")
    return folder
