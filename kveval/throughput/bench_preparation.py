"""Before the first engine starts: everything of a throughput pass that can be checked is checked, and its requests are made."""

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
"""Tokens; blocks of vLLM's pools have 16 to 256."""


@dataclass(frozen=True)
class PreparedBench:
    """All that a pass knows before its first engine starts."""

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
        """KV bytes of the scenarios' sequences, whole and as they are in the middle of decoding."""
        lengths = {tokens for scenario in self.scenarios for tokens in (scenario.context, scenario.longest)}
        asked = RunConfig(
            model=self.config.model,
            kv_dtypes=self.config.kv_dtypes,
            engine_args=self.config.engine_args,
            tasks=(),
            lengths=tuple(sorted(lengths)),
        )
        return plan_memory(asked, self.model, Machine())

    @property
    def workload(self) -> str:
        """Tells all requests and their schedule from others."""
        return digest(each for cell in self.cells for each in cell.rounds)


def prepare_bench(config: BenchConfig, progress: Progress, samples: Sequence[Sample] = ()) -> PreparedBench:
    """`samples` are an accuracy run's, whose prompts are replayed where the config asks for that.

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
    """Tokens of the longest sequence, in whole blocks where the model holds these: vLLM counts its pool in sequences of this
    length, and comes out too low where their last block is not full."""
    longest = max(scenario.longest for scenario in scenarios)
    whole = -(-longest // BLOCK) * BLOCK
    return whole if whole <= (model.max_length or whole) else longest


def vocabulary(config: BenchConfig, model: Model) -> list[int]:
    """The ids that prompts are drawn from: all but special ones, which an engine may treat as such."""
    text = model.config.get_text_config()
    size = getattr(text, "vocab_size", None)
    if not size:
        raise ModelError(f"the config of {model.name} has no vocab_size: prompts cannot be drawn from its vocabulary.")
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
    """Requests in a round, of which each is on a document of its own: fewer than asked for where there are not so many."""
    fitting = min(size, documents // rounds)
    if fitting < 2:
        raise UsageError(
            f"--prompts accuracy has {documents} documents for {cell}, and {rounds} rounds take {2 * rounds} at least: raise "
            "--samples."
        )
    if fitting < size:
        progress.note(f"{cell}: {fitting} requests a round and not {size}, since there are {documents} documents")
    return fitting


def _documents(samples: Sequence[Sample]) -> Mapping[Scenario, tuple[str, ...]]:
    """Of an accuracy run one question of each document: a scenario for each task and length, with prompts all as long."""
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
