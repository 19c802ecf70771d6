"""`doctor.json`: what the probe showed about this engine's quantized caches."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from kveval.store.json_files import JsonFile
from kveval.store.manifest import Host
from kveval.store.record import Array, Count, Positive, Record, Share
from kveval.store.report_schema import ArmFacts, Counts, Verdict

State = Literal["healthy", "unclear", "damaging", "not known"]
"""State of an arm: it loses no more answers than control and format do; slightly more; more than chance explains; unknown."""
AlarmState = Literal["works", "fits", "silent"]
"""State of an alarm: it detects planted damage and nothing else; it need not, since the format can represent the damage; or it
fails to."""

HEALTHY: State = "healthy"
UNCLEAR: State = "unclear"
DAMAGING: State = "damaging"
NOT_KNOWN: State = "not known"
WORKS: AlarmState = "works"
FITS: AlarmState = "fits"
SILENT: AlarmState = "silent"

Place = Annotated[tuple[str, int], Strict(False)]
"""Task and length."""


class DoctorCell(Counts):
    """The probe at one task and length on one arm."""

    task: str
    length: Positive
    arm: str
    p: Share | None
    verdict: Verdict | None
    because: str
    format_lost: Count | None
    """Answers that the format alone loses; None if it was not emulated on all samples."""


class ArmHealth(Record):
    """One arm over all its cells."""

    state: State
    n: Count
    right_baseline: Count
    lost: Count
    control_lost: Count
    format_lost: Count | None
    because: str | None
    """Why its health is not known."""
    places: Array[Place]
    """Tasks and lengths at which the cache damages answers."""


class Alarm(Record):
    """Whether planted damage was found on an arm."""

    state: AlarmState
    dose: Positive
    """Severity: the largest power of two by which values were scaled."""
    places: Array[Place]
    """Tasks and lengths at which the largest dose was detected."""
    doses: Count
    sets_in: Positive | None
    """The smallest dose that was detected."""
    n: Count
    right_baseline: Count
    lost: Count
    format_lost: Count | None
    control_flips: Count
    """Verdicts that differ between auto and control."""


class Damage(Record):
    """The cells of one dose of planted damage."""

    dose: Positive
    cells: Array[DoctorCell]
    incomplete: bool


class Margins(Record):
    """How close answers are to changing: for each answer, the smallest margin of its tokens, in nats."""

    length: Positive
    side: str
    """An arm, or a format that transformers emulates."""
    n: Count
    median: float
    tenth: float
    """The 10th percentile over answers."""


class DoctorFindings(JsonFile):
    """`doctor.json`."""

    kveval: str
    vllm: str
    device: str
    host: Host
    samples: Count
    """Questions of each task at each length."""
    lengths: Array[Positive]
    seed: Count
    engine_args: Array[str]
    arms: dict[str, ArmFacts]
    layer: Count
    """The layer in which damage is planted."""
    cells: Array[DoctorCell]
    judged: dict[str, ArmHealth]
    damage: Array[Damage]
    alarm: dict[str, Alarm] = Field(default_factory=dict)
    margins: Array[Margins]
    sound: bool
    """Whether every arm is healthy and no alarm is silent."""
    incomplete: bool
