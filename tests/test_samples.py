"""Exact lengths and shared prefixes, over tokenizers of three kinds."""

import subprocess
import sys
from collections import Counter

import pytest

from kveval.errors import LengthError
from kveval.prompts import ChatFrame
from kveval.samples import build_samples
from kveval.tasks import load_task


@pytest.fixture(scope="module")
def length(any_tokenizer):
    """A length that holds the documents; with one token a character they need about five times the tokens."""
    return 4096 if len(any_tokenizer) > 500 else 16384


@pytest.fixture(params=["evidence", "copy"])
def task(request):
    return load_task(request.param)


def documents(samples):
    found = {}
    for sample in samples:
        found.setdefault(sample.document_id, []).append(sample)
    return found


def test_prompt_and_answer_budget_make_up_the_length_exactly(task, length, any_tokenizer):
    samples = build_samples(task, length, any_tokenizer, samples=10, seed=3)
    assert len(samples) == 10
    for sample in samples:
        assert len(sample.prompt_token_ids) + sample.max_answer_tokens == length == sample.length
        assert sample.max_answer_tokens == task.answer_tokens
        assert sample.prompt_token_ids.count(any_tokenizer.bos_token_id) == 1
        assert sample.prompt_token_ids[0] == any_tokenizer.bos_token_id


def test_the_document_is_a_common_prefix_of_its_questions(task, length, any_tokenizer):
    for siblings in documents(build_samples(task, length, any_tokenizer, samples=8, seed=3)).values():
        frame = ChatFrame(any_tokenizer)
        head = [*frame.opening, *frame.encode(task.before_document + siblings[0].document)]
        assert len(siblings) == 4
        assert all(list(sample.prompt_token_ids[: len(head)]) == head for sample in siblings)


def test_evidence_and_copy_share_their_documents(length, any_tokenizer):
    evidence, copy = (
        documents(build_samples(load_task(name), length, any_tokenizer, samples=8, seed=3))
        for name in ("evidence", "copy")
    )
    assert evidence.keys() == copy.keys()
    for document_id, samples in evidence.items():
        frame = ChatFrame(any_tokenizer)
        head = len(frame.opening) + len(frame.encode(load_task("copy").before_document + samples[0].document))
        assert samples[0].prompt_token_ids[:head] == copy[document_id][0].prompt_token_ids[:head]


def test_the_prompt_reads_as_a_document_and_a_question(tokenizer):
    for sample in build_samples(load_task("evidence"), 4096, tokenizer, samples=60, seed=1):
        text = tokenizer.decode(sample.prompt_token_ids)
        assert sample.document in text
        assert text.index(sample.question) > text.index(sample.document)
        assert text.count(sample.question) == 1
        assert text.rstrip().endswith("<|im_start|>assistant")
        filler = text[text.index(sample.document) + len(sample.document) : text.index("\n</report>")].strip()
        assert filler.endswith(".")  # whole sentences
        assert not set(sentences(filler)) & set(sentences(sample.document))


def sentences(text):
    return [part for part in text.replace("\n", " ").split(". ") if len(part) > 20]


def test_no_sentence_stands_twice_in_a_document(tokenizer):
    for sample in build_samples(load_task("evidence"), 16384, tokenizer, samples=4, seed=5):
        repeated = [text for text, count in Counter(sentences(sample.document)).items() if count > 1]
        assert not repeated


def test_depths_cover_all_tenths_of_a_long_document(tokenizer):
    samples = build_samples(load_task("evidence"), 16384, tokenizer, samples=40, seed=0)
    tenths = Counter(min(9, int(sample.depth * 10)) for sample in samples)
    assert set(tenths) == set(range(10))
    assert max(tenths.values()) - min(tenths.values()) <= 4


def test_a_length_below_the_scaffolds_own_size_names_the_number_that_does(task, any_tokenizer):
    with pytest.raises(LengthError, match=r"too short.*--lengths \d+") as error:
        build_samples(task, 600, any_tokenizer, samples=8, seed=0)
    enough = int(str(error.value).partition("--lengths ")[2].split()[0])
    assert len(build_samples(task, enough, any_tokenizer, samples=8, seed=0)) == 8


def test_seeds_and_lengths_make_documents_of_their_own(tokenizer):
    task = load_task("evidence")
    golds = [
        tuple(sample.gold for sample in build_samples(task, length, tokenizer, samples=8, seed=seed))
        for length, seed in ((4096, 0), (4096, 1), (4097, 0))
    ]
    assert len(set(golds)) == 3


def test_more_samples_begin_with_the_same_ones(tokenizer):
    task = load_task("evidence")
    few, many = (build_samples(task, 4096, tokenizer, samples=n, seed=0) for n in (6, 12))
    assert many[:6] == few


def test_two_processes_make_the_same_bytes(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    program = (
        "import sys; from transformers import AutoTokenizer; from kveval.samples import build_samples;"
        "from kveval.tasks import load_task; tokenizer = AutoTokenizer.from_pretrained(sys.argv[1]);"
        "print([s.prompt_hash for t in ('evidence', 'copy')"
        " for s in build_samples(load_task(t), 4096, tokenizer, samples=5, seed=0)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
