"""Estimates the cost of a run, and the losses that it can detect, before it starts.

plan.py     memory, work and statistical power
kv_pool.py  tokens and sequences that fit into the KV pool of one GPU
"""
