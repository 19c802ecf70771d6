"""Data files of one's own: questions on documents, read strictly. Nothing is guessed, repaired or dropped in silence.

faults.py   what is wrong with a file, line by line, and the one error that names it all
jsonl.py    one JSON object a line
csv.py      comma-separated values with a header
rows.py     records → rows, with every check that needs no model
"""

from kveval.data.rows import Data, Row, read_data

__all__ = ["Data", "Row", "read_data"]
