"""Reading what lm-evaluation-harness writes: its own files, older ones, and damaged ones."""

import json
import re
import shutil

import pytest

from kveval.comparing.lm_eval import read_results
from kveval.errors import UsageError
from tests.comparing.results import REAL, TIME, line, lines, write

LATER = "2026-02-02T03-04-05.678901"


def samples_file(folder, task="sums", time=TIME):
    return folder / "org__Model-8B" / f"samples_{task}_{time}.jsonl"


def test_files_of_lm_eval_itself_are_read():
    results = read_results(REAL)
    assert {place: len(found) for place, found in results.outcomes.items()} == {
        ("overlap", "none"): 4,
        ("pick", "none"): 4,
        ("roll", "none"): 4,
        ("sums", "flexible-extract"): 4,
        ("sums", "strict-match"): 4,
    }
    assert results.kv_cache_dtype == "auto"
    assert results.setup["max_model_len"] == "8192"
    assert results.setup["lm_eval_version"] == "0.4.13"
    assert results.setup["version of sums"] == "3.0"
    assert results.higher_is_better["pick"] == {
        "acc": True,
        "acc_norm": True,
        "acc_mutual_info": True,
        "brier_score": False,
    }
    pick, sums = results.outcomes["pick", "none"][0], results.outcomes["sums", "strict-match"][0]
    assert (pick.choices, sums.choices) == (4, None)  # acc_mutual_info asks for each choice twice
    assert (sums.response, sums.target) == ("The answer is 0.", "0")
    assert set(pick.metrics) == {"acc", "acc_norm", "brier_score", "acc_mutual_info"}


def test_missing_hashes_are_made_as_lm_eval_makes_them(tmp_path):
    shutil.copytree(REAL, tmp_path / "old")
    for file in (tmp_path / "old").glob("samples_*"):
        bare = [json.loads(text) for text in file.read_text().splitlines()]
        for sample in bare:
            del sample["doc_hash"], sample["prompt_hash"], sample["target_hash"]
        file.write_text("".join(json.dumps(sample) + "\n" for sample in bare))
    assert read_results(tmp_path / "old").outcomes == read_results(REAL).outcomes


def test_lines_without_filter_and_metrics_are_read(tmp_path):
    old = lines(3)
    for sample in old:
        del sample["filter"], sample["metrics"]
        sample["arguments"] = [list(request.values()) for request in sample["arguments"].values()]
    outcomes = read_results(write(tmp_path, {"sums": old})).outcomes
    assert outcomes == read_results(write(tmp_path / "new", {"sums": lines(3)})).outcomes
    assert outcomes["sums", "none"][0].metrics == {"exact_match": 1.0}


def test_filters_without_names_cannot_be_told_apart(tmp_path):
    old = [*lines(3), *lines(3, lambda _: False)]
    for sample in old:
        del sample["filter"]
    with pytest.raises(UsageError, match=r"line 4 repeats document 0.*several filters"):
        read_results(write(tmp_path, {"sums": old}))


def test_two_runs_in_one_file_are_an_error_and_copied_lines_count_once(tmp_path):
    with pytest.raises(UsageError, match=r"contains two runs\. Keep one"):
        read_results(write(tmp_path / "two", {"sums": [*lines(3), *lines(3, lambda _: False)]}))
    copied = read_results(write(tmp_path / "copied", {"sums": [*lines(3), *lines(2)]}))
    assert len(copied.outcomes["sums", "none"]) == 3


@pytest.mark.parametrize("damage", ['{"doc_id": 1', '{"doc_id": 1}', "[]", "7", '{"doc_id": "x", "arguments": []}'])
def test_a_damaged_line_is_named(tmp_path, damage):
    file = samples_file(write(tmp_path, {"sums": lines(3)}))
    file.write_text(file.read_text() + damage + "\n")
    with pytest.raises(UsageError, match=rf"{re.escape(str(file))} line 4 is damaged"):
        read_results(tmp_path)


def test_of_several_times_the_last_is_taken_and_an_older_one_by_name(tmp_path):
    write(tmp_path, {"sums": lines(3), "pick": lines(2)})
    write(tmp_path, {"sums": lines(3, lambda _: False)}, time=LATER, model_args="kv_cache_dtype=fp8")
    both = read_results(tmp_path)
    assert both.outcomes["sums", "none"][0].metrics == {"exact_match": 0.0}
    assert len(both.outcomes["pick", "none"]) == 2
    assert any("holds 2 results of sums: the last is taken" in remark for remark in both.remarks)
    first = read_results(tmp_path / "org__Model-8B" / f"results_{TIME}.json")
    assert first.outcomes["sums", "none"][0].metrics == {"exact_match": 1.0}
    assert (first.kv_cache_dtype, first.remarks) == (None, ())


def test_a_task_name_with_underscores_is_kept(tmp_path):
    assert list(read_results(write(tmp_path, {"niah_single_1": lines(1)})).outcomes) == [("niah_single_1", "none")]


def test_arguments_of_the_model_may_be_a_mapping(tmp_path):
    config = {
        "model": "vllm",
        "model_args": {"pretrained": "org/Model-8B", "kv_cache_dtype": "fp8", "max_model_len": 4096},
    }
    results = read_results(write(tmp_path, {"sums": lines(1)}, config=config))
    assert (results.kv_cache_dtype, results.setup["max_model_len"]) == ("fp8", "4096")


@pytest.mark.parametrize(
    ("settings", "sampled"), [({"temperature": 1.0, "do_sample": False}, False), ({"temperature": 0.7}, True)]
)
def test_sampling_is_seen(tmp_path, settings, sampled):
    sample = line(0, exact_match=1.0)
    sample["arguments"]["gen_args_0"]["arg_1"] = settings
    assert read_results(write(tmp_path, {"sums": [sample]})).outcomes["sums", "none"][0].sampled is sampled


def test_what_is_no_result_is_named(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        read_results(tmp_path / "no")
    with pytest.raises(UsageError, match="neither results of lm-eval"):
        read_results(tmp_path)
    samples_file(write(tmp_path, {"sums": lines(1)})).unlink()
    with pytest.raises(UsageError, match="again with --log_samples"):
        read_results(tmp_path)
    write(tmp_path, {"sums": []})
    with pytest.raises(UsageError, match="no sample"):
        read_results(tmp_path)


def test_two_models_in_a_folder_have_to_be_told_apart(tmp_path):
    write(tmp_path / "a", {"sums": lines(1)})
    write(tmp_path / "b", {"sums": lines(1)})
    with pytest.raises(UsageError, match="several models"):
        read_results(tmp_path)


def test_a_damaged_results_file_is_named(tmp_path):
    write(tmp_path, {"sums": lines(1)})
    (tmp_path / "org__Model-8B" / f"results_{TIME}.json").write_text("{")
    with pytest.raises(UsageError, match=r"results_.* is damaged"):
        read_results(tmp_path)


@pytest.mark.parametrize("damage", [{"filter": None}, {"filter": ["a"]}, {"doc_hash": [1]}, {"metrics": [1]}])
def test_a_line_whose_names_are_no_text_is_damaged(tmp_path, damage):
    records = lines(3)
    records[1] |= damage
    with pytest.raises(UsageError, match="line 2 is damaged"):
        read_results(write(tmp_path, {"sums": records}))


@pytest.mark.parametrize(
    "damage",
    [
        {"config": None},
        {"config": {"model_args": 1}},
        {"versions": None},
        {"n-shot": 1},
        {"higher_is_better": {"sums": 1}},
    ],
    ids=str,
)
def test_a_results_file_of_another_form_is_damaged(tmp_path, damage):
    with pytest.raises(UsageError, match=rf"is damaged \({next(iter(damage))}"):
        read_results(write(tmp_path, {"sums": lines(1)}, **damage))
