"""From stored outputs to one score a sample and arm. Needs no engine and no model: a stored run can be scored again."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kveval.arms import BASELINE
from kveval.generators.evidence import ABSENT
from kveval.generators.language import LANGUAGES
from kveval.scoring import copy_fidelity, number_match, text_match, text_similarity, token_diff
from kveval.scoring.characters import fold
from kveval.scoring.copying import words
from kveval.scoring.extraction import REASONING_TAGS, Answer, extract
from kveval.store.run_directory import Record, RunDirectory, read_jsonl
from kveval.store.schema import Output, read_documents, read_samples

NOT_STATED = tuple(language.records.not_stated for language in LANGUAGES.values())
NOT_COMPARED = "nothing to compare with"
SCORED, ERROR, MISSING = "scored", "error", "missing"
"""Status of a score: judged; the request failed; not sent yet, or lost with its engine."""


@dataclass(frozen=True)
class StoredRun:
    """What a run directory holds of samples and outputs."""

    samples: list[Record]
    documents: dict[str, str]
    """Texts by document id."""
    outputs: dict[str, dict[tuple[str, str], Record]]
    """By arm and by `sample_key`."""


def read_run(directory: RunDirectory, arms: Iterable[str]) -> StoredRun:
    """Read everything that scores rest on. Raises RunDirectoryError where it is damaged."""
    samples = read_samples(directory)
    return StoredRun(samples, read_documents(directory, samples), {arm: read_outputs(directory, arm) for arm in arms})


def score_run(run: StoredRun) -> list[Record]:
    """A score record for every sample on every arm, the baseline among them.

    Questions that were asked without their documents have scores on the baseline alone, with `with_document` False.
    """
    scores: dict[str, list[Record]] = {arm: [] for arm in run.outputs}
    for sample in run.samples:
        key, document = sample_key(sample), run.documents[sample["document_id"]]
        baseline = run.outputs.get(BASELINE, {}).get(key)
        judged: dict[tuple[str, str], Record] = {}  # most arms answer alike
        for arm, outputs in run.outputs.items():
            if arm == BASELINE or sample.get("with_document", True):
                scores[arm].append(score_sample(sample, document, arm, outputs.get(key), baseline, judged))
    return [score for of_arm in scores.values() for score in of_arm]


def read_outputs(directory: RunDirectory, arm: str) -> dict[tuple[str, str], Record]:
    """The last output of each sample on an arm of a run."""
    return read_outputs_in(directory.outputs(arm))


def read_outputs_in(path: Path) -> dict[tuple[str, str], Record]:
    """The last output of each sample, by sample id and prompt hash; an answer is never replaced by a later error."""
    outputs: dict[tuple[str, str], Record] = {}
    for record in read_jsonl(path, form=Output, growing=True):
        key = (record["sample_id"], record["prompt_hash"])
        if record["error"] is None or key not in outputs:
            outputs[key] = record
    return outputs


def answer_texts(keys: Iterable[tuple[str, str]], outputs: Mapping[tuple[str, str], Record]) -> dict[str, str]:
    """What was answered to the samples of these keys, by sample id."""
    return {key[0]: outputs[key]["text"] for key in keys if key in outputs and outputs[key]["error"] is None}


def sample_key(sample: Mapping[str, Any]) -> tuple[str, str]:
    """What outputs are found by."""
    return sample["id"], sample["prompt_hash"]


def score_sample(
    sample: Mapping[str, Any],
    document: str,
    arm: str,
    output: Record | None,
    baseline: Record | None,
    judged: dict[tuple[str, str], Record] | None = None,
) -> Record:
    """The score of one output, and how its tokens differ from the baseline's on the same sample.

    `judged` keeps what was said of this sample's outputs on other arms, by text and finish reason.
    """
    score: Record = {
        "sample_id": sample["id"],
        "arm": arm,
        **{name: sample[name] for name in ("task", "length", "document_id", "kind", "depth", "answer_type", "guess")},
        "with_document": sample.get("with_document", True),
        "padded": sample.get("padded", True),
        "metadata": sample.get("metadata", {}),
        "status": MISSING if output is None else ERROR if output["error"] is not None else SCORED,
    }
    if output is None:
        return score
    if output["error"] is not None:
        return score | {"error": output["error"]}
    score["answer_tokens"] = len(output["token_ids"])
    score["finish_reason"] = output["finish_reason"]
    score["truncated"] = output["finish_reason"] == "length"
    known = {} if judged is None else judged
    key = (output["text"], output["finish_reason"])
    if key not in known:
        known[key] = judge(sample, document, output, baseline)
    score |= known[key]
    if baseline is not None and baseline["error"] is None:
        difference = token_diff(baseline["token_ids"], output["token_ids"])
        score["token_diff"] = difference.rate
        score["first_divergence"] = difference.first_divergence
    return score


def judge(
    sample: Mapping[str, Any], document: str, output: Mapping[str, Any], baseline: Mapping[str, Any] | None = None
) -> Record:
    """What the scorers of a sample's answer type say of an output's text; `free` ones are compared with the baseline's."""
    if sample["answer_type"] == "copy":
        return _score_copy(sample, document, output)
    if sample["answer_type"] == "free":
        return _score_free(sample, output, baseline)
    return _score_answer(sample, output)


def _answer(sample: Mapping[str, Any], output: Mapping[str, Any], *, reasoning_only: bool) -> Answer:
    tags = (*REASONING_TAGS, *((opening, closing) for opening, closing in sample.get("reasoning_tags", ())))
    return extract(output["text"], output["finish_reason"], reasoning_only=reasoning_only, reasoning_tags=tags)


def _score_free(sample: Mapping[str, Any], output: Mapping[str, Any], baseline: Mapping[str, Any] | None) -> Record:
    answer = _answer(sample, output, reasoning_only=True)
    similarity = None
    if baseline is not None and baseline["error"] is None:
        similarity = text_similarity(_answer(sample, baseline, reasoning_only=True).text, answer.text)
    return {
        "metric": text_similarity.__name__,
        "value": similarity,
        "right": similarity == 1.0,
        "reason": NOT_COMPARED if similarity is None else "the same words" if similarity == 1.0 else "other words",
        "flags": sorted(answer.flags),
    }


def _score_answer(sample: Mapping[str, Any], output: Mapping[str, Any]) -> Record:
    answer = _answer(sample, output, reasoning_only=False)
    match = number_match if sample["answer_type"] == "number" else text_match
    judged = match(answer.text, sample["gold"], sample["distractors"], question=sample["question"])
    reason = judged.reason
    if sample["kind"] == ABSENT and not judged.right:
        named = reason in ("other record", "hedged") or _digits(answer.text) - _digits(sample["question"])
        reason = "invented" if named else reason
    elif reason in ("no number", "other") and text_match(answer.text, NOT_STATED).right:
        reason = "not stated"
    return {
        "metric": match.__name__,
        "value": judged.value,
        "right": judged.right,
        "reason": reason,
        "flags": sorted(answer.flags),
    }


def _digits(text: str) -> set[str]:
    return set(re.findall("[0-9]+", fold(text)))


def _score_copy(sample: Mapping[str, Any], document: str, output: Mapping[str, Any]) -> Record:
    answer = _answer(sample, output, reasoning_only=True)
    judged = copy_fidelity(answer.text, sample["gold"][0], document)
    return {
        "metric": copy_fidelity.__name__,
        "value": judged.similarity,
        "right": judged.exact,
        "reason": "right" if judged.exact else "not word for word",
        "flags": sorted(answer.flags),
        "passage_words": len(words(sample["gold"][0])),
        "first_error": judged.first_error,
        "substituted": judged.substituted,
        "inserted": judged.inserted,
        "dropped": judged.dropped,
        "spliced": judged.spliced,
    }
