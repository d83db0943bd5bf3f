"""Checks of scores, masks, attention and its gradient. Each takes an implementation.

Sizes are pairwise different, so that a swapped axis cannot hide, and once all equal, so that
an axis cannot be found by its length.
"""

import math

import numpy as np
import torch
from checks import checks_of, close, draws, holds_for, keeps_the_dtype
from hypothesis import strategies as st

SIZES = {
    "different": (2, 5, 3, 4, 6),
    "equal": (3, 3, 3, 3, 3),
}  # batch, queries, keys, d_k, d_v
SEEDS = st.integers(0, 2**16)


def _qkv(seed: int, sizes: tuple[int, ...]) -> list[np.ndarray]:
    batch, queries, keys, d_k, d_v = sizes
    return draws(seed, (batch, queries, d_k), (batch, keys, d_k), (batch, keys, d_v))


def _torch(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


# Scores.


def dot_scores_are_sums_of_products(dot_scores):
    for sizes in SIZES.values():
        q, k, _ = _qkv(0, sizes)
        batch, queries, keys, d_k, _ = sizes
        wanted = [
            [
                [math.fsum(q[b, i, c] * k[b, j, c] for c in range(d_k)) for j in range(keys)]
                for i in range(queries)
            ]
            for b in range(batch)
        ]
        close(dot_scores(q, k), wanted)


def scaled_scores_divide_by_the_root_of_d_k(scaled_dot_scores):
    for d_k in (1, 4, 9, 64):
        close(
            scaled_dot_scores(np.ones((2, d_k)), np.ones((3, d_k))), np.full((2, 3), d_k**0.5)
        )


def a_given_scale_multiplies(scaled_dot_scores):
    q, k, _ = _qkv(1, SIZES["different"])
    close(scaled_dot_scores(q, k, 0.25), 0.25 * np.einsum("bqc,bkc->bqk", q, k))


def scores_keep_the_dtype(scores):
    keeps_the_dtype(scores, *_qkv(0, SIZES["different"])[:2])


def _additive(seed: int, sizes=(2, 5, 3, 4, 6, 7)) -> list[np.ndarray]:
    batch, queries, keys, d_q, d_key, d_a = sizes
    shapes = ((batch, queries, d_q), (batch, keys, d_key), (d_q, d_a), (d_key, d_a), (d_a,))
    return draws(seed, *shapes)


def additive_scores_equal_a_network_on_pairs(additive_scores):
    """The paper's form: one network with weights [U; V] looks at query and key joined."""
    for sizes in ((2, 5, 3, 4, 6, 7), (3,) * 6):
        q, k, W_q, W_k, w_v = _additive(0, sizes)
        pairs = np.concatenate(
            [
                np.broadcast_to(q[:, :, None, :], (*q.shape[:2], k.shape[1], q.shape[2])),
                np.broadcast_to(k[:, None, :, :], (*q.shape[:2], *k.shape[1:])),
            ],
            axis=-1,
        )
        hidden = torch.nn.Linear(q.shape[-1] + k.shape[-1], len(w_v), bias=False).double()
        with torch.no_grad():
            hidden.weight.copy_(torch.from_numpy(np.concatenate([W_q, W_k]).T))
            wanted = torch.tanh(hidden(torch.from_numpy(pairs))) @ torch.from_numpy(w_v)
        close(additive_scores(q, k, W_q, W_k, w_v), wanted.numpy())


# Masks.


@holds_for(st.integers(1, 6), st.integers(0, 3), examples=30)
def each_query_sees_itself_and_the_past(causal_mask, n_queries, older):
    mask = causal_mask(n_queries, n_queries + older)
    assert mask.dtype == np.bool_
    assert mask.shape == (n_queries, n_queries + older)
    for i in range(n_queries):
        assert mask[i].tolist() == [j <= i + older for j in range(n_queries + older)]


def without_keys_the_mask_is_square(causal_mask):
    assert causal_mask(3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


@holds_for(st.lists(st.integers(0, 5), min_size=1, max_size=4), examples=30)
def the_first_keys_are_real(padding_mask, lengths):
    mask = padding_mask(np.array(lengths), 5)
    assert mask.dtype == np.bool_
    assert mask.tolist() == [[True] * n + [False] * (5 - n) for n in lengths]


def padding_keeps_the_batch_axes(padding_mask):
    assert padding_mask(np.array([[1, 2], [3, 4], [0, 5]]), 7).shape == (3, 2, 7)


# Attention. The implementation returns the context vectors and the weights.


def torch_gives_the_same_context(attention):
    for sizes in SIZES.values():
        q, k, v = _qkv(2, sizes)
        wanted = torch.nn.functional.scaled_dot_product_attention(*_torch(q, k, v))
        context, weights = attention(q, k, v)
        close(context, wanted.numpy())
        scores = torch.from_numpy(q @ k.mT / q.shape[-1] ** 0.5)
        close(weights, torch.softmax(scores, -1).numpy())


def torch_gives_the_same_context_with_a_scale(attention):
    q, k, v = _qkv(3, SIZES["different"])
    wanted = torch.nn.functional.scaled_dot_product_attention(*_torch(q, k, v), scale=0.3)
    close(attention(q, k, v, scale=0.3)[0], wanted.numpy())


@holds_for(SEEDS, examples=20)
def torch_gives_the_same_context_with_a_mask(attention, seed):
    q, k, v = _qkv(seed, SIZES["different"])
    mask = np.random.RandomState(seed).random_sample((2, 5, 3)) < 0.6
    mask[..., 0] |= ~mask.any(-1)  # torch's answer for a fully masked row is not ours
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *_torch(q, k, v), attn_mask=torch.from_numpy(mask)
    )
    close(attention(q, k, v, mask)[0], wanted.numpy())


def a_query_that_sees_nothing_gets_zeros(attention):
    q, k, v = _qkv(6, SIZES["different"])
    mask = np.ones((5, 3), dtype=bool)
    mask[1] = False
    with np.errstate(all="ignore"):
        context, weights = attention(q, k, v, mask)
    close(context[:, 1], np.zeros((2, 6)), 0)
    close(weights[:, 1], np.zeros((2, 3)), 0)
    assert np.all(weights[:, 0] > 0)


def attention_keeps_the_dtype(attention):
    keeps_the_dtype(attention, *_qkv(0, SIZES["different"]))
    keeps_the_dtype(attention, *_qkv(0, SIZES["different"]), scale=0.3)


def loops_equal_torch(loops):
    for sizes in SIZES.values():
        q, k, v = (x[0] for x in _qkv(10, sizes))
        wanted = torch.nn.functional.scaled_dot_product_attention(*_torch(q, k, v))
        close(loops(q, k, v), wanted.numpy())


def loops_survive_large_scores(loops):
    with np.errstate(all="ignore"):
        got = loops(np.array([[1e3]]), np.array([[1.0], [-1.0]]), np.array([[2.0], [5.0]]))
    close(got, [[2.0]])


def loops_keep_the_dtype(loops):
    keeps_the_dtype(loops, *np.ones((3, 2, 2)))


# The gradient by the queries.


def _autograd(q, k, weight_gradient, scale):
    q, k, weight_gradient = _torch(q, k, weight_gradient)
    q.requires_grad_()
    torch.softmax(q @ k.mT * scale, -1).backward(weight_gradient)
    return q.grad.numpy()


def the_query_gradient_equals_autograd(query_gradient):
    for batch, queries, keys, d_k, _ in SIZES.values():
        shapes = ((batch, queries, d_k), (batch, keys, d_k), (batch, queries, keys))
        q, k, g = draws(11, *shapes)
        close(query_gradient(q, k, g), _autograd(q, k, g, d_k**-0.5))


def the_query_gradient_carries_a_given_scale(query_gradient):
    q, k, g = draws(12, (2, 5, 4), (2, 3, 4), (2, 5, 3))
    for scale in (1.0, 2.5):
        close(query_gradient(q, k, g, scale=scale), _autograd(q, k, g, scale))


def the_query_gradient_keeps_the_dtype(query_gradient):
    keeps_the_dtype(query_gradient, *draws(14, (5, 4), (3, 4), (5, 3)))


# The backward pass of one query.


def the_backward_pass_equals_autograd(one_query_backward):
    for _, _, keys, d_k, d_v in SIZES.values():
        q, k, v, g = draws(15, (d_k,), (keys, d_k), (keys, d_v), (d_v,))
        leaves = [x.requires_grad_() for x in _torch(q, k, v)]
        weights = torch.softmax(leaves[1] @ leaves[0] / d_k**0.5, -1)
        wanted = torch.autograd.grad(weights @ leaves[2], leaves, torch.from_numpy(g))
        for got, want in zip(one_query_backward(q, k, v, g), wanted, strict=True):
            close(got, want.numpy())


def the_backward_pass_keeps_the_dtype(one_query_backward):
    keeps_the_dtype(one_query_backward, *draws(16, (4,), (3, 4), (3, 6), (6,)))


DOT = checks_of("dot_scores", globals()) | checks_of("scores", globals())
SCALED = checks_of("scaled_dot_scores", globals()) | checks_of("scores", globals())
ADDITIVE = checks_of("additive_scores", globals())
CAUSAL = checks_of("causal_mask", globals())
PADDING = checks_of("padding_mask", globals())
ATTENTION = checks_of("attention", globals())
LOOPS = checks_of("loops", globals())
GRADIENT = checks_of("query_gradient", globals())
BACKWARD = checks_of("one_query_backward", globals())
