"""Exact attention in several ways: forwards, backwards, and the steps of the ladder."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_course.benchmarks.base import Call, Question, Size, Unavailable, Way
from attention_course.kernels import triton_variants
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
_ONCE = {"cpu": {"n": 1024}, "cuda": {"n": 8192, "d": 128}}
# The products are kernels of their own, so scores and weights go through memory.
NOT_FUSED = ("eager", "chunked", "tiled", "compiled", "sdpa math")
_LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)


def attention_sizes(
    lengths: tuple[int, ...], tokens: int, width: int, head_sizes: tuple[int, ...] = (64,)
) -> list[dict[str, Any]]:
    """Return sizes of so many tokens, batch times length, and so wide, heads times head size.

    It is the setting of FlashAttention's figures (Dao, 2023, section 4.1).
    """
    return [
        {"n": n, "d": d, "heads": width // d, "batch": max(1, tokens // n), "causal": causal}
        for d in head_sizes
        for causal in (False, True)
        for n in lengths
    ]


def normal_inputs(
    shapes: list[tuple[int, ...]], device: Device, dtype: Any
) -> tuple[Tensor, ...]:
    """Draw normal numbers (zeros would run faster than life), the same each time."""
    rng = torch.Generator(device=device.torch).manual_seed(0)
    drawn = (torch.randn(shape, generator=rng, device=device.torch) for shape in shapes)
    return tuple(x.to(dtype) for x in drawn)


def _inputs(size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
    return normal_inputs(
        [(size["batch"], size["heads"], size["n"], size["d"])] * 3, device, dtype
    )


def _pairs(size: Size, causal: bool) -> int:
    """Count the pairs of a query and a key that it may see."""
    return int(size["n"] * (size["n"] + 1) // 2 if causal else size["n"] ** 2)


def _operations(products: int, size: Size, way: str) -> int:
    """Count multiplications and additions of the products, by pairs that are needed."""
    pairs = size["batch"] * size["heads"] * _pairs(size, size["causal"])
    return int(2 * products * pairs * size["d"])


def bytes_moved(size: Size, way: str, device: Device) -> int:
    """Count inputs and output; and of each pair score and weight, written and read again.

    What is not fused sends them through memory, in whole rows or in tiles. A backward pass
    moves more than is counted here.
    """
    each = size["batch"] * size["heads"]
    numbers = 4 * each * size["n"] * size["d"]
    if way in NOT_FUSED:
        skips = size["causal"] and way in ("chunked", "tiled")
        numbers += 4 * each * _pairs(size, skips)
    return int(device.dtype.itemsize * numbers)


def _ours(module: str, function: str, size: Size) -> Call:
    """Prepare a function of the package, which is loaded only then."""
    attend = getattr(import_module(f"attention_course.kernels.{module}"), function)
    return partial(attend, causal=bool(size.get("causal")))


by_triton = partial(_ours, "triton_attention", "triton_attention")


def forced_backends() -> dict[str, Way]:
    """Return SDPA with each of its backends forced, by name."""
    return {f"sdpa {name}": Way(sdpa(name), (name,), _LONGEST.get(name)) for name in _BACKENDS}


def sdpa(backend: str | None = None) -> Callable[[Size], Call]:
    """Return what prepares SDPA with one backend forced, or with the one that torch takes."""

    def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        grouped = q.shape[1] != k.shape[1]
        with sdpa_kernel(_BACKENDS[backend]) if backend else nullcontext():
            return scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)

    return lambda size: partial(attend, causal=bool(size.get("causal")))


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for the shapes of the call, however many were compiled before."""
    import torch._dynamo

    config: Any = torch._dynamo.config
    config.recompile_limit = max(config.recompile_limit, 256)
    return torch.compile(function, dynamic=False)


def flex(size: Size) -> Call:
    """Prepare FlexAttention, compiled."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    attend, n, mask = compiled(flex_attention), size["n"], None
    if size.get("causal"):
        mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device="cuda")
    return lambda q, k, v: attend(q, k, v, block_mask=mask, enable_gqa=q.shape[1] != k.shape[1])


def _ways(device: Device) -> dict[str, Way]:
    """Return every way that there is to compute exact attention."""
    eager, once = partial(_ours, "tiled", "naive_attention"), _ONCE[device.kind]
    return {
        "eager": Way(eager),
        "chunked": Way(partial(_ours, "tiled", "chunked_attention")),
        "tiled": Way(partial(_ours, "tiled", "tiled_attention"), largest=2048),
        "compiled": Way(lambda size: compiled(eager(size)), ("compile",), only=once),
        "sdpa": Way(sdpa()),
        **forced_backends(),
        "flex": Way(flex, ("flex",), only=once),
        "triton": Way(by_triton, ("triton",)),
    }


def _differentiable(device: Device) -> dict[str, Way]:
    return {name: way for name, way in _ways(device).items() if name != "compiled"}


def _steps(device: Device) -> dict[str, Way]:
    """Return torch's own attention, and the Triton forward with one trick more each."""
    # What hangs would take a page's kernel with it.
    steps = {
        step.name: Way(
            partial(_step, step), ("triton",), only={} if step.warp_specialise else None
        )
        for step in triton_variants.LADDER
    }
    return {"sdpa": Way(sdpa()), **steps}


def _step(step: triton_variants.Variant, size: Size) -> Call:
    from attention_course.kernels.triton_attention import triton_attention, why_not

    if reason := why_not(step, torch.device("cuda")):
        raise Unavailable(reason)
    return partial(triton_attention, causal=bool(size.get("causal")), variant=step)


def _asked(
    ways: Callable[[Device], dict[str, Way]],
    products: int,
    cuda: tuple[int, ...],
    live: tuple[int, ...],
    **more: Any,
) -> Question:
    """Return a question about attention: the lengths are those of a GPU's sizes."""
    width = 128 if more.get("baseline") else 64  # as wide as what a page draws beside it
    sizes = {
        "cpu": attention_sizes((256, 512, 1024), 256, 128),
        "cuda": attention_sizes(cuda, 16384, 2048, (64, 128)),
        "live cuda": attention_sizes(live, 4096, 1024, (width,)),
    }
    asked = {"baseline": "eager", "ways": ways, "inputs": _inputs, "moved": bytes_moved, **more}
    return Question(sizes=sizes, operations=partial(_operations, products), **asked)


ASKED = {
    "forward": _asked(_ways, 2, _LENGTHS, _LENGTHS[:4], memory=True),
    "backward": _asked(_differentiable, 5, _LENGTHS[1:5], _LENGTHS[:3], timed="backward"),
    "ladder": _asked(_steps, 2, (8192,), (2048,), baseline="sdpa", gradients=False),
}
