"""How many pictures a second does a Vision Transformer learn from?"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor

from attention_course.benchmarks.base import Benchmark, Call, Size, Variant
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
    r"""Return the logits of pictures: a Vision Transformer that normalises first, no biases.

    Args:
        attend: from queries, keys and values (batch, heads, n, d / heads) to contexts.
        heads: how many.
        patches: (batch, n - 1, pixels).
        E: the patch embedding, (d, pixels).
        P: positions, (n, d); the first row is the class token with its own.
        W: queries, keys, values and output of each layer, (layers, 4, d, d).
        W_1: into each feed-forward part, (layers, 2 d, d).
        W_2: out of it, (layers, d, 2 d).
        out: (classes, d).

    Returns:
        Logits, (batch, classes).

    Source:
        Dosovitskiy et al. (2021), section 3.1.
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


class Pictures(Benchmark):
    """A Vision Transformer forwards and backwards, with plain attention and with torch's own.

    The step of the optimiser, which is the same for both, is not part of it.
    """

    name = "pictures"
    question = "How many pictures a second does a Vision Transformer learn from?"
    baseline = "eager"
    timed = "both"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [
            {"n": 50, "pixels": 16, "batch": 50, **_OURS},
            {"n": 197, "pixels": 4, "batch": 25, **_OURS},
            {"n": 785, "pixels": 1, "batch": 5, **_OURS},
        ],
        "live cpu": [
            {"n": 50, "pixels": 16, "batch": 25, **_OURS},
            {"n": 197, "pixels": 4, "batch": 8, **_OURS},
            {"n": 785, "pixels": 1, "batch": 2, **_OURS},
        ],
        "cuda": [
            {"n": 50, "pixels": 16, "batch": 4096, **_OURS},
            {"n": 197, "pixels": 768, "batch": 128, **_SMALL},
            {"n": 785, "pixels": 192, "batch": 32, **_SMALL},
        ],
        "live cuda": [
            {"n": 50, "pixels": 16, "batch": 1024, **_OURS},
            {"n": 197, "pixels": 768, "batch": 32, **_SMALL},
            {"n": 785, "pixels": 192, "batch": 8, **_SMALL},
        ],
        "tiny": [{"n": 10, "pixels": 4, "batch": 2, "d": 8, "heads": 2, "layers": 2}],
    }

    def inputs(self, size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
        """Draw patches and parameters, each as large as keeps what it makes near 1."""
        n, pixels, d, layers = (size[k] for k in ("n", "pixels", "d", "layers"))
        shapes = [(size["batch"], n - 1, pixels), (d, pixels), (n, d), (layers, 4, d, d)]
        shapes += [(layers, 2 * d, d), (layers, d, 2 * d), (CLASSES, d)]
        widths = (1, pixels, 1, d, d, 2 * d, d)
        rng = torch.Generator().manual_seed(0)
        drawn = (torch.randn(shape, generator=rng) for shape in shapes)
        return tuple(
            (x * width**-0.5).to(device.kind, dtype)
            for x, width in zip(drawn, widths, strict=True)
        )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return the two ways to attend."""
        ways: dict[str, Callable[..., Tensor]] = {
            "eager": naive_attention,
            "sdpa": torch.nn.functional.scaled_dot_product_attention,
        }
        return {name: Variant(partial(_reader, way)) for name, way in ways.items()}

    def operations(self, size: Size, variant: str) -> int:
        """Count the products of the forward pass, and twice as many backwards."""
        n, pixels, d, layers = (size[k] for k in ("n", "pixels", "d", "layers"))
        layer = 8 * n * d * d + 4 * n * n * d + 8 * n * d * d
        once = 2 * (n - 1) * pixels * d + layers * layer + 2 * d * CLASSES
        return 3 * int(size["batch"]) * once


def _reader(attend: Callable[..., Tensor], size: Size) -> Call:
    return partial(classify, attend, size["heads"])
