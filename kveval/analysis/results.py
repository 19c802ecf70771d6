"""Scores and judges a stored run: the content of `report.json`, from which every form of the report is made."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from kveval.analysis.cells import find_degradation
from kveval.analysis.closed_book import closed_book
from kveval.analysis.verdicts import DEFAULT_MARGIN, MAX_ERROR_SHARE
from kveval.arms import BASELINE, CONTROL
from kveval.kv_cache.dtypes import UNKNOWN
from kveval.scoring import METRICS
from kveval.scoring.score_outputs import answer_texts, read_run, score_run
from kveval.store.json_files import write_lines, write_object
from kveval.store.report_schema import DONE, FAILED, INCOMPLETE, ArmFacts, Cell, ClosedBook, Report, WorstPair
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import ERROR, MISSING, EngineFacts, EngineRecord, ScoreRecord
from kveval.wording.format import percent, plural
from kveval.wording.sentences import conclusion, left_out_remarks, not_tested, padding_remarks, uneven_controls


def build_report(directory: RunDirectory, *, margin: float = DEFAULT_MARGIN) -> Report:
    """Score a run directory, write `scores.jsonl` and `report.json`, and return the latter. Needs no engine.

    `margin` is the accepted loss, as a share. Raises RunDirectoryError if the directory is damaged.
    """
    manifest = directory.read_manifest()
    arms = {arm.name: arm.kv_dtype for arm in manifest.arms}
    stored = read_run(directory, arms)
    scores = score_run(stored)
    write_lines(directory.scores, scores)
    facts = {
        name: arm_facts(directory, name, kv_dtype, [score for score in scores if score.arm == name])
        for name, kv_dtype in arms.items()
    }
    compared = [score for score in scores if score.with_document]
    found = find_degradation(compared, facts, margin=margin, seed=manifest.identity.seed)
    without_document = closed_book([score for score in scores if not score.with_document])
    samples = {sample.id: sample for sample in stored.samples}
    keys = [sample.key for sample in stored.samples]
    texts = {arm: answer_texts(keys, outputs) for arm, outputs in stored.outputs.items()}
    identity, extent = manifest.identity, manifest.extent
    report = Report(
        schema_version=Report.SCHEMA,
        model=identity.model.name,
        kveval=manifest.kveval,
        vllm=identity.vllm,
        device=identity.device,
        host=manifest.host,
        created=manifest.created,
        tasks=extent.tasks,
        metrics=METRICS,
        lengths=extent.lengths,
        samples=extent.samples,
        seed=identity.seed,
        concurrency=extent.concurrency,
        engine_args=identity.engine_args,
        margin=margin,
        arms=facts,
        baselines=found.baselines,
        cells=found.cells,
        trends=found.trends,
        without_document=without_document,
        worst_pairs=tuple(worst_pairs(found.cells, scores, samples, texts)),
        left_out=manifest.left_out,
        remarks=(
            *left_out_remarks(manifest.left_out),
            *padding_remarks(stored.samples),
            *_remarks_on_run(facts, found.cells, without_document),
        ),
        conclusions=tuple(conclusion(arm, found.cells) for arm in arms if arm not in (BASELINE, CONTROL)),
        not_tested=not_tested(manifest, compared),
        incomplete=is_incomplete(facts),
    )
    write_object(directory.report_json, report)
    return report


def is_incomplete(arms: Mapping[str, ArmFacts]) -> bool:
    """Whether an arm failed, has samples that were not sent, or has too many errors for a result."""
    return any(arm.status != DONE or arm.errors > MAX_ERROR_SHARE * max(1, arm.samples) for arm in arms.values())


def arm_facts(directory: RunDirectory, name: str, kv_dtype: str, scores: Sequence[ScoreRecord]) -> ArmFacts:
    """What the engines of an arm ran, how much they answered, and how they ended; `scores` are the arm's."""
    engines = directory.read_engines(name)
    # An engine that did not start produced no outputs.
    running = [engine for engine in engines if engine.facts]
    last = running[-1] if running else None
    missing = sum(score.status == MISSING for score in scores)
    errors = sum(score.status == ERROR for score in scores)
    failed = bool(missing or errors) and bool(engines) and engines[-1].status == "failed"
    return ArmFacts(
        **engine_fields(kv_dtype, engines),
        status=FAILED if failed else INCOMPLETE if missing else DONE,
        reason=engines[-1].reason if failed else None,
        samples=len(scores),
        errors=errors,
        error_kinds=dict(Counter(score.error for score in scores if score.error is not None)),
        missing=missing,
        engines=len(engines),
        start_seconds=sum(engine.facts.start_seconds for engine in engines if engine.facts),
        serving_seconds=sum(engine.serving_seconds for engine in running),
        prefix_cache_hits=last.prefix_cache_hits if last else None,
        prefix_cache_queries=last.prefix_cache_queries if last else None,
        preemptions=last.preemptions if last else None,
    )


def engine_fields(kv_dtype: str, engines: Sequence[EngineRecord]) -> dict[str, Any]:
    """The fields that `ArmFacts` and `BenchArmFacts` share: what the engines that served an arm ran.

    `kv_dtype` is the one that was asked for. Sizes are those of the last engine.
    """
    facts = [engine.facts for engine in engines if engine.facts]
    last = facts[-1] if facts else None
    return {
        "kv_dtype_asked": kv_dtype,
        "kv_dtype_effective": _common(facts, "kv_dtype_effective") or UNKNOWN,
        "kv_pool_tokens": last.kv_pool_tokens if last else None,
        "attention_backend": _common(facts, "attention_backend"),
        "scales": _common(facts, "scales"),
        "model_dtype": last.model_dtype if last else None,
        "block_size": last.block_size if last else None,
    }


def _common(engines: Sequence[EngineFacts], name: str) -> str | None:
    """One fact of all engines that served an arm; None if they differ, since the outputs are then a mixture."""
    values = {getattr(engine, name) for engine in engines}
    return values.pop() if len(values) == 1 else None


def _remarks_on_run(
    arms: Mapping[str, ArmFacts], cells: Sequence[Cell], without_document: Sequence[ClosedBook]
) -> Iterator[str]:
    """What a reader should know before trusting a figure."""
    if CONTROL not in arms:
        yield "Noise was not measured: without a control, token differences cannot be attributed to the cache."
    yield from uneven_controls(cells)
    for task in (task for task in without_document if task.answerable):
        yield (
            f"{task.task}: {task.right} of {task.n} questions are answered correctly without the document (guessing reaches "
            f"{percent(task.guess)})."
        )
    for name, arm in arms.items():
        if arm.status == FAILED:
            yield f"{name} failed: {arm.reason}"
        yield from (
            f"{name}: {plural(count, 'request')} failed with: {kind}" for kind, count in arm.error_kinds.items()
        )


class Asked(Protocol):
    """The parts of a sample that a report shows."""

    @property
    def question(self) -> str: ...
    @property
    def gold(self) -> tuple[str, ...]: ...
    @property
    def depth(self) -> float | None: ...


def worst_pairs(
    cells: Sequence[Cell],
    scores: Sequence[ScoreRecord],
    samples: Mapping[str, Asked],
    outputs: Mapping[str, Mapping[str, str]],
) -> Iterator[WorstPair]:
    """Yield the pairs with the largest losses in each cell, with both outputs. `outputs` are texts by arm and sample id."""
    judged = {(score.task, score.sample_id, score.arm): score for score in scores}
    for cell in cells:
        for sample_id in cell.worst if cell.arm != CONTROL else ():
            sample, score = samples[sample_id], judged[cell.task, sample_id, cell.arm]
            yield WorstPair(
                task=cell.task,
                length=cell.length,
                padded=cell.padded,
                arm=cell.arm,
                sample_id=sample_id,
                question=sample.question,
                gold=sample.gold,
                depth=sample.depth,
                reason=score.reason,
                value_baseline=judged[cell.task, sample_id, BASELINE].value,
                value=score.value,
                output_baseline=outputs[BASELINE][sample_id],
                output=outputs[cell.arm][sample_id],
            )
