"""A softmax of rows in Triton: the kernel with which the language is best begun."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, x_stride, y_stride, n, SIZE: tl.constexpr):
    """Write the softmax of one row: it is read once and written once."""
    row = tl.program_id(0)
    columns = tl.arange(0, SIZE)  # a power of two, at least n
    there = columns < n
    at = x + row.to(tl.int64) * x_stride + columns
    scores = tl.load(at, mask=there, other=float("-inf")).to(tl.float32)
    weights = tl.exp(scores - tl.max(scores, 0))
    weights /= tl.sum(weights, 0)
    at = y + row.to(tl.int64) * y_stride + columns
    tl.store(at, weights.to(y.dtype.element_ty), mask=there)


def options(n: int) -> dict[str, int | bool]:
    """Return how rows of n numbers are computed: 64 numbers a thread, or fewer."""
    size = triton.next_power_of_2(n)
    return {"SIZE": size, "num_warps": max(4, size // 2048), "enable_fp_fusion": True}


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of each row of a matrix, computed by :func:`softmax_kernel`.

    Args:
        x: scores (rows, n), with at least one number in a row.

    Raises:
        ValueError: if it is no matrix of float16, bfloat16 or float32, has empty rows, or rows
            of more than 65,536 numbers: a multiprocessor has no more registers.
    """
    kinds = (torch.float16, torch.bfloat16, torch.float32)
    if x.ndim != 2 or x.dtype not in kinds or not 0 < x.shape[1] <= 65536:
        raise ValueError(
            "triton_softmax: expected a matrix (rows, n) in float16, bfloat16 or float32 with "
            f"n from 1 to 65,536, got {tuple(x.shape)} in {x.dtype}"
        )
    x = x if x.stride(1) == 1 else x.contiguous()
    y = torch.empty_like(x)
    if len(x):
        how = options(x.shape[1])
        softmax_kernel[(len(x),)](x, y, x.stride(0), y.stride(0), x.shape[1], **how)
    return y
