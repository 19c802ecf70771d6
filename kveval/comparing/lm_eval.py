"""Reads what lm-evaluation-harness writes with `--log_samples`.

    OUTPUT_PATH/MODEL/results_TIME.json           what was run, and the figures of each task
    OUTPUT_PATH/MODEL/samples_TASK_TIME.jsonl     a line for each sample and filter: responses, metrics, hashes

Written after its sources from 0.4.3 to 0.4.13. Before 0.4.7 lines name neither their filter nor their metrics; missing hashes
are made here in the way that it makes them.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from kveval.errors import UsageError

JsonObject = dict[str, Any]

FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
"""All that a line holds beside its metrics."""
NO_FILTER = "none"
NOTHING_EXTRACTED = "[invalid]"
"""What its filters put where an answer is not found."""
SETUP = ("model", "limit", "gen_kwargs", "fewshot_seed")
VERSIONS = ("lm_eval_version", "transformers_version", "chat_template_sha", "system_instruction_sha", "max_length")
CACHE_ARGUMENT = "kv_cache_dtype"


@dataclass(frozen=True)
class Outcome:
    """The result of one sample under one filter."""

    doc_id: int
    doc_hash: str
    prompt_hash: str
    metrics: Mapping[str, Any]
    """As they were written: numbers, or what a metric of the whole corpus is made from."""
    choices: int | None
    """Of how many answers one is chosen; None where the answer is written."""
    target: str
    response: str
    """As the model gave it; where it chooses, the log-likelihoods of all choices."""
    extracted: bool
    """Whether the filter found an answer in the response."""
    sampled: bool
    """Whether it was drawn at a temperature above 0."""


@dataclass(frozen=True)
class Results:
    """The results of one model: of each task those that were written last."""

    path: Path
    outcomes: Mapping[tuple[str, str], list[Outcome]]
    """By task and filter, in the order of document ids."""
    setup: Mapping[str, str]
    """All that was said of the run that may decide its outcomes, but the cache."""
    kv_cache_dtype: str | None
    """What was asked of the engine, where lm-eval started it."""
    higher_is_better: Mapping[str, Mapping[str, bool | None]]
    """By task and metric."""
    remarks: tuple[str, ...]


class _ConfigForm(BaseModel):
    model_args: str | dict[str, Any] | None = None


class _ResultsForm(BaseModel):
    """The fields read from a results file."""

    config: _ConfigForm = _ConfigForm()
    versions: dict[str, Any] = {}
    examples: dict[str, Any] = Field({}, alias="n-shot")
    higher_is_better: dict[str, dict[str, Any]] = {}


def read_results(path: Path) -> Results:
    """Read a folder of results, or those that were written at the time of one `results_TIME.json`.

    Raises UsageError where there are none, of several models, or where a file is damaged.
    """
    newest, remarks = _newest(path)
    outcomes: dict[tuple[str, str], list[Outcome]] = {}
    said: JsonObject = {}
    better: dict[str, Mapping[str, bool | None]] = {}
    for task, file in sorted(newest.items()):
        results = _results_of(file)
        said |= _said(results, task)
        better[task] = results.get("higher_is_better", {}).get(task, {})
        outcomes |= {(task, name): found for name, found in _read_samples(file).items()}
    if not outcomes:
        raise UsageError(f"{path} has no sample in its samples_TASK_TIME.jsonl: run lm-eval again.")
    asked = said.pop(CACHE_ARGUMENT, None)
    return Results(path, outcomes, {name: str(value) for name, value in said.items()}, asked, better, tuple(remarks))


def _newest(path: Path) -> tuple[dict[str, Path], list[str]]:
    """The last samples file of each task; and what was left aside, in words."""
    folder, time = (path, None) if path.is_dir() else (path.parent, _time(path))
    found = sorted(folder.rglob("samples_*.jsonl") if time is None else folder.glob(f"samples_*_{time}.jsonl"))
    if not found:
        raise UsageError(_nothing_in(path, folder))
    if len(folders := sorted({str(file.parent) for file in found})) > 1:
        raise UsageError(f"{path} contains results of several models: name one of {', '.join(folders)}.")
    newest: dict[str, Path] = {}
    older: dict[str, int] = {}
    for file in sorted(found, key=_time):
        task = file.name.removeprefix("samples_").rpartition("_")[0]
        if task in newest:
            older[task] = older.get(task, 0) + 1
        newest[task] = file
    remarks = [
        f"{path} holds {count + 1} results of {task}: the last is taken, of {_time(newest[task])}. To take another, name its "
        "results_TIME.json instead of the folder."
        for task, count in older.items()
    ]
    return newest, remarks


def _time(file: Path) -> str:
    return file.stem.rpartition("_")[2]


def _nothing_in(path: Path, folder: Path) -> str:
    if not path.exists():
        return f"{path} does not exist: name a folder that lm-eval wrote to, or a run directory of kveval."
    if any(folder.rglob("results*.json")):
        return (
            f"{path} has results of lm-eval but no samples_TASK_TIME.jsonl: run lm-eval (0.4.3 or newer) again "
            "with --log_samples; the paired test needs every sample."
        )
    return f"{path} contains neither results of lm-eval (samples_TASK_TIME.jsonl) nor a run of kveval (manifest.json)."


def _results_of(samples: Path) -> JsonObject:
    """The results file that belongs to a samples file; empty where it is gone."""
    for file in samples.parent.glob(f"*_{_time(samples)}.json"):
        try:
            results = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(results, dict):
                _ResultsForm.model_validate(results)
                return results
        except ValueError as error:
            why = _first_fault(error) if isinstance(error, ValidationError) else error
            raise UsageError(f"{file} is damaged ({why}): copy it again, or remove it.") from error
    return {}


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"


def _said(results: JsonObject, task: str) -> JsonObject:
    """What a results file says of how its outcomes were made."""
    config = results.get("config", {})
    arguments = config.get("model_args") or {}
    if isinstance(arguments, str):
        arguments = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
    said = {name: config[name] for name in SETUP if name in config}
    said |= {name: results[name] for name in VERSIONS if name in results}
    said |= {
        f"{label} of {task}": results[name][task]
        for name, label in (("versions", "version"), ("n-shot", "examples"))
        if task in results.get(name, {})
    }
    return said | arguments


def _read_samples(file: Path) -> dict[str, list[Outcome]]:
    """Read the outcomes of one task by filter. A repeated line counts once."""
    lines: dict[tuple[str, int], str] = {}
    outcomes: dict[str, list[Outcome]] = {}
    with file.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                name, outcome = sample.get("filter", NO_FILTER), _outcome(sample)
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
                raise UsageError(
                    f"{file} line {number} is damaged: it is not a sample of lm-eval ({error!r}): copy the file again, or run "
                    "lm-eval (0.4.3 or newer) again."
                ) from error
            key, digest = (name, outcome.doc_id), _hash(line.strip())
            if key not in lines:
                lines[key] = digest
                outcomes.setdefault(name, []).append(outcome)
            elif lines[key] != digest:
                why = (
                    "two runs"
                    if "filter" in sample
                    else "two runs, or several filters, which lm-eval named from 0.4.7 on"
                )
                raise UsageError(
                    f"{file} line {number} repeats document {outcome.doc_id} with another outcome: the file "
                    f"contains {why}. Keep one of them, or run lm-eval again."
                )
    return {name: sorted(outcomes[name], key=lambda outcome: outcome.doc_id) for name in sorted(outcomes)}


def _outcome(sample: JsonObject) -> Outcome:
    named = [sample.get(name, "") for name in ("filter", "doc_hash", "prompt_hash")]
    if not all(isinstance(text, str) for text in (*named, *sample.get("metrics", []))):
        raise TypeError("filter, hashes and names of metrics are text")
    requests = list(_requests(sample["arguments"]))
    chosen = len(requests) > 1 and all(isinstance(request[1], str) for request in requests)
    # Beside the choices after the question, acc_mutual_info asks for the choices alone.
    asked = sum(bool(request[0]) for request in requests) or len(requests)
    names = sample["metrics"] if "metrics" in sample else [name for name in sample if name not in FIELDS]
    generation = requests[0][1] if len(requests[0]) > 1 and isinstance(requests[0][1], dict) else {}
    return Outcome(
        doc_id=int(sample["doc_id"]),
        doc_hash=sample.get("doc_hash") or _hash(json.dumps(sample["doc"], indent=2, ensure_ascii=False)),
        prompt_hash=sample.get("prompt_hash") or _hash(requests[0][0]),
        metrics={name: sample.get(name) for name in names},
        choices=asked if chosen else None,
        target=str(sample["target"]),
        response=" ".join(map(_first, sample["resps"])),
        extracted=_first(sample["filtered_resps"]) != NOTHING_EXTRACTED,
        sampled=generation.get("do_sample") is not False and float(generation.get("temperature") or 0) > 0,
    )


def _requests(arguments: Any) -> Iterator[list[Any]]:
    """The arguments of each request to the model: prompt and continuation, or prompt and generation settings."""
    for request in arguments.values() if isinstance(arguments, dict) else arguments:
        yield list(request.values() if isinstance(request, dict) else request)


def _first(response: Any) -> str:
    """The first of repeated responses, the log-likelihood of one that has one."""
    while isinstance(response, list) and response:
        response = response[0]
    return str(response)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
