"""Generation speed of kveval and of lm-eval's RULER generator, as a Markdown table.

    python benchmarks/generation_speed.py --lm-eval FOLDER         some minutes on two cores

FOLDER is outside the repository. Fill it with this command; the environment must also have `datasets`:

    pip install --no-deps --target FOLDER lm-eval==0.4.13 nltk wonderwords sacrebleu portalocker tabulate colorama lxml

Both generators use the tokenizer of SmolLM2 and make the same number of documents. kveval asks eight questions about each
(tasks evidence and copy), RULER one. Each measurement runs in a separate process; the generators alternate, and the table
shows medians over the rounds. One-time work of a process is not timed: imports, loading the tokenizer, and expanding the
grammar of kveval's prose (0.35 s). kveval's checks are timed.

RULER's generator is called as its tasks call it. The three tasks here need no download: niah_single_1 repeats five sentences,
niah_multikey_2 and niah_multikey_3 repeat needles. The others read essays from the Hugging Face hub.

Tokens are those of prompts. A document that several prompts share counts once, with its longest prompt; in RULER every
sample has its own document. RULER measures its prompts without a chat template.
"""

import argparse
import importlib
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from statistics import median
from time import perf_counter

from kveval.models import smollm2
from kveval.models.tokenizer import Tokenizer, load_tokenizer
from kveval.prompts.samples import Sample, build_all
from kveval.tasks import load_task

LENGTHS = (8_192, 32_768)
HEADER = "| generator | length | samples/s | M tokens/s | tokens short of the length | kveval ÷ it, samples | tokens |"
NEEDED = ("lm_eval", "nltk", "wonderwords", "sacrebleu", "portalocker", "tabulate", "colorama", "lxml", "datasets")
RULER_ANSWER = 128
"""Tokens that RULER reserves for an answer: the default of `tokens_to_generate`, which its tasks use."""

RULER_TASKS = {
    "niah_single_1": {"type_haystack": "repeat", "type_needle_k": "words", "type_needle_v": "numbers"},
    "niah_multikey_2": {"type_haystack": "needle", "type_needle_k": "words", "type_needle_v": "numbers"},
    "niah_multikey_3": {"type_haystack": "needle", "type_needle_k": "uuids", "type_needle_v": "uuids"},
}


@dataclass(frozen=True)
class Timing:
    seconds: float
    samples: int
    tokens: int
    """Tokens of all documents, each counted once."""
    short: tuple[int, int]
    """Minimum and maximum of the length minus prompt and answer budget, in tokens."""


def build(length: int, tokenizer: Tokenizer, documents: int, seed: int = 0) -> list[Sample]:
    """Build the samples of two tasks that share their documents."""
    tasks = [load_task("evidence"), load_task("copy")]
    return build_all(tasks, length, tokenizer, samples=documents * tasks[0].documents.questions, seed=seed)


def time_kveval(length: int, tokenizer: Tokenizer, documents: int) -> Timing:
    build(length, tokenizer, 1, seed=1)
    start = perf_counter()
    built = build(length, tokenizer, documents)
    seconds = perf_counter() - start
    longest: dict[str, int] = {}
    for each in built:
        longest[each.document_id] = max(len(each.prompt_token_ids), longest.get(each.document_id, 0))
    short = [length - len(each.prompt_token_ids) - each.max_answer_tokens for each in built]
    return Timing(seconds, len(built), sum(longest.values()), (min(short), max(short)))


def time_ruler(task: str, length: int, tokenizer: Tokenizer, documents: int) -> Timing:
    os.environ["LOCAL_RANK"] = "1"  # prevents a download of nltk data on import, which only the essays need
    niah = importlib.import_module("lm_eval.tasks.ruler.niah_utils")
    kinds = RULER_TASKS[task]
    random.seed(0)
    start = perf_counter()
    made = niah.generate_samples(
        niah.get_haystack(type_haystack=kinds["type_haystack"]),
        max_seq_length=length,
        template=niah.TEMPLATE,
        num_samples=documents,
        TOKENIZER=tokenizer,
        **kinds,
    )
    seconds = perf_counter() - start
    prompts = [len(tokenizer(each["input"]).input_ids) for each in made]
    short = [length - tokens - RULER_ANSWER for tokens in prompts]
    return Timing(seconds, len(made), sum(prompts), (min(short), max(short)))


def time_in_process(generator: str, length: int, arguments: Sequence[str]) -> Timing:
    command = [sys.executable, __file__, *arguments, "--only", generator, "--lengths", str(length)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{generator} at {length:,} tokens failed:\n{done.stderr}")
    return Timing(**json.loads(done.stdout.splitlines()[-1]))


def print_table(lengths: Sequence[int], rounds: int, arguments: Sequence[str]) -> None:
    print(f"lm-eval {version('lm-eval')}, {os.cpu_count()} CPU cores, {rounds} rounds,", end=" ")
    print(f"TOKENIZERS_PARALLELISM {os.environ.get('TOKENIZERS_PARALLELISM', 'not set')}\n")
    print(HEADER, "|" + " --- |" * 7, sep="\n")
    for length in lengths:
        names = ("kveval", *RULER_TASKS)
        turns = [{name: time_in_process(name, length, arguments) for name in names} for _ in range(rounds)]
        speeds = {}
        for name in names:
            timing, seconds = turns[0][name], median(turn[name].seconds for turn in turns)
            samples, tokens = speeds[name] = timing.samples / seconds, timing.tokens / seconds / 1e6
            ratios = f"× {speeds['kveval'][0] / samples:.2f} | × {speeds['kveval'][1] / tokens:.2f}"
            short = " to ".join(f"{tokens:,}" for tokens in timing.short)
            print(f"| {name} | {length:,} | {samples:.1f} | {tokens:.3f} | {short} | {ratios} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="The speed of kveval's and RULER's generators, as a Markdown table.")
    parser.add_argument(
        "--lm-eval", metavar="FOLDER", help="folder in which pip installed lm-eval (default: Python's path)"
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="tokens (default 8192 32768)")
    parser.add_argument("--documents", type=int, default=400, help="documents per generator (default 400)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements per generator (default 3)")
    parser.add_argument("--only", choices=("kveval", *RULER_TASKS), help="measure one generator once and print JSON")
    options = parser.parse_args()
    sys.path += [options.lm_eval] if options.lm_eval else []
    if missing := [name for name in NEEDED if not importlib.util.find_spec(name)]:
        raise SystemExit(
            f"{', '.join(missing)} not found: install as described in {__file__} and use --lm-eval FOLDER."
        )
    if options.only:
        tokenizer = load_tokenizer(str(smollm2.ensure()))
        tokenizer(["The first call", "is slower."])
        if options.only == "kveval":
            timing = time_kveval(options.lengths[0], tokenizer, options.documents)
        else:
            timing = time_ruler(options.only, options.lengths[0], tokenizer, options.documents)
        print(json.dumps(asdict(timing)))
    else:
        folder = ["--lm-eval", options.lm_eval] if options.lm_eval else []
        print_table(options.lengths, options.rounds, [*folder, "--documents", str(options.documents)])


if __name__ == "__main__":
    main()
