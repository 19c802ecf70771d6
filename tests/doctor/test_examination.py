"""The probe through engines whose answers are made up, to see what is said of them."""

import json

import pytest
from typer.testing import CliRunner

from kveval.cli import app as cli
from kveval.config import parse_doses
from kveval.doctor import examination
from kveval.doctor.findings import find
from kveval.engine.client import Completion
from kveval.engine.inspection import Installed
from kveval.engine.session import EngineLog
from kveval.errors import UsageError
from kveval.report.doctor_report import conclusions, findings_markdown
from kveval.runner import run as running
from kveval.runner.dispatch import output_record
from kveval.store.json_files import Appender
from tests.stored_runs import engine_facts

HELD = {"auto": "bfloat16", "control": "bfloat16", "fp8": "fp8_e4m3", "int8_per_token_head": "int8_per_token_head"}


class Vllm:
    """What asking the installed vLLM gives, without asking."""

    def __init__(self, _): ...

    def result(self):
        return Installed("0.32.0", "cpu", 65_536)

    def cancel(self): ...


class NoProgress:
    def __getattr__(self, _):
        return lambda *_, **__: None


def dose_of(path):
    """The power of two in a checkpoint's name; 0 of the healthy probe."""
    return int(str(path).rpartition("damage-")[2]) if "damage-" in str(path) else 0


def wrong(sample):
    return "I do not know." if sample.task == "copy" else "0"


@pytest.fixture
def engines(monkeypatch):
    """Sets what engines and formats lose: each is a function of arm, dose and sample, and says whether the answer is lost."""

    def install(engine, in_format=lambda *_: False):
        async def serve(prepared, arm, samples, directory, _):
            EngineLog(directory, arm).update("done", facts=engine_facts(HELD[arm.name]))
            outputs = Appender(directory.outputs(arm.name))
            for sample in samples:
                lost = not sample.with_document or engine(arm.name, dose_of(prepared.checkpoint.path), sample)
                text = wrong(sample) if lost else sample.gold[0]
                done = Completion((len(text), len(sample.id)), text, "stop", (-0.5,) * 2, (3.0, 9.0), 0.1, 0.2)
                outputs.append(output_record(sample, done, None))
            outputs.close()

        def read_in_format(checkpoint, samples, kv_dtype, path, drafts):
            outputs = Appender(path)
            for sample in samples:
                assert (sample.id, sample.prompt_hash) in drafts
                lost = kv_dtype is not None and in_format(kv_dtype, dose_of(checkpoint), sample)
                done = Completion((1,), wrong(sample) if lost else sample.gold[0], "stop", (-0.5,), (2.0,), 0.0, 0.0)
                outputs.append(output_record(sample, done, None))
            outputs.close()

        monkeypatch.setattr("kveval.runner.preparation.Inspection", Vllm)
        monkeypatch.setattr("kveval.engine.inspection.Inspection", Vllm)
        monkeypatch.setattr(running, "serve_arm", serve)
        monkeypatch.setattr(examination, "read_in_format", read_in_format)

    return install


def saturated(arm, dose, sample):
    """What a sound fp8 engine loses: copies from 2^8 on, all else from 2^10 on."""
    return arm.startswith("fp8") and dose >= (8 if sample.task == "copy" else 10)


def examined(folder, **options):
    asked = examination.Examination(
        folder, **{"kv_dtypes": ("auto", "fp8"), "lengths": (2048,), "samples": 32} | options
    )
    examination.examine(asked, NoProgress(), lambda _: None)
    return find(asked)


def said(findings):
    return "\n".join(line for line, _ in conclusions(findings))


def test_a_sound_engine_is_healthy_and_shows_planted_damage(engines, tmp_path):
    engines(saturated, saturated)
    findings = examined(tmp_path, doses=(7, 8, 10))
    assert findings.sound
    assert not findings.incomplete
    assert findings.judged["fp8"].as_json() == {
        "state": "healthy", "n": 96, "right_baseline": 96, "lost": 0, "control_lost": 0, "format_lost": 0,
        "because": None, "places": (),
    }  # fmt: skip
    alarm = findings.alarm["fp8"]
    assert (alarm.state, alarm.sets_in, alarm.lost, alarm.format_lost) == ("works", 8, 96, 96)
    assert "planted damage is found, from 2^8 on" in said(findings)
    assert "auto and control differ in 0 verdicts" in said(findings)
    assert [dose.dose for dose in findings.damage] == [7, 8, 10]
    margins = {margin.side: (margin.median, margin.n) for margin in findings.margins}
    assert margins == {"auto": (3.0, 96), "control": (3.0, 96), "fp8": (3.0, 96), "fp8_e4m3 alone": (2.0, 96)}
    assert "2^8" in findings_markdown(findings)


def test_an_engine_that_loses_what_its_format_keeps_is_damaging(engines, tmp_path):
    engines(
        lambda arm, dose, sample: saturated(arm, dose, sample) or (arm == "fp8" and sample.task == "evidence"),
        saturated,
    )
    findings = examined(tmp_path, doses=(10,))
    assert not findings.sound
    assert findings.judged["fp8"].state == "damaging"
    assert "loses answers beyond its format, on evidence at 2k" in said(findings)
    assert "loses 32, the control 0, the format alone 0" in said(findings)


def test_what_the_format_loses_itself_is_not_the_engines_doing(engines, tmp_path):
    rounding = lambda arm, _, sample: arm.startswith("fp8") and sample.task == "copy"  # noqa: E731
    engines(rounding, rounding)
    judged = examined(tmp_path, doses=(10,)).judged["fp8"]
    assert (judged.state, judged.lost, judged.format_lost) == ("healthy", 32, 32)


def test_two_lost_answers_are_no_proof(engines, tmp_path):
    engines(
        lambda arm, dose, sample: (
            saturated(arm, dose, sample) or (arm == "fp8" and sample.id in ("copy-2048-0-0", "copy-2048-5-1"))
        ),
        saturated,
    )
    findings = examined(tmp_path, doses=(10,))
    assert findings.judged["fp8"].state == "unclear"
    assert "not statistically significant" in said(findings)
    assert not findings.sound


def test_an_alarm_that_does_not_sound_is_not_trusted(engines, tmp_path):
    engines(lambda *_: False, saturated)
    findings = examined(tmp_path, doses=(10,))
    assert findings.judged["fp8"].state == "healthy"
    assert findings.alarm["fp8"].state == "silent"
    assert "Do not trust a healthy result" in said(findings)
    assert not findings.sound


def test_an_alarm_that_also_sounds_for_the_control_is_not_trusted(engines, tmp_path):
    engines(lambda arm, dose, _: dose == 10 and arm != "auto", saturated)
    assert examined(tmp_path, doses=(10,)).alarm["fp8"].state == "silent"


def test_damage_that_fits_into_a_format_need_not_be_found(engines, tmp_path):
    engines(lambda *_: False)
    findings = examined(tmp_path, doses=(10,))
    assert findings.alarm["fp8"].state == "fits"
    assert findings.sound


def test_a_format_without_emulation_is_judged_by_the_engine_alone(engines, tmp_path):
    engines(lambda arm, dose, _: arm == "int8_per_token_head" and dose == 10)
    findings = examined(tmp_path, kv_dtypes=("auto", "int8_per_token_head"), doses=(10,))
    assert findings.judged["int8_per_token_head"].format_lost is None
    assert findings.alarm["int8_per_token_head"].state == "works"
    assert "the format alone" not in said(findings)


def test_a_weak_baseline_says_nothing(engines, tmp_path):
    engines(lambda _arm, _dose, sample: sample.task == "evidence")
    findings = examined(tmp_path, doses=())
    assert findings.judged["fp8"].state == "not known"
    assert not findings.sound


def test_what_is_done_is_not_done_again(engines, tmp_path, monkeypatch):
    engines(saturated, saturated)
    first = examined(tmp_path)
    monkeypatch.setattr(running, "serve_arm", None)
    assert examined(tmp_path) == first


def test_the_command_prints_its_findings_and_leaves_with_1_where_they_are_bad(engines, tmp_path):
    engines(lambda *_: False, saturated)
    words = ["doctor", "--probe", "--lengths", "2k", "--samples", "32", "--doses", "10", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(cli.app, words)
    assert result.exit_code == 1, result.output
    assert "fp8: healthy: of 96 answers that are correct with auto" in " ".join(result.output.split())
    assert json.loads((tmp_path / "out" / "doctor.json").read_text())["alarm"]["fp8"]["state"] == "silent"
    assert (tmp_path / "out" / "doctor.md").read_text().startswith("# The probe through this engine")


def test_options_of_the_probe_need_it():
    result = CliRunner().invoke(cli.app, ["doctor", "--samples", "3"])
    assert isinstance(result.exception, UsageError)


def test_a_folder_of_something_else_is_left_alone(engines, tmp_path):
    engines(saturated)
    (tmp_path / "notes.txt").write_text("mine")
    result = CliRunner().invoke(cli.app, ["doctor", "--probe", "--out", str(tmp_path)])
    assert "is not an examination of kveval" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("text", ["0", "31", "6,6", "x", "-3", "1.5"])
def test_doses_are_powers_of_two_that_can_be_planted(text):
    with pytest.raises(UsageError, match="--doses"):
        parse_doses(text)
    assert parse_doses("10,6") == (6, 10)


def test_without_a_quantized_cache_there_is_nothing_to_look_at(engines, tmp_path):
    engines(saturated)
    with pytest.raises(UsageError, match="has no quantized cache"):
        examined(tmp_path / "out", kv_dtypes=("auto",))
    assert not (tmp_path / "out").exists()
