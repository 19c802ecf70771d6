"""Train the probe on one GPU.

    python -m probe.train --out OUT --minutes 9
    python -m probe.train --out OUT --minutes 9 --resume FOLDER
    python -m probe.train --out OUT --smoke

Lengths grow from 512 to 65,536 tokens. A stage ends when enough answers of all tasks are right, or at its share of the time.
Training writes `checkpoint/` (repeatedly; export it with `probe.checkpoint`), `curve.jsonl` and `outcomes.jsonl` to OUT.
Without a GPU everything runs on the CPU, slowly.
"""

import argparse
import contextlib
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe import checkpoint, start
from probe.codec import Codec
from probe.evaluate import as_json, evaluate, load_prompts, table
from probe.feed import Batch, Feed, Stage
from probe.labels import LAYER, Field
from probe.model import HEAD, Config, Probe, Readouts, Steps
from probe.rows import Task

LENGTHS = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
SHARES = (0.22, 0.14, 0.10, 0.10, 0.08, 0.10, 0.12, 0.14)
"""Maximum share of the time for each length; later stages get the time that a stage does not use."""
TASK_WEIGHTS = {Task.EVIDENCE: 1.0, Task.COPY: 1.0, Task.MULTIHOP: 1.5, Task.ONE_FACT: 0.5}
"""Weights of the tasks in the loss. `--copy-weight` changes that of copy, since one wrong token of a long answer adds little
loss but makes the answer wrong."""
EVALUATED = (Task.EVIDENCE, Task.COPY, Task.MULTIHOP)
BETAS = (0.9, 0.95)
DECAY = 0.01
WARM_UP = 100
FLOOR = 0.03
LOG_STEPS = 25
"""Number of steps between lines of the curve."""
SAVE_SECONDS = 60
METRICS = (
    *(f"exact {task.name.lower()}" for task in Task),
    *(f"loss {task.name.lower()}" for task in Task),
    "loss readouts",
    *(f"found {one.name.lower()}" for one in Field),
)
"""Names of the metrics of a step."""


@dataclass(frozen=True)
class Settings:
    minutes: float
    rate: float = 2e-3
    embedding_rate: float = 4e-3
    enough: float = 0.985
    """Accuracy of the worst task at which a stage ends."""
    least_steps: int = 60
    copy_weight: float = TASK_WEIGHTS[Task.COPY]
    decay_from: float = 0.7
    """Share of the time after which the learning rate falls linearly to `FLOOR` times its value."""
    short_tokens: int = 65_536
    long_tokens: int = 131_072
    processes: int = 14
    seed: str = "probe"
    lengths: tuple[int, ...] = LENGTHS
    evaluate_seconds: float = 40.0
    """Time reserved at the end for evaluation and writing."""

    def readout_weight(self, length: int) -> float:
        return 3.0 if length <= 2048 else 1.0 if length <= 8192 else 0.3

    @property
    def stages(self) -> list[Stage]:
        found = []
        for k, length in enumerate(self.lengths):
            tokens = max(length, self.short_tokens if length <= 1024 else self.long_tokens)
            stretch = 0.0 if length <= 512 else 0.5
            shorter = self.lengths[max(0, k - 6) : k] if length >= 4096 else ()
            found.append(Stage(length, tokens, shorter, 0.35, stretch))
        return found


@dataclass
class Averages:
    """Moving averages of a stage's metrics, kept on the device so that steps need not wait for them."""

    values: Tensor | None = None
    steps: int = 0

    def add(self, values: Tensor) -> None:
        if self.values is None:
            self.values = values
        mixed = torch.where(self.values.isnan(), values, self.values * 0.9 + values * 0.1)
        self.values = torch.where(values.isnan(), self.values, mixed)
        self.steps += 1

    def by_name(self) -> dict[str, float]:
        """Return the averages by the names in `METRICS`, without those that never had a value."""
        values = [] if self.values is None else self.values.tolist()
        return {name: value for name, value in zip(METRICS, values, strict=False) if not math.isnan(value)}


def worst(metrics: dict[str, float]) -> float:
    """Return the lowest accuracy of the evaluated tasks."""
    return min(metrics.get(f"exact {task.name.lower()}", 0.0) for task in EVALUATED)


def by_question(right: Tensor, question_of: Tensor, questions: int) -> Tensor:
    """Return, for each question, whether all ids of its answer are right: [questions]."""
    wrong = torch.zeros(questions, device=right.device)
    wrong.index_add_(0, question_of, (~right).float())
    return wrong == 0


@dataclass
class Trainer:
    probe: Probe
    readouts: Readouts
    settings: Settings
    device: str

    def __post_init__(self) -> None:
        self.dtype = torch.bfloat16 if self.device == "cuda" else torch.float32
        model, head = self.probe.model, self.probe.lm_head
        matrices = [p for p in model.layers.parameters() if p.dim() == 2]
        norms = [p for p in model.parameters() if p.dim() == 1]
        rates = self.settings.rate, self.settings.embedding_rate
        self.groups: list[dict[str, Any]] = [
            {"params": [model.embed_tokens.weight], "weight_decay": 0.0, "full": rates[1]},
            {"params": [head.weight, *norms], "weight_decay": 0.0, "full": rates[0]},
            {"params": [self.readouts.weights], "weight_decay": 0.0, "full": rates[0]},
            {"params": matrices, "weight_decay": DECAY, "full": rates[0]},
        ]
        self.optimizer = torch.optim.AdamW(self.groups, lr=1e-3, betas=BETAS, fused=self.device == "cuda")
        self.weights = TASK_WEIGHTS | {Task.COPY: self.settings.copy_weight}
        self.own = [p for group in self.groups[:2] + self.groups[3:] for p in group["params"]]

    def losses(self, batch: Batch, readout_weight: float) -> tuple[Tensor, Tensor]:
        """Return the loss and the metrics in `METRICS`."""
        keep = sorted(set(LAYER.values())) if readout_weight else []
        states = self.probe.states(batch.ids, batch.positions, self.dtype, keep)
        logits = self.probe.logits(states[-1][batch.answers]).float()
        each = functional.cross_entropy(logits, batch.targets, reduction="none") * batch.weights
        right = by_question(logits.argmax(-1) == batch.targets, batch.question_of, len(batch.tasks)).float()
        of_task = batch.tasks[batch.question_of]
        means, exact = [], []
        for task in Task:
            chosen = (batch.tasks == task).float()
            questions = chosen.sum()
            means.append((each * (of_task == task)).sum() / questions.clamp(min=1))
            exact.append((right * chosen).sum() / questions)
        loss = torch.stack([self.weights[task] * mean for task, mean in zip(Task, means, strict=True)]).sum()
        extra, found = loss.new_zeros(()), loss.new_full((len(Field),), math.nan)
        if readout_weight:
            extra, found = self.readouts.loss(dict(zip(keep, states, strict=False)), batch.labels, batch.bounds)
        metrics = torch.stack([*exact, *means, extra])
        return loss + readout_weight * extra, torch.cat([metrics, found]).detach()

    def step(self, batch: Batch, scale: float, readout_weight: float) -> Tensor:
        """Take one step of training and return its metrics."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["full"] * scale
        loss, metrics = self.losses(batch, readout_weight)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.own, 1.0)
        self.optimizer.step()
        return metrics


def pick_attention(length: int = 32768) -> dict[str, float]:
    """Choose the faster of two fused attention kernels. Returns the milliseconds of each, forward and backward."""
    from torch.backends.cuda import enable_cudnn_sdp, enable_flash_sdp, enable_math_sdp, enable_mem_efficient_sdp

    enable_mem_efficient_sdp(False)
    enable_math_sdp(False)
    times: dict[str, float] = {}
    for name in ("flash", "cudnn"):
        enable_flash_sdp(name == "flash")
        enable_cudnn_sdp(name == "cudnn")
        try:
            parts = [
                torch.randn(4, length, 4, HEAD, device="cuda", dtype=torch.bfloat16, requires_grad=True)
                for _ in range(3)
            ]

            def once(parts: list[Tensor] = parts) -> None:
                q, k, v = (part.transpose(1, 2) for part in parts)
                functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()

            once()
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(3):
                once()
            torch.cuda.synchronize()
            times[name] = (time.perf_counter() - started) / 3 * 1e3
        except RuntimeError as error:
            print(f"attention {name}: {str(error).splitlines()[0]}", flush=True)
    best = min(times, key=lambda name: times[name], default="")
    enable_flash_sdp(best != "cudnn")
    enable_cudnn_sdp(best == "cudnn")
    enable_mem_efficient_sdp(True)
    enable_math_sdp(True)
    return times


def build(settings: Settings, resume: Path | None, device: str, *, compiled: bool) -> tuple[Trainer, dict[str, Any]]:
    codec = Codec()
    if resume is not None:
        probe, weights, state = checkpoint.load(resume)
        readouts = Readouts(probe.config, len(codec.fields))
        readouts.load_state_dict(weights)
    else:
        probe, state = Probe(Config(vocabulary=codec.size)), {}
        readouts = Readouts(probe.config, len(codec.fields))
        start.initialize(probe, readouts, codec)
    if compiled:
        probe.steps = Steps.compiled()
    return Trainer(probe.to(device), readouts.to(device), settings, device), state


class Curve:
    """Writer of the training curve as JSON Lines."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")

    def write(self, **values: Any) -> None:
        self._file.write(json.dumps(values) + "\n")
        self._file.flush()


def train(trainer: Trainer, feed: Feed, out: Path, state: dict[str, Any], started: float) -> dict[str, Any]:
    """Run all stages within the time and return the state for the checkpoint."""
    settings, stages = trainer.settings, trainer.settings.stages
    curve = Curve(out / "curve.jsonl")
    end = started + settings.minutes * 60 - settings.evaluate_seconds
    total = end - time.monotonic()
    opened = time.monotonic()
    step, tokens, saved = 0, state.get("tokens", 0), time.monotonic()
    first = min(state.get("stage", 0), len(stages) - 1)
    for number in range(first, len(stages)):
        stage, last = stages[number], number == len(stages) - 1
        feed.go_to(number)
        remaining = SHARES[-len(stages) :][number:] if len(stages) <= len(SHARES) else (1.0,)
        limit = time.monotonic() + (end - time.monotonic()) * remaining[0] / sum(remaining)
        averages, entered, why = Averages(), time.monotonic(), "time"
        while (now := time.monotonic()) < (end if last else limit):
            spent = (now - opened) / total
            scale = min(1.0, (step + 1) / WARM_UP)
            if spent > settings.decay_from:
                scale *= max(FLOOR, (1 - spent) / (1 - settings.decay_from))
            batch = feed.next().to(trainer.device)
            metrics = trainer.step(batch, scale, settings.readout_weight(stage.length))
            step += 1
            tokens += batch.ids.numel()
            if batch.length == stage.length:
                averages.add(metrics)
            if step % LOG_STEPS == 0:
                values = averages.by_name()
                seconds = round(time.monotonic() - started, 1)
                curve.write(
                    seconds=seconds, length=stage.length, step=step, tokens=tokens, scale=round(scale, 3),
                    **{name: round(value, 4) for name, value in values.items()},
                )  # fmt: skip
                if step % (4 * LOG_STEPS) == 0:
                    print(
                        f"{seconds:.0f}s {stage.length} step {step} {tokens / 1e6:.1f}M x{scale:.2f} {_short(values)}",
                        flush=True,
                    )
                if not last and averages.steps >= settings.least_steps and worst(values) >= settings.enough:
                    why = "passed"
                    break
            if now - saved > SAVE_SECONDS:
                checkpoint.save(
                    out / "checkpoint", trainer.probe, trainer.readouts, {"stage": number, "tokens": tokens}
                )
                saved = now
        print(
            f"STAGE {stage.length} ended ({why}) at {time.monotonic() - started:.0f}s after "
            f"{time.monotonic() - entered:.0f}s, step {step}, {tokens / 1e6:.1f}M tokens {_short(averages.by_name())}",
            flush=True,
        )
        state = {"stage": number, "tokens": tokens}
    return state


def _short(metrics: dict[str, float]) -> str:
    """Format accuracy, losses and readouts on one line."""
    parts: dict[str, list[str]] = {"exact": [], "loss": [], "found": []}
    for name, value in metrics.items():
        what, _, rest = name.partition(" ")
        parts[what].append(f"{rest} {value:.3f}" if what != "found" else f"{value:.2f}")
    return " | ".join(f"{what} {' '.join(values)}" for what, values in parts.items())


def smoke(trainer: Trainer, feed: Feed, seconds: float) -> Iterator[str]:
    """Yield a table of the wait for batches, the duration of a step, the memory and the loss for each length."""
    stages = trainer.settings.stages
    cuda = trainer.device == "cuda"
    yield f"{'length':>7} {'rows':>5} {'wait ms':>8} {'step ms':>8} {'M tok/s':>8} {'GiB':>6} {'first loss':>11} {'last':>7}"
    for number, stage in enumerate(stages):
        feed.go_to(number)
        started = time.monotonic()
        waits, steps, losses, rows = list[float](), list[float](), list[float](), 0
        while len(steps) < 3 or time.monotonic() - started < seconds / len(stages):
            at = time.monotonic()
            batch = feed.next().to(trainer.device)
            got = time.monotonic()
            metrics = trainer.step(batch, min(1.0, (len(steps) + 1) / 20) * 0.5, 1.0)
            if cuda:
                torch.cuda.synchronize()
            if batch.length == stage.length:
                waits.append(got - at)
                steps.append(time.monotonic() - got)
                losses.append(float(metrics[len(Task) : 2 * len(Task)].sum()))
                rows = len(batch.ids)
        each = sorted(steps)[len(steps) // 2]
        wait = sorted(waits)[len(waits) // 2]
        memory = torch.cuda.max_memory_allocated() / 2**30 if cuda else math.nan
        yield (
            f"{stage.length:>7} {rows:>5} {wait * 1e3:>8.1f} {each * 1e3:>8.1f} {rows * stage.length / each / 1e6:>8.2f} "
            f"{memory:>6.1f} {losses[0]:>11.3f} {sum(losses[-3:]) / 3:>7.3f}"
        )


def feed_rate(feed: Feed, stages: list[Stage], seconds: float) -> Iterator[str]:
    """Yield the tokens per second that the processes make at three of the lengths, without training."""
    for number in (0, len(stages) // 2, len(stages) - 1):
        feed.go_to(number)
        feed.next()
        started, tokens = time.monotonic(), 0
        while time.monotonic() - started < seconds:
            tokens += feed.next().ids.size
        yield f"feed {stages[number].length}: {tokens / (time.monotonic() - started) / 1e6:.2f} M tokens/s"


def main() -> None:
    started = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--resume", type=Path)
    parser.add_argument(
        "--smoke", action="store_true", help="train briefly at each length, to measure speed and memory"
    )
    parser.add_argument("--prompts", type=Path, help="held-out prompts for the evaluation at the end")
    parser.add_argument("--processes", type=int, default=max(1, min(14, (os.cpu_count() or 2) - 2)))
    parser.add_argument("--lengths", type=lambda text: tuple(map(int, text.split(","))), default=LENGTHS)
    parser.add_argument("--short-tokens", type=int, default=65_536)
    parser.add_argument("--long-tokens", type=int, default=131_072)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--copy-weight", type=float, default=TASK_WEIGHTS[Task.COPY], help="weight of copy in the loss")
    parser.add_argument(
        "--decay-from", type=float, default=0.7, help="share of the time after which the learning rate falls; 1: never"
    )
    parser.add_argument("--enough", type=float, default=0.985, help="accuracy of the worst task at which a stage ends")
    parser.add_argument("--stage", type=int, help="start with this stage instead of the checkpoint's")
    parser.add_argument("--seed", default="probe")
    parser.add_argument("--plain", action="store_true", help="do not compile the model")
    options = parser.parse_args()
    settings = Settings(
        minutes=options.minutes, rate=options.rate, embedding_rate=2 * options.rate, processes=options.processes,
        short_tokens=options.short_tokens, long_tokens=options.long_tokens, lengths=options.lengths,
        decay_from=options.decay_from, enough=options.enough, copy_weight=options.copy_weight,
    )  # fmt: skip
    settings = replace(settings, seed=f"{options.seed}/{checkpoint.state_of(options.resume).get('tokens', 0)}")
    feed = Feed(settings.stages, settings.seed, settings.processes)
    with contextlib.closing(feed):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(0)
        torch.set_float32_matmul_precision("high")
        trainer, state = build(settings, options.resume, device, compiled=device == "cuda" and not options.plain)
        if options.stage is not None:
            state["stage"] = options.stage
        own = sum(p.numel() for p in trainer.probe.parameters())
        print(
            f"{device}, {own / 1e6:.2f}M parameters, readouts {trainer.readouts.weights.numel() / 1e6:.1f}M", flush=True
        )
        if device == "cuda":
            print("attention, ms:", {name: round(value, 1) for name, value in pick_attention().items()}, flush=True)
        if options.smoke:
            for line in feed_rate(feed, settings.stages, 2.0):
                print(line, flush=True)
            for line in smoke(trainer, feed, 40.0):
                print(line, flush=True)
            checkpoint.save(options.out / "checkpoint", trainer.probe, trainer.readouts, {"stage": 0, "tokens": 0})
            print(f"smoke took {time.monotonic() - started:.0f} s", flush=True)
            return
        state = train(trainer, feed, options.out, state, started)
    checkpoint.save(options.out / "checkpoint", trainer.probe, trainer.readouts, state)
    if options.prompts:
        left: Callable[[], float] = lambda: started + options.minutes * 60 - time.monotonic()  # noqa: E731
        outcomes = evaluate(trainer.probe, load_prompts(options.prompts), device, left)
        (options.out / "outcomes.jsonl").write_text(as_json(outcomes), encoding="utf-8")
        print(table(outcomes), flush=True)
    print(f"done after {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
