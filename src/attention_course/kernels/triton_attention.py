"""The door to the Triton kernels: checks, launches, gradients.

Importing this module needs torch only. Triton is imported at the first call; on a CPU that
works under its interpreter, with ``TRITON_INTERPRET=1`` set before anything imports Triton.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from attention_course.kernels.tiled import merge_partials
from attention_course.kernels.triton_variants import (
    HEAD_SIZES,
    LADDER,
    PLAIN,
    SPLIT,
    TUNED,
    Blocks,
    Variant,
    backward_blocks,
    forward_blocks,
    multiplies_from_shared,
    specialised_blocks,
)

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
MOST_HEADS = 65535  # CUDA's limit on the second axis of a grid
LEAST_TUNED = 512  # queries from which on it is worth while to try several blocks
NO_TRITON = (
    "triton_attention: expected Triton to be installed, got none. PyTorch for CUDA on Linux "
    "brings it; without a GPU, `pip install triton` brings its interpreter (1 GB)"
)


def triton_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    variant: Variant | None = None,
) -> torch.Tensor:
    """Return attention's contexts, computed by the Triton kernels; gradients by them too.

    Args:
        q: queries (batch, heads, n_q, d), on a CUDA device of compute capability 8.0 or more,
            or anywhere under Triton's interpreter; float16, bfloat16, or float32 to compare.
        k: keys (batch, kv_heads, n_k, d); ``kv_heads`` divides ``heads``, nothing is repeated.
        v: values, shaped like the keys.
        causal: a query sees no later key; of unequal lengths, the last ones are aligned.
        scale: positive factor of the scores; 1/√d unless given.
        variant: a step of :data:`~attention_course.kernels.triton_variants.LADDER`; unless
            given, what the device can do best.

    Returns:
        Contexts shaped like the queries; zeros for a query that sees no key.

    Raises:
        ValueError: if the kernels cannot do it; the message says what they can.
        ImportError: if there is no Triton.

    Source:
        Dao et al. (2022), algorithms 1 and 4, in the order of Dao (2023), algorithms 1 and 2.
    """
    return triton_partial_attention(q, k, v, causal=causal, scale=scale, variant=variant)[0]


def triton_partial_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    variant: Variant | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return contexts and the log-sum-exp of each query's scores, so that parts can be merged.

    Args:
        q: as for :func:`triton_attention`, like all that follow.
        k: keys.
        v: values.
        causal: whether later keys are hidden.
        scale: factor of the scores.
        variant: a step of the ladder.

    Returns:
        Contexts, and log-sum-exps (batch, heads, n_q) in single precision, to base e; minus
        infinity for a query that sees no key. Gradients flow through both.

    Raises:
        ValueError: if the kernels cannot do it.
        ImportError: if there is no Triton.

    Source:
        Dao et al. (2022), algorithm 1; Dao (2023), section 3.1.
    """
    _check(q, k, v, scale)
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    if not (q.numel() and k.numel()):  # nothing to launch, and yet a graph
        k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
        scores = q @ k.mT
        return scores @ v, scores.float().logsumexp(-1)
    reason = why_not(variant or PLAIN, q.device)
    if reason:
        step = f"{variant.name}: " if variant else ""
        raise ValueError(f"triton_attention: {step}{reason}")
    if variant is None:
        variant = TUNED if multiplies_from_shared(_capability(q.device)) else SPLIT
    apply: Any = _Attention.apply
    return apply(q, k, v, causal, scale, variant)


def triton_split(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attend by the Triton kernel to parts of the keys at once, and merge.

    To the kernel each part is one more head. A block of queries holds the heads of a group, so
    that each key is read once; there are as many parts as keep a GPU's processors busy. ``q``
    has one query a head, ``k`` and ``v`` as many heads or fewer.

    Source:
        Dao et al. (2023), "Flash-Decoding".
    """
    batch, kv_heads, n, _ = k.shape
    rows = q.unflatten(1, (kv_heads, -1)).flatten(2, 3)
    parts = max(1, min(n // 64, 512 // (batch * kv_heads)))
    cut = n - n % parts
    found = []
    for start, stop, count in ((0, cut, parts), (cut, n, 1)):
        if start < stop:
            some = [x[:, :, start:stop].unflatten(2, (count, -1)) for x in (k, v)]
            asked = rows.repeat_interleave(count, 1)
            pair = triton_partial_attention(asked, *(x.flatten(1, 2) for x in some))
            found.append([x.unflatten(1, (-1, count)).movedim(2, 0) for x in pair])
    contexts, log_sums = map(torch.cat, zip(*found, strict=True))
    return merge_partials(contexts, log_sums)[0].unflatten(2, (-1, 1)).flatten(1, 2)


def why_not(variant: Variant, device: torch.device) -> str | None:
    """Return why a variant cannot run on a device, in a sentence; None if it can."""
    reason = why_not_device(device)
    if reason or not (variant.descriptors or variant.warp_specialise):
        return reason
    if _interpreted():
        unknown = "Triton's interpreter knows no groups of warps"
        return unknown if variant.warp_specialise else None
    capability = _capability(device)
    if capability < (9, 0):
        return (
            "expected compute capability 9.0, which has a tensor memory accelerator, got "
            f"{capability[0]}.{capability[1]}"
        )
    return None


def why_not_device(device: torch.device) -> str | None:
    """Return why Triton's kernels cannot run on a device, in a sentence; None if they can."""
    try:
        interpreted = _interpreted()
    except ImportError:
        return NO_TRITON.partition(": ")[2]
    if interpreted:
        return None
    if device.type != "cuda":
        return (
            f"expected a CUDA device, got {device.type}; on a CPU set TRITON_INTERPRET=1 "
            "before anything imports Triton"
        )
    capability = torch.cuda.get_device_capability(device)
    if capability < (8, 0):
        return (
            "expected compute capability 8.0 or more, which tl.dot asks for, got "
            f"{capability[0]}.{capability[1]}"
        )
    return None


def _check(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None) -> None:
    """Refuse what the kernels cannot do, before anything is launched."""

    def expected(what: str, got: Any) -> ValueError:
        return ValueError(f"triton_attention: expected {what}, got {got}")

    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise expected(f"{name} to be a tensor", type(x).__name__)
        if x.ndim != 4:
            raise expected(f"{name} of shape (batch, heads, n, d)", tuple(x.shape))
        if x.dtype not in DTYPES:
            kinds = "float16 or bfloat16 (float32 to compare)"
            raise expected(f"{name} in {kinds}", x.dtype)
    if not q.dtype == k.dtype == v.dtype:
        raise expected("q, k and v of one dtype", f"{q.dtype}, {k.dtype} and {v.dtype}")
    if not q.device == k.device == v.device:
        raise expected("q, k and v on one device", f"{q.device}, {k.device} and {v.device}")
    if q.shape[-1] not in HEAD_SIZES:
        sizes = " or ".join(map(str, HEAD_SIZES))
        d = q.shape[-1]
        pad = f" (zeros may pad it, with scale={d}**-0.5)" * (0 < d < max(HEAD_SIZES))
        raise expected(f"a head size d of {sizes}{pad}", d)
    if k.shape != v.shape or q.shape[-1] != k.shape[-1] or q.shape[0] != k.shape[0]:
        shapes = f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        raise expected("k and v of one shape, with q's batch and d", shapes)
    if not k.shape[1] or q.shape[1] % k.shape[1]:
        raise expected("a number of heads of k that divides q's", (q.shape[1], k.shape[1]))
    if q.shape[0] * q.shape[1] > MOST_HEADS:
        raise expected(f"batch times heads of at most {MOST_HEADS}", q.shape[0] * q.shape[1])
    if max(q.shape[2], k.shape[2]) >= 2**30:
        raise expected("a length below 2 to the 30", max(q.shape[2], k.shape[2]))
    if scale is not None and not 0 < scale < math.inf:
        raise expected("scale to be positive and finite", scale)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        causal: bool,
        scale: float,
        variant: Variant,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        q, k, v = map(_fetchable, (q, k, v))
        with torch.cuda.device_of(q):
            context, lse = _forward(q, k, v, causal, scale, variant)
        ctx.save_for_backward(q, k, v, context, lse)
        ctx.causal, ctx.scale = causal, scale
        return context, lse

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *given: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        d_context, d_lse = given
        q, k, v, context, lse = ctx.saved_tensors
        gradients = _backward(q, k, v, context, lse, d_context, d_lse, ctx.causal, ctx.scale)
        return (*gradients, None, None, None)


def _forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    scale: float,
    variant: Variant,
) -> tuple[torch.Tensor, torch.Tensor]:
    context = torch.empty_like(q)
    lse = q.new_empty(q.shape[:-1], dtype=torch.float32)
    run = partial(_launch_forward, q, k, v, context, lse, causal, scale, variant)
    run(_blocks(q, k, causal, variant, run, context))
    return context, lse


def _launch_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    context: torch.Tensor,
    lse: torch.Tensor,
    causal: bool,
    scale: float,
    variant: Variant,
    blocks: Blocks,
) -> None:
    from attention_course.kernels.triton_forward import forward_kernel

    batch, heads, n_q, size = q.shape
    source: Any = (q, k, v)
    if variant.descriptors:
        source = (_blocks_of(q, blocks.q), _blocks_of(k, blocks.k), _blocks_of(v, blocks.k))
    _launch(
        forward_kernel,
        (-(-n_q // blocks.q), batch * heads),
        *source,
        context,
        lse,
        tuple(x.stride()[:3] for x in (q, k, v, context)),
        heads,
        heads // k.shape[1],
        n_q,
        k.shape[2],
        scale,
        CAUSAL=causal,
        SIZE=size,
        BLOCK_Q=blocks.q,
        BLOCK_K=blocks.k,
        EXP2=variant.exp2,
        SPLIT=variant.split,
        TMA=variant.descriptors,
        WARPS=variant.warp_specialise,
        blocks=blocks,
    )


def _backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    context: torch.Tensor,
    lse: torch.Tensor,
    d_context: torch.Tensor,
    d_lse: torch.Tensor,
    causal: bool,
    scale: float,
    atomic: Blocks | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the three gradients; with ``atomic`` blocks one kernel adds up all of them."""
    from attention_course.kernels import triton_backward as kernels

    (batch, heads, n_q, size), (kv_heads, n_k) = q.shape, k.shape[1:3]
    d_context, d_lse = _fetchable(d_context), d_lse.contiguous()
    d_q, d_k, d_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    n_padded = -(-n_q // 128) * 128
    top, due = lse.new_empty((2, batch * heads, n_padded))
    tma = multiplies_from_shared(_capability(q.device)) and q.itemsize == 2
    numbers = (heads, heads // kv_heads, n_q, n_k, n_padded, scale)
    for_keys, for_queries = backward_blocks(size, q.itemsize, _capability(q.device))

    def launch(kernel: Any, grid: tuple[int, int], blocks: Blocks, *out: Any) -> None:
        pairs = ((q, blocks.q), (k, blocks.k), (v, blocks.k), (d_context, blocks.q))
        sources = [_blocks_of(x, rows) if tma else x for x, rows in pairs]
        written = [x for x in out if x is not None]
        strides = tuple(x.stride()[:3] for x in (q, k, v, d_context, *written))
        args = (*sources, top, due, *out, strides, *numbers)
        fixed = {"SIZE": size, "BLOCK_Q": blocks.q, "BLOCK_K": blocks.k, "TMA": tma}
        _launch(kernel, grid, *args, blocks=blocks, CAUSAL=causal, **fixed)

    _launch(
        kernels.prepare_kernel,
        (n_padded // 64, batch * heads),
        *(context, d_context, lse, d_lse, top, due),
        tuple(x.stride()[:3] for x in (context, d_context)),
        *(heads, n_q, n_padded),
        SIZE=size,
        BLOCK_Q=64,
        blocks=Blocks(64, 0, 4, 1),
    )
    one = atomic or for_keys
    sum_q = lse.new_zeros((batch, heads, n_padded, size)) if atomic else None
    grid = (-(-n_k // one.k), batch * kv_heads)
    launch(kernels.keys_kernel, grid, one, d_k, d_v, sum_q)
    if sum_q is not None:
        return sum_q[:, :, :n_q].to(q.dtype), d_k, d_v
    launch(kernels.queries_kernel, (-(-n_q // for_queries.q), batch * heads), for_queries, d_q)
    return d_q, d_k, d_v


def _launch(
    kernel: Any, grid: tuple[int, int], *args: Any, blocks: Blocks, **fixed: Any
) -> None:
    """Run a kernel: compiled at its first call with these types and constants, then kept."""
    kernel[grid](*args, **fixed, **options(blocks))


def options(blocks: Blocks) -> dict[str, Any]:
    """Return what Triton's compiler is told beside a kernel's own constants."""
    return {
        "num_warps": blocks.warps,
        "num_stages": blocks.stages,
        "enable_fp_fusion": True,  # a product and a sum in one instruction, as ever up to 3.9
    }


def _blocks(
    q: torch.Tensor,
    k: torch.Tensor,
    causal: bool,
    variant: Variant,
    run: Callable[[Blocks], None],
    context: torch.Tensor,
) -> Blocks:
    """Return the blocks that a variant works with; tuned ones are timed once and kept."""
    import triton

    if variant.warp_specialise:
        return specialised_blocks(triton.__version__)
    choices = forward_blocks(q.shape[-1], q.itemsize, q.shape[2], _capability(q.device))
    if not variant.tuned or q.shape[2] < LEAST_TUNED or _interpreted():
        return choices[0]
    key = (q.device, q.dtype, causal, *q.shape, *k.shape[1:3])
    if key not in _FASTEST:
        _FASTEST[key] = _fastest(choices, run, context)
    return _FASTEST[key]


def _fastest(
    choices: list[Blocks], run: Callable[[Blocks], None], context: torch.Tensor
) -> Blocks:
    """Time the choices; leave out what the device has no room for, or what differs."""
    from triton.runtime.errors import OutOfResources
    from triton.testing import do_bench

    run(choices[0])
    wanted, times = context.clone(), {choices[0]: math.inf}
    near = 4 * torch.finfo(context.dtype).eps * float(wanted.abs().max())
    for blocks in choices:
        try:
            run(blocks)
        except OutOfResources:
            continue
        if float((context - wanted).abs().max()) <= near:
            times[blocks] = do_bench(partial(run, blocks), warmup=5, rep=20)
    return min(times, key=times.__getitem__)


_FASTEST: dict[Any, Blocks] = {}


def _fetchable(x: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose rows are whole and begin at multiples of 16 bytes."""
    *outer, last = x.stride()
    aligned = all(step * x.itemsize % 16 == 0 and step for step in outer)
    if last == 1 and aligned and x.data_ptr() % 16 == 0:
        return x
    return x.clone(memory_format=torch.contiguous_format)


def _blocks_of(x: torch.Tensor, rows: int) -> Any:
    """Return a descriptor: where a tensor lies, and how many of its rows are a block."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    return TensorDescriptor(x, [*x.shape], [*x.stride()], [1, 1, rows, x.shape[-1]])


def _capability(device: torch.device) -> tuple[int, int]:
    """Return the device's compute capability; the interpreter does what a Hopper does."""
    if device.type == "cuda" and not _interpreted():
        return torch.cuda.get_device_capability(device)
    return (9, 0)


def _interpreted() -> bool:
    """Return whether Triton's kernels run under its interpreter."""
    try:
        import triton
    except ImportError as error:
        raise ImportError(NO_TRITON) from error
    return bool(triton.knobs.runtime.interpret)
