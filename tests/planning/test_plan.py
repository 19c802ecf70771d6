import json
from functools import partial

import pytest
from transformers import LlamaConfig

from kveval.config import RunConfig
from kveval.errors import LengthError, UsageError
from kveval.models.checkpoint import Model
from kveval.planning.kv_pool import Machine
from kveval.planning.plan import QUESTION_TOKENS, Speed, make_plan, plan_power, plan_work
from kveval.stats import MIN_DOCUMENTS, detectable_loss
from kveval.tasks import load_task, load_tasks
from tests.analysis.scores import cells_of, pair

EVIDENCE, COPY = load_tasks(("evidence", "copy"))
CHAINS = load_task("multihop")


def asked(**values):
    return RunConfig(**{"model": "m", "tasks": ("evidence", "copy"), "lengths": (8192, 32768), **values})


def plan(tasks=(EVIDENCE, COPY), speed=None, margin=0.02, limit=131_072, **values):
    model = Model("m", "somewhere", LlamaConfig(max_position_embeddings=limit))
    return make_plan(asked(**values), tasks, model, Machine(), speed or Speed(), margin=margin)


def test_tasks_that_share_documents_read_them_once():
    work = plan_work(asked(samples=200), (EVIDENCE, COPY), Speed())
    assert work.documents == 100
    assert work.questions == 800
    assert work.prompt_tokens == 50 * (8192 - 64 + 32768 - 64) + 700 * QUESTION_TOKENS
    assert work.prompt_tokens_uncached == 200 * sum(2 * length - 64 - 544 for length in (8192, 32768))
    assert work.answer_tokens == 2 * 200 * (64 + 544)
    assert work.arms == ("auto", "control", "fp8")


def test_tasks_with_other_documents_read_their_own():
    assert plan_work(asked(samples=200), (EVIDENCE, CHAINS), Speed()).documents == 200


def test_the_last_document_may_have_fewer_questions():
    assert plan_work(asked(samples=5, lengths=(8192,)), (EVIDENCE,), Speed()).documents == 2


def test_the_reading_of_the_sample_run_is_met():
    """tests/runs/smollm2: 107,392 prompt tokens sent, 15,872 of them not from the prefix cache."""
    work = plan_work(asked(samples=4, lengths=(2048, 4096, 8192)), (EVIDENCE, COPY), Speed())
    assert work.prompt_tokens_uncached == 107_392
    assert work.prompt_tokens == pytest.approx(15_872, rel=0.005)


def test_times_follow_from_speeds():
    work = plan_work(asked(), (EVIDENCE, COPY), Speed(prefill=10_000, decode=500))
    assert work.prompt_seconds == work.prompt_tokens / 10_000
    assert work.answer_seconds == work.answer_tokens / 500
    assert plan_work(asked(), (EVIDENCE,), Speed(prefill=10_000)).answer_seconds is None


def test_a_length_that_answers_fill_is_an_error():
    with pytest.raises(LengthError, match="Length 512 is too short for task evidence, copy"):
        plan_work(asked(lengths=(512,)), (EVIDENCE, COPY), Speed())


def cell_without_flips(task, samples, margin, seed=0):
    """What `kveval score` makes of a cell in which every answer is right on both arms."""
    scores = pair(lambda _: True, n=samples, questions=4, copy=task.ask == "copy")
    return cells_of(scores, margin=margin, seed=seed)["fp8"]


@pytest.mark.parametrize("task", [EVIDENCE, COPY])
@pytest.mark.parametrize("samples", [28, 32, 200, 292, 400])
def test_what_stays_possible_is_what_score_says_of_no_flips(task, samples):
    power = plan_power(task, samples, 4, margin=0.05, seed=3)
    cell = cell_without_flips(task, samples, margin=0.05, seed=3)
    assert power.largest_loss == pytest.approx(-cell.interval[0], abs=1e-12)
    assert power.can_pass == (cell.verdict == "pass")
    assert power.documents == cell.documents


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_the_fewest_to_pass_pass_and_a_document_less_does_not(margin):
    fewest = plan_power(EVIDENCE, 200, 4, margin=margin, seed=0).questions_to_pass
    assert cell_without_flips(EVIDENCE, fewest, margin).verdict == "pass"
    assert cell_without_flips(EVIDENCE, fewest - 4, margin).verdict == "inconclusive"
    assert cell_without_flips(COPY, fewest, margin).verdict == "pass"


def test_default_runs_cannot_pass_at_two_points():
    power = plan_power(EVIDENCE, 200, 4, margin=0.02, seed=0)
    assert not power.can_pass
    assert (power.documents_to_pass, power.questions_to_pass) == (189, 756)


def test_below_eight_documents_nothing_passes():
    power = partial(plan_power, EVIDENCE, cells=1, margin=0.9, seed=0)
    assert not power(4 * MIN_DOCUMENTS - 4).can_pass
    assert power(4 * MIN_DOCUMENTS).can_pass


def test_losses_found_are_those_of_the_power_functions():
    power = plan_power(EVIDENCE, 200, 6, margin=0.02, seed=0)
    assert power.detectable == (detectable_loss(200), detectable_loss(50))
    assert power.detectable_of_all == (detectable_loss(200, alpha=0.05 / 6), detectable_loss(50, alpha=0.05 / 6))
    assert power.detectable[0] < power.detectable[1]
    assert power.detectable[0] < power.detectable_of_all[0]


def test_too_few_find_nothing():
    assert plan_power(EVIDENCE, 4, 1, margin=0.02, seed=0).detectable == (None, None)


def test_cells_are_those_with_a_verdict():
    assert plan().cells == 4
    assert plan(kv_dtypes=("auto", "fp8", "fp8_e5m2")).cells == 8
    only = plan(kv_dtypes=("auto",))
    assert (only.cells, only.power) == (0, ())


def test_lengths_above_the_models_limit_are_an_error():
    with pytest.raises(LengthError, match=r"exceeds the model's context window \(16,384 tokens\)"):
        plan(limit=16_384)
    assert plan(limit=16_384, engine_args=("--max-model-len=40000",)).lengths == (8192, 32768)


@pytest.mark.parametrize("speed", [0, -1, float("nan"), float("inf")])
def test_a_speed_is_above_zero(speed):
    with pytest.raises(UsageError, match="--decode-speed"):
        Speed(decode=speed)


def test_a_plan_is_plain_data():
    record = json.loads(json.dumps(plan().as_record(), allow_nan=False))
    assert record["schema"] == 1
    assert record["memory"]["caches"][1]["kv_dtype"] == "fp8"
    assert record["power"][0]["documents"] == 50
