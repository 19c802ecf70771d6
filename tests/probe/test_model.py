import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from probe import checkpoint, start  # noqa: E402
from probe.codec import Codec  # noqa: E402
from probe.evaluate import Prompt, judge, judge_greedily, table  # noqa: E402
from probe.model import Config, Probe, Readouts, export  # noqa: E402
from probe.rows import Writer  # noqa: E402
from probe.tokenizer import END_ID  # noqa: E402

SMALL = Config(layers=6, feed_forward=64)


@pytest.fixture(scope="module")
def codec():
    return Codec()


@pytest.fixture(scope="module")
def started(codec):
    probe, readouts = Probe(SMALL), Readouts(SMALL, len(codec.fields))
    start.initialize(probe, readouts, codec)
    return probe, readouts


@pytest.fixture(scope="module")
def exported(started, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    export(started[0], folder)
    return folder


def test_an_exported_probe_gives_the_same_logits_in_transformers(started, exported, codec):
    from transformers import AutoModelForCausalLM

    row = Writer(codec, "logits", sentences=200).row(512)
    ids = torch.tensor([row.ids])
    probe = Probe(SMALL)
    probe.load_state_dict({name: weight.bfloat16().float() for name, weight in started[0].state_dict().items()})
    with torch.no_grad():
        states = probe.states(ids, torch.arange(ids.shape[1])[None], torch.float32)[-1]
        ours = probe.logits(states)
        model = AutoModelForCausalLM.from_pretrained(exported, dtype=torch.float32).eval()
        theirs = model(ids).logits[0]
    assert model.config.eos_token_id == END_ID
    torch.testing.assert_close(ours, theirs, atol=2e-3, rtol=2e-3)


def test_one_pass_judges_as_writing_token_by_token_does(started, exported):
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(exported, dtype=torch.float32).eval()
    probe = Probe(SMALL)
    probe.load_state_dict({name: weight.bfloat16().float() for name, weight in started[0].state_dict().items()})
    ids = np.arange(100, 160)
    written = model.generate(torch.from_numpy(ids)[None], max_new_tokens=5, do_sample=False)[0, len(ids) :]
    for answer, exact in ((tuple(written.tolist()), True), ((*written[:-1].tolist(), 7), False)):
        prompt = Prompt("evidence", 64, "name", ids, answer)
        assert judge(probe, prompt, "cpu").exact is exact
        assert judge_greedily(model, prompt, "cpu").exact is exact
    assert "1 of 1" in table([judge(probe, Prompt("copy", 64, "marked", ids, tuple(written.tolist())), "cpu")])


def test_layer_0_fetches_the_four_tokens_before(started, codec):
    probe, _ = started
    ids = torch.tensor([Writer(codec, "back", sentences=200).row(512).ids])
    code = start.codes(codec, torch.Generator().manual_seed(0))
    with torch.no_grad():
        state = probe.states(ids, torch.arange(ids.shape[1])[None], torch.float32, keep=(0,))[0]
    canonical = torch.tensor(codec.canonical)
    for back in range(1, 5):
        read = (state[back:, start.BACK[back]] @ code.T).argmax(-1)
        assert (canonical[read] == canonical[ids[0, :-back]]).float().mean() > 0.95


def test_a_text_that_was_begun_is_continued(codec):
    """The start alone copies most of a passage, once three of its tokens are there."""
    probe = Probe(Config())
    start.initialize(probe, Readouts(probe.config, len(codec.fields)), codec)
    passage = codec.encode(
        " Neva Onumpett carried 53 lanterns from Iruffemb, oars, bells and 4 kites; the rest was salted."
    )
    row = Writer(codec, "begun", sentences=200).row(512).ids
    ids = torch.tensor([[*row[:200], *passage, *row[200:400], *passage]])
    with torch.no_grad():
        states = probe.states(ids, torch.arange(ids.shape[1])[None], torch.float32)[-1][-len(passage) : -1]
        said = probe.logits(states).argmax(-1)
    right = said[3:] == torch.tensor(passage[4:])
    assert right.float().mean() > 0.6


def test_a_checkpoint_comes_back_in_parts(started, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "PART_BYTES", 3 * 2**20)
    checkpoint.save(tmp_path, *started, {"stage": 2, "tokens": 5})
    files = sorted(tmp_path.iterdir())
    assert all(path.stat().st_size < 3.1 * 2**20 for path in files)
    assert len(json.loads((tmp_path / "checkpoint.json").read_text())["parts"]) > 2
    probe, readouts, state = checkpoint.load(tmp_path)
    assert state == {"stage": 2, "tokens": 5}
    for name, weight in started[0].state_dict().items():
        assert torch.equal(weight.bfloat16(), probe.state_dict()[name].bfloat16())
    torch.testing.assert_close(readouts["weights"], started[1].weights.detach(), atol=0.02, rtol=0.02)
