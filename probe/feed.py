"""Batches of rows, made by separate processes while the GPU computes."""

import multiprocessing
import queue
import random
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from typing import Any, Literal

import numpy as np

from probe.codec import Codec
from probe.labels import Field
from probe.rows import LONGEST, Row, Writer, stretched, weights
from probe.tokenizer import PAD_ID

_AHEAD = 4  # maximum batches in the queue per process
_WAIT = 120.0  # timeout for a batch, in seconds


@dataclass
class Batch:
    """Rows of one length. Flat places are indices into all rows concatenated."""

    length: int
    ids: Any
    """[rows, length]"""
    positions: Any
    """[rows, length]"""
    answers: Any
    """[n] flat places from which ids of answers are predicted"""
    targets: Any
    """[n] these ids"""
    weights: Any
    """[n] weights of the ids, with sum 1 per question"""
    question_of: Any
    """[n] index of the question in the batch, for each id"""
    tasks: Any
    """[questions]"""
    labels: Any
    """[2, m] flat places, and indices of tokens in `Codec.fields`; sorted by field"""
    bounds: tuple[int, ...]
    """Start of the labels of each field, and end of the last ones."""

    def to(self, device: str) -> "Batch":
        import torch

        moved = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                value = torch.from_numpy(value)
                if device == "cuda":
                    value = value.pin_memory().to(device, non_blocking=True)
            moved[name] = value
        return Batch(**moved)


def pack(rows: Sequence[Row], length: int, fields: dict[int, int], rng: random.Random | None, stretch: float) -> Batch:
    """Convert rows to arrays. A share `stretch` of them gets gaps in the positions between paragraphs."""
    ids = np.full((len(rows), length), PAD_ID, np.int32)
    positions = np.empty((len(rows), length), np.int32)
    answers, targets, shares, question_of, tasks = array("q"), array("q"), array("f"), array("q"), array("q")
    places, field_numbers, tokens = array("q"), array("q"), array("q")
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)] = row.ids
        if rng is not None and length < LONGEST and rng.random() < stretch:
            positions[number] = np.fromiter(stretched(rng, row, length), np.int32, length)
        else:
            positions[number] = np.arange(length)
        base = number * length
        for task, begin, size in row.answers:
            answers.extend(range(base + begin - 1, base + begin - 1 + size))
            targets.extend(row.ids[begin : begin + size])
            shares.extend(weights(task, size))
            question_of.extend([len(tasks)] * size)
            tasks.append(task)
        for place, field, token in row.labels:
            places.append(base + place)
            field_numbers.append(field)
            tokens.append(fields[token])
    kinds = np.frombuffer(field_numbers, np.int64)
    order = np.argsort(kinds, kind="stable")
    arrays = [np.frombuffer(one, dtype=one.typecode).copy() for one in (answers, targets, shares, question_of, tasks)]
    return Batch(
        length,
        ids,
        positions,
        arrays[0],
        arrays[1],
        arrays[2],
        arrays[3],
        arrays[4],
        np.stack([np.frombuffer(places, np.int64)[order], np.frombuffer(tokens, np.int64)[order]]),
        tuple(np.searchsorted(kinds[order], range(len(Field) + 1)).tolist()),
    )


@dataclass(frozen=True)
class Stage:
    """Rows of a stage of training."""

    length: int
    tokens: int
    """Tokens per batch."""
    shorter: tuple[int, ...] = ()
    """Lengths of the batches that are shorter than `length`."""
    share: float = 0.0
    """Share of such batches."""
    stretch: float = 0.5
    """Share of rows with stretched positions."""

    def draw(self, rng: random.Random) -> int:
        return rng.choice(self.shorter) if self.shorter and rng.random() < self.share else self.length


def _work(number: int, seed: str, stages: Sequence[Stage], current_stage: Any, out: Any, stop: Event) -> None:
    codec = Codec()
    writer, rng = Writer(codec, f"{seed}/{number}"), random.Random(f"{seed}/{number}/batches")
    while not stop.is_set():
        stage = current_stage.value
        length = stages[stage].draw(rng)
        rows = [writer.row(length) for _ in range(max(1, stages[stage].tokens // length))]
        made = pack(rows, length, codec.fields, rng, stages[stage].stretch)
        while not stop.is_set():
            try:
                out.put((stage, made), timeout=0.5)
                break
            except queue.Full:
                if current_stage.value != stage:
                    break  # the stage has changed, so the batch is obsolete


class Feed:
    """Pool of processes that make batches of the current stage."""

    def __init__(
        self, stages: Sequence[Stage], seed: str, processes: int, method: Literal["fork", "spawn"] = "fork"
    ) -> None:
        """Start the processes. Fork them before any threads run and before the GPU is initialized."""
        context: Any = multiprocessing.get_context(method)
        self._at, self._stop = context.Value("i", 0), context.Event()
        self._queue = context.Queue(maxsize=max(2, min(32, processes * _AHEAD)))
        self._processes = [
            context.Process(target=_work, args=(k, seed, stages, self._at, self._queue, self._stop), daemon=True)
            for k in range(processes)
        ]
        for process in self._processes:
            process.start()

    def go_to(self, stage: int) -> None:
        self._at.value = stage

    def next(self) -> Batch:
        """Return the next batch of the current stage."""
        while True:
            stage, batch = self._queue.get(timeout=_WAIT)
            if stage == self._at.value:
                found: Batch = batch
                return found

    def close(self) -> None:
        self._stop.set()
        while True:
            try:
                self._queue.get(timeout=0.1)
            except queue.Empty:
                break
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()
