"""Runs from Python: `kveval run` and `kveval score` as functions, with results as pandas frames.

scored_run.py  run, score and load a run
frames.py      cells and samples as pandas frames
"""

from kveval.notebook.scored_run import Run, load_run, run, score

__all__ = ["Run", "load_run", "run", "score"]
