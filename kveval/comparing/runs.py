"""Arms of kveval's own runs, matched sample by sample and scored against each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kveval.analysis.results import arm_facts
from kveval.arms import BASELINE, CONTROL
from kveval.comparing.evidence import Evidence, arm_name, left_out_remark, match, setup_differences
from kveval.errors import UsageError
from kveval.scoring.score_outputs import answer_texts, read_outputs, sample_key, score_sample
from kveval.store.run_directory import Record, RunDirectory
from kveval.store.schema import arms_in, read_documents, read_manifest, read_samples

SETUP = ("model", "model_hash", "vllm", "kveval", "device", "concurrency", "engine_args", "task_versions")
Key = tuple[str, str]
"""Sample id and prompt hash."""


@dataclass(frozen=True)
class RunArm:
    """One arm of a run: its samples and its outputs."""

    directory: RunDirectory
    arm: str
    kv_dtype: str
    model: str
    setup: Mapping[str, str]
    """All that decides its outputs, but the cache."""
    samples: Mapping[Key, Record]
    outputs: Mapping[Key, Record]

    @property
    def source(self) -> str:
        return f"{self.directory.path}:{self.arm}"


def read_run(text: str) -> RunArm:
    """`RUN` or `RUN:ARM`. Raises UsageError for an arm that the run does not have."""
    path, arm = split_run(text)
    directory = RunDirectory(path)
    manifest = read_manifest(directory)
    identity = manifest["identity"]
    arms = {one.name: one.kv_dtype for one in arms_in(manifest)}
    if arm not in arms:
        raise UsageError(f"{path} has no arm {arm!r}: write RUN:ARM with one of {', '.join(arms)}.")
    samples = read_samples(directory)
    asked = {sample_key(sample): sample for sample in samples if sample.get("with_document", True)}
    setup = {name: str(identity.get(name)) for name in SETUP} | {"gpus": ", ".join(manifest["host"]["gpus"])}
    return RunArm(directory, arm, arms[arm], identity["model"], setup, asked, read_outputs(directory, arm))


def split_run(text: str) -> tuple[Path, str]:
    """The run directory and the arm that `RUN` or `RUN:ARM` names."""
    if Path(text).exists() or ":" not in text:
        return Path(text), BASELINE
    path, _, arm = text.rpartition(":")
    return Path(path), arm


def run_evidence(baseline: str, arm: str, control: str | None) -> Evidence:
    """Compare arms of runs, of which each is `RUN` or `RUN:ARM`. Raises UsageError where they have no sample in common."""
    base, other = read_run(baseline), read_run(arm)
    name = arm_name(other.arm, other.directory.path)
    sides = {BASELINE: base, name: other} | ({} if control is None else {CONTROL: read_run(control)})
    matches = {
        task: match(*([key for key, one in side.samples.items() if one["task"] == task] for side in (base, other)))
        for task in dict.fromkeys(one["task"] for side in (base, other) for one in side.samples.values())
    }
    samples = {key: base.samples[key] for found in matches.values() for key in found.keys}
    if not samples:
        raise UsageError(
            f"{base.source} and {other.source} have no sample in common: model, tasks, lengths or seed differ "
            f"({', '.join(setup_differences(base.setup, other.setup)) or 'look at their manifest.json'})."
        )
    documents = read_documents(base.directory, list(samples.values()))
    scores = [
        score_sample(sample, documents[sample["document_id"]], side, read.outputs.get(key), base.outputs.get(key))
        for side, read in sides.items()
        for key, sample in samples.items()
        if key in read.samples
    ]
    left_out = [found.record(task) for task, found in matches.items()]
    return Evidence(
        about=f"{base.source} and {other.source} · {len(samples):,} samples of {base.model}",
        scores=scores,
        arms={side: _facts(side, read, scores) for side, read in sides.items()},
        samples={sample["id"]: sample for sample in samples.values()},
        outputs={side: answer_texts(samples, read.outputs) for side, read in sides.items()},
        left_out=left_out,
        remarks=[*filter(None, (left_out_remark(record, name) for record in left_out)), *_remarks(sides, name)],
    )


def _facts(side: str, read: RunArm, scores: list[Record]) -> Record:
    mine = [score for score in scores if score["arm"] == side]
    facts = arm_facts(read.directory, read.arm, read.kv_dtype, mine)
    return {"source": read.source, **facts, "setup": dict(read.setup)}


def _remarks(sides: Mapping[str, RunArm], arm: str) -> Iterator[str]:
    for side in (arm, CONTROL):
        if side in sides and (differing := setup_differences(sides[BASELINE].setup, sides[side].setup)):
            yield f"Not the cache alone differs between {BASELINE} and {side}: {', '.join(differing)}."
