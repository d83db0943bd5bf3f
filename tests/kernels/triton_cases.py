"""What the Triton kernels must do: each case says what is wrong, for the tests and the mutants.

The rule is FlashAttention's own: an error of at most twice that of the same formula in the same
half precision, both held against float64. One rounding of the largest number is excused, where
eager attention happens to be exact; sixteen in float32, where the errors of both come only from
the order in which the processor sums.
"""

import itertools
import math

import torch

from attention_course.kernels import (
    grouped_attention,
    merge_partials,
    triton_partial_attention,
)
from attention_course.kernels.triton_attention import triton_split
from attention_course.kernels.triton_variants import DESCRIPTORS, SPLIT

HALF, BRAIN, SINGLE = torch.float16, torch.bfloat16, torch.float32
EXCUSED = {HALF: 1, BRAIN: 1, SINGLE: 16}  # roundings of the largest number


def draw(n_q=65, n_k=77, size=64, heads=(4, 2), dtype=HALF, batch=2, seed=0):
    """Return queries, keys and values, normal; heads of the queries and of the keys."""
    make = torch.Generator().manual_seed(seed)
    shapes = [(batch, heads[0], n_q, size)] + 2 * [(batch, heads[1], n_k, size)]
    return [torch.randn(shape, generator=make).to(dtype) for shape in shapes]


def formula(q, k, v, causal, scale):
    """Return contexts and log-sum-exps in the inputs' own precision, all scores at once."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    n_q, n_k = q.shape[2], k.shape[2]
    seen = torch.ones(n_q, n_k, dtype=torch.bool)
    if causal:
        seen = seen.tril(n_k - n_q)
    scores = (q @ k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)
    top = scores.masked_fill(~seen, -math.inf).amax(-1, keepdim=True).clamp(min=-6e4)
    weights = torch.where(seen, torch.exp((scores - top).clamp(max=0)), 0)
    total = weights.sum(-1, keepdim=True)
    context = weights / torch.where(total == 0, 1, total) @ v
    return context, (top + torch.log(total.clamp(min=1e-300)))[..., 0], total[..., 0] > 0


def with_gradients(function, inputs, d_context, d_lse):
    """Return both results and the inputs' gradients for given gradients of both results."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    context, lse = function(*leaves)[:2]
    dtype = leaves[0].dtype
    total = (context * d_context.to(dtype)).sum()
    total = total + torch.where(d_lse != 0, lse, 0).mul(d_lse.to(lse.dtype)).sum()
    return context.detach(), lse.detach(), torch.autograd.grad(total, leaves)


def wrong(q, k, v, *, causal, scale=None, variant=SPLIT, gradients=True):
    """Return what is wrong with the kernels' results on these inputs, if anything is."""
    wide = [x.double() for x in (q, k, v)]
    right, right_lse, seen = formula(*wide, causal, scale)
    make = torch.Generator().manual_seed(9)
    d_context = torch.randn(q.shape, generator=make).to(q.dtype)
    d_lse = torch.randn(seen.shape, generator=make) * seen

    def kernels(*x):
        return triton_partial_attention(*x, causal=causal, scale=scale, variant=variant)

    if not gradients:
        context, lse = kernels(q, k, v)
        eager = formula(q, k, v, causal, scale)[0]
        found = [("context", context, eager, right)]
    else:
        context, lse, ours = with_gradients(kernels, (q, k, v), d_context, d_lse)

        def plain(*x):
            return formula(*x, causal, scale)

        eager, _, theirs = with_gradients(plain, (q, k, v), d_context, d_lse)
        _, _, exact = with_gradients(plain, wide, d_context, d_lse)
        names = ("gradient of q", "gradient of k", "gradient of v")
        found = [
            ("context", context, eager, right),
            *zip(names, ours, theirs, exact, strict=True),
        ]
    for name, x, other, truth in found:
        error = (x.double() - truth).abs().max().item()
        rounding = EXCUSED[q.dtype] * torch.finfo(q.dtype).eps * truth.abs().max().item()
        most = 2 * (other.double() - truth).abs().max().item() + rounding
        if not error <= most:
            return f"{name}: off by {error:.1e}, at most {most:.1e}"
    if not (lse[~seen] == -math.inf).all():
        return "the log-sum-exp of a query that sees nothing is not minus infinity"
    if context[~seen].any():
        return "the context of a query that sees nothing is not zero"
    error = (lse - right_lse)[seen].abs().max().item() if seen.any() else 0.0
    if not error <= 2e-5 * max(1.0, right_lse[seen].abs().max().item() if seen.any() else 0):
        return f"log-sum-exp: off by {error:.1e}"
    return ""


def around(x, fill):
    """Return the same tensor within a larger one, all of whose other numbers are ``fill``."""
    batch, heads, n, size = x.shape
    room = torch.full((batch, heads, n + 130, size), fill, dtype=x.dtype)
    room[:, :, :n] = x
    return room[:, :, :n]


def merged():
    """Say what is wrong if keys in two parts, merged, are not all the keys."""
    q, k, v = draw(40, 100, dtype=SINGLE)
    whole, lse = triton_partial_attention(q, k, v)
    parts = [
        triton_partial_attention(q, k[:, :, a:b], v[:, :, a:b]) for a, b in ((0, 33), (33, 100))
    ]
    contexts, sums = (torch.stack(x) for x in zip(*parts, strict=True))
    again, lse_again = merge_partials(contexts, sums)
    close = torch.allclose(again, whole, atol=1e-5) and torch.allclose(
        lse_again, lse, atol=1e-5
    )
    return "" if close else "two parts, merged, are not the whole"


def split():
    """Say what is wrong if a cache in parts, the last one short, is not the whole."""
    q, k, v = draw(1, 200, dtype=SINGLE)
    close = torch.allclose(triton_split(q, k, v), grouped_attention(q, k, v), atol=1e-5)
    return "" if close else "a cache in parts is not the whole"


LENGTHS = [
    (1, 1),
    (1, 7),
    (7, 1),
    (64, 64),
    (65, 65),
    (127, 64),
    (64, 127),
    (200, 200),
    (130, 33),
]
# In the order in which a mutant meets them: the cheap ones that find most stand first.
QUICK = {
    "grouped heads, no multiples": lambda: wrong(*draw(65, 77), causal=False),
    "causal, more keys": lambda: wrong(*draw(33, 100), causal=True),
    "causal, more queries": lambda: wrong(*draw(100, 40), causal=True),
    "a scale of its own": lambda: wrong(*draw(40, 70), causal=False, scale=0.3),
    "nothing but NaN around": lambda: wrong(
        *(around(x, math.nan) for x in draw(70, 40)), causal=False
    ),
    "large scores that rise and fall": lambda: wrong(*rising(), causal=False),
    "four groups": lambda: wrong(*draw(30, 70, heads=(8, 2), batch=1), causal=True),
}


def rising():
    """Return inputs whose scores grow and shrink again, block by block, by hundreds."""
    q, k, v = draw(20, 400, batch=1)
    factor = 6 - torch.linspace(-6, 6, 400).abs()
    return 4 * q, k * factor.to(k.dtype)[:, None], v


def cases():
    """Return every case by its name."""
    found = dict(QUICK)
    for (n_q, n_k), causal in itertools.product(LENGTHS, (False, True)):
        name = f"{n_q} queries, {n_k} keys, {'causal' if causal else 'full'}"
        dtype = HALF if n_q % 2 else BRAIN
        found[name] = lambda n_q=n_q, n_k=n_k, causal=causal, dtype=dtype: wrong(
            *draw(n_q, n_k, dtype=dtype, batch=1), causal=causal
        )
    for dtype, size, causal in itertools.product(
        (HALF, BRAIN, SINGLE), (64, 128), (False, True)
    ):
        name = f"{dtype}, d = {size}, {'causal' if causal else 'full'}"
        found[name] = lambda dtype=dtype, size=size, causal=causal: wrong(
            *draw(70, 90, size, dtype=dtype, batch=1), causal=causal
        )
    for heads in ((1, 1), (3, 3), (6, 3), (5, 1)):
        found[f"{heads[0]} heads of queries, {heads[1]} of keys"] = lambda heads=heads: wrong(
            *draw(20, 70, heads=heads), causal=True
        )
    found["heads beside each other in memory"] = lambda: wrong(*strided(), causal=True)
    found["one key for all"] = lambda: wrong(*spread(), causal=False)
    found["descriptors, heads beside each other"] = lambda: wrong(
        *strided(), causal=True, variant=DESCRIPTORS, gradients=False
    )
    found["a large scale"] = lambda: wrong(*draw(40, 70, dtype=BRAIN), causal=True, scale=5.0)
    found["merged"] = merged
    found["a cache in parts"] = split
    return found


def strided():
    """Return inputs as projections leave them: (batch, n, heads, d), seen the other way."""
    return [x.transpose(1, 2).contiguous().transpose(1, 2) for x in draw(50, 70)]


def spread():
    """Return keys and values that are one key and value, repeated without a copy."""
    q, k, v = draw(20, 70)
    return q, k[:, :, :1].expand_as(k), v[:, :, :1].expand_as(v)
