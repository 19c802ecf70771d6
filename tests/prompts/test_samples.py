"""Samples have exact lengths, shared prefixes and one answer per question, for both languages and all tokenizers."""

import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kveval.errors import LengthError, ModelError
from kveval.prompts.samples import build_all, build_samples, without_document
from kveval.prompts.template import ChatFrame
from kveval.tasks import SyntheticTask, builtin_tasks, load_task

VARIANTS = {
    "evidence": {
        "records": {"number": 12, "near_twins": 1, "values": ["amount", "date", "name"], "absent": 0.25},
        "questions": 3,
    },
    "evidence-zh": {"records": {"number": 8, "values": ["percent", "code", "amount"], "absent": 0.5}, "questions": 2},
    "copy": {"passages": {"kinds": ["after", "rows"], "tokens": [64, 256]}, "questions": 2, "answer_reserve": 544},
    "copy-zh": {"passages": {"kinds": ["rows", "after"], "tokens": [64, 512]}, "questions": 2, "answer_reserve": 544},
    "multihop": {"records": {}, "chains": {"people": 6, "relations": 3, "hops": [4]}, "questions": 2},
}


def variant(name: str) -> SyntheticTask:
    """Variant of a built-in task with other document contents."""
    task = load_task(name).model_dump(mode="json")
    return SyntheticTask.model_validate(task | {"name": f"{name}-variant", "documents": VARIANTS[name]})


ASKING = [name for name in builtin_tasks() if not load_task(name).is_free]
"""Built-in tasks with gold answers."""
TASKS = [*map(load_task, ASKING), *map(variant, VARIANTS)]


def named(task):
    return task.name


@pytest.fixture(params=ASKING)
def task(request):
    return load_task(request.param)


def build(task, length, tokenizer, *, samples, seed=0):
    """Samples at `length`, or at the length that the error suggests if it is too short; and the length used."""
    try:
        return build_samples(task, length, tokenizer, samples=samples, seed=seed), length
    except LengthError as error:
        enough = int(str(error).partition("--lengths ")[2].split()[0])
        assert enough > length
        return build_samples(task, enough, tokenizer, samples=samples, seed=seed), enough


def documents(samples):
    found = {}
    for sample in samples:
        found.setdefault(sample.document_id, []).append(sample)
    return found


def sentences(text):
    """Sentences of prose, records, chains and passages, and rows of tables."""
    return [part for part in re.split(r"\. |\n+|(?<=。)", text) if len(part) > 14]


@pytest.mark.parametrize("task", TASKS, ids=named)
@given(seed=st.integers(0, 2**32), thousands=st.sampled_from([1, 2, 3, 4, 6, 8, 11, 16, 32]), odd=st.integers(0, 999))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_documents_contain_what_is_requested(task, any_tokenizer, seed, thousands, odd):
    check_samples(task, any_tokenizer, thousands * 1024 + odd, seed)


@pytest.mark.parametrize("name", ["evidence", "copy", "multihop", "evidence-zh", "copy-zh", "multihop-zh"])
@pytest.mark.parametrize("length", [65_536, 131_072])
def test_very_long_documents_contain_what_is_requested(name, length, tokenizer):
    check_samples(load_task(name), tokenizer, length, seed=length)


def check_samples(task, tokenizer, length, seed):
    each = task.documents.questions
    samples, length = build(task, length, tokenizer, samples=2 * each, seed=seed)
    assert len(samples) == 2 * each
    frame = ChatFrame(tokenizer)
    for siblings in documents(samples).values():
        document = siblings[0].document
        head = [*frame.around(["user"])[0], *frame.encode(task.before_document + document)]
        repeated = [text for text, count in Counter(sentences(document)).items() if count > 1]
        assert not [text for text in repeated if set(text) - set("|- ")]  # rules of tables
        assert len(siblings) == each
        for sample in siblings:
            ids = list(sample.prompt_token_ids)
            assert len(ids) + sample.max_answer_tokens == length == sample.length
            assert sample.max_answer_tokens == task.answer_tokens
            assert ids.count(tokenizer.bos_token_id) == 1
            assert ids[: len(head)] == head
            assert sample.document == document
            check_answer(sample, document)


def check_answer(sample, document):
    """Check that the answer is unique, independently of the generators' own checks."""
    gold = sample.gold[0]
    assert not set(sample.gold) & set(sample.distractors)
    assert all(times(distractor, document) >= 1 for distractor in sample.distractors)
    if sample.kind == "absent":
        assert gold in ("not stated", "未提及")
        assert gold not in document
        assert gold in sample.question
        assert sample.depth is None
        return
    assert times(gold, document) == 1
    assert gold not in sample.question
    assert 0 <= sample.depth < 1
    assert (sample.answer_type == "copy") == (not sample.distractors)


def times(text, document):
    """Number of occurrences of a text in a document, outside of longer words and numbers."""
    return sum(
        not is_joined(document[max(0, place - 2) : place], text, document[place + len(text) : place + len(text) + 2])
        for place in (match.start() for match in re.finditer(re.escape(text), document))
    )


def is_joined(before, text, behind):
    """Whether the text between `before` and `behind` is part of a longer word or number."""
    word = r"(?![\u4e00-\u9fff])(?:[^\W_]|[-/%])"  # Latin script only: Chinese has no word boundaries
    if re.match(word, text) and re.search(rf"\d[.,]\Z|{word}\Z", before):
        return True
    return bool(re.search(rf"{word}\Z", text) and re.match(rf"[.,]\d|[万亿]|{word}", behind))


def test_tasks_of_equal_documents_share_them(tokenizer):
    for names in (["evidence", "copy"], ["evidence-zh", "copy-zh"]):
        tasks = [load_task(name) for name in names]
        together = build_all(tasks, 4096, tokenizer, samples=8, seed=3)
        apart = [build_samples(task, 4096, tokenizer, samples=8, seed=3) for task in tasks]
        assert together == [*apart[0], *apart[1]]
        evidence, copy = map(documents, apart)
        assert evidence.keys() == copy.keys()
        for document_id, samples in evidence.items():
            frame = ChatFrame(tokenizer)
            head = len(frame.around(["user"])[0]) + len(frame.encode(tasks[0].before_document + samples[0].document))
            assert samples[0].prompt_token_ids[:head] == copy[document_id][0].prompt_token_ids[:head]


def test_languages_mix_in_a_run(tokenizer):
    names = ["multihop", "multihop-zh"]
    samples = build_all([load_task(name) for name in names], 4096, tokenizer, samples=4, seed=3)
    assert [sample.task for sample in samples] == [name for name in names for _ in range(4)]
    assert len(documents(samples)) == 2
    assert [bool(re.search(r"[\u4e00-\u9fff]", sample.document)) for sample in samples] == [False] * 4 + [True] * 4


def test_the_prompt_reads_as_a_document_and_a_question(task, tokenizer):
    for sample in build_samples(task, 4096, tokenizer, samples=40, seed=1):
        text = tokenizer.decode(sample.prompt_token_ids)
        assert sample.document in text
        assert text.index(sample.question) > text.index(sample.document)
        assert text.count(sample.question) == 1
        assert text.rstrip().endswith("<|im_start|>assistant")
        filler = text[text.index(sample.document) + len(sample.document) : text.index("\n</report>")]
        assert re.match(r"\n\n\S", filler)
        assert filler[-1] in ".。"  # whole sentences
        assert all(len(re.findall(r"[.。]", paragraph)) < 16 for paragraph in filler.split("\n\n"))
        assert not set(sentences(filler)) & set(sentences(sample.document))


@pytest.mark.parametrize("name", ["evidence", "copy", "multihop", "multihop-zh"])
def test_depths_cover_all_tenths_of_a_long_document(name, tokenizer):
    samples = build_samples(load_task(name), 16384, tokenizer, samples=40, seed=0)
    tenths = Counter(min(9, int(sample.depth * 10)) for sample in samples)
    assert set(tenths) == set(range(10))
    assert max(tenths.values()) - min(tenths.values()) <= 4


def test_too_short_length_names_a_sufficient_one(task, any_tokenizer):
    with pytest.raises(LengthError, match=r"too short.*--lengths \d+") as error:
        build_samples(task, 200, any_tokenizer, samples=8, seed=0)
    enough = int(str(error.value).partition("--lengths ")[2].split()[0])
    assert len(build_samples(task, enough, any_tokenizer, samples=8, seed=0)) == 8


def test_tokenizer_that_cannot_write_a_language_is_rejected():
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    printable = {chr(code): code for code in range(128)}
    backend = Tokenizer(models.BPE(printable, []))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    backend.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend)
    assert build_samples(load_task("multihop"), 16384, tokenizer, samples=4, seed=0)
    chinese = load_task("multihop-zh")
    with pytest.raises(ModelError, match="cannot write the prompt of task multihop-zh: it loses"):
        build_samples(chinese, 16384, tokenizer, samples=4, seed=0)
    plain = chinese.model_copy(update={"prompt": "{document} {question}"})
    with pytest.raises(ModelError, match=r"cannot write the documents of task multihop-zh \(zh\): it loses"):
        build_samples(plain, 16384, tokenizer, samples=4, seed=0)


def test_seeds_and_lengths_make_different_documents(tokenizer):
    task = load_task("evidence")
    golds = [
        tuple(sample.gold for sample in build_samples(task, length, tokenizer, samples=8, seed=seed))
        for length, seed in ((4096, 0), (4096, 1), (4097, 0))
    ]
    assert len(set(golds)) == 3


def test_more_samples_begin_with_the_same_ones(task, tokenizer):
    few, many = (build_samples(task, 4096, tokenizer, samples=n, seed=0) for n in (6, 12))
    assert many[:6] == few


def test_closed_book_prompts_contain_only_the_question(task, tokenizer):
    samples, _ = build(task, 8192, tokenizer, samples=12)
    lone = without_document(task, samples, tokenizer, number=5)
    assert len(lone) == 5
    assert len({sample.document_id for sample in lone}) == 5
    for sample in lone:
        asked = next(each for each in samples if sample.id == f"{each.id}-without-document")
        text = tokenizer.decode(sample.prompt_token_ids)
        assert asked.question in text
        assert not any(sentence in text for sentence in asked.document.split(". ") if len(sentence) > 20)
        assert sample.length == len(sample.prompt_token_ids) + sample.max_answer_tokens
        assert sample.prompt_hash != asked.prompt_hash
        assert (sample.gold, sample.with_document, sample.document) == (asked.gold, False, "")


def test_unanswerable_questions_are_not_asked_closed_book(tokenizer):
    task = variant("evidence")
    samples = build_samples(task, 8192, tokenizer, samples=24, seed=0)
    lone = without_document(task, samples, tokenizer, number=100)
    assert 0 < len(lone) < 24
    assert not any(sample.kind == "absent" for sample in lone)


def test_two_processes_make_the_same_bytes(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    program = (
        "import sys; from transformers import AutoTokenizer; from kveval.prompts.samples import build_samples;"
        "from kveval.tasks import load_task, builtin_tasks; tokenizer = AutoTokenizer.from_pretrained(sys.argv[1]);"
        "print([s.prompt_hash for t in builtin_tasks()"
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
