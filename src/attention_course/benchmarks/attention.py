"""What the benchmarks of attention share: inputs, counts, and the ways to compute it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_course.benchmarks.base import Benchmark, Call, Size, Unavailable, Variant
from attention_course.measure import Device

_BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}

# In half precision it computes in single precision, with all scores in memory.
_LONGEST = {"math": 4096}
# Compiling takes seconds for each shape: one is enough to see what it brings.
_COMPILED = {"cpu": {"n": (1024,)}, "cuda": {"n": (8192,), "d": (128,)}}


def attention_sizes(
    lengths: tuple[int, ...],
    *,
    tokens: int,
    width: int,
    head_sizes: tuple[int, ...] = (64,),
    masks: tuple[bool, ...] = (False, True),
) -> list[dict[str, Any]]:
    """Return sizes at which the number of tokens and the width stay what they are.

    Args:
        lengths: of the sequences; the batch shrinks as they grow.
        tokens: batch times length, at least one sequence.
        width: heads times head size.
        head_sizes: the heads' sizes.
        masks: whether causal.

    Returns:
        Sizes with n, d, heads, batch and causal.

    Source:
        Dao (2023), section 4.1: the setting of FlashAttention's figures.

    >>> attention_sizes((512,), tokens=1024, width=128, masks=(True,))
    [{'n': 512, 'd': 64, 'heads': 2, 'batch': 2, 'causal': True}]
    """
    return [
        {"n": n, "d": d, "heads": width // d, "batch": max(1, tokens // n), "causal": causal}
        for d in head_sizes
        for causal in masks
        for n in lengths
    ]


# The products are kernels of their own, so scores and weights go through memory.
NOT_FUSED = ("eager", "chunked", "tiled", "compiled", "sdpa math")


class AttentionBenchmark(Benchmark):
    """Exact attention in several ways, on the same queries, keys and values."""

    baseline = "eager"

    def inputs(self, size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
        """Draw q, k and v."""
        rng = torch.Generator(device=device.torch).manual_seed(0)
        shape = (size["batch"], size["heads"], size["n"], size["d"])
        return tuple(
            torch.randn(shape, generator=rng, device=device.torch).to(dtype) for _ in range(3)
        )

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return every way that there is to compute exact attention."""
        once = _COMPILED[device.kind]
        return {
            "eager": Variant(_ours("kernels.tiled", "naive_attention")),
            "chunked": Variant(_ours("kernels.tiled", "chunked_attention")),
            "tiled": Variant(_ours("kernels.tiled", "tiled_attention"), largest=2048),
            "compiled": Variant(_compiled, ("compile",), only=once, live=False),
            "sdpa": Variant(sdpa()),
            **forced_backends(),
            "flex": Variant(flex, ("flex",), only=once, live=False),
            "triton": Variant(by_triton, ("triton",)),
        }

    def operations(self, size: Size, variant: str) -> int:
        """Count multiplications and additions of the two products, by pairs that are needed."""
        once = 2 * size["batch"] * size["heads"] * self._pairs(size) * size["d"]
        return int(self._products() * once)

    def executed(self, size: Size, variant: str) -> int:
        """Count what is computed: all of the square, where it is masked afterwards."""
        whole = variant in ("eager", "compiled", "sdpa math")
        return self.operations({**size, "causal": False} if whole else size, variant)

    def least_bytes(self, size: Size) -> int:
        """Count q, k, v and the output once."""
        numbers = 4 * size["batch"] * size["heads"] * size["n"] * size["d"]
        return int(self.number_bytes * numbers)

    def bytes(self, size: Size, variant: str) -> int:
        """Count inputs and output; and of each pair score and weight, written and read again.

        What is not fused sends them through memory, in whole rows or in tiles. A backward pass
        moves more than is counted here.
        """
        if variant not in NOT_FUSED:
            return self.least_bytes(size)
        skips = variant in ("chunked", "tiled")
        pairs = self._pairs(size) if skips else size["n"] ** 2
        through = 4 * size["batch"] * size["heads"] * pairs
        return int(self.least_bytes(size) + self.number_bytes * through)

    def _pairs(self, size: Size) -> int:
        """Count the pairs of a query and a key that it may see."""
        n: int = size["n"]
        return n * (n + 1) // 2 if self.causal(size) else n * n

    def _products(self) -> int:
        """Count the matrix products: two forwards, five backwards."""
        return {"forward": 2, "backward": 5, "both": 7}[self.timed]


def _ours(module: str, function: str) -> Callable[[Size], Call]:
    """Return what prepares a function of the package, which is loaded only then."""

    def prepare(size: Size) -> Call:
        attend = getattr(import_module(f"attention_course.{module}"), function)
        return lambda q, k, v: attend(q, k, v, causal=bool(size.get("causal")))

    return prepare


def by_triton(size: Size) -> Call:
    """Prepare the course's Triton kernels."""
    return _ours("kernels.triton_attention", "triton_attention")(size)


def forced_backends() -> dict[str, Variant]:
    """Return SDPA with each of its backends forced, by name."""
    return {
        f"sdpa {name}": Variant(sdpa(name), (name,), _LONGEST.get(name)) for name in _BACKENDS
    }


def sdpa(backend: str | None = None) -> Callable[[Size], Call]:
    """Return what prepares SDPA with one backend forced, or with the one that torch takes."""

    def prepare(size: Size) -> Call:
        causal = bool(size.get("causal"))

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            grouped = q.shape[1] != k.shape[1]
            return scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)

        def forced(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            try:
                with sdpa_kernel(_BACKENDS[str(backend)]):
                    return attend(q, k, v)
            except RuntimeError as error:
                if "No available kernel" in str(error):
                    raise Unavailable("torch has no such kernel for these inputs") from error
                raise

        return forced if backend else attend

    return prepare


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for the shapes of the call, however many were compiled before."""
    import torch._dynamo

    config: Any = torch._dynamo.config
    config.recompile_limit = max(config.recompile_limit, 256)
    return torch.compile(function, dynamic=False)


def _compiled(size: Size) -> Call:
    return compiled(_ours("kernels.tiled", "naive_attention")(size))


def flex(size: Size, window: int | None = None) -> Call:
    """Prepare FlexAttention, compiled; with a window each query sees as many keys at most."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    attend = compiled(flex_attention)
    if not size.get("causal"):
        return lambda q, k, v: attend(q, k, v, enable_gqa=q.shape[1] != k.shape[1])
    n = size["n"]

    def back(b: Any, h: Any, i: Any, j: Any) -> Any:
        return i >= j

    def near(b: Any, h: Any, i: Any, j: Any) -> Any:
        return (i >= j) & (i - j < window)

    mask = create_block_mask(near if window else back, None, None, n, n, device="cuda")
    return lambda q, k, v: attend(q, k, v, block_mask=mask)
