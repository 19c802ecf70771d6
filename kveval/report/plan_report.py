"""Prints a plan in the terminal."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from kveval.arms import BASELINE, CONTROL
from kveval.config import length_name
from kveval.engine import vllm_defaults
from kveval.planning.kv_pool import GIB
from kveval.planning.plan import Plan
from kveval.report.console import rich_table
from kveval.report.tables import Table
from kveval.wording.format import NONE, plural


def print_plan(console: Console, plan: Plan) -> None:
    """Print memory, work and power of a run, each as a table followed by remarks."""
    sections = [
        (memory_heading(plan), memory_table(plan), memory_remarks(plan)),
        (work_heading(plan), work_table(plan), work_remarks(plan)),
        (power_heading(plan), power_table(plan), power_remarks(plan)),
    ]
    for number, (heading, table, remarks) in enumerate(sections):
        if number:
            console.print()
        console.print(Text(heading, style="bold"))
        if table.rows:
            console.print(rich_table(table))
        for remark in remarks:
            console.print(Text(remark, style="yellow" if remark.startswith("Not known") else "dim"))


def memory_heading(plan: Plan) -> str:
    memory = plan.memory
    gpus = f"each of {memory.tensor_parallel} GPUs" if memory.tensor_parallel > 1 else "one GPU"
    heading = f"{plan.model} · KV cache of {gpus}"
    return f"{heading} · pool {_size(memory.pool_bytes)}" if memory.pool_bytes else heading


def memory_table(plan: Plan) -> Table:
    """A row for each KV dtype: bytes per token and per sequence of each length, and the capacity of the pool."""
    memory = plan.memory
    windowed = any(cache.last_token_bytes != cache.token_bytes for cache in memory.caches)
    names = [length_name(length) for length in plan.lengths]
    columns = ["cache", "bytes/token", *["past windows"] * windowed, *(f"{name} sequence" for name in names)]
    if memory.pool_bytes:
        columns += ["pool tokens", *(f"max {name} sequences" for name in names)]
    rows = []
    for cache in memory.caches:
        row = [cache.kv_dtype if cache.stored == cache.kv_dtype else f"{cache.kv_dtype} ({cache.stored})"]
        row += [_range(*(f"{size:,}" for size in cache.token_bytes))]
        row += [_range(*(f"{size:,}" for size in cache.last_token_bytes))] * windowed
        row += [_range(*map(_size, at.bytes)) for at in cache.lengths]
        if memory.pool_bytes:
            row += [_count(cache.pool_tokens), *(_count(at.sequences) for at in cache.lengths)]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), frozenset(columns) - {"cache"})


def memory_remarks(plan: Plan) -> Iterator[str]:
    memory, layout = plan.memory, plan.memory.layout
    if memory.weight_bytes:
        yield (
            f"The pool is {memory.gpu_memory_utilization:.0%} of the GPU minus {_size(memory.weight_bytes)} of weights as "
            "stored. Activations and CUDA graphs reduce it further; the engine determines by how much."
        )
    if any(at.sequences == memory.max_num_seqs for cache in memory.caches for at in cache.lengths if at.sequences):
        yield f"At most {memory.max_num_seqs:,} sequences are served concurrently (max-num-seqs)."
    if layout and not layout.layers:
        yield "The model has no attention layers: there is no KV cache to quantize."
    if layout and layout.state_bytes:
        yield (
            f"Includes a state of {_size(layout.state_bytes)} per sequence in {layout.state_layers} layers, for every cache "
            "and length. vLLM stores additional states for its prefix cache."
        )
    if layout and any(layers.window for layers in layout.layers):
        kept = [
            f"{layers.number} attention layers store {f'{layers.window:,}' if layers.window else 'all'} tokens"
            for layers in layout.layers
        ]
        yield f"{', '.join(kept)}; during prefill, a window also stores the tokens being processed."
    if layout and any(layers.chunked for layers in layout.layers):
        yield (
            f"Layers with chunked attention store all tokens in vLLM {vllm_defaults.VERSION}, unless "
            "VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE=1."
        )
    yield from (f"Not known: {text}." for text in memory.not_known)


def work_heading(plan: Plan) -> str:
    questions, documents = plural(plan.work.questions, "question"), plural(plan.work.documents, "document")
    return f"Work · {questions} on {documents} per arm"


def work_table(plan: Plan) -> Table:
    """Tokens of one arm and of all arms, and the times that are known."""
    work = plan.work
    seconds = {"prefill": work.prompt_seconds, "decode": work.answer_seconds}
    if work.prompt_seconds and work.answer_seconds:
        seconds["total"] = work.prompt_seconds + work.answer_seconds
    times = {name: value for name, value in seconds.items() if value}
    columns = ("arms", "prompt tokens", "without prefix cache", "answer tokens", *times)

    def row(name: str, arms: int) -> tuple[str, ...]:
        return (
            name,
            f"≈ {_tokens(work.prompt_tokens * arms)}",
            _tokens(work.prompt_tokens_uncached * arms),
            f"≤ {_tokens(work.answer_tokens * arms)}",
            *(f"{'≈' if name == 'prefill' else '≤'} {_time(value * arms)}" for name, value in times.items()),
        )

    rows = (row("each", 1), row(f"all {len(work.arms)}: {', '.join(work.arms)}", len(work.arms)))
    return Table(columns, rows, frozenset(columns) - {"arms"})


def work_remarks(plan: Plan) -> Iterator[str]:
    work = plan.work
    yield "With the prefix cache, each document is processed once. Times exclude engine start-up, which happens once per arm."
    speeds = {"--prefill-speed": work.prompt_seconds, "--decode-speed": work.answer_seconds}
    if missing := [option for option, seconds in speeds.items() if seconds is None]:
        yield (
            f"Not known: the time; give {' and '.join(missing)} in tokens per second over all requests; vLLM logs these "
            "throughputs."
        )


def power_heading(plan: Plan) -> str:
    if not plan.cells:
        quantized = set(plan.work.arms) - {BASELINE, CONTROL}
        return f"Power · no {'task with known correct answers' if quantized else 'quantized cache'}, no verdict"
    counts = [power.questions for power in plan.power]
    most = plural(max(counts), "question")
    cells = f"{plural(plan.cells, 'cell')} of {most if min(counts) == max(counts) else f'{min(counts):,} to {most}'}"
    return f"Power · {cells} · margin {100 * plan.margin:g} points · 95% confidence"


def power_table(plan: Plan) -> Table:
    """A row for each task: the losses that one of its cells can exclude and detect."""
    columns = ("task", "documents", "cannot exclude", "can pass", "minimum to pass", "detects", "detects after Holm")
    rows = tuple(
        (
            power.task,
            f"{power.documents:,}",
            _points(power.largest_loss),
            "yes" if power.can_pass else "no",
            f"{power.questions_to_pass:,} on {power.documents_to_pass:,} documents",
            _found(power.detectable),
            _found(power.detectable_of_all),
        )
        for power in plan.power
    )
    return Table(columns, rows, frozenset(columns) - {"task", "can pass"})


def power_remarks(plan: Plan) -> Iterator[str]:
    if not plan.power:
        return
    if not all(power.can_pass for power in plan.power):
        samples = max(power.questions_to_pass for power in plan.power)
        yield f"To pass, a cell needs at least {samples} questions (--samples, or rows), and more if answers change."
    yield "Cannot exclude: losses up to this size stay inside the 95% interval even if no answer changes."
    yield (
        f"Detects: the loss detected with 80% power, in one cell and with Holm correction over {plural(plan.cells, 'cell')}, "
        "if 1 answer in 100 is gained. The first value assumes that questions flip independently, the second that all "
        "questions on a document flip together."
    )
    if any(power.measure == "similarity" for power in plan.power):
        yield "For copies, the loss to detect is the share of passages that are lost entirely."


def _found(losses: tuple[float | None, float | None]) -> str:
    return " to ".join("none" if loss is None else _points(loss) for loss in losses)


def _points(share: float) -> str:
    return f"{100 * share:.1f} pt"


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} – {most}"


def _count(number: int | None) -> str:
    return NONE if number is None else f"{number:,}"


def _size(size: int) -> str:
    """Bytes in the largest binary unit in which the value is at least 1."""
    for unit, name in ((GIB, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 100 * unit else f"{size / unit:,.0f} {name}"
    return f"{size} B"


def _tokens(tokens: int) -> str:
    return f"{tokens / 1e6:,.1f} M" if tokens >= 1e6 else f"{tokens:,}"


def _time(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
