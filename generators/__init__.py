"""Synthetic documents and questions: pure functions of a seed, without files, models or global state.

`haystack` writes the prose around; `evidence` and `copy` write what questions are asked about; `report` puts both into
one document. Everything random comes from a `random.Random` that the caller passes.
"""
