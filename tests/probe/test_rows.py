import random
from collections import Counter

import numpy as np
import pytest

from kveval.prompts.template import ChatFrame, PromptFrame
from kveval.tasks import load_task
from probe.codec import FOLDER, Codec
from probe.feed import pack
from probe.labels import Field, Labeller, read_fact
from probe.prompts import PROMPT
from probe.rows import LONGEST, Task, Writer, stretched, weights
from probe.tokenizer import ASSISTANT_ID, END_ID


@pytest.fixture(scope="module")
def codec():
    return Codec()


@pytest.fixture
def writer(codec):
    return Writer(codec, "test", sentences=500)


def test_the_prompt_is_that_of_every_english_task():
    assert all(load_task(name).prompt == PROMPT for name in ("evidence", "copy", "multihop"))


def test_a_row_is_what_a_run_sends_up_to_its_first_answer(codec, writer):
    from transformers import AutoTokenizer

    frame, task = ChatFrame(AutoTokenizer.from_pretrained(FOLDER)), load_task("multihop")
    for _ in range(5):
        row = writer.row(512)
        begin = row.answers[0][1]
        text = codec.decode(row.ids[2 : begin - 2])
        before, _, question = text.rpartition("\n</report>\n\n")
        document = before.removeprefix(task.before_document)
        head = [*frame.around(["user"])[0], *frame.encode(task.before_document + document)]
        (tail,) = PromptFrame(frame, task.turns).tails([question])
        assert row.ids[:begin] == [*head, *tail]


@pytest.mark.parametrize("length", [512, 1024, 2048, 4096, 8192])
def test_rows_hold_what_is_asked_and_fit(codec, writer, length):
    asked = Counter()
    for _ in range(24):
        row = writer.row(length)
        assert length * 0.5 < len(row.ids) <= length
        for task, begin, size in row.answers:
            asked[task] += 1
            assert row.ids[begin - 1] == ASSISTANT_ID
            assert row.ids[begin + size - 1] == END_ID
            document = codec.decode(row.ids[: row.answers[0][1]])
            assert codec.decode(row.ids[begin : begin + size - 1]) in document
    assert {Task.EVIDENCE, Task.COPY, Task.MULTIHOP} <= set(asked)


def test_the_same_seed_writes_the_same_rows(codec):
    one, other = (Writer(codec, "same", sentences=200).row(1024) for _ in range(2))
    assert one == other
    assert Writer(codec, "different", sentences=200).row(1024) != one


def test_labels_of_a_record(codec):
    text = (
        "The Kumbax group reported 0.81 for the drift and 7.2 for the yield ratio. "
        "Supervised by Clara Ralbesk, the second group, known as Kumbax, studied coarse silica at Mevogate."
    )
    ids = codec.encode(text)
    (head, tail), labels = Labeller(codec).record(ids)
    assert codec.decode([head, tail]) == " Kumbax"
    found = {(place, Field(field).name): codec.decode([number]) for place, field, number in labels}
    after = [k for k, number in enumerate(ids) if codec.decode([number]) in (" and", ".") and k > 10]
    assert found[after[0], "RELATION"] == " drift"
    assert [found[after[0], f"VALUE_{k}"] for k in (1, 2, 3, 4)] == [" 1", " 8", ".", " 0"]
    last = len(ids) - 1
    assert found[last, "ORDINAL"] == " second"
    assert found[last, "SITE_HEAD"] + found[last, "SITE_TAIL"] == " Mevogate"


def test_labels_of_a_question_follow_its_chain(codec):
    facts = {("lawyer", "Rizossa"): "Zariden", ("tailor", "Zariden"): "Oromossa"}
    for text in (
        "What was the account number of the tailor of the lawyer of Rizossa? Give only the number.",
        "Find the lawyer of Rizossa, then the tailor of that person. Which account number did that person have?",
    ):
        found = {
            Field(field).name: codec.decode([number]) for field, number in Labeller(codec).person_question(text, facts)
        }
        assert found["SUBJECT_HEAD"] + found["SUBJECT_TAIL"] == " Rizossa"
        assert (found["RELATION"], found["SECOND_RELATION"]) == (" lawyer", " tailor")
        assert found["FIRST_TAIL"], found["LAST_TAIL"] == ("riden", "romossa")
        assert found["ATTRIBUTE"] == " number"


def test_a_sentence_that_is_no_fact():
    with pytest.raises(ValueError, match="is no fact"):
        read_fact("Nobody looked up.")


def test_weights_of_an_answer_are_one_together():
    assert sum(weights(Task.COPY, 30)) == pytest.approx(1)
    assert weights(Task.EVIDENCE, 4)[0] > weights(Task.EVIDENCE, 4)[1]


def test_stretched_positions_rise_and_stay_within_the_longest(writer):
    rng = random.Random(0)
    for _ in range(20):
        row = writer.row(1024)
        steps = np.diff(list(stretched(rng, row, 1024)))
        assert (steps >= 1).all()
        assert steps.sum() < LONGEST
        assert set(np.flatnonzero(steps > 1) + 1) <= set(row.breaks)


def test_a_batch_points_at_its_answers(codec, writer):
    rows = [writer.row(512) for _ in range(3)]
    batch = pack(rows, 512, codec.fields, random.Random(0), 0.0)
    assert batch.ids.shape == batch.positions.shape == (3, 512)
    flat = batch.ids.ravel()
    assert (flat[batch.answers + 1] == batch.targets).all()
    assert len(batch.tasks) == sum(len(row.answers) for row in rows)
    assert batch.weights.sum() == pytest.approx(len(batch.tasks))
