"""What a KV cache holds: bytes of a token, sequences that fit, and what a format loses by itself.

layout.py     bytes of a token and of a sequence, from a model's config
pool.py       tokens and sequences that the pool of one GPU holds
emulation.py  greedy answers in transformers with keys and values rounded to a format
"""
