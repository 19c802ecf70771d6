"""Estimates of a run before it starts: memory, time and statistical power.

plan.py     memory, work and statistical power
kv_pool.py  tokens and sequences that the KV pool of one GPU holds
"""
