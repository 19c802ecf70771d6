"""Figures and verdicts as text, for results and for every form of a report.

format.py     numbers: rounded here and nowhere else
sentences.py  headlines, conclusions and remarks
"""
