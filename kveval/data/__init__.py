"""User data: questions on documents, read strictly. Nothing is guessed, repaired or silently dropped.

faults.py    faults of a source, line by line, and the one error that lists them all
jsonl.py     JSON Lines: one JSON object per line
csv.py       comma-separated values with a header
sources.py   sources of records: these files, Parquet, folders of texts, and datasets by id
rows.py      records → rows, with every check that needs no model
notes.py     rows, and notes on properties that are not faults but that the author should know
"""

from kveval.data.notes import Row
from kveval.data.rows import Data, Reading, read_data
from kveval.data.sources import Hub

__all__ = ["Data", "Hub", "Reading", "Row", "read_data"]
