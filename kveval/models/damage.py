"""Planted damage: a checkpoint that computes the same in bfloat16, and loses its answers with an fp8 cache.

One layer's value projection is scaled by a power of two and its output projection by the inverse. Both change nothing but
exponents, so the model answers as before; but the values that go into the cache are larger by that factor, and what is
beyond a format's largest number is cut off there (e4m3: 448). An evaluation that does not notice is no evaluation.
"""

import shutil
from pathlib import Path

from kveval.errors import ModelError

SCALED = {"v_proj.weight": 1, "v_proj.bias": 1, "o_proj.weight": -1}
"""Sign of the exponent for each tensor of an attention layer; a bias behind the output projection stays as it is."""


def plant_damage(checkpoint: Path, out: Path, *, layer: int, power: int) -> Path:
    """Copy `checkpoint` to the new folder `out` with the values of attention layer `layer` scaled by 2 to the `power`.

    Raises ModelError where the checkpoint has no such layer, or keeps its projections in another form than
    `self_attn.v_proj` and `self_attn.o_proj`.
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
            f"{checkpoint} has no layer {layer} with self_attn.v_proj and self_attn.o_proj in its safetensors: name a layer "
            "that it has, of a model of Llama's form."
        )
    return unfinished.rename(out)
