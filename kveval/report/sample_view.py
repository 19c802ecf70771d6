"""One sample of a run, with every arm's answer and score."""

from collections.abc import Iterator
from difflib import get_close_matches

from kveval.arms import BASELINE
from kveval.config import length_name
from kveval.errors import UsageError
from kveval.report.difference import side_by_side
from kveval.scoring.score_outputs import score_sample
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import SCORED, OutputRecord, SampleRecord, ScoreRecord
from kveval.wording.format import percent, plural, signed


def find_sample(directory: RunDirectory, sample_id: str) -> SampleRecord:
    """The stored sample of this id. Raises UsageError, naming similar ids, where there is none."""
    directory.check_manifest()
    samples = {sample.id: sample for sample in directory.read_samples()}
    if sample_id not in samples:
        near = get_close_matches(sample_id, samples, n=3) or list(samples)[:3]
        raise UsageError(f"{directory.path} has no sample {sample_id!r}: it has {', '.join(near)} and others.")
    return samples[sample_id]


def sample_lines(directory: RunDirectory, sample: SampleRecord) -> Iterator[str]:
    """A sample, its outputs and scores, as lines of text."""
    arms = [arm.name for arm in directory.read_manifest().arms]
    document = document_of(directory, sample)
    outputs = {arm: directory.read_outputs(arm).get(sample.key) for arm in arms}
    baseline = outputs[BASELINE]
    depth = "no depth" if sample.depth is None else f"depth {percent(sample.depth)}"
    yield f"{sample.id} · {sample.task} at {length_name(sample.length)} · {depth} · {sample.kind}"
    yield f"document   {sample.document_id}, {plural(sample.prompt_tokens, 'prompt token')}, hash {sample.prompt_hash}"
    yield f"question   {sample.question}"
    if sample.metadata:
        yield f"metadata   {', '.join(f'{name} {value}' for name, value in sample.metadata.items())}"
    if sample.gold:
        yield f"gold       {' | '.join(sample.gold)}"
    if sample.distractors:
        yield f"not        {' | '.join(sample.distractors)}"
    for arm, output in outputs.items():
        if output is None and not sample.with_document and arm != BASELINE:
            continue  # closed-book questions are for the baseline alone
        yield ""
        yield from _arm_lines(arm, score_sample(sample, document, arm, output, baseline), output, baseline)


def document_of(directory: RunDirectory, sample: SampleRecord) -> str:
    """The text of a sample's document; empty where it was asked without one."""
    return directory.read_documents([sample])[sample.document_id]


def _arm_lines(
    arm: str, score: ScoreRecord, output: OutputRecord | None, baseline: OutputRecord | None
) -> Iterator[str]:
    if score.status != SCORED or output is None:
        yield f"{arm}: {score.status}{f': {score.error}' if score.error is not None else ''}"
        return
    graded = score.answer_type in ("copy", "free") and score.value is not None
    facts = [
        score.reason or "",
        *([f"similarity {score.value:.3f}"] if graded else []),
        *score.flags,
        plural(score.answer_tokens or 0, "token"),
        f"finished by {score.finish_reason}",
        f"{output.total_s:.2f} s",
    ]
    yield f"{arm}: {' · '.join(facts)}"
    if arm == BASELINE or baseline is None or baseline.error is not None:
        yield output.text
    elif score.first_divergence is None:
        yield "the same tokens as auto"
    else:
        at = score.first_divergence
        tokens = f"auto {_token(baseline, at)}, {arm} {_token(output, at)}"
        yield f"token diff {percent(score.token_diff)}, first at token {at}: {tokens}"
        auto, other = side_by_side(baseline.text, output.text)
        width = max(len(BASELINE), len(arm))
        yield f"{BASELINE:{width}}  {auto}"
        yield f"{arm:{width}}  {other}"


def _token(output: OutputRecord, index: int) -> str:
    """`id 279 (log-probability −0.02)`, or that the output has ended."""
    if index >= len(output.token_ids):
        return "has ended"
    logprob = f" (log-probability {signed(output.logprobs[index], 2)})" if index < len(output.logprobs) else ""
    return f"id {output.token_ids[index]}{logprob}"
