"""What a layer costs in time and memory: over the length, and beside a recurrent one.

Each layer takes words (batch, n, d) and one matrix (8 d, d), of whose rows it takes as many as
it needs. Beside each stands the same, step by step, that it
must be equal to.
"""

import math
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from attention_course.benchmarks.attention import normal_inputs
from attention_course.benchmarks.base import Call, Question, Size, Way
from attention_course.layers.scale.block_sparse import block_sparse_attention
from attention_course.layers.scale.linear_attention import linear_attention
from attention_course.layers.scale.sliding_window import sliding_window_attention
from attention_course.measure import Device
from attention_course.reference import block_pattern, layer_costs, window_mask

WIDTH = 64  # of windows, and the size of a block


def _library() -> tuple[bool, int, float, bool, bool, bool]:
    """Return what torch's recurrent layers ask: no biases, one layer, no dropout, training, ...

    Without training mode cuDNN computes no gradients.
    """
    return False, 1, 0.0, torch.is_grad_enabled(), False, True


def _recurrent(x: Tensor, W: Tensor) -> Tensor:
    d, h = x.shape[-1], x.new_zeros(1, len(x), x.shape[-1])
    weights = [W[:d].contiguous(), W[d : 2 * d].contiguous()]
    out: Tensor = torch.rnn_tanh(x, h, weights, *_library())[0]
    return out


def _recurrent_by_steps(x: Tensor, W: Tensor) -> Tensor:
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    for word in x.unbind(1):
        h = torch.tanh(word @ W[:d].mT + h @ W[d : 2 * d].mT)
        out.append(h)
    return torch.stack(out, dim=1)


def _lstm(x: Tensor, W: Tensor) -> Tensor:
    d, zero = x.shape[-1], x.new_zeros(1, len(x), x.shape[-1])
    weights = [W[: 4 * d].contiguous(), W[4 * d :].contiguous()]
    out: Tensor = torch.lstm(x, (zero, zero), weights, *_library())[0]
    return out


def _lstm_by_steps(x: Tensor, W: Tensor) -> Tensor:
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    c = h
    for word in x.unbind(1):
        i, f, g, o = (word @ W[: 4 * d].mT + h @ W[4 * d :].mT).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        out.append(h)
    return torch.stack(out, dim=1)


def _additive(x: Tensor, W: Tensor) -> Tensor:
    d = x.shape[-1]
    asked, told = x @ W[:d].mT, x @ W[d : 2 * d].mT
    hidden = torch.tanh(asked[:, :, None] + told[:, None])
    return (hidden @ W[2 * d]).softmax(-1) @ x


def _additive_by_steps(x: Tensor, W: Tensor) -> Tensor:
    d, out = x.shape[-1], []
    for query in x.unbind(1):
        hidden = torch.tanh((query @ W[:d].mT)[:, None] + x @ W[d : 2 * d].mT)
        out.append(((hidden * W[2 * d]).sum(-1).softmax(-1)[..., None] * x).sum(1))
    return torch.stack(out, dim=1)


def _table(x: Tensor, W: Tensor) -> Tensor:
    return (x @ x.mT / math.sqrt(x.shape[-1])).softmax(-1) @ x


def _fused(x: Tensor, W: Tensor) -> Tensor:
    q = x[:, None]
    return torch.nn.functional.scaled_dot_product_attention(q, q, q)[:, 0]


# To the last ``WIDTH`` words.
def _windowed(x: Tensor, W: Tensor) -> Tensor:
    return sliding_window_attention(x, x, x, WIDTH)


# To this block of words, the one before, and the first.
def _block_sparse(x: Tensor, W: Tensor) -> Tensor:
    return block_sparse_attention(x, x, x, _pattern(x.shape[1]), WIDTH, causal=True)


def _linear(x: Tensor, W: Tensor) -> Tensor:
    return linear_attention(x, x, x)


def _linear_by_steps(x: Tensor, W: Tensor) -> Tensor:
    features = torch.nn.functional.elu(x) + 1
    kernel = features @ features.mT
    return kernel / kernel.sum(-1, keepdim=True) @ x


def _projected(x: Tensor, W: Tensor) -> Tensor:
    W_q, W_k, W_v, W_o = W[: 4 * x.shape[-1]].chunk(4)
    q, k, v = x @ W_q.mT, x @ W_k.mT, x @ W_v.mT
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v @ W_o.mT


def _projected_by_steps(x: Tensor, W: Tensor) -> Tensor:
    W_q, W_k, W_v, W_o = W[: 4 * x.shape[-1]].chunk(4)
    return _attended_by_steps(x @ W_q.mT, x @ W_k.mT, x @ W_v.mT) @ W_o.mT


def _pattern(n: int) -> Tensor:
    return torch.from_numpy(block_pattern(-(-n // WIDTH), n_local=2, n_first=1))


def _band(n: int) -> Tensor:
    return torch.from_numpy(window_mask(WIDTH, n))


def _blocks(n: int) -> Tensor:
    whole = _pattern(n).repeat_interleave(WIDTH, 0).repeat_interleave(WIDTH, 1)
    return whole[:n, :n].tril()


_MASKS = {"windowed": _band, "block-sparse": _blocks}


def _attended_by_steps(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    out = []
    for t, query in enumerate(q.unbind(1)):
        scores = (k * query[:, None]).sum(-1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask[t], -math.inf)
        out.append((scores.softmax(-1)[..., None] * v).sum(1))
    return torch.stack(out, dim=1)


def _dots_by_steps(x: Tensor, W: Tensor, layer: str | None = None) -> Tensor:
    mask = _MASKS[layer](x.shape[1]).to(x.device) if layer else None
    return _attended_by_steps(x, x, x, mask)


@cache
def _pairs(layer: str, n: int) -> int:
    return int(_MASKS[layer](n).sum())


# A layer, its steps, and the length up to which it is measured.
Layers = Mapping[str, tuple[Call, Call, int | None]]
LAYERS: Layers = {
    "recurrent": (_recurrent, _recurrent_by_steps, 8192),
    "LSTM": (_lstm, _lstm_by_steps, 8192),
    "additive": (_additive, _additive_by_steps, 2048),
    "table": (_table, _dots_by_steps, None),
    "fused": (_fused, _dots_by_steps, None),
    "windowed": (_windowed, partial(_dots_by_steps, layer="windowed"), None),
    "block-sparse": (_block_sparse, partial(_dots_by_steps, layer="block-sparse"), None),
    "linear": (_linear, _linear_by_steps, None),
}
BESIDE: Layers = {
    "recurrent": (_recurrent, _recurrent_by_steps, None),
    "LSTM": (_lstm, _lstm_by_steps, None),
    "self-attention": (_projected, _projected_by_steps, None),
}
_COUNTED = {"table": "dot-product", "fused": "tiled", "recurrent": "rnn", "LSTM": "lstm"}


def _ways(layers: Layers, device: Device) -> dict[str, Way]:
    """Return the layers as ways, each with its steps as the reference."""

    def way(compute: Call, by_steps: Call, largest: int | None) -> Way:
        return Way(lambda size: compute, largest=largest, steps=by_steps)

    return {name: way(*layer) for name, layer in layers.items()}


def _inputs(size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
    """Draw words and a matrix of small weights."""
    d = size["d"]
    x, W = normal_inputs([(size["batch"], size["n"], d), (8 * d, d)], device, dtype)
    return x, W / (2 * math.sqrt(d))


def _operations(size: Size, way: str, passes: int = 1) -> int:
    """Count what a layer needs: forwards, or three times as much with its gradients."""
    n, d = size["n"], size["d"]
    if way in _MASKS:
        return int(passes * size["batch"] * 4 * d * _pairs(way, n))
    once = layer_costs(_COUNTED.get(way, way), n, d).operations
    return int(passes * size["batch"] * once)


def _smaller(size: Size) -> Size:
    """Return a size at which the steps do not take long; no multiple of a block."""
    return {"n": min(size["n"], 150), "d": min(size["d"], 32), "batch": 2}


def _sizes(lengths: tuple[int, ...], d: int, *batches: int) -> list[Size]:
    return [{"n": n, "d": d, "batch": b} for n in lengths for b in batches]


_LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384)
ASKED = {
    "layers": Question(
        "table",
        partial(_ways, LAYERS),
        _inputs,
        {
            "cpu": _sizes(_LENGTHS[:6], 64, 1),
            "live cpu": _sizes(_LENGTHS[:3], 64, 1),
            "cuda": _sizes(_LENGTHS, 64, 4),
            "live cuda": _sizes(_LENGTHS[:4], 64, 4),
        },
        _operations,
        memory=True,
        gradients=False,
        equality_check_size=_smaller,
    ),
    "recurrence": Question(
        "recurrent",
        partial(_ways, BESIDE),
        _inputs,
        {
            "cpu": _sizes((512,), 512, 1, 2, 4, 8, 16),
            "cuda": _sizes((512,), 512, 1, 4, 16, 64),
        },
        partial(_operations, passes=3),
        timed="both",
        equality_check_size=_smaller,
    ),
}
