"""What a run takes and what it can show, before any of it runs.

plan.py     memory, work and statistical power
kv_pool.py  tokens and sequences that the KV pool of one GPU holds
"""
