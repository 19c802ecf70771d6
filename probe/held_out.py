"""Write held-out prompts to a file, for evaluation on a machine without kveval's dependencies.

python -m probe.held_out --out FILE --lengths 2048,4096 --samples 32 --seed 0
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer

from kveval.prompts.samples import build_all
from kveval.tasks import load_tasks
from probe.codec import FOLDER
from probe.tokenizer import END_ID

TASKS = ("evidence", "copy", "multihop")


def write(path: Path, lengths: tuple[int, ...], samples: int, seed: int) -> int:
    """Store prompts and answers of the built-in English tasks, and return their number."""
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    ids: list[int] = []
    answers: list[int] = []
    columns: dict[str, list[object]] = {name: [] for name in ("tasks", "lengths", "kinds", "spans", "answer_spans")}
    for length in lengths:
        for sample in build_all(load_tasks(TASKS), length, tokenizer, samples=samples, seed=seed):
            answer = [*tokenizer(sample.gold[0], add_special_tokens=False).input_ids, END_ID]
            columns["tasks"].append(sample.task)
            columns["lengths"].append(length)
            columns["kinds"].append(sample.kind)
            columns["spans"].append((len(ids), len(ids) + len(sample.prompt_token_ids)))
            columns["answer_spans"].append((len(answers), len(answers) + len(answer)))
            ids += sample.prompt_token_ids
            answers += answer
    path.parent.mkdir(parents=True, exist_ok=True)
    stored: Any = {name: np.array(values) for name, values in columns.items()}
    np.savez_compressed(path, ids=np.array(ids, np.uint16), answers=np.array(answers, np.uint16), **stored)
    return len(columns["tasks"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--lengths",
        type=lambda text: tuple(map(int, text.split(","))),
        default=(2048, 4096, 8192, 16384, 32768, 65536),
    )
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(write(options.out, options.lengths, options.samples, options.seed), "prompts")


if __name__ == "__main__":
    main()
