"""The torch layers for long sequences: nothing n by n is made, half precision errs little."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_course import layers, reference
from attention_course.layers.scale import linear_attention as linear_module


def draw(*shape: int, seed: int = 0, dtype=torch.float64) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape)).to(dtype)


def qkv(n_q: int, n_k: int, dtype=torch.float64) -> list[torch.Tensor]:
    return [
        draw(2, 3, n, d, seed=i, dtype=dtype)
        for i, (n, d) in enumerate([(n_q, 4), (n_k, 4), (n_k, 6)])
    ]


@pytest.mark.parametrize("chunk", [1, 4])
def test_chunks_change_nothing_about_linear_attention(chunk, monkeypatch):
    def attend(*x):
        return layers.linear_attention(*x, causal=True)

    whole = attend(*qkv(5, 7))
    monkeypatch.setattr(linear_module, "CHUNK", chunk)
    inputs = [x.requires_grad_() for x in qkv(5, 7)]
    torch.testing.assert_close(attend(*inputs), whole, rtol=0, atol=1e-10)
    assert torch.autograd.gradcheck(attend, inputs, fast_mode=True)


def test_gradients_of_blocks_agree_with_finite_differences():
    blocks = torch.tensor([[True, False], [False, True]])
    inputs = [x.requires_grad_() for x in qkv(7, 7)]
    assert torch.autograd.gradcheck(
        lambda *x: layers.block_sparse_attention(*x, blocks, 4, True), inputs, fast_mode=True
    )


class Largest(TorchDispatchMode):
    """Remembers how many numbers the largest tensor had that anything made."""

    numbers = 0

    def __torch_dispatch__(self, function, types, given=(), more=None):
        out = function(*given, **(more or {}))
        made = [x.numel() for x in tree_leaves(out) if isinstance(x, torch.Tensor)]
        self.numbers = max([self.numbers, *made])
        return out


def largest(attend, n: int) -> int:
    with Largest() as seen:
        attend(*(draw(n, 8, seed=i) for i in range(3)))
    return seen.numbers


CHEAP = {
    "window": lambda *x: layers.sliding_window_attention(*x, 16),
    "blocks": lambda *x: layers.block_sparse_attention(
        *x, torch.from_numpy(reference.block_pattern(len(x[0]) // 16, 2, 1)), 16, True
    ),
    "linear": lambda *x: layers.linear_attention(*x),
    "linear, causal": lambda *x: layers.linear_attention(*x, causal=True),
}


@pytest.mark.parametrize("name", CHEAP)
def test_nothing_grows_with_the_square(name):
    assert largest(CHEAP[name], 2048) == 2 * largest(CHEAP[name], 1024) <= 2048 * 32


@pytest.mark.gate("long layers make nothing n by n", "the window is only a mask")
def test_a_mask_alone_is_noticed():
    def masked(q, k, v):
        mask = torch.from_numpy(reference.window_mask(16, len(q)))
        return layers.scaled_dot_product_attention(q, k, v, mask)[0]

    assert largest(masked, 1024) == 4 * largest(masked, 512)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [1.0, 20.0])
def test_in_half_precision_the_error_is_at_most_twice_torchs(dtype, size):
    short = [(x * s).to(dtype) for x, s in zip(qkv(32, 32), (size, size, 1), strict=True)]
    mask = torch.from_numpy(reference.window_mask(16, 32))
    on = torch.from_numpy(reference.block_pattern(4, 1, 1))
    block_mask = torch.from_numpy(reference.expand_blocks(on.numpy(), 8, 32, 32)).tril()
    pairs = [
        (layers.sliding_window_attention(*short, 16), mask),
        (layers.block_sparse_attention(*short, on, 8, True), block_mask),
    ]
    for ours, seen in pairs:
        with sdpa_kernel(SDPBackend.MATH):
            sdpa = torch.nn.functional.scaled_dot_product_attention
            exact = sdpa(*(x.double() for x in short), attn_mask=seen)
            theirs = sdpa(*short, attn_mask=seen)
        assert ours.dtype == dtype
        assert (ours.double() - exact).abs().max() <= 2 * (theirs.double() - exact).abs().max()
