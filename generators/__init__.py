"""Synthetic documents and questions: pure functions of a seed, without files, models or global state.

`evidence`, `copy` and `multihop` write what questions are asked about, and the questions; `haystack` writes the prose around;
`report` puts all into one document, and `proofs` show that each question has one answer. The words of a language are in `en`
and `zh`. Everything random comes from a `random.Random` that the caller passes.
"""
