"""Models by name or folder: what a run needs to know about one before an engine starts.

checkpoint.py    config, tokenizer, length limit and hash of a checkpoint
model_config.py  dtype and KV format, from a model's config
tokenizer.py     a checkpoint's tokenizer
probe.py         the bundled model of 11 million parameters, which tests engines
smollm2.py       a small language model from a Python package
damage.py        planted damage: a checkpoint that only a quantized cache breaks
"""
