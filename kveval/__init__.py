"""kveval: may I turn on a quantized KV cache for my model, my tasks, my context lengths?"""

__version__ = "0.1.0"
