"""Checks this machine, its vLLM, and what quantized caches do to answers on it.

machine.py      the machine and the KV dtypes that its vLLM takes
examination.py  the probe, healthy and with planted damage, through this engine
format_loss.py  what a cache's format loses by itself, in transformers
findings.py     runs and format losses → what they say of the engine
"""
