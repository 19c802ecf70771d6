"""Proofs that every question of a finished document has one right answer.

They read the text of the document and of the questions by their wording, and know nothing of how either came about.
"""
