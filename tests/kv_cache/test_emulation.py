"""Rounding to a cache format, and greedy answers with it, against transformers' own generation."""

import pytest
import torch

from kveval.errors import ModelError
from kveval.kv_cache.emulation import answer_all, rounded
from kveval.models.damage import plant_damage


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


@pytest.mark.parametrize("kv_dtype", [None, "fp8_e4m3"])
def test_drafts_change_nothing(model, kv_dtype):
    """Right ones, ones that an answer leaves at once or on the way, ones that end early and ones that go on too long."""
    plain = list(answer_all(model, prompts(5), 8, kv_dtype=kv_dtype))
    ids = [list(answer.token_ids) for answer in plain]
    drafts = [ids[0], [1, 2, 3], [*ids[2][:4], 1, 1, 1], ids[3][:2], [*ids[4], 7, 7, 7]]
    drafted = list(answer_all(model, prompts(5), 8, kv_dtype=kv_dtype, drafts=drafts))
    assert [list(answer.token_ids) for answer in drafted] == ids
    for one, other in zip(plain, drafted, strict=True):
        assert one.margins == pytest.approx(other.margins, abs=0.05)


def test_an_answer_that_leaves_its_draft_is_broken_off(model):
    whole = next(answer_all(model, prompts(1), 12)).token_ids
    draft = [*whole[:5], (whole[5] + 1) % 500, *whole[6:]]
    broken = next(answer_all(model, prompts(1), 12, drafts=[draft], beyond=3))
    assert broken.token_ids == whole[:8]
    assert not broken.ended
    assert next(answer_all(model, prompts(1), 12, drafts=[whole[:4]], beyond=3)).token_ids == whole[:7]
    assert next(answer_all(model, prompts(1), 12, drafts=[()], beyond=3)).token_ids == whole


def test_each_answer_may_have_a_limit_of_its_own(model):
    answers = list(answer_all(model, prompts(2), [3, 5]))
    assert [len(answer.token_ids) for answer in answers] == [3, 5]


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
