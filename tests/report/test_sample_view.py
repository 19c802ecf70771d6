"""One sample and its outputs, shown, and its request made again."""

import hashlib
import json
from array import array

import pytest

from kveval.errors import RunDirectoryError, UsageError
from kveval.report.sample_view import document_of, find_sample, sample_lines
from kveval.runner.replay import replay_script
from kveval.store.json_files import write_object
from tests.stored_runs import careful


def test_a_sample_stands_beside_what_every_arm_made_of_it(run):
    directory = run()
    sample = find_sample(directory, "evidence-5120-0-1")
    text = "\n".join(sample_lines(directory, sample))
    gold, other = sample.gold[0], sample.distractors[0]
    assert f"gold       {gold}" in text
    assert "auto: right" in text
    assert "control: right" in text
    assert "the same tokens as auto" in text
    assert f"fp8   It was [[{other}.]]" in text
    assert "first at token" in text
    assert sample.question in text
    assert gold in document_of(directory, sample)


def test_a_copy_shows_its_similarity_and_a_failed_request_its_error(run):
    directory = run(lambda arm, sample: None if arm == "control" else careful(arm, sample))
    text = "\n".join(sample_lines(directory, find_sample(directory, "copy-5120-1-0")))
    assert "auto: right · similarity 1.000" in text
    assert "fp8: not word for word · similarity 0.9" in text
    assert "control: error: HTTP 500: out of luck" in text


def test_a_question_without_its_document_has_the_baseline_alone(run):
    directory = run()
    sample = find_sample(directory, "evidence-4096-0-0-without-document")
    text = "\n".join(sample_lines(directory, sample))
    assert "auto: no number" in text
    assert "fp8" not in text
    assert document_of(directory, sample) == ""


def test_an_unknown_sample_is_an_error_that_names_like_ones(run):
    with pytest.raises(UsageError, match="no sample 'evidence-5120-0-7': it has evidence-5120-0-"):
        find_sample(run(), "evidence-5120-0-7")


@pytest.mark.parametrize("sample_id", ["copy-5120-1-2", "evidence-4096-1-0-without-document"])
def test_the_request_made_again_has_the_tokens_that_were_sent(run, sample_id):
    directory = run()
    sample = find_sample(directory, sample_id)
    script = replay_script(directory, sample, "fp8")
    body = json.loads(script.split("<<'JSON'\n")[1].removesuffix("\nJSON"))
    assert hashlib.sha256(array("I", body["prompt"])).hexdigest()[:16] == sample.prompt_hash
    assert (body["temperature"], body["max_tokens"]) == (0.0, sample.max_answer_tokens)
    assert "--kv-cache-dtype fp8" in script


def test_a_prompt_that_cannot_be_made_again_is_not_sent_as_another(run):
    directory = run()
    manifest = directory.read_manifest()
    other = manifest.identity.model_copy(update={"seed": manifest.identity.seed + 1})
    write_object(directory.manifest, manifest.model_copy(update={"identity": other}))
    with pytest.raises(RunDirectoryError, match="cannot be rebuilt"):
        replay_script(directory, directory.read_samples()[0], "auto")
