import shutil

from kveval.config import RunConfig
from kveval.models.checkpoint import load_checkpoint


def digest(folder):
    return load_checkpoint(RunConfig(model=str(folder), tasks=("copy",), lengths=(8192,))).digest


def test_a_checkpoint_with_other_weights_of_the_same_size_is_another(tiny_model, tmp_path):
    copied = tmp_path / tiny_model.name
    shutil.copytree(tiny_model, copied)
    assert digest(copied) == digest(tiny_model)
    weights = copied / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 0x80  # the sign of the last weight
    weights.write_bytes(content)
    assert digest(copied) != digest(tiny_model)


def test_a_home_folder_is_not_written_down(tiny_model, monkeypatch):
    monkeypatch.setenv("HOME", str(tiny_model.parent))
    checkpoint = load_checkpoint(RunConfig(model=str(tiny_model), tasks=("copy",), lengths=(8192,)))
    assert checkpoint.shown_path == f"~/{tiny_model.name}"
