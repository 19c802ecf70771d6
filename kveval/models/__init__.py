"""Loads what a run needs to know about a model before an engine starts.

checkpoint.py    config, tokenizer, length limit and hash of a checkpoint
model_config.py  dtype and KV format, from a model's config
tokenizer.py     a checkpoint's tokenizer
probe.py         the bundled model of 11 million parameters for testing engines
smollm2.py       a small language model from a Python package
damage.py        fault injection: a checkpoint that loses answers only with a quantized cache
"""
