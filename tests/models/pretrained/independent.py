"""The same models by other means: torch's own encoder layer, and functions of torch alone."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812


def encoder_layer(arrays, prefix, names, n_heads):
    """Fill torch's own layer with a file's arrays, by the file's names."""

    def part(name, kind):
        return torch.from_numpy(np.array(arrays[f"{prefix}{names[name]}.{kind}"]))

    d_ff, d_model = part("up", "weight").shape
    layer = nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
    )
    for kind in ("weight", "bias"):
        joined = torch.cat([part(name, kind) for name in ("q", "k", "v")])
        getattr(layer.self_attn, f"in_proj_{kind}").data = joined
        places = {
            "o": layer.self_attn.out_proj,
            "up": layer.linear1,
            "down": layer.linear2,
            "norm": layer.norm1,
            "norm 2": layer.norm2,
        }
        for name, place in places.items():
            setattr(place, kind, nn.Parameter(part(name, kind)))
    return layer.eval().requires_grad_(False)


def bert(arrays, tokens, layers, stem=""):
    """Return what leaves torch's layers, and their weights, (layers, heads, n, n)."""

    def table(name):
        return torch.from_numpy(np.array(arrays[f"{stem}embeddings.{name}"]))

    x = table("word_embeddings.weight")[tokens]
    x = x + table("position_embeddings.weight")[: len(tokens)]
    x = x + table("token_type_embeddings.weight")[0]
    start = table("LayerNorm.weight"), table("LayerNorm.bias")
    x = F.layer_norm(x, x.shape[-1:], *start, 1e-12)
    widen = f"{stem}encoder.embedding_hidden_mapping_in"
    if f"{widen}.weight" in arrays:
        x = F.linear(
            x, *(torch.from_numpy(np.array(arrays[f"{widen}.{k}"])) for k in ("weight", "bias"))
        )
    seen = []
    for layer in layers:
        seen.append(
            layer.self_attn(x[None], x[None], x[None], average_attn_weights=False)[1][0]
        )
        x = layer(x[None])[0]
    return x, torch.stack(seen)


BERT_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm 2": "output.LayerNorm",
}
ALBERT_NAMES = {
    "q": "attention.query",
    "k": "attention.key",
    "v": "attention.value",
    "o": "attention.dense",
    "norm": "attention.LayerNorm",
    "up": "ffn",
    "down": "ffn_output",
    "norm 2": "full_layer_layer_norm",
}


def llama(arrays, tokens, n_heads, n_kv, base):
    """Return the logits: half-split rotary positions, torch's own grouped attention."""
    x = arrays["token_embd.weight"][tokens]
    n, d_k = len(tokens), x.shape[-1] // n_heads
    speeds = base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
    angles = torch.arange(n, dtype=torch.float64)[:, None] * speeds
    cos, sin = angles.cos().float(), angles.sin().float()

    def turned(y, heads):
        y = y.view(n, heads, d_k // 2, 2).permute(1, 0, 3, 2)  # pairs apart: the halves
        a, b = y[:, :, 0], y[:, :, 1]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def norm(y, name):
        return F.rms_norm(y, y.shape[-1:], arrays[name], 1e-5)

    layer = 0
    while f"blk.{layer}.attn_q.weight" in arrays:
        get = {k.removeprefix(f"blk.{layer}."): v for k, v in arrays.items()}
        y = norm(x, f"blk.{layer}.attn_norm.weight")
        q = turned(y @ get["attn_q.weight"].T, n_heads)
        k = turned(y @ get["attn_k.weight"].T, n_kv)
        v = (y @ get["attn_v.weight"].T).view(n, n_kv, d_k).transpose(0, 1)
        found = F.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True, enable_gqa=True
        )[0]
        x = x + found.transpose(0, 1).reshape(n, -1) @ get["attn_output.weight"].T
        y = norm(x, f"blk.{layer}.ffn_norm.weight")
        gate = F.silu(y @ get["ffn_gate.weight"].T)
        x = x + (gate * (y @ get["ffn_up.weight"].T)) @ get["ffn_down.weight"].T
        layer += 1
    return norm(x, "output_norm.weight") @ arrays["token_embd.weight"].T
