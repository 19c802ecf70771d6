"""One sample of a run, with what every arm answered."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from kveval.arms import BASELINE
from kveval.config import length_name
from kveval.errors import UsageError
from kveval.report.difference import side_by_side
from kveval.scoring.score_outputs import SCORED, read_outputs, sample_key, score_sample
from kveval.store.run_directory import Record, RunDirectory
from kveval.store.schema import arms_in, read_documents, read_manifest, read_samples
from kveval.wording.format import percent, plural, signed


def find_sample(directory: RunDirectory, sample_id: str) -> Record:
    """The stored sample of this id. Raises UsageError, naming like ones, where there is none."""
    read_manifest(directory)
    samples = {sample["id"]: sample for sample in read_samples(directory)}
    if sample_id not in samples:
        near = get_close_matches(sample_id, samples, n=3) or list(samples)[:3]
        raise UsageError(f"{directory.path} has no sample {sample_id!r}: it has {', '.join(near)} and others.")
    return samples[sample_id]


def sample_lines(directory: RunDirectory, sample: Record) -> Iterator[str]:
    """A sample, its outputs and scores, for people to read."""
    arms = [arm.name for arm in arms_in(read_manifest(directory))]
    document = document_of(directory, sample)
    outputs = {arm: read_outputs(directory, arm).get(sample_key(sample)) for arm in arms}
    baseline = outputs[BASELINE]
    depth = "no depth" if sample["depth"] is None else f"depth {percent(sample['depth'])}"
    yield f"{sample['id']} · {sample['task']} at {length_name(sample['length'])} · {depth} · {sample['kind']}"
    yield f"document   {sample['document_id']}, {plural(sample['prompt_tokens'], 'prompt token')}, hash {sample['prompt_hash']}"
    yield f"question   {sample['question']}"
    if sample.get("metadata"):
        yield f"metadata   {', '.join(f'{name} {value}' for name, value in sample['metadata'].items())}"
    if sample["gold"]:
        yield f"gold       {' | '.join(sample['gold'])}"
    if sample["distractors"]:
        yield f"not        {' | '.join(sample['distractors'])}"
    for arm, output in outputs.items():
        if output is None and not sample.get("with_document", True) and arm != BASELINE:
            continue  # asked of the baseline alone
        score = score_sample(sample, document, arm, output, baseline)
        yield ""
        yield from _arm_lines(arm, score, output, baseline)


def document_of(directory: RunDirectory, sample: Record) -> str:
    """The text of a sample's document; empty where it was asked without one."""
    return read_documents(directory, [sample])[sample["document_id"]]


def _arm_lines(arm: str, score: Record, output: Record | None, baseline: Record | None) -> Iterator[str]:
    if score["status"] != SCORED or output is None:
        yield f"{arm}: {score['status']}{': ' + score['error'] if 'error' in score else ''}"
        return
    graded = score["answer_type"] in ("copy", "free") and score["value"] is not None
    facts = [
        score["reason"],
        *([f"similarity {score['value']:.3f}"] if graded else []),
        *score["flags"],
        plural(score["answer_tokens"], "token"),
        f"finished by {score['finish_reason']}",
        f"{output['total_s']:.2f} s",
    ]
    yield f"{arm}: {' · '.join(facts)}"
    if arm == BASELINE or baseline is None or baseline["error"] is not None:
        yield output["text"]
    elif score["first_divergence"] is None:
        yield "the same tokens as auto"
    else:
        at = score["first_divergence"]
        tokens = f"auto {_token(baseline, at)}, {arm} {_token(output, at)}"
        yield f"token diff {percent(score['token_diff'])}, first at token {at}: {tokens}"
        auto, other = side_by_side(baseline["text"], output["text"])
        width = max(len(BASELINE), len(arm))
        yield f"{BASELINE:{width}}  {auto}"
        yield f"{arm:{width}}  {other}"


def _token(output: Record, index: int) -> str:
    """`id 279 (log-probability −0.02)`, or that the output has ended."""
    ids: list[int] = output["token_ids"]
    logprobs: list[Any] = output.get("logprobs", [])
    if index >= len(ids):
        return "has ended"
    return f"id {ids[index]}" + (f" (log-probability {signed(logprobs[index], 2)})" if index < len(logprobs) else "")
