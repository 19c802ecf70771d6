"""The probe in PyTorch: a Llama whose parts have the same names as in transformers."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe.labels import LAYER, Field
from probe.tokenizer import BEGIN_ID, END_ID, PAD_ID

HEAD = 64  # head size that vLLM's CPU and FlashAttention kernels support


@dataclass(frozen=True)
class Config:
    vocabulary: int = 4096
    width: int = 384
    layers: int = 7
    heads: int = 4
    feed_forward: int = 640
    theta: float = 1e9
    norm_eps: float = 1e-5
    positions: int = 65_536

    @property
    def transformers(self) -> dict[str, Any]:
        """Content of the `config.json` of a checkpoint."""
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "attention_bias": False,
            "attention_dropout": 0.0,
            "bos_token_id": BEGIN_ID,
            "eos_token_id": END_ID,
            "pad_token_id": PAD_ID,
            "head_dim": HEAD,
            "hidden_act": "silu",
            "hidden_size": self.width,
            "initializer_range": 0.02,
            "intermediate_size": self.feed_forward,
            "max_position_embeddings": self.positions,
            "mlp_bias": False,
            "num_attention_heads": self.heads,
            "num_hidden_layers": self.layers,
            "num_key_value_heads": self.heads,
            "rms_norm_eps": self.norm_eps,
            "rope_scaling": None,
            "rope_theta": self.theta,
            "tie_word_embeddings": False,
            "torch_dtype": "bfloat16",
            "use_cache": True,
            "vocab_size": self.vocabulary,
        }


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        inner = config.heads * HEAD
        self.q_proj = nn.Linear(config.width, inner, bias=False)
        self.k_proj = nn.Linear(config.width, inner, bias=False)
        self.v_proj = nn.Linear(config.width, inner, bias=False)
        self.o_proj = nn.Linear(inner, config.width, bias=False)


class FeedForward(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.feed_forward, bias=False)
        self.up_proj = nn.Linear(config.width, config.feed_forward, bias=False)
        self.down_proj = nn.Linear(config.feed_forward, config.width, bias=False)


class Layer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.input_layernorm = Norm(config.width)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = Norm(config.width)
        self.mlp = FeedForward(config)


class Body(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = Norm(config.width)


def _norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return functional.rms_norm(x, (x.shape[-1],), weight.to(x.dtype), eps)


def _linear(x: Tensor, weight: Tensor) -> Tensor:
    return functional.linear(x, weight.to(x.dtype))


def before_attention(
    x: Tensor, norm: Tensor, q: Tensor, k: Tensor, v: Tensor, cos: Tensor, sin: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values [tokens, heads, HEAD] of x [tokens, width], with rotary embedding of the first two."""
    y = _norm(x, norm, eps)
    queries, keys, values = (_linear(y, weight).view(x.shape[0], -1, HEAD) for weight in (q, k, v))

    def rotated(t: Tensor) -> Tensor:
        one, other = t.chunk(2, -1)
        return torch.cat([one * cos - other * sin, other * cos + one * sin], -1)

    return rotated(queries), rotated(keys), values


def after_attention(
    x: Tensor, attended: Tensor, o: Tensor, norm: Tensor, gate: Tensor, up: Tensor, down: Tensor, eps: float
) -> Tensor:
    """Return the output x [tokens, width] of a layer, given its input x and the output of its heads [tokens, heads * HEAD]."""
    x = x + _linear(attended, o)
    y = _norm(x, norm, eps)
    return x + _linear(functional.silu(_linear(y, gate)) * _linear(y, up), down)


@dataclass
class Steps:
    """The two halves of a layer, compiled or not."""

    before: Callable[..., tuple[Tensor, Tensor, Tensor]] = field(default=before_attention)
    after: Callable[..., Tensor] = field(default=after_attention)

    @classmethod
    def compiled(cls) -> "Steps":
        return cls(torch.compile(before_attention, dynamic=False), torch.compile(after_attention, dynamic=False))


class Probe(nn.Module):
    def __init__(self, config: Config, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.model = Body(config)
        self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.steps = Steps()
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 2:
                    std = 0.7 / math.sqrt(weight.shape[1])
                    if "o_proj" in name or "down_proj" in name:
                        std /= math.sqrt(2 * config.layers)
                    weight.normal_(0, 1 if "embed" in name else std, generator=generator)

    def angles(self, positions: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return the rotary cosines and sines [tokens, 1, HEAD / 2] of positions [tokens]."""
        steps = torch.arange(0, HEAD, 2, device=positions.device).float() / HEAD
        angles = positions.float()[:, None] * self.config.theta**-steps
        return angles.cos().to(dtype)[:, None], angles.sin().to(dtype)[:, None]

    def states(self, ids: Tensor, positions: Tensor, dtype: torch.dtype, keep: Sequence[int] = ()) -> list[Tensor]:
        """Return the outputs [tokens, width] of the layers in `keep` and of the last layer, for ids and positions [rows,
        tokens of a row]."""
        rows, length = ids.shape
        cos, sin = self.angles(positions.reshape(-1), dtype)
        x = functional.embedding(ids.reshape(-1), self.model.embed_tokens.weight).to(dtype)
        eps, kept = self.config.norm_eps, []
        for number, layer in enumerate(self.model.layers):
            a, m = layer.self_attn, layer.mlp
            q, k, v = self.steps.before(
                x, layer.input_layernorm.weight, a.q_proj.weight, a.k_proj.weight, a.v_proj.weight, cos, sin, eps
            )
            q, k, v = (t.view(rows, length, -1, HEAD).transpose(1, 2) for t in (q, k, v))
            attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            attended = attended.transpose(1, 2).reshape(rows * length, -1)
            x = self.steps.after(
                x,
                attended,
                a.o_proj.weight,
                layer.post_attention_layernorm.weight,
                m.gate_proj.weight,
                m.up_proj.weight,
                m.down_proj.weight,
                eps,
            )
            if number in keep:
                kept.append(x)
        return [*kept, x]

    def logits(self, states: Tensor) -> Tensor:
        """Return the logits for outputs of the last layer."""
        return _linear(_norm(states, self.model.norm.weight, self.config.norm_eps), self.lm_head.weight)


class Readouts(nn.Module):
    """Linear maps from the output of a layer to the token of each field of `labels`; discarded after training."""

    def __init__(self, config: Config, fields: int, seed: int = 1) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        weights = torch.randn(len(Field), fields, config.width, generator=generator) * 0.02
        self.weights = nn.Parameter(weights)
        self.eps = config.norm_eps

    def loss(self, states: dict[int, Tensor], labels: Tensor, bounds: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the mean loss over fields, and the share of labels predicted rightly by field (NaN without labels)."""
        losses = [labels.new_zeros((), dtype=torch.float)]
        found = [torch.full((), math.nan, device=labels.device)] * len(Field)
        for number in Field:
            place, token = labels[:, bounds[number] : bounds[number + 1]]
            if not len(token):
                continue
            x = states[LAYER[number]][place]
            x = functional.rms_norm(x, (x.shape[-1],), None, self.eps)
            scores = _linear(x, self.weights[number]).float()
            losses.append(functional.cross_entropy(scores, token))
            found[number] = (scores.argmax(-1) == token).float().mean()
        return torch.stack(losses).sum() / len(Field), torch.stack(found)


def export(probe: Probe, folder: Path) -> None:
    """Write `probe` as a bfloat16 checkpoint for transformers and vLLM, next to the tokenizer in `folder`."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: weight.detach().to("cpu", torch.bfloat16).contiguous() for name, weight in probe.state_dict().items()
    }
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    settings = json.dumps(probe.config.transformers, indent=2) + "\n"
    (folder / "config.json").write_text(settings, encoding="utf-8")
    stops = {"bos_token_id": BEGIN_ID, "eos_token_id": END_ID, "pad_token_id": PAD_ID, "do_sample": False}
    (folder / "generation_config.json").write_text(json.dumps(stops, indent=2) + "\n", encoding="utf-8")


def describe(config: Config) -> dict[str, Any]:
    return asdict(config)
