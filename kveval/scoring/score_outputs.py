"""Scores stored outputs, one score for each sample and arm. Needs neither an engine nor a model."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kveval.arms import BASELINE
from kveval.generators.evidence import ABSENT
from kveval.generators.language import LANGUAGES
from kveval.scoring import CopyScore, copy_fidelity, number_match, text_match, text_similarity, token_diff
from kveval.scoring.characters import fold
from kveval.scoring.copying import words
from kveval.scoring.extraction import REASONING_TAGS, Answer, extract
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import ERROR, MISSING, SCORED, Key, OutputRecord, SampleRecord, ScoreRecord

NOT_STATED = tuple(language.records.not_stated for language in LANGUAGES.values())
NOT_COMPARED = "nothing to compare with"


class Scorable(Protocol):
    """The parts of a question that are needed to score an output."""

    @property
    def answer_type(self) -> str: ...
    @property
    def gold(self) -> Sequence[str]: ...
    @property
    def distractors(self) -> Sequence[str]: ...
    @property
    def question(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def reasoning_tags(self) -> Sequence[tuple[str, str]]: ...


class Written(Protocol):
    """An output, and why it ended."""

    @property
    def text(self) -> str: ...
    @property
    def finish_reason(self) -> str | None: ...


@dataclass(frozen=True)
class Judgement:
    """The score of one output by the scorer of its answer type."""

    metric: str
    value: float | None
    """1 or 0, or a similarity; None for a free answer if the baseline has none to compare with."""
    right: bool
    reason: str
    flags: tuple[str, ...]
    copied: CopyScore | None = None
    passage_words: int | None = None

    def fields(self) -> dict[str, Any]:
        """The fields of a ScoreRecord."""
        found: dict[str, Any] = {
            "metric": self.metric,
            "value": self.value,
            "right": self.right,
            "reason": self.reason,
            "flags": self.flags,
        }
        if self.copied is None:
            return found
        return found | {
            "passage_words": self.passage_words,
            "first_error": self.copied.first_error,
            "substituted": self.copied.substituted,
            "inserted": self.copied.inserted,
            "dropped": self.copied.dropped,
            "spliced": self.copied.spliced,
        }


@dataclass(frozen=True)
class StoredRun:
    """The samples and outputs of a run directory."""

    samples: list[SampleRecord]
    documents: dict[str, str]
    """Texts by document id."""
    outputs: dict[str, dict[Key, OutputRecord]]
    """Outputs by arm and by `SampleRecord.key`."""


def read_run(directory: RunDirectory, arms: Iterable[str]) -> StoredRun:
    """Read everything that is needed to score a run. Raises RunDirectoryError if it is damaged."""
    samples = directory.read_samples()
    return StoredRun(samples, directory.read_documents(samples), {arm: directory.read_outputs(arm) for arm in arms})


def score_run(run: StoredRun) -> list[ScoreRecord]:
    """Return a score for every sample on every arm, including the baseline.

    Closed-book questions are scored on the baseline only, with `with_document` False.
    """
    scores: dict[str, list[ScoreRecord]] = {arm: [] for arm in run.outputs}
    for sample in run.samples:
        document = run.documents[sample.document_id]
        baseline = run.outputs.get(BASELINE, {}).get(sample.key)
        judged: dict[tuple[str, str | None], Judgement] = {}  # most arms give the same answer
        for arm, outputs in run.outputs.items():
            if arm == BASELINE or sample.with_document:
                scores[arm].append(score_sample(sample, document, arm, outputs.get(sample.key), baseline, judged))
    return [score for of_arm in scores.values() for score in of_arm]


def answer_texts(keys: Iterable[Key], outputs: Mapping[Key, OutputRecord]) -> dict[str, str]:
    """Return the answers to the samples with these keys, by sample id."""
    return {key[0]: outputs[key].text for key in keys if key in outputs and outputs[key].error is None}


def score_sample(
    sample: SampleRecord,
    document: str,
    arm: str,
    output: OutputRecord | None,
    baseline: OutputRecord | None,
    judged: dict[tuple[str, str | None], Judgement] | None = None,
) -> ScoreRecord:
    """Score one output, and compare its tokens with the baseline's on the same sample.

    `judged` caches the judgements of this sample's outputs on other arms, by text and finish reason.
    """
    about: dict[str, Any] = {
        "sample_id": sample.id,
        "arm": arm,
        "task": sample.task,
        "length": sample.length,
        "document_id": sample.document_id,
        "kind": sample.kind,
        "depth": sample.depth,
        "answer_type": sample.answer_type,
        "guess": sample.guess,
        "with_document": sample.with_document,
        "padded": sample.padded,
        "metadata": sample.metadata,
    }
    if output is None:
        return ScoreRecord(**about, status=MISSING)
    if output.error is not None:
        return ScoreRecord(**about, status=ERROR, error=output.error)
    known = {} if judged is None else judged
    key = (output.text, output.finish_reason)
    if key not in known:
        known[key] = judge(sample, document, output, baseline)
    compared: dict[str, Any] = {}
    if baseline is not None and baseline.error is None:
        difference = token_diff(baseline.token_ids, output.token_ids)
        compared = {"token_diff": difference.rate, "first_divergence": difference.first_divergence}
    return ScoreRecord(
        **about,
        status=SCORED,
        answer_tokens=len(output.token_ids),
        finish_reason=output.finish_reason,
        truncated=output.finish_reason == "length",
        **known[key].fields(),
        **compared,
    )


def judge(sample: Scorable, document: str, output: Written, baseline: OutputRecord | None = None) -> Judgement:
    """Score an output with the scorer of the sample's answer type. Free answers are compared with the baseline's."""
    if sample.answer_type == "copy":
        return _judge_copy(sample, document, output)
    if sample.answer_type == "free":
        return _judge_free(sample, output, baseline)
    return _judge_answer(sample, output)


def _answer(sample: Scorable, output: Written, *, reasoning_only: bool) -> Answer:
    tags = (*REASONING_TAGS, *sample.reasoning_tags)
    return extract(output.text, output.finish_reason, reasoning_only=reasoning_only, reasoning_tags=tags)


def _judge_free(sample: Scorable, output: Written, baseline: OutputRecord | None) -> Judgement:
    answer = _answer(sample, output, reasoning_only=True)
    similarity = None
    if baseline is not None and baseline.error is None:
        similarity = text_similarity(_answer(sample, baseline, reasoning_only=True).text, answer.text)
    reason = NOT_COMPARED if similarity is None else "the same words" if similarity == 1.0 else "other words"
    return Judgement(text_similarity.__name__, similarity, similarity == 1.0, reason, tuple(sorted(answer.flags)))


def _judge_answer(sample: Scorable, output: Written) -> Judgement:
    answer = _answer(sample, output, reasoning_only=False)
    match = number_match if sample.answer_type == "number" else text_match
    score = match(answer.text, sample.gold, sample.distractors, question=sample.question)
    reason = score.reason
    if sample.kind == ABSENT and not score.right:
        named = reason in ("other record", "hedged") or _digits(answer.text) - _digits(sample.question)
        reason = "invented" if named else reason
    elif reason in ("no number", "other") and text_match(answer.text, NOT_STATED).right:
        reason = "not stated"
    return Judgement(match.__name__, score.value, score.right, reason, tuple(sorted(answer.flags)))


def _digits(text: str) -> set[str]:
    return set(re.findall("[0-9]+", fold(text)))


def _judge_copy(sample: Scorable, document: str, output: Written) -> Judgement:
    answer = _answer(sample, output, reasoning_only=True)
    score = copy_fidelity(answer.text, sample.gold[0], document)
    return Judgement(
        metric=copy_fidelity.__name__,
        value=score.similarity,
        right=score.exact,
        reason="right" if score.exact else "not word for word",
        flags=tuple(sorted(answer.flags)),
        copied=score,
        passage_words=len(words(sample.gold[0])),
    )
