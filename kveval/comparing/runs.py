"""Arms of kveval's own runs, matched sample by sample and scored against each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kveval.analysis.results import arm_facts
from kveval.arms import BASELINE, CONTROL
from kveval.comparing.evidence import Asked, Evidence, arm_name, left_out_remark, match, setup_differences
from kveval.errors import UsageError
from kveval.scoring.score_outputs import answer_texts, score_sample
from kveval.store.manifest import Manifest
from kveval.store.report_schema import ArmFacts
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import Key, OutputRecord, SampleRecord, ScoreRecord


@dataclass(frozen=True)
class RunArm:
    """One arm of a run: its samples and its outputs."""

    directory: RunDirectory
    arm: str
    kv_dtype: str
    model: str
    setup: Mapping[str, str]
    """All that decides its outputs, but the cache."""
    samples: Mapping[Key, SampleRecord]
    outputs: Mapping[Key, OutputRecord]

    @property
    def source(self) -> str:
        return f"{self.directory.path}:{self.arm}"


def read_run(text: str) -> RunArm:
    """`RUN` or `RUN:ARM`. Raises UsageError for an arm that the run does not have."""
    path, arm = split_run(text)
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    arms = {one.name: one.kv_dtype for one in manifest.arms}
    if arm not in arms:
        raise UsageError(f"{path} has no arm {arm!r}: write RUN:ARM with one of {', '.join(arms)}.")
    samples = {sample.key: sample for sample in directory.read_samples() if sample.with_document}
    model = manifest.identity.model.name
    return RunArm(directory, arm, arms[arm], model, _setup(manifest), samples, directory.read_outputs(arm))


def _setup(manifest: Manifest) -> dict[str, str]:
    identity, extent = manifest.identity, manifest.extent
    return {
        "model": identity.model.name,
        "model_hash": str(identity.model.hash),
        "vllm": identity.vllm,
        "kveval": manifest.kveval,
        "device": identity.device,
        "concurrency": str(extent.concurrency),
        "engine_args": str(list(identity.engine_args)),
        "task_versions": str(extent.tasks),
        "gpus": ", ".join(manifest.host.gpus),
    }


def split_run(text: str) -> tuple[Path, str]:
    """The run directory and the arm that `RUN` or `RUN:ARM` names."""
    if Path(text).exists() or ":" not in text:
        return Path(text), BASELINE
    path, _, arm = text.rpartition(":")
    return Path(path), arm


def run_evidence(baseline: str, arm: str, control: str | None) -> Evidence:
    """Compare arms of runs, each given as `RUN` or `RUN:ARM`. Raises UsageError if they have no sample in common."""
    base, other = read_run(baseline), read_run(arm)
    name = arm_name(other.arm, other.directory.path)
    sides = {BASELINE: base, name: other} | ({} if control is None else {CONTROL: read_run(control)})
    matches = {
        task: match(*([key for key, one in side.samples.items() if one.task == task] for side in (base, other)))
        for task in dict.fromkeys(one.task for side in (base, other) for one in side.samples.values())
    }
    samples = {key: base.samples[key] for found in matches.values() for key in found.keys}
    if not samples:
        raise UsageError(
            f"{base.source} and {other.source} have no sample in common: model, tasks, lengths or seed differ "
            f"({', '.join(setup_differences(base.setup, other.setup)) or 'look at their manifest.json'})."
        )
    documents = base.directory.read_documents(samples.values())
    scores = [
        score_sample(sample, documents[sample.document_id], side, read.outputs.get(key), base.outputs.get(key))
        for side, read in sides.items()
        for key, sample in samples.items()
        if key in read.samples
    ]
    left_out = tuple(found.record(task) for task, found in matches.items())
    return Evidence(
        about=f"{base.source} and {other.source} · {len(samples):,} samples of {base.model}",
        scores=scores,
        arms={side: _facts(side, read, scores) for side, read in sides.items()},
        samples={sample.id: Asked(sample.question, sample.gold, sample.depth) for sample in samples.values()},
        outputs={side: answer_texts(samples, read.outputs) for side, read in sides.items()},
        left_out=left_out,
        remarks=[*filter(None, (left_out_remark(record, name) for record in left_out)), *_remarks_on_runs(sides, name)],
    )


def _facts(side: str, read: RunArm, scores: list[ScoreRecord]) -> ArmFacts:
    facts = arm_facts(read.directory, read.arm, read.kv_dtype, [score for score in scores if score.arm == side])
    return facts.model_copy(update={"source": read.source, "setup": dict(read.setup)})


def _remarks_on_runs(sides: Mapping[str, RunArm], arm: str) -> Iterator[str]:
    for side in (arm, CONTROL):
        if side in sides and (differing := setup_differences(sides[BASELINE].setup, sides[side].setup)):
            yield f"More than the cache differs between {BASELINE} and {side}: {', '.join(differing)}."
