"""Rounding to a cache format, and greedy answers with it, against transformers' own generation."""

import pytest
import torch

from kveval.errors import ModelError
from kveval.models.damage import plant_damage
from kveval.reference import answer_all, rounded


@pytest.fixture(scope="module")
def model(tiny_model):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.bfloat16).eval()


def prompts(number=3, length=300, seed=0):
    generator = torch.Generator().manual_seed(seed)
    head = torch.randint(5, 500, (length,), generator=generator).tolist()
    return [head + torch.randint(5, 500, (9,), generator=generator).tolist() for _ in range(number)]


@pytest.mark.parametrize(
    ("kv_dtype", "values", "back"),
    [
        # e4m3: 3 bits behind the point; ties go to even; 448 is the largest; 2 to the -9 the smallest.
        ("fp8_e4m3", [1.0, 1.0625, 1.1875, -500.0, 1e9, 2**-9, 2**-10], [1.0, 1.0, 1.25, -448.0, 448.0, 2**-9, 0.0]),
        # e5m2: 2 bits behind the point; 57,344 is the largest.
        ("fp8_e5m2", [1.0, 1.125, 1.375, -1e6, 57344.0], [1.0, 1.0, 1.5, -57344.0, 57344.0]),
    ],
)
def test_numbers_are_rounded_to_nearest_even_and_cut_off(kv_dtype, values, back):
    states = torch.tensor(values, dtype=torch.float32)
    assert rounded(states, kv_dtype).tolist() == back
    assert rounded(states.to(torch.bfloat16), kv_dtype).dtype == torch.bfloat16


def test_answers_are_those_of_transformers(model):
    for prompt, answer in zip(prompts(), answer_all(model, prompts(), 8, chunk=128), strict=True):
        ids = torch.tensor([prompt])
        wanted = model.generate(ids, max_new_tokens=8, do_sample=False, attention_mask=torch.ones_like(ids))
        assert list(answer.token_ids) == wanted[0, len(prompt) :].tolist()
        assert all(margin >= 0 for margin in answer.margins)


def test_a_rounded_cache_gives_other_margins_and_the_same_ones_each_time(model):
    first, again = (list(answer_all(model, prompts(), 8, kv_dtype="fp8_e4m3")) for _ in range(2))
    assert first == again
    assert [answer.margins for answer in first] != [answer.margins for answer in answer_all(model, prompts(), 8)]


def test_what_prompts_share_is_read_once_and_changes_nothing(model):
    together = list(answer_all(model, prompts(), 4, kv_dtype="fp8_e4m3"))
    alone = [next(answer_all(model, [prompt], 4, kv_dtype="fp8_e4m3")) for prompt in prompts()]
    assert [answer.token_ids for answer in together] == [answer.token_ids for answer in alone]


def test_planted_damage_changes_nothing_in_bfloat16_and_much_in_fp8(model, tiny_model, tmp_path):
    from transformers import AutoModelForCausalLM

    folder = plant_damage(tiny_model, tmp_path / "damaged", layer=0, power=20)
    damaged = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    assert list(answer_all(damaged, prompts(), 8)) == list(answer_all(model, prompts(), 8))
    healthy, cut = (list(answer_all(each, prompts(), 8, kv_dtype="fp8_e4m3")) for each in (model, damaged))
    assert healthy != cut


def test_damage_needs_a_layer_to_be_planted_in(tiny_model, tmp_path):
    with pytest.raises(ModelError, match="has no layer 9"):
        plant_damage(tiny_model, tmp_path / "damaged", layer=9, power=8)
    assert not (tmp_path / "damaged").exists()
