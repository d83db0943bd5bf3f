"""The torch layers for long sequences: equal to the reference, and nothing n by n is made."""

import math

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_course import layers, reference
from attention_course.layers.scale import linear_attention as linear_module

SIZES = [(5, 7, 3), (7, 7, 7), (1, 9, 4), (13, 13, 1), (3, 5, 20), (16, 16, 4), (6, 6, 5)]


def draw(*shape: int, seed: int = 0, dtype=torch.float64) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape)).to(dtype)


def qkv(n_q: int, n_k: int, dtype=torch.float64) -> list[torch.Tensor]:
    return [
        draw(2, 3, n, d, seed=i, dtype=dtype)
        for i, (n, d) in enumerate([(n_q, 4), (n_k, 4), (n_k, 6)])
    ]


def arrays(*tensors: torch.Tensor) -> list[np.ndarray]:
    return [t.detach().numpy() for t in tensors]


def same(ours: torch.Tensor, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), wanted, rtol=0, atol=1e-10)


def same_gradients(ours, theirs, *inputs: torch.Tensor) -> None:
    found = []
    for attend in (ours, theirs):
        leaves = [x.clone().requires_grad_() for x in inputs]
        out = attend(*leaves)
        found.append(torch.autograd.grad((out * draw(*out.shape, seed=9)).sum(), leaves))
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("n_q", "n_k", "width"), SIZES)
@pytest.mark.parametrize("scale", [None, 0.3])
def test_the_window(n_q, n_k, width, scale):
    inputs = qkv(n_q, n_k)
    found = layers.sliding_window_attention(*inputs, width, scale)
    same(found, reference.sliding_window_attention(*arrays(*inputs), width, scale))
    mask = torch.from_numpy(reference.window_mask(width, n_q, n_k))
    same_gradients(
        lambda *x: layers.sliding_window_attention(*x, width, scale),
        lambda *x: layers.scaled_dot_product_attention(*x, mask, scale=scale)[0],
        *inputs,
    )


@pytest.mark.parametrize(("n", "size"), [(13, 4), (12, 3), (5, 8)])
@pytest.mark.parametrize("causal", [False, True])
def test_blocks(n, size, causal):
    inputs, m = qkv(n, n), -(-n // size)
    blocks = torch.from_numpy(np.random.RandomState(n).random_sample((m, m)) < 0.4)
    blocks[-1] = False
    found = layers.block_sparse_attention(*inputs, blocks, size, causal)
    same(
        found, reference.block_sparse_attention(*arrays(*inputs), blocks.numpy(), size, causal)
    )
    mask = torch.from_numpy(reference.expand_blocks(blocks.numpy(), size, n, n))
    mask = mask & torch.from_numpy(reference.causal_mask(n)) if causal else mask
    same_gradients(
        lambda *x: layers.block_sparse_attention(*x, blocks, size, causal),
        lambda *x: layers.scaled_dot_product_attention(*x, mask)[0],
        *inputs,
    )


def test_blocks_between_unequal_numbers():
    inputs, on = qkv(5, 7), torch.tensor([[True, False], [False, True]])
    found = layers.block_sparse_attention(*inputs, on, 4)
    same(found, reference.block_sparse_attention(*arrays(*inputs), on.numpy(), 4))


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 7), (7, 7), (1, 9), (16, 16)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("chunk", [1, 4, 64])
def test_linear_attention(n_q, n_k, causal, chunk, monkeypatch):
    monkeypatch.setattr(linear_module, "CHUNK", chunk)
    inputs = qkv(n_q, n_k)
    found = layers.linear_attention(*inputs, causal)
    same(found, reference.linear_attention(*arrays(*inputs), causal))
    mask = torch.from_numpy(reference.causal_mask(n_q, n_k)) if causal else None
    score = layers.KernelScore()
    same_gradients(
        lambda *x: layers.linear_attention(*x, causal),
        lambda *x: layers.Attention(score)(*x, mask)[0],
        *inputs,
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


@pytest.mark.parametrize("name", CHEAP)
def test_they_work_where_their_inputs_lie(name):
    x = torch.empty(64, 8, device="meta")
    assert CHEAP[name](x, x, x).shape == (64, 8)


X = torch.ones(2, 5, 4)
ON = torch.ones(3, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: layers.sliding_window_attention(X, X, X, 0),
            "sliding_window_attention: width must be a positive whole number, got 0",
        ),
        (
            lambda: layers.sliding_window_attention(X, X[:, :2], X[:, :2], 2),
            "sliding_window_attention: k must be at least as many keys as queries, 5",
        ),
        (
            lambda: layers.sliding_window_attention(X, X, X, 2, math.nan),
            "sliding_window_attention: scale must be a finite number",
        ),
        (
            lambda: layers.block_sparse_attention(X, X, X, ON.float(), 2),
            "block_sparse_attention: blocks must be ",
        ),
        (
            lambda: layers.block_sparse_attention(X, X, X, ON[:2], 2),
            "block_sparse_attention: blocks must be ",
        ),
        (
            lambda: layers.block_sparse_attention(X, X[:, :2], X[:, :2], ON[:, :1], 2, True),
            "block_sparse_attention: causal must be False",
        ),
        (
            lambda: layers.linear_attention(X, X[:, :2], X[:, :2], True),
            "linear_attention: k must be at least as many keys as queries, 5",
        ),
        (
            lambda: layers.linear_attention(X, X, X[:, :2]),
            "linear_attention: k and v must agree in the number of keys",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
