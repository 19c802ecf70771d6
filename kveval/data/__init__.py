"""Data of one's own: questions on documents, read strictly. Nothing is guessed, repaired or dropped in silence.

faults.py    what is wrong with a source, line by line, and the one error that names it all
jsonl.py     one JSON object a line
csv.py       comma-separated values with a header
sources.py   these, Parquet, folders of texts, and datasets by their ids
rows.py      records → rows, with every check that needs no model
notes.py     rows, and what is not wrong with them that their author should know
"""

from kveval.data.notes import Row
from kveval.data.rows import Data, Reading, read_data
from kveval.data.sources import Hub

__all__ = ["Data", "Hub", "Reading", "Row", "read_data"]
