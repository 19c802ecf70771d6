"""Derives findings on the engine from the runs of an examination and the losses due to the formats alone.

An arm is `damaging` if at least one cell is degraded and loses more answers than the format alone; `unclear` if the arm loses
more answers than the control and the format together but no cell qualifies; `healthy` otherwise. An arm with an unusable cell
is `not known`. Planted damage tests the test: it must be detected on the quantized arm, but not between auto and the control.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import quantiles

from kveval import __version__
from kveval.analysis.results import build_report
from kveval.arms import BASELINE, CONTROL
from kveval.comparing import compare
from kveval.doctor.examination import LAYER, Examination, emulated_formats
from kveval.scoring.score_outputs import StoredRun, read_run, score_sample
from kveval.stats import holm
from kveval.store.doctor_schema import (
    DAMAGING,
    FITS,
    HEALTHY,
    NOT_KNOWN,
    SILENT,
    UNCLEAR,
    WORKS,
    Alarm,
    ArmHealth,
    Damage,
    DoctorCell,
    DoctorFindings,
    Margins,
    Place,
)
from kveval.store.report_schema import Cell
from kveval.store.run_directory import read_outputs
from kveval.store.run_records import Key, OutputRecord

Outputs = Mapping[Key, OutputRecord]
Losses = Mapping[Place, "FormatLoss"]

FALSE_ALARM = 0.05
"""Adjusted p-value below which a difference between auto and control of a damaged probe is a false alarm."""


class FormatLoss:
    """Answers lost to the format alone for one task and length."""

    def __init__(self) -> None:
        self.n = 0
        self.lost = 0


def find(examination: Examination) -> DoctorFindings:
    """All findings of an examination. Needs no engine."""
    report = build_report(examination.healthy)
    formats = emulated_formats(examination.healthy)
    run = read_run(examination.healthy, report.arms)
    own = read_outputs(examination.in_format(None))
    losses = {
        arm: _format_losses(run, own, read_outputs(examination.in_format(dtype))) for arm, dtype in formats.items()
    }
    cells = tuple(_cell(cell, cell.arm, losses.get(cell.arm)) for cell in report.cells)
    arms = [name for name in report.arms if name not in (BASELINE, CONTROL)]
    damage = tuple(_damage(examination, dose, arms, run, own, formats) for dose in sorted(examination.doses))
    judged = {arm: _health([cell for cell in cells if cell.arm == arm], cells) for arm in arms}
    alarm = {arm: _alarm(arm, damage) for arm in arms} if damage else {}
    healthy = all(arm.state == HEALTHY for arm in judged.values())
    return DoctorFindings(
        schema_version=DoctorFindings.SCHEMA,
        kveval=__version__,
        vllm=report.vllm,
        device=report.device,
        host=report.host,
        samples=report.samples,
        lengths=report.lengths,
        seed=report.seed,
        engine_args=report.engine_args,
        arms=report.arms,
        layer=LAYER,
        cells=cells,
        judged=judged,
        damage=damage,
        alarm=alarm,
        margins=tuple(_margins(examination, run, formats)),
        sound=healthy and all(arm.state != SILENT for arm in alarm.values()),
        incomplete=report.incomplete or any(dose.incomplete for dose in damage),
    )


def _cell(cell: Cell, arm: str, losses: Losses | None) -> DoctorCell:
    loss = losses.get((cell.task, cell.length)) if losses and cell.length is not None else None
    return DoctorCell(
        task=cell.task,
        length=cell.length or 0,
        arm=arm,
        n=cell.n,
        right_baseline=cell.right_baseline,
        right=cell.right,
        lost=cell.lost,
        gained=cell.gained,
        p=cell.p,
        verdict=cell.verdict,
        because=cell.because,
        format_lost=loss.lost if loss and loss.n >= cell.n else None,
    )


def _format_losses(run: StoredRun, own: Outputs, rounded: Outputs) -> dict[Place, FormatLoss]:
    """Number of answers with the format alone, and how many it loses, by task and length."""
    found: dict[Place, FormatLoss] = {}
    for sample in run.samples:
        if sample.key in own and sample.key in rounded:
            document = run.documents[sample.document_id]
            was, now = (
                score_sample(sample, document, "", side[sample.key], own[sample.key]) for side in (own, rounded)
            )
            loss = found.setdefault((sample.task, sample.length), FormatLoss())
            loss.n += 1
            loss.lost += bool(was.right and not now.right)
    return found


def _damage(
    examination: Examination,
    dose: int,
    arms: Sequence[str],
    run: StoredRun,
    own: Outputs,
    formats: Mapping[str, str],
) -> Damage:
    """The cells of one dose of planted damage. Only the largest dose has its own baseline and control."""
    directory = examination.damaged(dose)
    losses = {
        arm: _format_losses(run, own, read_outputs(examination.in_format(dtype, dose)))
        for arm, dtype in formats.items()
    }
    if dose == max(examination.doses):
        report = build_report(directory)
        cells = [_cell(cell, cell.arm, losses.get(cell.arm)) for cell in report.cells]
        return Damage(dose=dose, cells=tuple(cells), incomplete=report.incomplete)
    # Smaller doses are compared with the healthy baseline, which gives the same answers as a damaged one.
    reports = {arm: compare(f"{examination.healthy.path}", f"{directory.path}:{arm}") for arm in arms}
    cells = [_cell(cell, arm, losses.get(arm)) for arm, beside in reports.items() for cell in beside.cells]
    return Damage(dose=dose, cells=tuple(cells), incomplete=any(beside.incomplete for beside in reports.values()))


def _health(cells: Sequence[DoctorCell], all_cells: Sequence[DoctorCell]) -> ArmHealth:
    """Counts over all cells of an arm, and the state derived from them."""
    lost = sum(cell.lost for cell in cells)
    noise = sum(cell.lost for cell in all_cells if cell.arm == CONTROL)
    by_format = lost_by_format(cells)
    weak = [cell for cell in cells if cell.verdict in ("invalid", "weak baseline")]
    significant = [cell for cell in cells if cell.verdict == "degraded" and cell.lost > (cell.format_lost or 0)]
    if weak:
        state = NOT_KNOWN
    elif significant:
        state = DAMAGING
    else:
        state = UNCLEAR if lost > noise + (by_format or 0) else HEALTHY
    return ArmHealth(
        state=state,
        n=sum(cell.n for cell in cells),
        right_baseline=sum(cell.right_baseline for cell in cells),
        lost=lost,
        control_lost=noise,
        format_lost=by_format,
        because=weak[0].because if weak else None,
        places=_places(significant),
    )


def _alarm(arm: str, damage: Sequence[Damage]) -> Alarm:
    """Whether planted damage was detected on an arm, and the smallest dose that was; the state depends on the largest dose."""
    found = {
        dose.dose: _places(cell for cell in dose.cells if cell.arm == arm and cell.verdict == "degraded")
        for dose in damage
    }
    top = damage[-1]
    cells = [cell for cell in top.cells if cell.arm == arm]
    control = [cell for cell in top.cells if cell.arm == CONTROL]
    format_lost = lost_by_format(cells)
    false_alarm = any(p < FALSE_ALARM for p in holm([cell.p for cell in control if cell.p is not None]))
    places = found[top.dose]
    return Alarm(
        state=WORKS if places and not false_alarm else FITS if format_lost == 0 and not false_alarm else SILENT,
        dose=top.dose,
        places=places,
        doses=len(found),
        sets_in=next((dose for dose, at in found.items() if at), None),
        n=sum(cell.n for cell in cells),
        right_baseline=sum(cell.right_baseline for cell in cells),
        lost=sum(cell.lost for cell in cells),
        format_lost=format_lost,
        control_flips=sum(cell.lost + cell.gained for cell in control),
    )


def lost_by_format(cells: Iterable[DoctorCell]) -> int | None:
    """Total answers lost to the format alone over `cells`; None if it is not known for all of them."""
    total = 0
    for cell in cells:
        if cell.format_lost is None:
            return None
        total += cell.format_lost
    return total


def _places(cells: Iterable[DoctorCell]) -> tuple[Place, ...]:
    return tuple((cell.task, cell.length) for cell in cells)


def _margins(examination: Examination, run: StoredRun, formats: Mapping[str, str]) -> Iterator[Margins]:
    sides: dict[str, Outputs] = dict(run.outputs)
    sides |= {f"{dtype} alone": read_outputs(examination.in_format(dtype)) for dtype in formats.values()}
    for length in examination.lengths:
        keys = [sample.key for sample in run.samples if sample.length == length and sample.with_document]
        for side, outputs in sides.items():
            least = [min(outputs[key].margins) for key in keys if key in outputs and outputs[key].margins]
            if len(least) > 1:
                tenths = quantiles(least, n=10, method="inclusive")
                yield Margins(length=length, side=side, n=len(least), median=tenths[4], tenth=tenths[0])
