"""Train the probe on one GPU.

    python -m probe.train --out OUT --minutes 9
    python -m probe.train --out OUT --minutes 9 --resume FOLDER
    python -m probe.train --out OUT --smoke

Lengths grow from 512 to 65,536 tokens; a stage ends when the answers of all tasks are right, or at its share of the time.
`OUT` gets `checkpoint/` (again and again; `probe.checkpoint` makes a model of it), `curve.jsonl` and `outcomes.jsonl`. Where
there is no GPU everything runs on the CPU, slowly.
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
"""Of the time, at most, for each length; what a stage leaves goes to those after it."""
TASK_WEIGHTS = {Task.EVIDENCE: 1.0, Task.COPY: 1.0, Task.MULTIHOP: 1.5, Task.ONE_FACT: 0.5}
"""`--copy-weight` gives copy another: of a long answer one wrong token is a small loss and a lost answer."""
ASKED = (Task.EVIDENCE, Task.COPY, Task.MULTIHOP)
BETAS = (0.9, 0.95)
DECAY = 0.01
WARM_UP = 100
FLOOR = 0.03
LOOK = 25
"""Steps between lines of the curve."""
SAVE_SECONDS = 60
TOLD = (
    *(f"exact {task.name.lower()}" for task in Task),
    *(f"loss {task.name.lower()}" for task in Task),
    "loss readouts",
    *(f"found {one.name.lower()}" for one in Field),
)
"""What a step tells."""


@dataclass(frozen=True)
class Settings:
    minutes: float
    rate: float = 2e-3
    embedding_rate: float = 4e-3
    enough: float = 0.985
    """Share of right answers of the worst task that ends a stage."""
    least_steps: int = 60
    copy_weight: float = TASK_WEIGHTS[Task.COPY]
    decay_from: float = 0.7
    """The share of the time after which the learning rate falls, straight to `FLOOR` of it."""
    short_tokens: int = 65_536
    long_tokens: int = 131_072
    processes: int = 14
    seed: str = "probe"
    lengths: tuple[int, ...] = LENGTHS
    evaluate_seconds: float = 40.0
    """Kept free at the end, to evaluate and write."""

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
class Seen:
    """Moving averages of a stage, on the device: nothing waits for them until they are looked at."""

    values: Tensor | None = None
    steps: int = 0

    def add(self, values: Tensor) -> None:
        if self.values is None:
            self.values = values
        mixed = torch.where(self.values.isnan(), values, self.values * 0.9 + values * 0.1)
        self.values = torch.where(values.isnan(), self.values, mixed)
        self.steps += 1

    def told(self) -> dict[str, float]:
        """By the names of `TOLD`, without what never came up."""
        values = [] if self.values is None else self.values.tolist()
        return {name: value for name, value in zip(TOLD, values, strict=False) if not math.isnan(value)}


def worst(told: dict[str, float]) -> float:
    """The share of right answers of the task with fewest."""
    return min(told.get(f"exact {task.name.lower()}", 0.0) for task in ASKED)


def by_question(right: Tensor, asked: Tensor, questions: int) -> Tensor:
    """[questions] whether all ids of an answer are right."""
    wrong = torch.zeros(questions, device=right.device)
    wrong.index_add_(0, asked, (~right).float())
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
        """The loss, and what `TOLD` names."""
        keep = sorted(set(LAYER.values())) if readout_weight else []
        states = self.probe.states(batch.ids, batch.positions, self.dtype, keep)
        logits = self.probe.logits(states[-1][batch.answers]).float()
        each = functional.cross_entropy(logits, batch.targets, reduction="none") * batch.weights
        right = by_question(logits.argmax(-1) == batch.targets, batch.asked, len(batch.tasks)).float()
        of_task = batch.tasks[batch.asked]
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
        told = torch.stack([*exact, *means, extra])
        return loss + readout_weight * extra, torch.cat([told, found]).detach()

    def step(self, batch: Batch, scale: float, readout_weight: float) -> Tensor:
        """One step of training; what `losses` tells."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["full"] * scale
        loss, told = self.losses(batch, readout_weight)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.own, 1.0)
        self.optimizer.step()
        return told


def pick_attention(length: int = 32768) -> dict[str, float]:
    """Choose the faster of the two fused attentions; milliseconds of each, forward and backward."""
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
            begun = time.perf_counter()
            for _ in range(3):
                once()
            torch.cuda.synchronize()
            times[name] = (time.perf_counter() - begun) / 3 * 1e3
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
        start.begin(probe, readouts, codec)
    if compiled:
        probe.steps = Steps.compiled()
    return Trainer(probe.to(device), readouts.to(device), settings, device), state


class Curve:
    """A file of JSON lines, and what is printed."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")

    def write(self, **values: Any) -> None:
        self._file.write(json.dumps(values) + "\n")
        self._file.flush()


def train(trainer: Trainer, feed: Feed, out: Path, state: dict[str, Any], begun: float) -> dict[str, Any]:
    """Run all stages within the time; returns the state that a checkpoint holds."""
    settings, stages = trainer.settings, trainer.settings.stages
    curve = Curve(out / "curve.jsonl")
    end = begun + settings.minutes * 60 - settings.evaluate_seconds
    total = end - time.monotonic()
    opened = time.monotonic()
    step, tokens, saved = 0, state.get("tokens", 0), time.monotonic()
    first = min(state.get("stage", 0), len(stages) - 1)
    for number in range(first, len(stages)):
        stage, last = stages[number], number == len(stages) - 1
        feed.go_to(number)
        remaining = SHARES[-len(stages) :][number:] if len(stages) <= len(SHARES) else (1.0,)
        limit = time.monotonic() + (end - time.monotonic()) * remaining[0] / sum(remaining)
        seen, entered, why = Seen(), time.monotonic(), "time"
        while (now := time.monotonic()) < (end if last else limit):
            spent = (now - opened) / total
            scale = min(1.0, (step + 1) / WARM_UP)
            if spent > settings.decay_from:
                scale *= max(FLOOR, (1 - spent) / (1 - settings.decay_from))
            batch = feed.next().to(trainer.device)
            told = trainer.step(batch, scale, settings.readout_weight(stage.length))
            step += 1
            tokens += batch.ids.numel()
            if batch.length == stage.length:
                seen.add(told)
            if step % LOOK == 0:
                values = seen.told()
                seconds = round(time.monotonic() - begun, 1)
                curve.write(
                    seconds=seconds, length=stage.length, step=step, tokens=tokens, scale=round(scale, 3),
                    **{name: round(value, 4) for name, value in values.items()},
                )  # fmt: skip
                if step % (4 * LOOK) == 0:
                    print(
                        f"{seconds:.0f}s {stage.length} step {step} {tokens / 1e6:.1f}M x{scale:.2f} {_short(values)}",
                        flush=True,
                    )
                if not last and seen.steps >= settings.least_steps and worst(values) >= settings.enough:
                    why = "passed"
                    break
            if now - saved > SAVE_SECONDS:
                checkpoint.save(
                    out / "checkpoint", trainer.probe, trainer.readouts, {"stage": number, "tokens": tokens}
                )
                saved = now
        print(
            f"STAGE {stage.length} ended ({why}) at {time.monotonic() - begun:.0f}s after "
            f"{time.monotonic() - entered:.0f}s, step {step}, {tokens / 1e6:.1f}M tokens {_short(seen.told())}",
            flush=True,
        )
        state = {"stage": number, "tokens": tokens}
    return state


def _short(told: dict[str, float]) -> str:
    """Shares of right answers, losses, and readouts, in one line."""
    parts: dict[str, list[str]] = {"exact": [], "loss": [], "found": []}
    for name, value in told.items():
        what, _, rest = name.partition(" ")
        parts[what].append(f"{rest} {value:.3f}" if what != "found" else f"{value:.2f}")
    return " | ".join(f"{what} {' '.join(values)}" for what, values in parts.items())


def smoke(trainer: Trainer, feed: Feed, seconds: float) -> Iterator[str]:
    """For each length how fast batches come, how long a step takes, what memory it needs, and whether the loss falls."""
    stages = trainer.settings.stages
    cuda = trainer.device == "cuda"
    yield f"{'length':>7} {'rows':>5} {'wait ms':>8} {'step ms':>8} {'M tok/s':>8} {'GiB':>6} {'first loss':>11} {'last':>7}"
    for number, stage in enumerate(stages):
        feed.go_to(number)
        begun = time.monotonic()
        waits, steps, losses, rows = list[float](), list[float](), list[float](), 0
        while len(steps) < 3 or time.monotonic() - begun < seconds / len(stages):
            at = time.monotonic()
            batch = feed.next().to(trainer.device)
            got = time.monotonic()
            told = trainer.step(batch, min(1.0, (len(steps) + 1) / 20) * 0.5, 1.0)
            if cuda:
                torch.cuda.synchronize()
            if batch.length == stage.length:
                waits.append(got - at)
                steps.append(time.monotonic() - got)
                losses.append(float(told[len(Task) : 2 * len(Task)].sum()))
                rows = len(batch.ids)
        each = sorted(steps)[len(steps) // 2]
        wait = sorted(waits)[len(waits) // 2]
        memory = torch.cuda.max_memory_allocated() / 2**30 if cuda else math.nan
        yield (
            f"{stage.length:>7} {rows:>5} {wait * 1e3:>8.1f} {each * 1e3:>8.1f} {rows * stage.length / each / 1e6:>8.2f} "
            f"{memory:>6.1f} {losses[0]:>11.3f} {sum(losses[-3:]) / 3:>7.3f}"
        )


def feed_rate(feed: Feed, stages: list[Stage], seconds: float) -> Iterator[str]:
    """How many tokens a second the processes make at each length, when nobody else waits."""
    for number in (0, len(stages) // 2, len(stages) - 1):
        feed.go_to(number)
        feed.next()
        begun, tokens = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            tokens += feed.next().ids.size
        yield f"feed {stages[number].length}: {tokens / (time.monotonic() - begun) / 1e6:.2f} M tokens/s"


def main() -> None:
    begun = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--smoke", action="store_true", help="a minute of each length in turn, to see speed and memory")
    parser.add_argument("--prompts", type=Path, help="held-out prompts, to evaluate on at the end")
    parser.add_argument("--processes", type=int, default=max(1, min(14, (os.cpu_count() or 2) - 2)))
    parser.add_argument("--lengths", type=lambda text: tuple(map(int, text.split(","))), default=LENGTHS)
    parser.add_argument("--short-tokens", type=int, default=65_536)
    parser.add_argument("--long-tokens", type=int, default=131_072)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument(
        "--copy-weight", type=float, default=TASK_WEIGHTS[Task.COPY], help="of its loss, beside the others'"
    )
    parser.add_argument("--decay-from", type=float, default=0.7, help="1: the learning rate does not fall")
    parser.add_argument("--enough", type=float, default=0.985, help="share of right answers that ends a stage")
    parser.add_argument("--stage", type=int, help="begin with this stage instead of the checkpoint's")
    parser.add_argument("--seed", default="probe")
    parser.add_argument("--plain", action="store_true", help="do not compile")
    given = parser.parse_args()
    settings = Settings(
        minutes=given.minutes, rate=given.rate, embedding_rate=2 * given.rate, processes=given.processes,
        short_tokens=given.short_tokens, long_tokens=given.long_tokens, lengths=given.lengths,
        decay_from=given.decay_from, enough=given.enough, copy_weight=given.copy_weight,
    )  # fmt: skip
    settings = replace(settings, seed=f"{given.seed}/{checkpoint.state_of(given.resume).get('tokens', 0)}")
    feed = Feed(settings.stages, settings.seed, settings.processes)
    with contextlib.closing(feed):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(0)
        torch.set_float32_matmul_precision("high")
        trainer, state = build(settings, given.resume, device, compiled=device == "cuda" and not given.plain)
        if given.stage is not None:
            state["stage"] = given.stage
        own = sum(p.numel() for p in trainer.probe.parameters())
        print(
            f"{device}, {own / 1e6:.2f}M parameters, readouts {trainer.readouts.weights.numel() / 1e6:.1f}M", flush=True
        )
        if device == "cuda":
            print("attention, ms:", {name: round(value, 1) for name, value in pick_attention().items()}, flush=True)
        if given.smoke:
            for line in feed_rate(feed, settings.stages, 2.0):
                print(line, flush=True)
            for line in smoke(trainer, feed, 40.0):
                print(line, flush=True)
            checkpoint.save(given.out / "checkpoint", trainer.probe, trainer.readouts, {"stage": 0, "tokens": 0})
            print(f"smoke took {time.monotonic() - begun:.0f} s", flush=True)
            return
        state = train(trainer, feed, given.out, state, begun)
    checkpoint.save(given.out / "checkpoint", trainer.probe, trainer.readouts, state)
    if given.prompts:
        left: Callable[[], float] = lambda: begun + given.minutes * 60 - time.monotonic()  # noqa: E731
        outcomes = evaluate(trainer.probe, load_prompts(given.prompts), device, left)
        (given.out / "outcomes.jsonl").write_text(as_json(outcomes), encoding="utf-8")
        print(table(outcomes), flush=True)
    print(f"done after {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
