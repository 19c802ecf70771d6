"""Runs the probe on this machine's engine: unmodified, and with planted damage that a quantized cache must reveal.

    OUT/healthy/            a run of the probe
    OUT/damage-POWER/       a run of the probe with planted damage, for each dose
    OUT/checkpoints/        the damaged probes
    OUT/format/             answers to the same samples with the format alone
    OUT/doctor.json doctor.md

Each is an ordinary run: `kveval score`, `show` and `compare` can read it, and an interrupted run can be resumed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kveval.arms import BASELINE
from kveval.config import RunConfig
from kveval.doctor.format_loss import has_emulation, read_in_format
from kveval.engine.progress import Progress
from kveval.errors import RunDirectoryError, UsageError
from kveval.models import probe
from kveval.models.damage import plant_damage
from kveval.models.tokenizer import load_tokenizer
from kveval.prompts.samples import Sample, build_all
from kveval.runner.run import run
from kveval.store.run_directory import RunDirectory
from kveval.tasks import load_tasks

TASKS = ("evidence", "copy", "multihop")
LAYER = 1
"""The layer with planted damage; all three tasks depend on its values."""
DOSES = (8, 9, 10)
"""Exponents of two by which that layer's values are scaled. The last must be detected; e4m3 first loses answers at 2^8."""
SAMPLES = 32
"""Questions for each task and length, four per document; verdicts need at least eight documents."""


@dataclass(frozen=True)
class Defaults:
    """Default settings, chosen so that the examination takes a few minutes."""

    lengths: tuple[int, ...]
    concurrency: int


ON_CPU = Defaults((2048, 8192), 8)
ON_GPU = Defaults((2048, 8192, 32768, 65536), 64)


@dataclass(frozen=True)
class Examination:
    """Settings of an examination, and its output folder."""

    out: Path
    kv_dtypes: tuple[str, ...]
    lengths: tuple[int, ...]
    samples: int
    concurrency: int = 8
    doses: tuple[int, ...] = DOSES
    """In ascending order. The largest has its own baseline and control; the others run the quantized arms only."""
    engine_args: tuple[str, ...] = ()
    seed: int = 0

    def config(self, model: str) -> RunConfig:
        return RunConfig(
            model=model,
            tasks=TASKS,
            lengths=self.lengths,
            kv_dtypes=self.kv_dtypes,
            samples=self.samples,
            concurrency=self.concurrency,
            engine_args=self.engine_args,
            seed=self.seed,
        )

    @property
    def healthy(self) -> RunDirectory:
        return RunDirectory(self.out / "healthy")

    def damaged(self, dose: int) -> RunDirectory:
        return RunDirectory(self.out / f"damage-{dose}")

    def checkpoint(self, dose: int) -> Path:
        return self.out / "checkpoints" / f"probe-damage-{dose}"

    def in_format(self, kv_dtype: str | None, dose: int = 0) -> Path:
        """File of the answers with this format alone (None: the model's dtype), without an engine."""
        return self.out / "format" / f"{f'damage-{dose}' if dose else 'healthy'}-{kv_dtype or 'auto'}.jsonl"

    @cached_property
    def built(self) -> list[Sample]:
        """The samples that all runs share, with their prompts."""
        tokenizer, tasks = load_tokenizer(str(probe.ensure())), load_tasks(TASKS)
        return [
            sample
            for length in self.lengths
            for sample in build_all(tasks, length, tokenizer, samples=self.samples, seed=self.seed)
        ]


def examine(examination: Examination, progress: Progress, announce: Callable[[str], None]) -> None:
    """Complete all runs; `announce` is called with the title of each run before it starts.

    Raises a KVEvalError for invalid input before an engine starts.
    """
    if set(examination.kv_dtypes) <= {BASELINE}:
        raise UsageError(
            f"--kv-dtypes {','.join(examination.kv_dtypes)} has no quantized cache to examine: add one, like auto,fp8."
        )
    _check_out(examination.out)
    announce("The probe")
    run(examination.config(probe.NAME), examination.healthy.path, progress)
    quantized = [dtype for dtype in examination.kv_dtypes if dtype != BASELINE]
    for dose in sorted(examination.doses, reverse=True):
        announce(f"The probe, layer {LAYER}'s values times 2^{dose}")
        if not examination.checkpoint(dose).exists():
            plant_damage(probe.ensure(), examination.checkpoint(dose), layer=LAYER, power=dose)
        # Damage has no effect in the model's dtype. Only the largest dose verifies this, to save time.
        arms = None if dose == max(examination.doses) else quantized
        run(examination.config(str(examination.checkpoint(dose))), examination.damaged(dose).path, progress, arms=arms)
    announce("The formats alone, without an engine")
    read_formats(examination, progress)


def read_formats(examination: Examination, progress: Progress) -> None:
    """Answer the same samples in transformers with the formats that the engine's caches used."""
    progress.stage("Rounding the cache in transformers")
    own = examination.healthy.read_outputs(BASELINE)
    drafts = {key: output.token_ids for key, output in own.items() if output.error is None}
    read_in_format(probe.ensure(), examination.built, None, examination.in_format(None), drafts)
    for kv_dtype in emulated_formats(examination.healthy).values():
        read_in_format(probe.ensure(), examination.built, kv_dtype, examination.in_format(kv_dtype), drafts)
        for dose in examination.doses:
            read_in_format(
                examination.checkpoint(dose), examination.built, kv_dtype, examination.in_format(kv_dtype, dose), drafts
            )


def emulated_formats(directory: RunDirectory) -> dict[str, str]:
    """Formats of a run's quantized caches that can be emulated, by arm."""
    formats = {}
    for arm in directory.read_manifest().arms:
        engines = directory.read_engines(arm.name)
        facts = engines[-1].facts if engines else None
        if facts and has_emulation(facts.kv_dtype_effective):
            formats[arm.name] = facts.kv_dtype_effective
    return formats


def _check_out(out: Path) -> None:
    """Raises RunDirectoryError if `out` contains anything but an examination. Creates no files."""
    known = ("healthy", "checkpoints", "format", "doctor.json", "doctor.md")
    if out.exists() and not out.is_dir():
        raise RunDirectoryError(f"{out} is a file: choose another --out.")
    if out.is_dir():
        for entry in out.iterdir():
            if entry.name not in known and not entry.name.startswith("damage-"):
                raise RunDirectoryError(
                    f"{out} is not empty and is not an examination of kveval: choose another --out."
                )
