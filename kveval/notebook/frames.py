"""A run's cells and samples as pandas frames."""

import pandas as pd

from kveval.store.json_files import read_lines
from kveval.store.report_schema import Cell, Report
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import ScoreRecord

_PLAIN = (
    *("task", "length", "arm", "n", "documents", "measure", "right_baseline", "right", "lost", "gained"),
    *("score_baseline", "score", "difference", "p", "p_adjusted", "token_diff", "errors", "missing"),
    *("verdict", "because"),
)


def cells_frame(report: Report) -> pd.DataFrame:
    """Return one row per cell (one task at one length on one arm). `low` and `high` bound the difference's 95% interval."""
    return pd.DataFrame([_row(cell) for cell in report.cells], columns=[*_PLAIN, "low", "high"])


def _row(cell: Cell) -> dict[str, object]:
    low, high = cell.interval or (None, None)
    return {**{name: getattr(cell, name) for name in _PLAIN}, "low": low, "high": high}


def samples_frame(directory: RunDirectory) -> pd.DataFrame:
    """Return one row per sample and arm: the score as in `scores.jsonl`, with question, gold and the output's text."""
    samples = {sample.id: sample for sample in directory.read_samples()}
    arms = [arm.name for arm in directory.read_manifest().arms]
    outputs = {arm: directory.read_outputs(arm) for arm in arms}
    rows = []
    for score in read_lines(directory.scores, ScoreRecord):
        sample = samples[score.sample_id]
        output = outputs[score.arm].get(sample.key)
        text = output.text if output and output.error is None else None
        rows.append({**score.model_dump(), "question": sample.question, "gold": sample.gold, "output": text})
    return pd.DataFrame(rows, columns=[*ScoreRecord.model_fields, "question", "gold", "output"])
