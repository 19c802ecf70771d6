"""Runs an accuracy evaluation: one fresh engine for each arm, every answer on disk before the next.

run.py          the whole run, arm after arm
preparation.py  everything that is checked and built before the first engine starts
dispatch.py     one arm: which requests are in flight, and in which order
replay.py       one stored request as a shell script
"""
