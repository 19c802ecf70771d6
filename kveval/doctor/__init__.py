"""Checks which KV dtypes this machine and its vLLM support, and whether the engine's quantized caches are sound.

machine.py      the machine and the KV dtypes that its vLLM accepts
examination.py  runs of the probe on this engine, healthy and with planted damage
format_loss.py  loss due to a cache format alone, measured in transformers
findings.py     runs and format losses → findings on the engine
"""
