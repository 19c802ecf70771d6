"""What a KV cache stores: its dtypes, the bytes of a token, and what a format loses by itself.

dtypes.py     the KV dtypes that kveval knows, one row each
layout.py     bytes of a token and of a sequence, from a model's config
emulation.py  greedy answers in transformers with keys and values rounded to a dtype
"""
