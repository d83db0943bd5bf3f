"""How many pictures a second does a Vision Transformer learn from?"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from attention_course.benchmarks.attention import normal_inputs
from attention_course.benchmarks.base import Call, Question, Size, Way
from attention_course.kernels import naive_attention
from attention_course.measure import Device

CLASSES = 10
# The course's own model, by the side of its patches: 4, 2 and 1 pixel, the class token first.
_OURS = {"d": 48, "heads": 4, "layers": 2}
# ViT-S/16, its patches of 16 and of 8 by 8 pixels in a colour picture of 224 by 224.
_SMALL = {"d": 384, "heads": 6, "layers": 12}


def classify(
    attend: Callable[..., Tensor],
    heads: int,
    patches: Tensor,
    E: Tensor,
    P: Tensor,
    W: Tensor,
    W_1: Tensor,
    W_2: Tensor,
    out: Tensor,
) -> Tensor:
    """Return logits: a Vision Transformer that normalises first, without biases.

    ``attend`` goes from queries, keys and values (batch, heads, n, d / heads) to contexts,
    patches are (batch, n - 1, pixels); parameters as in :func:`_inputs` (Dosovitskiy et al.,
    2021, section 3.1).
    """

    def normal(x: Tensor) -> Tensor:
        return torch.nn.functional.layer_norm(x, x.shape[-1:])

    first = patches.new_zeros(len(patches), 1, len(E))
    x = torch.cat([first, patches @ E.mT], dim=1) + P
    for (q, k, v, o), up, down in zip(W, W_1, W_2, strict=True):
        z = normal(x)
        split = [(z @ M.mT).unflatten(-1, (heads, -1)).transpose(1, 2) for M in (q, k, v)]
        x = x + attend(*split).transpose(1, 2).flatten(2) @ o.mT
        x = x + torch.relu(normal(x) @ up.mT) @ down.mT
    return normal(x[:, 0]) @ out.mT


def _inputs(size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
    """Draw patches and parameters, each as large as keeps what it makes near 1."""
    n, pixels, d, layers = (size[k] for k in ("n", "pixels", "d", "layers"))
    shapes = [(size["batch"], n - 1, pixels), (d, pixels), (n, d), (layers, 4, d, d)]
    shapes += [(layers, 2 * d, d), (layers, d, 2 * d), (CLASSES, d)]
    widths = (1, pixels, 1, d, d, 2 * d, d)
    drawn = normal_inputs(shapes, device, dtype)
    return tuple(x * width**-0.5 for x, width in zip(drawn, widths, strict=True))


def _ways(device: Device) -> dict[str, Way]:
    """Return the two ways to attend."""
    fused: Any = torch.nn.functional.scaled_dot_product_attention
    ways = {"eager": naive_attention, "sdpa": fused}
    return {name: Way(partial(_reader, attend)) for name, attend in ways.items()}


def _operations(size: Size, way: str) -> int:
    """Count the products of the forward pass, and twice as many backwards."""
    n, pixels, d, layers = (size[k] for k in ("n", "pixels", "d", "layers"))
    layer = 16 * n * d * d + 4 * n * n * d
    once = 2 * (n - 1) * pixels * d + layers * layer + 2 * d * CLASSES
    return 3 * int(size["batch"]) * once


def _reader(attend: Callable[..., Tensor], size: Size) -> Call:
    return partial(classify, attend, size["heads"])


def _sizes(large: dict[str, int], *batches: int) -> list[Size]:
    """Return three sizes: the first of the course's own model, the others of ``large``."""
    pixels = (16, 4, 1) if large is _OURS else (16, 768, 192)
    return [
        {"n": n, "pixels": p, "batch": b, **(_OURS if n == 50 else large)}
        for n, p, b in zip((50, 197, 785), pixels, batches, strict=True)
    ]


ASKED = {
    "pictures": Question(
        "eager",
        _ways,
        _inputs,
        {
            "cpu": _sizes(_OURS, 50, 25, 5),
            "live cpu": _sizes(_OURS, 25, 8, 2),
            "cuda": _sizes(_SMALL, 4096, 128, 32),
            "live cuda": _sizes(_SMALL, 1024, 32, 8),
        },
        _operations,
        timed="both",
    ),
}
