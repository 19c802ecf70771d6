"""Checks that every question about a finished document has exactly one right answer.

They use only the text of the document and of the questions, not how these were made.
"""
