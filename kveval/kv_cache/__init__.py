"""Describes KV cache formats: dtypes, bytes per token, and the loss due to the format alone.

dtypes.py     table of known KV dtypes
layout.py     bytes per token and per sequence, from a model's config
emulation.py  greedy answers in transformers with keys and values rounded to a dtype
"""
