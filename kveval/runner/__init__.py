"""Runs an accuracy evaluation: one fresh engine per arm, and each answer is written to disk as it arrives.

run.py          the whole run, arm by arm
preparation.py  checks and samples, before the first engine starts
dispatch.py     one arm: which requests are in flight, and in which order
replay.py       one stored request as a shell script
"""
