"""What a layer costs in time and memory: over the length, and beside a recurrent one."""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from attention_course.benchmarks.base import Benchmark, Call, Size, Variant
from attention_course.measure import Device

WIDTH = 64  # of windows, and the size of a block


class Layer(NamedTuple):
    """One layer: how it is computed, and how it is written down, step by step.

    Attributes:
        compute: from inputs (batch, n, d) and one matrix (8 d, d), of which a layer takes the
            rows that it needs.
        by_steps: the same without any trick; what the other must be equal to.
        causal: whether to see that no output depends on what comes later. Where weights are
            used it is not asked, since the question changes all inputs.
        largest: the length up to which it is measured.
    """

    compute: Callable[[Tensor, Tensor], Tensor]
    by_steps: Callable[[Tensor, Tensor], Tensor]
    causal: bool = False
    largest: int | None = None


def recurrent(x: Tensor, W: Tensor) -> Tensor:
    """Run a plain recurrent layer as torch does: all inputs at once, then state by state."""
    d, h = x.shape[-1], x.new_zeros(1, len(x), x.shape[-1])
    weights = [W[:d].contiguous(), W[d : 2 * d].contiguous()]
    out: Tensor = torch.rnn_tanh(x, h, weights, *_library())[0]
    return out


def _library() -> tuple[bool, int, float, bool, bool, bool]:
    """Return what torch's recurrent layers ask: no biases, one layer, no dropout, training, ...

    Without training mode cuDNN computes no gradients.
    """
    return False, 1, 0.0, torch.is_grad_enabled(), False, True


def recurrent_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Run a plain recurrent layer one word after the other."""
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    for word in x.unbind(1):
        h = torch.tanh(word @ W[:d].mT + h @ W[d : 2 * d].mT)
        out.append(h)
    return torch.stack(out, dim=1)


def lstm(x: Tensor, W: Tensor) -> Tensor:
    """Run an LSTM as torch does."""
    d, zero = x.shape[-1], x.new_zeros(1, len(x), x.shape[-1])
    weights = [W[: 4 * d].contiguous(), W[4 * d :].contiguous()]
    out: Tensor = torch.lstm(x, (zero, zero), weights, *_library())[0]
    return out


def lstm_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Run an LSTM one word after the other."""
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    c = h
    for word in x.unbind(1):
        i, f, g, o = (word @ W[: 4 * d].mT + h @ W[4 * d :].mT).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        out.append(h)
    return torch.stack(out, dim=1)


def gru(x: Tensor, W: Tensor) -> Tensor:
    """Run a gated unit as torch does."""
    d, h = x.shape[-1], x.new_zeros(1, len(x), x.shape[-1])
    weights = [W[: 3 * d].contiguous(), W[3 * d : 6 * d].contiguous()]
    out: Tensor = torch.gru(x, h, weights, *_library())[0]
    return out


def gru_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Run a gated unit one word after the other."""
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    for word in x.unbind(1):
        r, z, n = (word @ W[: 3 * d].mT).chunk(3, dim=-1)
        by_r, by_z, by_n = (h @ W[3 * d : 6 * d].mT).chunk(3, dim=-1)
        z = torch.sigmoid(z + by_z)
        new = torch.tanh(n + torch.sigmoid(r + by_r) * by_n)
        h = (1 - z) * new + z * h
        out.append(h)
    return torch.stack(out, dim=1)


def min_gru(x: Tensor, W: Tensor) -> Tensor:
    """Run a gated unit whose gate sees the word alone, all steps at once: a scan.

    Each round joins every stretch of steps with the one before it, so that they double.

    Source:
        Feng et al. (2024), "Were RNNs All We Needed?", section 3.1; Hillis and Steele (1986)
        for the scan.
    """
    d, reach = x.shape[-1], 1
    z = torch.sigmoid(x @ W[:d].mT)
    kept, h = 1 - z, z * (x @ W[d : 2 * d].mT)
    while reach < x.shape[1]:
        h = torch.cat([h[:, :reach], h[:, reach:] + kept[:, reach:] * h[:, :-reach]], 1)
        kept = torch.cat([kept[:, :reach], kept[:, reach:] * kept[:, :-reach]], 1)
        reach *= 2
    return h


def min_gru_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Run :func:`min_gru` one word after the other."""
    d, h, out = x.shape[-1], torch.zeros_like(x[:, 0]), []
    for word in x.unbind(1):
        z = torch.sigmoid(word @ W[:d].mT)
        h = (1 - z) * h + z * (word @ W[d : 2 * d].mT)
        out.append(h)
    return torch.stack(out, dim=1)


def additive(x: Tensor, W: Tensor) -> Tensor:
    """Attend with additive scores, one hidden vector for each pair."""
    d = x.shape[-1]
    asked, told = x @ W[:d].mT, x @ W[d : 2 * d].mT
    hidden = torch.tanh(asked[:, :, None] + told[:, None])
    return (hidden @ W[2 * d]).softmax(-1) @ x


def additive_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Attend with additive scores, one query after the other."""
    d, out = x.shape[-1], []
    for query in x.unbind(1):
        hidden = torch.tanh((query @ W[:d].mT)[:, None] + x @ W[d : 2 * d].mT)
        weights = (hidden * W[2 * d]).sum(-1).softmax(-1)
        out.append((weights[..., None] * x).sum(1))
    return torch.stack(out, dim=1)


def table(x: Tensor, W: Tensor) -> Tensor:
    """Attend with dot products, all weights in one table."""
    return (x @ x.mT / math.sqrt(x.shape[-1])).softmax(-1) @ x


def fused(x: Tensor, W: Tensor) -> Tensor:
    """Attend with dot products in tiles, by torch's own kernel."""
    q = x[:, None]
    return torch.nn.functional.scaled_dot_product_attention(q, q, q)[:, 0]


def windowed(x: Tensor, W: Tensor) -> Tensor:
    """Attend to the last ``WIDTH`` words."""
    from attention_course.layers.scale.sliding_window import sliding_window_attention

    return sliding_window_attention(x, x, x, WIDTH)


def block_sparse(x: Tensor, W: Tensor) -> Tensor:
    """Attend to this block of words, the one before, and the first."""
    from attention_course.layers.scale.block_sparse import block_sparse_attention

    return block_sparse_attention(x, x, x, pattern(x.shape[1]), WIDTH, causal=True)


def linear(x: Tensor, W: Tensor) -> Tensor:
    """Attend by products of positive features, without any weights."""
    from attention_course.layers.scale.linear_attention import linear_attention

    return linear_attention(x, x, x)


def linear_by_steps(x: Tensor, W: Tensor) -> Tensor:
    """Attend by products of positive features, with a table of all of them."""
    features = torch.nn.functional.elu(x) + 1
    kernel = features @ features.mT
    return kernel / kernel.sum(-1, keepdim=True) @ x


def pattern(n: int) -> Tensor:
    """Return which blocks of ``WIDTH`` words see which."""
    from attention_course.reference import block_pattern

    return torch.from_numpy(block_pattern(-(-n // WIDTH), n_local=2, n_first=1))


def masked_by_steps(seen: Callable[[int], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return attention one query after the other, to what a mask lets it see."""

    def attend(x: Tensor, W: Tensor) -> Tensor:
        mask, out = seen(x.shape[1]).to(x.device), []
        for query, allowed in zip(x.unbind(1), mask, strict=True):
            scores = (x * query[:, None]).sum(-1) / math.sqrt(x.shape[-1])
            weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
            out.append((weights[..., None] * x).sum(1))
        return torch.stack(out, dim=1)

    return attend


def everything(n: int) -> Tensor:
    """Return a mask that hides nothing."""
    return torch.ones(n, n, dtype=torch.bool)


def band(n: int) -> Tensor:
    """Return the mask of :func:`windowed`."""
    return everything(n).tril() & everything(n).triu(1 - WIDTH)


def blocks(n: int) -> Tensor:
    """Return the mask of :func:`block_sparse`."""
    whole = pattern(n).repeat_interleave(WIDTH, 0).repeat_interleave(WIDTH, 1)
    return whole[:n, :n].tril()


def band_pairs(n: int) -> int:
    """Count the pairs that :func:`band` lets see each other.

    >>> band_pairs(65)
    2144
    """
    width = min(WIDTH, n)
    return n * width - width * (width - 1) // 2


def block_pairs(n: int) -> int:
    """Count the pairs that :func:`blocks` lets see each other.

    Each query sees the earlier words of its own block, itself, and at most two blocks before.

    >>> block_pairs(65)
    2145
    """
    queries = [min(WIDTH, n - start) for start in range(0, n, WIDTH)]
    return sum(q * (q + 1) // 2 + q * min(i, 2) * WIDTH for i, q in enumerate(queries))


dot_products_by_steps = masked_by_steps(everything)


def projected(
    attend: Callable[[Tensor, Tensor], Tensor] | None,
) -> Callable[[Tensor, Tensor], Tensor]:
    """Return self-attention with its four projections; None: one query after the other."""

    def layer(x: Tensor, W: Tensor) -> Tensor:
        W_q, W_k, W_v, W_o = W[: 4 * x.shape[-1]].chunk(4)
        q, k, v = x @ W_q.mT, x @ W_k.mT, x @ W_v.mT
        if attend is not None:
            return _of_three(attend, q, k, v) @ W_o.mT
        out = []
        for query in q.unbind(1):
            scores = (k * query[:, None]).sum(-1) / math.sqrt(x.shape[-1])
            out.append((scores.softmax(-1)[..., None] * v).sum(1))
        return torch.stack(out, dim=1) @ W_o.mT

    return layer


def _of_three(attend: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    if attend is fused:
        q, k, v = (x[:, None] for x in (q, k, v))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)[:, 0]
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v


def _variant(layer: Layer, same: Call) -> Variant:
    return Variant(
        lambda size: layer.compute,
        largest=layer.largest,
        steps=None if layer.by_steps is same else layer.by_steps,
        causal=layer.causal,
    )


class LayerBenchmark(Benchmark):
    """Layers that compute different things, each held against its own steps."""

    layers: ClassVar[dict[str, Layer]]

    def inputs(self, size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
        """Draw words (batch, n, d) and a matrix (8 d, d) of small weights."""
        rng, d = torch.Generator(device=device.torch).manual_seed(0), size["d"]
        shape = (size["batch"], size["n"], d)
        x = torch.randn(shape, generator=rng, device=device.torch)
        W = torch.randn(8 * d, d, generator=rng, device=device.torch) / (2 * math.sqrt(d))
        return x.to(dtype), W.to(dtype)

    def reference(self, size: Size) -> Call:
        """Return the baseline's own steps; others bring theirs."""
        return self.layers[self.baseline].by_steps

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return every layer."""
        same = self.layers[self.baseline].by_steps
        return {name: _variant(layer, same) for name, layer in self.layers.items()}

    def proof(self, size: Size) -> Size:
        """Return a size at which the steps do not take long; no multiple of a block."""
        return {"n": min(size["n"], 150), "d": min(size["d"], 32), "batch": 2}

    def operations(self, size: Size, variant: str) -> int:
        """Count what the layer needs, forwards; three times as much with its gradients."""
        n, d, passes = size["n"], size["d"], {"forward": 1, "both": 3}[self.timed]
        counts = {"windowed": band_pairs, "block-sparse": block_pairs}
        pairs = counts[variant](n) if variant in counts else n * n
        table, projections = 4 * pairs * d, 4 * n * d**2
        once = {
            "recurrent": projections,
            "LSTM": 4 * projections,
            "GRU": 3 * projections,
            "GRU, in a loop": 3 * projections,
            "minGRU, scanned": projections,
            "additive": projections + table,
            "linear": projections + 2 * n * d,
            "self-attention": 2 * projections + table,
            "self-attention, fused": 2 * projections + table,
        }.get(variant, table)
        return passes * size["batch"] * once


class Layers(LayerBenchmark):
    """Time and memory over the length, at a fixed width."""

    name = "layers"
    question = "How do time and memory of a layer grow with the length?"
    baseline = "table"
    measures = ("time", "memory")
    gradients = False
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [{"n": n, "d": 64, "batch": 1} for n in (256, 512, 1024, 2048, 4096, 8192)],
        "live cpu": [{"n": n, "d": 64, "batch": 1} for n in (256, 512, 1024)],
        "cuda": [
            {"n": n, "d": 64, "batch": 4} for n in (256, 512, 1024, 2048, 4096, 8192, 16384)
        ],
        "live cuda": [{"n": n, "d": 64, "batch": 4} for n in (256, 512, 1024, 2048)],
        "tiny": [{"n": n, "d": 8, "batch": 2} for n in (65, 130)],
    }
    layers: ClassVar[dict[str, Layer]] = {
        "recurrent": Layer(recurrent, recurrent_by_steps, largest=8192),
        "LSTM": Layer(lstm, lstm_by_steps, largest=8192),
        "additive": Layer(additive, additive_by_steps, largest=2048),
        "table": Layer(table, dot_products_by_steps),
        "fused": Layer(fused, dot_products_by_steps),
        "windowed": Layer(windowed, masked_by_steps(band), causal=True),
        "block-sparse": Layer(block_sparse, masked_by_steps(blocks), causal=True),
        "linear": Layer(linear, linear_by_steps),
    }


class Recurrence(LayerBenchmark):
    """Self-attention beside a recurrent layer, forward and backward, where n is d."""

    name = "recurrence"
    question = "Is self-attention faster than a recurrent layer, at n = d = 512?"
    baseline = "recurrent"
    timed = "both"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [{"n": 512, "d": 512, "batch": b} for b in (1, 2, 4, 8, 16)],
        "live cpu": [{"n": 512, "d": 512, "batch": b} for b in (1, 4)],
        "cuda": [{"n": 512, "d": 512, "batch": b} for b in (1, 4, 16, 64)],
        "tiny": [{"n": 20, "d": 8, "batch": b} for b in (1, 3)],
    }
    layers: ClassVar[dict[str, Layer]] = {
        "recurrent": Layer(recurrent, recurrent_by_steps),
        "LSTM": Layer(lstm, lstm_by_steps),
        "self-attention": Layer(projected(table), projected(None)),
        "self-attention, fused": Layer(projected(fused), projected(None)),
    }


class Scan(LayerBenchmark):
    """Training steps of a recurrence that waits for each word, and of one that is scanned."""

    name = "scan"
    question = "What does a recurrence gain that can be computed for all words at once?"
    baseline = "GRU, in a loop"
    timed = "both"
    weight = 4
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [{"n": 512, "d": 64, "batch": 8}],
        "cuda": [{"n": 512, "d": 64, "batch": 64}],
        "tiny": [{"n": 20, "d": 8, "batch": 2}],
    }
    layers: ClassVar[dict[str, Layer]] = {
        "GRU, in a loop": Layer(gru_by_steps, gru_by_steps),
        "GRU": Layer(gru, gru_by_steps),
        "minGRU, scanned": Layer(min_gru, min_gru_by_steps),
    }
