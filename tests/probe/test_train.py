import random

import pytest

torch = pytest.importorskip("torch")

from probe import start  # noqa: E402
from probe.codec import Codec  # noqa: E402
from probe.feed import Feed, Stage, pack  # noqa: E402
from probe.model import Config, Probe, Readouts  # noqa: E402
from probe.rows import Task, Writer  # noqa: E402
from probe.train import LENGTHS, METRICS, SHARES, Averages, Settings, Trainer, by_question, worst  # noqa: E402


def test_the_loss_falls():
    codec = Codec()
    config = Config(layers=6, feed_forward=64)
    probe, readouts = Probe(config), Readouts(config, len(codec.fields))
    start.initialize(probe, readouts, codec)
    trainer = Trainer(probe, readouts, Settings(1), "cpu")
    writer = Writer(codec, "loss", sentences=200)
    batch = pack([writer.row(512) for _ in range(2)], 512, codec.fields, random.Random(0), 0.0).to("cpu")
    losses = [float(trainer.step(batch, 0.5, 1.0)[len(Task) : 2 * len(Task) + 1].sum()) for _ in range(6)]
    assert losses[-1] < 0.8 * losses[0]


def test_a_feed_makes_batches_of_the_current_stage():
    feed = Feed([Stage(512, 1024), Stage(1024, 1024)], "feed", processes=1, method="spawn")
    try:
        assert feed.next().length == 512
        feed.go_to(1)
        assert feed.next().ids.shape == (1, 1024)
    finally:
        feed.close()


def test_stages_grow_and_share_the_time():
    stages = Settings(1).stages
    assert [stage.length for stage in stages] == list(LENGTHS)
    assert sum(SHARES) == pytest.approx(1)
    assert all(stage.tokens % stage.length == 0 for stage in stages)


def test_a_stage_is_as_good_as_its_worst_task():
    averages, missing = Averages(), torch.full((len(METRICS),), torch.nan)
    missing[Task.EVIDENCE], missing[Task.COPY] = 1.0, 0.5
    averages.add(missing)
    assert worst(averages.by_name()) == 0.0
    later = torch.full((len(METRICS),), torch.nan)
    later[Task.MULTIHOP] = 0.9
    averages.add(later)
    assert worst(averages.by_name()) == 0.5


def test_an_answer_is_right_when_all_its_ids_are():
    right = by_question(torch.tensor([True, True, False, True]), torch.tensor([0, 0, 1, 1]), 2)
    assert right.tolist() == [True, False]
