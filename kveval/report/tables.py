"""A report's tables as text, for every form that shows them. Numbers are rounded here and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kveval.arms import BASELINE, CONTROL
from kveval.config import length_name
from kveval.degradation import counted
from kveval.records import Record

NONE = "–"


@dataclass(frozen=True)
class Table:
    """Columns and rows of text. `numeric` columns are set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[str] = frozenset()


def headline(report: Mapping[str, Any]) -> str:
    """What was run on what, in one line."""
    documents = max(row["documents"] for row in report["baselines"])
    gpus = report["host"]["gpus"]
    machine = gpus[0].split(",")[0] if gpus else f"{report['device']}, {report['host']['cpus']} cores"
    return (
        f"{report['model']} · vLLM {report['vllm']} · {machine} · "
        f"{report['samples']} questions on {documents} document{'s' * (documents != 1)} a cell · seed {report['seed']}"
    )


def degradation_table(report: Mapping[str, Any]) -> Table:
    """A row for each task, length and arm: baseline, control and arm side by side, and the verdict."""
    controls = _controls(report)
    columns = (
        *("task", "length", "n", "auto right", "control lost", "control gained", "arm", "right", "lost", "gained"),
        *("difference [95%]", "token diff (control)", "errors", "missing", "verdict"),
    )
    rows = tuple(
        (
            cell["task"],
            length_name(cell["length"]),
            str(cell["n"]),
            _right(cell, "_baseline"),
            _count(controls.get(_place(cell)), "lost"),
            _count(controls.get(_place(cell)), "gained"),
            cell["arm"],
            _right(cell),
            _count(cell, "lost"),
            _count(cell, "gained"),
            _difference(cell),
            _token_diff(cell, controls.get(_place(cell))),
            str(cell["errors"]),
            str(cell["missing"]),
            verdict(cell),
        )
        for cell in compared_cells(report)
    )
    return Table(columns, rows, frozenset(columns) - {"task", "arm", "verdict"})


def arm_table(report: Mapping[str, Any], arm: str) -> Table:
    """The rows of one arm, narrow enough for a terminal: errors and missing samples only where there are any."""
    controls = _controls(report)
    cells = [cell for cell in compared_cells(report) if cell["arm"] == arm]
    gaps = [name for name in ("errors", "missing") if any(cell[name] for cell in cells)]
    columns = ("task", "length", "n", "auto", arm, "lost", "gained", "difference [95%]", "token diff (control)")
    rows = tuple(
        (
            cell["task"],
            length_name(cell["length"]),
            str(cell["n"]),
            _right(cell, "_baseline"),
            _right(cell),
            _beside(cell, controls.get(_place(cell)), "lost"),
            _beside(cell, controls.get(_place(cell)), "gained"),
            _difference(cell),
            _token_diff(cell, controls.get(_place(cell))),
            *(str(cell[name]) for name in gaps),
        )
        for cell in cells
    )
    return Table((*columns, *gaps), rows, frozenset({*columns, *gaps}) - {"task"})


def compared_cells(report: Mapping[str, Any]) -> list[Record]:
    """The cells that a reader asks about: those of the quantized arms, or the control's where there is nothing else."""
    cells: list[Record] = report["cells"]
    return [cell for cell in cells if cell["arm"] != CONTROL] or cells


def verdict(cell: Mapping[str, Any]) -> str:
    """A cell's verdict with its reason."""
    return f"{cell['verdict']}: {cell['because']}" if cell["verdict"] else cell["because"]


def _controls(report: Mapping[str, Any]) -> dict[tuple[str, int], Record]:
    return {_place(cell): cell for cell in report["cells"] if cell["arm"] == CONTROL}


def _place(cell: Mapping[str, Any]) -> tuple[str, int]:
    return cell["task"], cell["length"]


def _count(cell: Mapping[str, Any] | None, name: str) -> str:
    return str(cell[name]) if cell and cell["n"] else NONE


def _beside(cell: Mapping[str, Any], control: Mapping[str, Any] | None, name: str) -> str:
    return f"{_count(cell, name)} ({_count(control, name)})"


def _token_diff(cell: Mapping[str, Any], control: Mapping[str, Any] | None) -> str:
    return f"{_percent(cell['token_diff'])} ({_percent(control['token_diff']) if control else 'not measured'})"


def arms_table(report: Mapping[str, Any]) -> Table:
    """A row for each arm: what its engine really ran."""
    base = report["arms"][BASELINE]["kv_pool_tokens"]
    rows = []
    for name, arm in report["arms"].items():
        pool = arm["kv_pool_tokens"]
        rows.append(
            (
                name,
                arm["kv_dtype_asked"],
                arm["kv_dtype_effective"],
                f"{pool:,}" if pool else NONE,
                f"{pool / base:.2f}×" if pool and base else NONE,
                arm["scales"] or NONE,
                arm["attention_backend"] or "not reported",
                arm["status"],
                str(arm["errors"]),
                str(arm["missing"]),
                f"{arm['start_seconds']:.0f} s",
                f"{arm['serving_seconds']:.0f} s",
            )
        )
    about = ("arm", "asked", "cache holds", "KV pool tokens", "ratio", "scales", "attention", "status")
    return Table(
        (*about, "errors", "missing", "start", "serving"),
        tuple(rows),
        frozenset({"KV pool tokens", "ratio", "errors", "missing", "start", "serving"}),
    )


def arm_line(name: str, arm: Mapping[str, Any]) -> str:
    """One arm in a line: what its cache held, and how it ended."""
    facts = [f"cache {arm['kv_dtype_effective']}"]
    facts += [f"scales {arm['scales']}"] if arm["scales"] else []
    facts += [f"attention {arm['attention_backend'] or 'not reported'}", arm["status"]]
    facts += [f"{arm['errors']} errors", f"{arm['missing']} samples missing"]
    return f"{name}: {' · '.join(facts)}"


def faults_table(report: Mapping[str, Any]) -> Table:
    """A row for each task, length and arm, the baseline too: what the wrong answers were."""
    rows = []
    for baseline in report["baselines"]:
        key = (baseline["task"], baseline["length"])
        rows.append(_fault_row(baseline, BASELINE))
        rows += [_fault_row(cell, cell["arm"]) for cell in report["cells"] if (cell["task"], cell["length"]) == key]
    return Table(
        ("task", "length", "arm", "wrong", "kinds", "cut at the budget", "flags"), tuple(rows), frozenset({"length"})
    )


def tokens_table(report: Mapping[str, Any]) -> Table:
    """A row for each task, length and arm, the control too: how its tokens differ from the baseline's."""
    rows = [
        (
            cell["task"],
            length_name(cell["length"]),
            cell["arm"],
            f"{cell['identical']} of {cell['n']}",
            _percent(cell["token_diff"]),
            NONE if cell["first_divergence"] is None else f"{cell['first_divergence']:g}",
        )
        for cell in report["cells"]
    ]
    columns = ("task", "length", "arm", "identical outputs", "token diff", "first divergence (median token)")
    return Table(columns, tuple(rows), frozenset(columns) - {"task", "arm"})


def _fault_row(record: Record, arm: str) -> tuple[str, ...]:
    return (
        record["task"],
        length_name(record["length"]),
        arm,
        f"{record['wrong']} of {record['n']}",
        counted(record["faults"]) or NONE,
        str(record["truncated"]),
        counted(record["flags"]) or NONE,
    )


def _right(cell: Mapping[str, Any], side: str = "") -> str:
    """The share of right answers, or the mean similarity of copies."""
    if not cell["n"]:
        return NONE
    if cell["measure"] == "similarity":
        return f"{cell[f'score{side}']:.3f}"
    return _percent(cell[f"right{side}"] / cell["n"])


def _difference(cell: Mapping[str, Any]) -> str:
    if cell["difference"] is None:
        return NONE
    low, high = cell["interval"]
    if cell["measure"] == "similarity":
        return f"{_signed(cell['difference'], 3)} [{_signed(low, 3)}, {_signed(high, 3)}]"
    return f"{_signed(100 * cell['difference'], 1)} pt [{_signed(100 * low, 1)}, {_signed(100 * high, 1)}]"


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}%"


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(digit in "123456789" for digit in text) else text[1:]


def pool_line(report: Mapping[str, Any]) -> str:
    """What the quantized cache buys: tokens in the pool of each arm beside the baseline's."""
    base = report["arms"][BASELINE]["kv_pool_tokens"]
    gains = [
        f"{arm['kv_pool_tokens']:,} with {name} ({arm['kv_pool_tokens'] / base:.2f}×)"
        for name, arm in report["arms"].items()
        if name not in (BASELINE, CONTROL) and base and arm["kv_pool_tokens"]
    ]
    return f"KV pool: {', '.join([f'{base:,} tokens with auto', *gains])}" if base else "KV pool: not known"
