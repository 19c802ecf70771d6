"""What a report says in words: its headline, a line for each cell and arm, conclusions, and what was not tested."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from kveval.arms import BASELINE, CONTROL
from kveval.config import length_name
from kveval.engine.inspection import ELSEWHERE
from kveval.hardware.gpus import parse_gpu
from kveval.store.manifest import Host, LeftOut, Manifest
from kveval.store.report_schema import VERDICTS, ArmFacts, Cell, Report, Verdict
from kveval.store.run_records import SampleRecord, ScoreRecord
from kveval.wording.format import (
    arm_level,
    at_length,
    baseline_level,
    difference,
    interval,
    percent,
    place,
    plural,
)

UNLIKELY_NOISE = 0.001
"""P-value below which two equal engines are taken to differ in some way."""
LITTLE = 0.25
"""Share of prompts up to which prose beside other rows' documents needs no remark."""
SHORT_ANSWER_TOKENS = 256
"""Where no answer is longer, long generation was not tested."""


def headline(report: Report) -> str:
    """What was run on what, in one line."""
    documents = max(row.documents for row in report.baselines)
    asked = {row.n + row.errors + row.missing for row in report.baselines}
    questions = str(max(asked)) if len(asked) == 1 else f"{min(asked)} to {max(asked)}"
    return (
        f"{report.model} · vLLM {report.vllm} · {machine(report.device, report.host)} · "
        f"{questions} questions on {'up to ' * (len(asked) > 1)}{plural(documents, 'document')} a cell · seed {report.seed}"
    )


def machine(device: str, host: Host) -> str:
    """Where engines ran: the GPU by its name, or the processor's cores."""
    if device == ELSEWHERE.device:
        return "servers elsewhere"
    if host.gpus and device != "cpu":
        return parse_gpu(host.gpus[0]).name
    return f"{device}, {host.cpus} cores"


def verdict_line(cell: Cell) -> str:
    """A cell's verdict with its reason."""
    line = f"{cell.verdict}: {cell.because}" if cell.verdict else cell.because
    return f"{line} ({'; '.join(cell.confounds)})" if cell.verdict and cell.confounds else line


def conclusion(arm: str, cells: Sequence[Cell]) -> str:
    """One line on an arm: its verdicts, the gravest first, each with its tasks and lengths."""
    of_arm = [cell for cell in cells if cell.arm == arm]
    parts = [line for kind in VERDICTS for line in _verdicts(kind, of_arm)]
    parts += _without_verdict(of_arm, [cell for cell in cells if cell.arm == CONTROL])
    confounds = dict.fromkeys(confound for cell in of_arm for confound in cell.confounds)
    if confounds and parts:
        parts.append(f"not the cache alone differs: {', '.join(confounds)}")
    return f"{arm}: {'; '.join(parts)}." if parts else f"{arm}: nothing was measured."


def _verdicts(kind: Verdict, cells: Sequence[Cell]) -> Iterator[str]:
    found = [cell for cell in cells if cell.verdict == kind]
    if kind == "degraded":  # each on its own, with its figures
        for cell in found:
            yield f"degraded on {place(cell)}: {levels(cell)}"
    elif found:
        tasks = dict.fromkeys(cell.task for cell in found)
        places = ", ".join(_lengths(task, kind, [cell for cell in cells if cell.task == task]) for task in tasks)
        yield f"{kind} on {places}"


def _without_verdict(cells: Sequence[Cell], controls: Sequence[Cell]) -> Iterator[str]:
    """How far outputs are from the baseline's where no answer is known to be right."""
    floors = {(cell.task, cell.length): percent(cell.token_diff) for cell in controls}
    for cell in cells:
        if cell.verdict is None and cell.n and cell.token_diff is not None:
            floor = floors.get((cell.task, cell.length), "not measured")
            yield f"not judged on {place(cell)}: {percent(cell.token_diff)} of tokens differ (control {floor})"


def _lengths(task: str, kind: Verdict, cells: Sequence[Cell]) -> str:
    """`evidence to 16k` where it passes at every length up to there, else `evidence at 8k, 32k`."""
    found = [cell for cell in cells if cell.verdict == kind]
    lengths = [cell.length for cell in found if cell.length is not None]
    if not lengths:
        return task
    others = [cell.length for cell in cells if cell.length is not None and cell.length not in lengths]
    if kind == "pass" and len(lengths) > 1 and all(length > lengths[-1] for length in others):
        return f"{task} to {length_name(lengths[-1])}"
    return f"{task} at {', '.join(map(at_length, found))}"


def levels(cell: Cell) -> str:
    """`similarity 0.993 → 0.951 [−0.058, −0.027], 50 documents`."""
    copying = cell.measure == "similarity"
    limits = "" if cell.interval is None else interval(cell.interval, similarity=copying) + ("" if copying else " pt")
    sides = f"{baseline_level(cell, cell.measure)} → {arm_level(cell, cell.measure)}"
    return f"{cell.measure} {sides} {limits}, {plural(cell.documents, 'document')}"


def uneven_controls(cells: Sequence[Cell]) -> Iterator[str]:
    """Remarks on controls that differ from the baseline by more than noise."""
    for cell in cells:
        if cell.arm == CONTROL and cell.p is not None and cell.p < UNLIKELY_NOISE:
            yield (
                f"The control differs from auto on {place(cell)} "
                f"({difference(cell.difference, cell.interval, cell.measure)}), though both ran the same engine: the losses "
                "of other arms there may not come from their caches."
            )


def left_out_remarks(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """Remarks on rows that a length has no room for."""
    for each in left_out:
        rows = f"{each.rows} of {plural(each.of, 'row')}"
        yield f"{place(each)}: {rows} left out on every arm, since their documents are longer."


def padding_remarks(samples: Sequence[SampleRecord]) -> Iterator[str]:
    """Remarks on prompts that are largely prose for want of other rows' documents."""
    shares: dict[tuple[str, int], list[float]] = {}
    for sample in samples:
        if sample.prose is not None:
            shares.setdefault((sample.task, sample.length), []).append(sample.prose)
    for (task, length), of_prompts in shares.items():
        share = sum(of_prompts) / len(of_prompts)
        if share > LITTLE:
            yield f"{task} at {length_name(length)}: {percent(share)} of the prompts is prose, since rows are too few."


def source_line(name: str, arm: ArmFacts) -> str:
    """Where the outputs of one arm of a comparison were read, and what is known of its engine."""
    if arm.kv_dtype_effective is None:
        return f"{name}: {arm.source} · cache not checked"
    return f"{arm_line(name, arm)} · {arm.source}"


def arm_line(name: str, arm: ArmFacts) -> str:
    """One arm in a line: what its cache stored, and how it ended."""
    facts = [f"cache {arm.kv_dtype_effective}"]
    facts += [f"scales {arm.scales}"] if arm.scales else []
    facts += [f"attention {arm.attention_backend or 'not reported'}", arm.status]
    facts += [plural(arm.errors, "error"), f"{plural(arm.missing, 'sample')} missing"]
    return f"{name}: {' · '.join(facts)}"


class Pooled(Protocol):
    """What an arm's engines ran, in an accuracy run or a throughput pass."""

    @property
    def kv_pool_tokens(self) -> int | None: ...


def pool_line(arms: Mapping[str, Pooled]) -> str:
    """Tokens in the KV pool of each arm, and their ratio to the baseline's."""
    base = arms[BASELINE].kv_pool_tokens
    if not base:
        return "KV pool: not known"
    gains = [
        f"{arm.kv_pool_tokens:,} with {name} ({arm.kv_pool_tokens / base:.2f}×)"
        for name, arm in arms.items()
        if name not in (BASELINE, CONTROL) and arm.kv_pool_tokens
    ]
    return f"KV pool: {', '.join([f'{base:,} tokens with {BASELINE}', *gains])}"


def not_tested(manifest: Manifest, scores: Sequence[ScoreRecord]) -> str:
    """What the figures of a run do not cover."""
    extent = manifest.extent
    longest = max((score.answer_tokens for score in scores if score.answer_tokens is not None), default=0)
    words = dict(word.removeprefix("--").split("=", 1) for word in manifest.identity.engine_args if "=" in word)
    parts = [f"lengths above {length_name(max(extent.lengths))}"]
    if longest <= SHORT_ANSWER_TOKENS:
        parts.append(f"long generation (no answer is longer than {plural(longest, 'token')})")
    else:
        parts.append(f"answers over {longest:,} tokens")
    parts += [
        f"{plural(total - extent.samples, 'row')} of {task} beyond --samples {extent.samples}"
        for task, total in manifest.rows.items()
        if total > extent.samples
    ]
    parts.append(f"tensor-parallel sizes other than {words.get('tensor-parallel-size', '1')}")
    parts.append("other engine arguments, models or machines")
    return ", ".join(parts)
