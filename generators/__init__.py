"""Synthetic documents and questions: pure functions of a seed, without files, models or global state.

`evidence`, `copy` and `multihop` write records, passages and facts with questions about them; `haystack` writes the prose
around them; `document` combines all of them; `proofs` check that each question has exactly one answer. The
words of the languages are in `en` and `zh`. All random numbers come from a `random.Random` that the caller passes.
"""
