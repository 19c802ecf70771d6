"""Run, score and load a run from Python."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from kveval.analysis import DEFAULT_MARGIN
from kveval.config import RunConfig, default_out, parse_engine_args
from kveval.engine.progress import Progress
from kveval.errors import RunDirectoryError
from kveval.models import probe
from kveval.notebook.frames import cells_frame, samples_frame
from kveval.report.console import ConsoleProgress, plain_console
from kveval.report.publish import publish_run
from kveval.runner.run import run as run_arms
from kveval.store.json_files import read_object
from kveval.store.report_schema import Report
from kveval.store.run_directory import RunDirectory


@dataclass(frozen=True)
class Run:
    """A scored run."""

    path: Path
    """The run directory; its `report.html` shows the same results with charts."""
    report: Report
    """The content of `report.json`, as attributes."""

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per cell: one task at one length on one arm, compared with the baseline on the same samples."""
        return cells_frame(self.report)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """One row per sample and arm: question, gold, output and score."""
        return samples_frame(RunDirectory(self.path))


def run(
    model: str = probe.NAME,
    *,
    tasks: Sequence[str] = ("evidence", "copy"),
    lengths: Sequence[int] = (8192, 16384, 32768),
    kv_dtypes: Sequence[str] = ("auto", "fp8"),
    samples: int = 200,
    control: bool = True,
    concurrency: int = 8,
    seed: int = 0,
    engine_args: Mapping[str, str | int | float | None] | None = None,
    margin: float = DEFAULT_MARGIN,
    out: str | Path | None = None,
) -> Run:
    """Run tasks through vLLM with each KV-cache dtype, as `kveval run` does, and score them.

    `lengths` are in tokens, prompt plus answer; `samples` is the number of questions per task and length; `engine_args` are
    vLLM arguments by name, None for a bare flag; `margin` is the largest accepted loss, as a share; `out` is the run
    directory, by default a new one under `reports/`. To resume a stopped run, pass the same arguments and its `out`.
    Raises a KVEvalError for invalid input before an engine starts.
    """
    pairs = [name if value is None else f"{name}={value}" for name, value in (engine_args or {}).items()]
    config = RunConfig(
        model=model,
        tasks=tuple(tasks),
        lengths=tuple(sorted(lengths)),
        kv_dtypes=tuple(kv_dtypes),
        samples=samples,
        control=control,
        concurrency=concurrency,
        seed=seed,
        engine_args=parse_engine_args(pairs),
    )
    path = Path(out) if out is not None else default_out(config.model)
    with ConsoleProgress(plain_console()) as progress:
        _run_without_event_loop(config, path, progress)
    return score(path, margin=margin)


def _run_without_event_loop(config: RunConfig, path: Path, progress: Progress) -> None:
    """Run the arms, in a separate thread if this thread has a running event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        run_arms(config, path, progress)
        return
    with ThreadPoolExecutor(1) as threads:
        threads.submit(run_arms, config, path, progress).result()


def score(path: str | Path, *, margin: float = DEFAULT_MARGIN) -> Run:
    """Score a stored run again, without an engine, and write its reports, as `kveval score` does.

    `margin` is the largest accepted loss, as a share. Raises RunDirectoryError if the directory is damaged.
    """
    return Run(Path(path), publish_run(Path(path), margin=margin).report)


def load_run(path: str | Path) -> Run:
    """Load a run as it was last scored, without writing anything.

    Raises RunDirectoryError if it has not been scored yet, or is damaged.
    """
    directory = RunDirectory(Path(path))
    directory.check_manifest()
    if not directory.report_json.exists():
        raise RunDirectoryError(f"{path} has no report.json: score it first with kveval.score({str(path)!r}).")
    return Run(Path(path), read_object(directory.report_json, Report))
