"""From a stored run to its written reports: score, judge, draw, write. Prints nothing."""

from dataclasses import dataclass
from pathlib import Path

from kveval.analysis import DEFAULT_MARGIN
from kveval.analysis.results import build_report
from kveval.doctor.examination import Examination
from kveval.doctor.findings import find
from kveval.errors import UsageError
from kveval.report.bench_report import throughput_lines, throughput_markdown
from kveval.report.charts import accuracy_charts
from kveval.report.doctor_report import findings_markdown
from kveval.report.html import write_report
from kveval.report.markdown import comparison, markdown
from kveval.report.speed_charts import speed_charts
from kveval.store.bench_directory import BenchDirectory
from kveval.store.bench_results_schema import BenchResults
from kveval.store.doctor_schema import DoctorFindings
from kveval.store.json_files import read_object, write_object, write_text
from kveval.store.report_schema import ComparisonReport, Report
from kveval.store.run_directory import RunDirectory
from kveval.throughput.bench_results import build_results, stored_throughput


@dataclass(frozen=True)
class PublishedRun:
    """A run's report, and where it was written."""

    report: Report
    throughput: BenchResults | None
    """None for a run without a throughput pass."""
    html: Path

    @property
    def incomplete(self) -> bool:
        """Whether samples or rounds are missing, or too many requests failed."""
        return self.report.incomplete or bool(self.throughput and self.throughput.incomplete)


def publish_run(path: Path, *, margin: float = DEFAULT_MARGIN) -> PublishedRun:
    """Score a run directory again and write `scores.jsonl`, `report.json`, `report.md`, `report.html` and its charts.

    `margin` is the loss, as a share, that is accepted. Raises RunDirectoryError where the directory is damaged.
    """
    directory = RunDirectory(path)
    report = build_report(directory, margin=margin)
    throughput = stored_throughput(path, report.cells)
    charts = accuracy_charts(report) | (speed_charts(throughput) if throughput else {})
    text = markdown(report, throughput_lines(throughput) if throughput else None)
    return PublishedRun(report, throughput, write_report(directory, text, charts))


@dataclass(frozen=True)
class PublishedBench:
    """The results of a throughput pass, and where its report was written."""

    results: BenchResults
    html: Path

    @property
    def incomplete(self) -> bool:
        """Whether rounds are missing, or too many requests failed."""
        return self.results.incomplete


def publish_bench(path: Path, *, bandwidth: float | None = None) -> PublishedBench:
    """Judge the throughput pass of a run directory again and write `throughput.json`, its report and its chart.

    `bandwidth` is that of one GPU's memory in bytes a second, where its name does not tell. Where the directory has an accuracy
    run too, its report marks the arms that lost answers. Raises RunDirectoryError where the directory is damaged.
    """
    stored = RunDirectory(path).report_json
    accuracy = read_object(stored, Report).cells if stored.exists() else ()
    directory = BenchDirectory(path)
    results = build_results(directory, bandwidth=bandwidth, accuracy=accuracy)
    return PublishedBench(results, write_report(directory, throughput_markdown(results), speed_charts(results)))


def publish_comparison(report: ComparisonReport, folder: Path) -> Path:
    """Write `report.json`, `report.md` and `report.html`; returns where the last is.

    Raises UsageError where the folder is a run, or a file.
    """
    directory = RunDirectory(folder)
    if directory.manifest.exists() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"--out {folder} is a run of kveval, or a file: choose another folder.")
    write_object(directory.report_json, report)
    return write_report(directory, comparison(report), accuracy_charts(report))


@dataclass(frozen=True)
class PublishedFindings:
    """What an examination found, and where it was written."""

    findings: DoctorFindings
    markdown: Path


def publish_findings(examination: Examination) -> PublishedFindings:
    """Judge the runs of an examination and write `doctor.json` and `doctor.md`."""
    findings = find(examination)
    path = examination.out / "doctor.md"
    write_object(examination.out / "doctor.json", findings)
    write_text(path, findings_markdown(findings))
    return PublishedFindings(findings, path)
