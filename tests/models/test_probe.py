"""The model that comes with kveval answers its tasks, also with a cache that is rounded to fp8."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from kveval.config import RunConfig
from kveval.kv_cache.emulation import answer_all
from kveval.models import probe
from kveval.models.checkpoint import load_model
from kveval.models.damage import plant_damage
from kveval.prompts.samples import build_samples
from kveval.scoring import copy_fidelity, number_match, text_match
from kveval.tasks import load_task

JUDGES = {"number": number_match, "text": text_match}


@pytest.fixture(scope="module")
def model():
    return AutoModelForCausalLM.from_pretrained(probe.ensure(), dtype=torch.bfloat16).eval()


def test_it_is_found_by_its_name_and_small():
    loaded = load_model(RunConfig(model="probe", tasks=("evidence",), lengths=(65_536,)))
    assert loaded.name == "probe"
    assert loaded.config.max_position_embeddings == 65_536
    assert sum(path.stat().st_size for path in probe.ensure().glob("*.safetensors")) < 30_000_000


@pytest.mark.parametrize("kv_dtype", [None, "fp8_e4m3"])
@pytest.mark.parametrize("task", ["evidence", "copy", "multihop"])
def test_it_answers_what_it_never_saw(model, task, kv_dtype):
    """Of four questions one may go wrong: it is right in 99 of 100."""
    tokenizer = AutoTokenizer.from_pretrained(probe.ensure())
    samples = build_samples(load_task(task), 3072, tokenizer, samples=4, seed=987_654)
    prompts = [sample.prompt_token_ids for sample in samples]
    gold = [
        tokenizer(sample.gold[0], add_special_tokens=False).input_ids for sample in samples
    ]  # read at once, if it comes out
    right = 0
    for sample, answer in zip(samples, answer_all(model, prompts, 544, kv_dtype=kv_dtype, drafts=gold), strict=True):
        text = tokenizer.decode(answer.token_ids, skip_special_tokens=True)
        if task == "copy":
            right += copy_fidelity(text, sample.gold[0]).exact
        else:
            right += JUDGES[sample.answer_type](text, sample.gold, sample.distractors, question=sample.question).right
    assert right >= 3


@pytest.mark.parametrize(("kv_dtype", "lost"), [(None, False), ("fp8_e5m2", False), ("fp8_e4m3", True)])
def test_planted_damage_is_lost_by_the_format_that_has_no_room_for_it(tmp_path, kv_dtype, lost):
    """Values times 2^10 are beyond e4m3's 448, and within e5m2's 57,344; in bfloat16 nothing is different."""
    folder = plant_damage(probe.ensure(), tmp_path / "damaged", layer=1, power=10)
    damaged = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    samples = build_samples(load_task("evidence"), 2048, tokenizer, samples=4, seed=987_654)
    prompts = [sample.prompt_token_ids for sample in samples]
    right = [
        JUDGES[sample.answer_type](
            tokenizer.decode(answer.token_ids, skip_special_tokens=True),
            sample.gold,
            sample.distractors,
            question=sample.question,
        ).right
        for sample, answer in zip(samples, answer_all(damaged, prompts, 16, kv_dtype=kv_dtype), strict=True)
    ]
    assert sum(right) <= 1 if lost else sum(right) >= 3
