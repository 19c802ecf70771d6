"""What a report says in words: the headline, one line a cell, one line an arm, what was not tested."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kveval.analysis import VERDICTS
from kveval.arms import BASELINE, CONTROL
from kveval.config import length_name
from kveval.engine.inspection import ELSEWHERE
from kveval.hardware.gpus import parse_gpu
from kveval.store.run_directory import Record
from kveval.wording.format import at_length, difference, interval, percent, plural, right

UNLIKELY_NOISE = 0.001
"""Two equal engines that differ by something less likely than this are not equal in some way."""
LITTLE = 0.25
"""The share of prompts up to which prose beside other rows' documents needs no remark."""
SHORT_ANSWER_TOKENS = 256
"""Where no answer is longer, long generation was not tested."""


def headline(report: Mapping[str, Any]) -> str:
    """What was run on what, in one line."""
    documents = max(row["documents"] for row in report["baselines"])
    asked = {row["n"] + row["errors"] + row["missing"] for row in report["baselines"]}
    questions = str(max(asked)) if len(asked) == 1 else f"{min(asked)} to {max(asked)}"
    return (
        f"{report['model']} · vLLM {report['vllm']} · {machine(report)} · "
        f"{questions} questions on {'up to ' * (len(asked) > 1)}{plural(documents, 'document')} a cell · seed {report['seed']}"
    )


def machine(report: Mapping[str, Any]) -> str:
    """The GPU by its name, or the processor's cores where the engine ran on them."""
    if report["device"] == ELSEWHERE.device:
        return "servers elsewhere"
    gpus: list[str] = report["host"]["gpus"]
    if gpus and report["device"] != "cpu":
        return parse_gpu(gpus[0]).name
    return f"{report['device']}, {report['host']['cpus']} cores"


def verdict(cell: Mapping[str, Any]) -> str:
    """A cell's verdict with its reason."""
    said = f"{cell['verdict']}: {cell['because']}" if cell["verdict"] else cell["because"]
    return f"{said} ({'; '.join(cell['confounds'])})" if cell["verdict"] and cell["confounds"] else said


def conclusion(arm: str, cells: Sequence[Mapping[str, Any]]) -> str:
    """One line on an arm: its verdicts, the gravest first, each with the tasks and lengths it holds for."""
    mine = [cell for cell in cells if cell["arm"] == arm]
    said = [line for kind in VERDICTS for line in _verdicts(kind, mine)]
    said += _compared(mine, [cell for cell in cells if cell["arm"] == CONTROL])
    confounds = dict.fromkeys(confound for cell in mine for confound in cell["confounds"])
    if confounds and said:
        said.append(f"not the cache alone differs: {', '.join(confounds)}")
    return f"{arm}: {'; '.join(said)}." if said else f"{arm}: nothing was measured."


def _verdicts(kind: str, cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    having = [cell for cell in cells if cell["verdict"] == kind]
    if kind == "degraded":  # each on its own, with the figures that carry it
        for cell in having:
            yield f"degraded on {place(cell)}: {carried_by(cell)}"
    elif having:
        places = ", ".join(
            _lengths(task, kind, [cell for cell in cells if cell["task"] == task])
            for task in dict.fromkeys(cell["task"] for cell in having)
        )
        yield f"{kind} on {places}"


def _compared(cells: Sequence[Mapping[str, Any]], controls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is said of cells without a verdict: how far their outputs are from auto's."""
    floors = {(cell["task"], cell["length"]): percent(cell["token_diff"]) for cell in controls}
    for cell in cells:
        if cell["verdict"] is None and cell["n"] and cell["token_diff"] is not None:
            floor = floors.get((cell["task"], cell["length"]), "not measured")
            yield f"not judged on {place(cell)}: {percent(cell['token_diff'])} of tokens differ (control {floor})"


def _lengths(task: str, kind: str, cells: Sequence[Mapping[str, Any]]) -> str:
    """`evidence to 16k` where it passes at every length up to there, else `evidence at 8k, 32k`."""
    holding = [cell for cell in cells if cell["verdict"] == kind]
    having = [cell["length"] for cell in holding]
    if having == [None]:
        return task
    if (
        kind == "pass"
        and len(having) > 1
        and all(cell["length"] in having for cell in cells if cell["length"] <= having[-1])
    ):
        return f"{task} to {length_name(having[-1])}"
    return f"{task} at {', '.join(map(at_length, holding))}"


def place(cell: Mapping[str, Any]) -> str:
    """`copy at 32k`."""
    return cell["task"] if cell["length"] is None else f"{cell['task']} at {at_length(cell)}"


def carried_by(cell: Mapping[str, Any]) -> str:
    """`similarity 0.993 → 0.951 [−0.058, −0.027], 50 documents`."""
    copying = cell["measure"] == "similarity"
    limits = interval(cell["interval"], similarity=copying) + ("" if copying else " pt")
    return f"{cell['measure']} {right(cell, '_baseline')} → {right(cell)} {limits}, {plural(cell['documents'], 'document')}"


def uneven_controls(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The controls that differ from the baseline by more than noise."""
    for cell in cells:
        if cell["arm"] == CONTROL and cell["p"] is not None and cell["p"] < UNLIKELY_NOISE:
            yield (
                f"The control differs from auto on {place(cell)} ({difference(cell)}), though both ran the same engine: what "
                "arms lose there may not come from their caches."
            )


def left_out_remarks(left_out: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows that a length had no room for."""
    for each in left_out:
        rows = f"{each['rows']} of {plural(each['of'], 'row')}"
        yield f"{place(each)}: {rows} left out on every arm, since their documents are longer."


def padding_remarks(samples: Sequence[Record]) -> Iterator[str]:
    """How much of prompts is prose for lack of other rows' documents, where it is more than a little."""
    shares: dict[tuple[str, int], list[float]] = {}
    for sample in samples:
        if "prose" in sample:
            shares.setdefault((sample["task"], sample["length"]), []).append(sample["prose"])
    for (task, length), of_prompts in shares.items():
        share = sum(of_prompts) / len(of_prompts)
        if share > LITTLE:
            yield f"{task} at {length_name(length)}: {percent(share)} of the prompts is prose, since rows are too few."


def source_line(name: str, arm: Mapping[str, Any]) -> str:
    """Where the outputs of one arm of a comparison were read, and what is known of its engine."""
    if arm["kv_dtype_effective"] is None:
        return f"{name}: {arm['source']} · cache not checked"
    return f"{arm_line(name, arm)} · {arm['source']}"


def arm_line(name: str, arm: Mapping[str, Any]) -> str:
    """One arm in a line: what its cache held, and how it ended."""
    facts = [f"cache {arm['kv_dtype_effective']}"]
    facts += [f"scales {arm['scales']}"] if arm["scales"] else []
    facts += [f"attention {arm['attention_backend'] or 'not reported'}", arm["status"]]
    facts += [plural(arm["errors"], "error"), f"{plural(arm['missing'], 'sample')} missing"]
    return f"{name}: {' · '.join(facts)}"


def pool_line(report: Mapping[str, Any]) -> str:
    """What the quantized cache buys: tokens in the pool of each arm beside the baseline's."""
    base = report["arms"][BASELINE]["kv_pool_tokens"]
    gains = [
        f"{arm['kv_pool_tokens']:,} with {name} ({arm['kv_pool_tokens'] / base:.2f}×)"
        for name, arm in report["arms"].items()
        if name not in (BASELINE, CONTROL) and base and arm["kv_pool_tokens"]
    ]
    return f"KV pool: {', '.join([f'{base:,} tokens with auto', *gains])}" if base else "KV pool: not known"


def not_tested(identity: Mapping[str, Any], scores: Sequence[Record], rows: Mapping[str, int]) -> str:
    """What no figure of a run speaks about. `rows` are those of tasks on data of one's own, by task."""
    longest = max((score["answer_tokens"] for score in scores if "answer_tokens" in score), default=0)
    words = dict(word.removeprefix("--").split("=", 1) for word in identity["engine_args"] if "=" in word)
    parallel = words.get("tensor-parallel-size", "1")
    said = [f"lengths above {length_name(max(identity['lengths']))}"]
    if longest <= SHORT_ANSWER_TOKENS:
        said.append(f"long generation (no answer is longer than {plural(longest, 'token')})")
    else:
        said.append(f"answers over {longest:,} tokens")
    said += [
        f"{plural(total - identity['samples'], 'row')} of {task} beyond --samples {identity['samples']}"
        for task, total in rows.items()
        if total > identity["samples"]
    ]
    said.append(f"tensor-parallel sizes other than {parallel}")
    said.append("other engine arguments, models or machines")
    return ", ".join(said)
