"""Checks everything that can be checked before the first engine of a throughput pass starts, and generates its requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kveval.config import RunConfig
from kveval.engine.inspection import ELSEWHERE, Inspection, Installed
from kveval.engine.progress import Progress
from kveval.engine.server import command_line
from kveval.errors import ModelError, UsageError
from kveval.models.checkpoint import Model, load_model
from kveval.models.tokenizer import load_tokenizer
from kveval.planning.kv_pool import Machine, plan_memory
from kveval.prompts.samples import Sample
from kveval.store.memory_record import Memory
from kveval.throughput.bench_config import BenchConfig
from kveval.throughput.period import Cell
from kveval.throughput.scenarios import Scenario, check_scenarios
from kveval.throughput.workload import Prompts, digest, make_rounds

BLOCK = 256
"""Tokens. Block sizes of vLLM's pools are 16 to 256."""


@dataclass(frozen=True)
class PreparedBench:
    """Everything that is known of a pass before its first engine starts."""

    config: BenchConfig
    model: Model
    cells: tuple[Cell, ...]
    prompts: Prompts
    vllm: Installed

    @property
    def max_model_len(self) -> int:
        return model_limit(self.scenarios, self.model)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(dict.fromkeys(cell.scenario for cell in self.cells))

    @property
    def memory(self) -> Memory:
        """KV bytes of the scenarios' sequences, at full length and in the middle of decoding."""
        lengths = {tokens for scenario in self.scenarios for tokens in (scenario.context, scenario.longest)}
        config = RunConfig(
            model=self.config.model,
            kv_dtypes=self.config.kv_dtypes,
            engine_args=self.config.engine_args,
            tasks=(),
            lengths=tuple(sorted(lengths)),
        )
        return plan_memory(config, self.model, Machine())

    @property
    def workload(self) -> str:
        """Hash of all requests and their due times."""
        return digest(each for cell in self.cells for each in cell.rounds)


def prepare_bench(config: BenchConfig, progress: Progress, samples: Sequence[Sample] = ()) -> PreparedBench:
    """Check a pass and generate its requests. `samples` are those of an accuracy run; their prompts are sent if the config's
    `prompts` is `accuracy`.

    Raises a KVEvalError for whatever cannot be run.
    """
    loads = config.asked_loads
    progress.stage("Loading the model's config")
    model = load_model(config)
    by_scenario = _documents(samples) if config.prompts == "accuracy" else dict.fromkeys(config.asked_scenarios, ())
    scenarios = tuple(by_scenario)
    if config.engine_arg("max-model-len") is None:
        check_scenarios(scenarios, model.max_length, model.name)
    limit = model_limit(scenarios, model)
    lines = [command_line(model.path, arm, limit, config.engine_args, "cpu") for arm in config.arms]
    inspection = None if config.endpoints else Inspection(lines)
    try:
        prompts = Prompts(vocabulary(config, model), {sample.id: sample.prompt_token_ids for sample in samples})
        progress.stage("Making requests")
        cells = []
        for scenario, mine in by_scenario.items():
            for load in loads:
                size = load.number(config.requests, config.seconds)
                if mine:
                    size = _documents_a_round(f"{scenario.name}/{load.name}", size, len(mine), config.rounds, progress)
                rounds = make_rounds(
                    scenario,
                    load,
                    rounds=config.rounds,
                    size=size,
                    arrivals=config.arrivals,
                    seed=config.seed,
                    prompts=prompts,
                    samples=mine,
                )
                cells.append(Cell(scenario, load, tuple(rounds)))
        progress.stage("Asking vLLM about the command line")
        vllm = inspection.result() if inspection else ELSEWHERE
        check_scenarios(scenarios, vllm.max_model_len, f"{model.name} with --engine-arg max-model-len")
        return PreparedBench(config, model, tuple(cells), prompts, vllm)
    finally:
        if inspection:
            inspection.cancel()


def model_limit(scenarios: Sequence[Scenario], model: Model) -> int:
    """Tokens of the longest sequence, rounded up to whole blocks if the model's context window allows it: vLLM reports its pool
    in sequences of this length, and the figure is too low if their last block is not full."""
    longest = max(scenario.longest for scenario in scenarios)
    whole = -(-longest // BLOCK) * BLOCK
    return whole if whole <= (model.max_length or whole) else longest


def vocabulary(config: BenchConfig, model: Model) -> list[int]:
    """Token ids that prompts are drawn from: all except special tokens, which an engine may treat specially."""
    text = model.config.get_text_config()
    size = getattr(text, "vocab_size", None)
    if not size:
        raise ModelError(f"The config of {model.name} has no vocab_size: prompts cannot be drawn from its vocabulary.")
    named = (getattr(text, name, None) for name in ("bos_token_id", "eos_token_id", "pad_token_id"))
    special = {each for value in named for each in (value if isinstance(value, list) else [value])}
    if config.engine_arg("skip-tokenizer-init") is None:
        tokenizer = load_tokenizer(
            config.engine_arg("tokenizer") or model.path,
            trust_remote_code=config.engine_arg("trust-remote-code") is not None,
            revision=config.engine_arg("revision"),
        )
        special |= {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
        size = min(size, len(tokenizer))
    return [each for each in range(size) if each not in special]


def _documents_a_round(cell: str, size: int, documents: int, rounds: int, progress: Progress) -> int:
    """Requests in a round, each with a document of its own: fewer than `size` if there are too few documents."""
    fitting = min(size, documents // rounds)
    if fitting < 2:
        raise UsageError(
            f"--prompts accuracy has {documents} documents for {cell}, but {rounds} rounds need at least {2 * rounds}: raise "
            "--samples."
        )
    if fitting < size:
        progress.note(
            f"{cell}: {fitting} requests per round instead of {size}, since there are only {documents} documents"
        )
    return fitting


def _documents(samples: Sequence[Sample]) -> Mapping[Scenario, tuple[str, ...]]:
    """One question of each document of an accuracy run: a scenario for each task and length, with prompts of equal length."""
    found: dict[tuple[Any, ...], dict[str, Sample]] = {}
    for sample in samples:
        shape = sample.task, sample.length, len(sample.prompt_token_ids), sample.max_answer_tokens
        found.setdefault(shape, {}).setdefault(sample.document_id, sample)
    largest: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for shape in found:
        place = shape[:2]
        if place not in largest or len(found[shape]) > len(found[largest[place]]):
            largest[place] = shape
    return {
        Scenario(name=f"{task}-{length}", prompt_tokens=prompt, output_tokens=answer): tuple(
            sample.id for sample in found[task, length, prompt, answer].values()
        )
        for task, length, prompt, answer in largest.values()
        if answer > 1
    }
