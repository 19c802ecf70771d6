"""Fault injection: makes a checkpoint that computes the same in bfloat16 but loses answers with an fp8 cache.

One layer's value projection is scaled by a power of two and its output projection by the inverse. Only
exponents change, so the model answers as before. The values written to the cache are larger by that factor, and those beyond
a format's largest number are clipped (e4m3: 448). An evaluation that does not detect this is not valid.
"""

import shutil
from pathlib import Path

from kveval.errors import ModelError

SCALED = {"v_proj.weight": 1, "v_proj.bias": 1, "o_proj.weight": -1}
"""Sign of the exponent for each tensor of an attention layer. The bias of the output projection is not scaled."""


def plant_damage(checkpoint: Path, out: Path, *, layer: int, power: int) -> Path:
    """Copy `checkpoint` to the new folder `out` with the values of attention layer `layer` scaled by 2 to the `power`.

    Raises ModelError if the checkpoint has no such layer, or if its projections are not named `self_attn.v_proj` and
    `self_attn.o_proj`.
    """
    from safetensors.torch import load_file, save_file

    unfinished = out.with_name(f".{out.name}.tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(checkpoint, unfinished)
    scaled = set()
    for path in sorted(unfinished.glob("*.safetensors")):
        tensors = load_file(path)
        for name, tensor in tensors.items():
            for suffix, sign in SCALED.items():
                if f".layers.{layer}.self_attn." in name and name.endswith(suffix):
                    tensors[name] = tensor * 2.0 ** (sign * power)
                    scaled.add(suffix)
        save_file(tensors, path, metadata={"format": "pt"})
    if not {"v_proj.weight", "o_proj.weight"} <= scaled:
        shutil.rmtree(unfinished)
        raise ModelError(
            f"{checkpoint} has no layer {layer} with self_attn.v_proj and self_attn.o_proj in its safetensors files: name an "
            "existing layer of a model with the Llama architecture."
        )
    return unfinished.rename(out)
