"""User documents at exact lengths."""

import json
import os
import subprocess
import sys

import pytest

from kveval.config import RunConfig
from kveval.errors import LengthError, ModelError, TaskError
from kveval.prompts.samples import build_all, build_samples, without_document
from kveval.runner.preparation import Prepared, samples_of
from kveval.tasks import load_task, load_tasks
from tests.conftest import train_tokenizer

CONTRACT = {
    "en": "Contract {n}. The supplier {name} delivers by {n} May. <|im_end|> The fee is {fee} euros.\n\nSigned by both.",
    "zh": "合同{n}。供应商{name}于5月{n}日前交货。费用为{fee}元。\n\n双方签字。",
}
QUESTION = {"en": "What is the fee of contract {n}?", "zh": "合同{n}的费用是多少？"}


def rows(language="en", documents=6, questions=2):
    for n in range(documents):
        document = CONTRACT[language].format(n=n, name=f"Firm{n}", fee=1000 + n)
        for q in range(questions):
            question = QUESTION[language].format(n=n) + "?" * q * 7
            yield {"id": f"r/{n} {q}", "document": document, "question": question, "answer": str(1000 + n)}


@pytest.fixture
def task_of(tmp_path):
    def load(records, name="contracts"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
        return load_task(path)

    return load


@pytest.mark.parametrize("kind", ["byte-level", "unigram", "no Chinese"])
@pytest.mark.parametrize("length", [1024, 1500, 4096])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompts_have_the_length_and_contain_the_document_unchanged(task_of, kind, length, language):
    if (kind, language) == ("no Chinese", "zh"):
        pytest.skip("that tokenizer knows no Chinese")
    tokenizer = train_tokenizer(kind)
    task = task_of(rows(language))
    assert task.language == language
    samples = build_samples(task, length, tokenizer, samples=200, seed=0)
    assert len(samples) == 12
    for sample, row in zip(samples, rows(language), strict=True):
        assert len(sample.prompt_token_ids) + sample.max_answer_tokens == length
        assert sample.id == f"contracts/{length}/{row['id']}"
        assert (sample.gold, sample.question, sample.answer_type) == ((row["answer"],), row["question"], "number")
        assert sample.document.endswith(row["document"])
        assert sample.document.count(row["answer"]) == 1
        special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        control = [one for one in sample.prompt_token_ids if one in special]
        assert len(control) <= 4, "only the template's own: opening, end of the turn, opening of the answer"
        if kind == "byte-level":
            text = tokenizer.decode(sample.prompt_token_ids)
            assert text.count(row["document"]) == 1
            assert row["question"] in text


def test_questions_on_a_document_share_it_as_a_prefix(task_of):
    samples = build_samples(task_of(rows()), 4096, train_tokenizer("byte-level"), samples=200, seed=0)
    by_document = {}
    for sample in samples:
        by_document.setdefault(sample.document_id, []).append(sample)
    assert [len(group) for group in by_document.values()] == [2] * 6
    for one, other in by_document.values():
        equal = [a == b for a, b in zip(one.prompt_token_ids, other.prompt_token_ids, strict=True)]
        assert equal.index(False) > 0.9 * len(equal)


def test_documents_are_placed_at_all_depths(task_of):
    tokenizer, task = train_tokenizer("byte-level"), task_of(rows(documents=10, questions=1))
    samples, again = (build_samples(task, 4096, tokenizer, samples=200, seed=0) for _ in range(2))
    assert samples == again
    starts = [len(sample.document) for sample in samples]
    assert starts == sorted(starts)
    assert starts[0] < 0.2 * starts[-1]
    depths = [sample.depth for sample in samples]
    assert all(abs(depth - (n + 0.5) / 10) < 0.1 for n, depth in enumerate(depths)), depths


def test_requested_documents_are_placed_at_all_depths(task_of):
    samples = build_samples(task_of(rows(documents=40)), 4096, train_tokenizer("byte-level"), samples=10, seed=0)
    assert [round(sample.depth, 1) for sample in samples[::2]] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9], abs=0.11)


def test_text_that_the_tokenizer_cannot_write_is_rejected(task_of):
    row = {"id": "snow", "document": "The sky is \u2603.", "question": "What is the sky?", "answer": "sky"}
    tokenizer = train_tokenizer("unigram")
    tokenizer.backend_tokenizer.model = type(tokenizer.backend_tokenizer.model)(
        [
            tuple(entry)
            for entry in json.loads(tokenizer.backend_tokenizer.to_str())["model"]["vocab"]
            if entry[0][:3] != "<0x"
        ],
        unk_id=4,
    )
    with pytest.raises(ModelError, match=r"cannot write task contracts: it loses .*\u2603 in row snow"):
        build_samples(task_of([row]), 2048, tokenizer, samples=9, seed=0)


@pytest.mark.parametrize("number", [4, 50, 70])
def test_answers_that_are_words_of_the_prose_leave_enough_of_it_and_the_same_in_every_process(tmp_path, number):
    """Excluding all fifty would leave no prose; the choice of excluded texts must not depend on the order of a set."""
    words = [
        f"{a}{b}" for a in "strmlbcd" for b in ("ain", "ill", "est", "ack", "ing", "ore", "and", "ook", "at", "ed")
    ]
    row = {"id": "a", "document": "It says blue.", "question": "What?", "answer": "blue", "distractors": words[:number]}
    path = tmp_path / "words.jsonl"
    path.write_text(json.dumps(row) + "\n")
    script = (
        "import sys; from tests.conftest import train_tokenizer; from kveval.prompts.samples import build_samples;"
        "from kveval.tasks import load_task;"
        "print(build_samples(load_task(sys.argv[1]), 2048, train_tokenizer('byte-level'), samples=1, seed=0)[0].prompt_hash)"
    )
    words = [sys.executable, "-c", script, str(path)]
    hashes = {
        subprocess.run(words, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_samples_limit_the_rows(task_of):
    tokenizer = train_tokenizer("byte-level")
    task = task_of(rows())
    assert len(build_samples(task, 2048, tokenizer, samples=5, seed=0)) == 5
    assert task.places(5) == [0, 0, 1, 1, 2]


def test_documents_longer_than_a_length_are_left_out(task_of):
    long = {"id": "long", "document": "word " * 3000, "question": "?", "answer": "5"}
    tokenizer, task = train_tokenizer("byte-level"), task_of([long, *rows()])
    assert [sample.id for sample in build_samples(task, 2048, tokenizer, samples=3, seed=0)] == [
        "contracts/2048/r/0 0",
        "contracts/2048/r/0 1",
    ]
    assert len(build_samples(task, 8192, tokenizer, samples=200, seed=0)) == 13


def test_too_short_length_is_rejected_with_a_sufficient_one(task_of):
    tokenizer, task = train_tokenizer("byte-level"), task_of(rows())
    with pytest.raises(LengthError, match=r"need \d+ to \d+ tokens .* Use --lengths (\d+) or more") as raised:
        build_samples(task, 180, tokenizer, samples=200, seed=0)
    enough = int(str(raised.value).partition("--lengths ")[2].split()[0])
    for length in range(enough, enough + 60):
        samples = build_samples(task, length, tokenizer, samples=200, seed=0)
        assert [len(sample.prompt_token_ids) + 128 for sample in samples] == [length] * 12


def test_answers_longer_than_the_budget_are_named(task_of):
    wordy = {"id": "wordy", "document": "d", "question": "?", "answer": "word " * 200}
    with pytest.raises(TaskError, match="answer_tokens is 128, and the answers of row wordy have up to"):
        build_samples(task_of([*rows(), wordy]), 2048, train_tokenizer("byte-level"), samples=200, seed=0)


def test_common_words_are_not_excluded_from_the_prose(task_of):
    row = {"id": "a", "document": "It says: the.", "question": "What does it say?", "answer": "the"}
    assert build_samples(task_of([row]), 2048, train_tokenizer("byte-level"), samples=1, seed=0)


def test_prose_contains_no_answer(task_of):
    """`lamp` occurs in a few percent of the sentences, some of which end fillers."""
    tokenizer = train_tokenizer("byte-level")
    plain = {"id": "a", "document": "It says: blue.", "question": "What does it say?", "answer": "blue"}
    for length in range(1000, 1040):
        (without,) = build_samples(
            task_of([plain | {"distractors": ["lamp", "door"]}]), length, tokenizer, samples=1, seed=0
        )
        text = tokenizer.decode(without.prompt_token_ids).casefold()
        assert "lamp" not in text
        assert "door" not in text
        assert len(without.prompt_token_ids) + without.max_answer_tokens == length


def test_own_and_built_in_tasks_mix(task_of, tmp_path):
    task_of(rows())
    tasks = load_tasks((str(tmp_path / "contracts.jsonl"), "evidence"))
    tokenizer = train_tokenizer("byte-level")
    samples = build_all(tasks, 4096, tokenizer, samples=8, seed=0)
    assert [sample.task for sample in samples] == ["contracts"] * 8 + ["evidence"] * 8
    lone = without_document(tasks[0], samples[:8], tokenizer, number=20)
    assert [sample.question for sample in lone][:4] == [row["question"] for row in list(rows())[:8:2]]


def test_unpadded_rows_are_asked_once_at_the_shortest_length_that_fits(task_of):
    long = {"id": "long", "document": "word " * 600, "question": "?", "answer": "5"}
    longer = {"id": "longer", "document": "word " * 60_000, "question": "?", "answer": "5"}
    task = task_of([*rows(), long, longer]).model_copy(update={"pad": "none"})
    tokenizer = train_tokenizer("byte-level")
    config = RunConfig(model="m", tasks=("contracts",), lengths=(512, 8192))
    samples, lone = samples_of(config, [task], tokenizer)
    assert [(sample.length, sample.id) for sample in samples] == [
        *((512, f"contracts/512/{row['id']}") for row in rows()),
        (8192, "contracts/8192/long"),
    ]
    for sample in samples:
        assert len(sample.prompt_token_ids) + sample.max_answer_tokens <= sample.length
        assert tokenizer.decode(sample.prompt_token_ids).count(sample.document) == 1
    assert len(lone) == 13
    prepared = Prepared(config, None, (task,), samples, lone, None)
    assert [each.as_json() for each in prepared.left_out] == [
        {"task": "contracts", "length": 8192, "rows": 1, "of": 14}
    ]
    with pytest.raises(LengthError, match="none of its documents fits"):
        samples_of(RunConfig(model="m", tasks=("contracts",), lengths=(140,)), [task], tokenizer)


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes a task file with its rows and loads it."""

    def load(records, **changes):
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        task = {"name": "own", "version": 1, "data": "rows.jsonl", "answer_type": "number", "answer_tokens": 32}
        task |= {} if "messages" in changes else {"prompt": "{document}\n\n{question}"}
        (tmp_path / "own.yaml").write_text(json.dumps(task | changes), encoding="utf-8")
        return load_task(tmp_path / "own.yaml")

    return load


@pytest.mark.parametrize("kind", ["byte-level", "unigram", "no Chinese"])
@pytest.mark.parametrize("length", [700, 1501])
def test_other_rows_documents_surround_each_document(file_of, kind, length):
    task = file_of(rows(documents=60, questions=1), pad="rows")
    documents = [row.document for row in task.rows]
    samples = build_samples(task, length, train_tokenizer(kind), samples=200, seed=0)
    assert len(samples) == 60
    for sample, row in zip(samples, task.rows, strict=True):
        assert len(sample.prompt_token_ids) + sample.max_answer_tokens == length
        assert sample.document.count(row.document) == 1
        assert sample.document.count(row.answer[0]) == 1
        inside = [document for document in documents if document in sample.document]
        assert len(inside) > 3
        assert all(sample.document.count(document) == 1 for document in inside)
        assert sample.prose is not None
        assert 0 <= sample.prose < 0.4
    depths = [sample.depth for sample in samples]
    assert depths[0] < 0.1
    assert depths[-1] > 0.65
    assert sorted(depths) == pytest.approx(depths, abs=0.1)  # a document in steps of whole ones


def test_prose_fills_the_rest_if_other_documents_are_too_few(file_of):
    task = file_of(rows(documents=3, questions=1), pad="rows")
    samples = build_samples(task, 2048, train_tokenizer("byte-level"), samples=200, seed=0)
    assert {len(sample.prompt_token_ids) + 32 for sample in samples} == {2048}
    assert all(0.6 < sample.prose < 1 for sample in samples)


def test_documents_with_the_answer_are_not_used_as_padding(file_of):
    records = [
        *rows(documents=20, questions=1),
        {
            "id": "twin",
            "document": "Twin: the fee is 1000 euros.",
            "question": "The fee of the twin?",
            "answer": "1000",
        },
    ]
    task = file_of(records, pad="rows")
    samples = build_samples(task, 1500, train_tokenizer("byte-level"), samples=200, seed=0)
    assert "Twin" not in samples[0].document
    assert sum("Twin" in sample.document for sample in samples[1:-1]) > 10


MESSAGES = [
    {"role": "system", "content": "Answer with a number."},
    {"role": "user", "content": "<doc>{document}</doc>"},
    {"role": "assistant", "content": "Read."},
    {"role": "user", "content": "{question}"},
]


@pytest.mark.parametrize("pad", ["filler", "rows", "none"])
def test_prompts_of_several_turns_have_the_length(file_of, pad):
    tokenizer = train_tokenizer("byte-level")
    task = file_of(
        rows(), messages=MESSAGES, answer_prefix="The fee is", pad=pad, stop=["\n"], reasoning_tags=[["<r>", "</r>"]]
    )
    samples = build_samples(task, 1024, tokenizer, samples=200, seed=0)
    assert len(samples) == 12
    for sample in samples:
        assert pad == "none" or len(sample.prompt_token_ids) + 32 == 1024
        text = tokenizer.decode(sample.prompt_token_ids)
        assert text.endswith("The fee is")
        assert text.index("with a number") < text.index("<doc>") < text.index("Read.") < text.index("of contract")
        assert (sample.stop, sample.reasoning_tags) == (("\n",), (("<r>", "</r>"),))
    (lone,) = without_document(task, samples, tokenizer, number=1)
    assert "<doc></doc>" in tokenizer.decode(lone.prompt_token_ids)


def test_questions_without_documents(file_of):
    records = [{"id": str(n), "question": f"Say {n}.", "kind": "say"} for n in range(4)]
    task = file_of(records, answer_type="free", prompt="{question}", pad="none", metadata=["kind"])
    tokenizer = train_tokenizer("byte-level")
    samples = build_samples(task, 1024, tokenizer, samples=200, seed=0)
    assert [sample.question for sample in samples] == ["Say 0.", "Say 1.", "Say 2.", "Say 3."]
    assert len({sample.document_id for sample in samples}) == 4
    assert samples[0].metadata == (("kind", "say"),)
    assert not without_document(task, samples, tokenizer, number=9)
    with pytest.raises(TaskError, match="nothing to pad: give pad: none"):
        file_of(records, answer_type="free", prompt="{question}")


def test_a_digest_is_asked_of_each_document_once():
    task = load_task("digest")
    samples = build_samples(task, 16_384, train_tokenizer("byte-level"), samples=8, seed=0)
    assert len({sample.document_id for sample in samples}) == len(samples) == 2
    for sample in samples:
        assert len(sample.prompt_token_ids) + 1024 == 16_384
        assert (sample.answer_type, sample.gold, sample.depth) == ("free", (), None)
