"""Exact match on held-out prompts as `kveval run` sends them, with seeds that are not used in training.

    python -m probe.evaluate --prompts FILE --checkpoint FOLDER        (in one pass, as in training)
    python -m probe.evaluate --prompts FILE --exported FOLDER --greedy (token by token, with transformers)

A greedy answer equals the right one exactly if each right id is the most likely one after the right ids before it. So one
forward pass over prompt and answer, including the end token, is enough to decide.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from probe import checkpoint
from probe.model import Probe, Steps


@dataclass(frozen=True)
class Prompt:
    task: str
    length: int
    kind: str
    ids: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    answer: tuple[int, ...]
    """Ids of the answer, including the end token."""


@dataclass(frozen=True)
class Outcome:
    prompt: Prompt
    exact: bool
    right: int
    """Number of right ids in the answer."""
    margin: float
    """Smallest difference in log-probability between a right id and the best other id; negative if an id is wrong."""


def load_prompts(path: Path) -> list[Prompt]:
    with np.load(path) as stored:
        ids, answers = stored["ids"].astype(np.int64), stored["answers"].astype(np.int64)
        found = []
        for task, length, kind, (start, end), (first, last) in zip(
            stored["tasks"], stored["lengths"], stored["kinds"], stored["spans"], stored["answer_spans"], strict=True
        ):
            answer = tuple(answers[first:last].tolist())
            found.append(Prompt(str(task), int(length), str(kind), ids[start:end], answer))
    return found


@torch.no_grad()
def judge(probe: Probe, prompt: Prompt, device: str) -> Outcome:
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    answer = torch.tensor(prompt.answer, device=device)
    whole = torch.cat([torch.from_numpy(prompt.ids).to(device), answer[:-1]])[None]
    positions = torch.arange(whole.shape[1], device=device)[None]
    state = probe.states(whole, positions, dtype)[-1][-len(answer) :]
    scores = probe.logits(state).float().log_softmax(-1)
    right = scores.gather(1, answer[:, None])[:, 0]
    others = scores.scatter(1, answer[:, None], -torch.inf).amax(-1)
    lead = right - others
    return Outcome(prompt, bool((lead > 0).all()), int((lead > 0).sum()), float(lead.min()))


def evaluate(
    probe: Probe, prompts: Sequence[Prompt], device: str, seconds_left: Callable[[], float] = lambda: 1e9
) -> list[Outcome]:
    """Evaluate as many prompts as time permits, with lengths and tasks in turn."""
    steps, probe.steps = probe.steps, Steps()
    torch.backends.cuda.enable_flash_sdp(True)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it makes a new plan for every length
    by_length: dict[tuple[int, str], list[Prompt]] = defaultdict(list)
    for prompt in prompts:
        by_length[prompt.length, prompt.task].append(prompt)
    outcomes = []
    for turn in range(max(map(len, by_length.values()), default=0)):
        for key in sorted(by_length):
            if turn < len(by_length[key]) and seconds_left() > 4:
                outcomes += [judge(probe, by_length[key][turn], device)]
    probe.steps = steps
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    """Format exact match and right tokens by length and task, then exact match by kind of question."""
    if not outcomes:
        return "no time left for the evaluation"
    tasks = sorted({outcome.prompt.task for outcome in outcomes})
    lines = ["length  " + "  ".join(f"{task:>24}" for task in tasks)]
    for length in sorted({outcome.prompt.length for outcome in outcomes}):
        cells = []
        for task in tasks:
            cell = [one for one in outcomes if one.prompt.length == length and one.prompt.task == task]
            exact = sum(one.exact for one in cell)
            ids = sum(one.right for one in cell) / max(1, sum(len(one.prompt.answer) for one in cell))
            cells.append(f"{f'{exact} of {len(cell)} ({ids:.3f} of ids)':>24}")
        lines.append(f"{length:>6}  " + "  ".join(cells))
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one in outcomes:
        kinds[f"{one.prompt.task} {one.prompt.kind}"].append(one.exact)
    lines += [", ".join(f"{kind} {sum(found)} of {len(found)}" for kind, found in sorted(kinds.items()))]
    return "\n".join(lines)


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Format outcomes as JSON Lines."""
    lines = [
        {
            "task": one.prompt.task,
            "length": one.prompt.length,
            "kind": one.prompt.kind,
            "exact": one.exact,
            "right": one.right,
            "of": len(one.prompt.answer),
            "margin": round(one.margin, 3),
        }
        for one in outcomes
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


@torch.no_grad()
def judge_greedily(model: torch.nn.Module, prompt: Prompt, device: str) -> Outcome:
    """Evaluate one prompt by greedy generation, token by token."""
    ids = torch.from_numpy(prompt.ids).to(device)[None]
    written = model.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=len(prompt.answer), do_sample=False
    )[0, ids.shape[1] :].tolist()
    right = sum(a == b for a, b in zip(written, prompt.answer, strict=False))
    return Outcome(prompt, tuple(written) == prompt.answer, right, float("nan"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--exported", type=Path, help="folder of a checkpoint in the format of transformers")
    parser.add_argument("--greedy", action="store_true", help="generate answers token by token, with --exported")
    parser.add_argument("--lengths", type=lambda text: set(map(int, text.split(","))))
    parser.add_argument("--out", type=Path, help="file for all outcomes, as JSON Lines")
    parser.add_argument("--most", type=int, help="maximum prompts of each task and length")
    parser.add_argument("--minutes", type=float, default=9.0)
    options = parser.parse_args()
    started = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    prompts = [
        prompt for prompt in load_prompts(options.prompts) if not options.lengths or prompt.length in options.lengths
    ]
    if options.most:
        counts: dict[tuple[str, int], int] = defaultdict(int)
        chosen = []
        for prompt in prompts:
            counts[prompt.task, prompt.length] += 1
            if counts[prompt.task, prompt.length] <= options.most:
                chosen.append(prompt)
        prompts = chosen
    if options.checkpoint:
        probe = checkpoint.load(options.checkpoint)[0].to(device)
        left: Callable[[], float] = lambda: options.minutes * 60 - (time.monotonic() - started)  # noqa: E731
        outcomes = evaluate(probe, prompts, device, left)
    else:
        from transformers import AutoModelForCausalLM

        dtype = torch.bfloat16 if device == "cuda" else torch.float32
        model = AutoModelForCausalLM.from_pretrained(options.exported, dtype=dtype).to(device).eval()
        outcomes = [judge_greedily(model, prompt, device) for prompt in prompts]
    if options.out:
        options.out.write_text(as_json(outcomes), encoding="utf-8")
    print(table(outcomes))
    print(f"{len(outcomes)} prompts in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
