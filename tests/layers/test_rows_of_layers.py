"""Every layer: equal to the reference, right gradients, one generator, what is refused."""

import inspect
import math

import pytest
import torch
from module_cases import CASES, FOUND, OF, slopes_agree
from rows import amiss, is_right
from rows_layers import ROWS

from attention_course import layers
from attention_course.layers.positions import new_positions
from attention_course.layers.recurrent.local import local_weights
from attention_course.layers.scale.delta_rule import gated_delta_from_logs
from attention_course.layers.scores import DotScore
from attention_course.layers.transformer.transformer_block import TransformerBlock


@is_right(ROWS)
def test_it_is_what_the_reference_says(of):
    assert list(amiss(of)) == []


# What is chosen, or looked up, has no slope; the gradient of a Gumbel choice is another's.
CHOOSES = {"HardAttention", "GumbelAttention", "chosen_mask", "native_sparse_attention"}
CHOOSES |= {"NativeSparseAttention", "reinforce_loss"}
OURS = [
    row
    for row in CASES
    if ".layers." in getattr(FOUND.get(row.name), "__module__", ".layers.")
    and row.name not in CHOOSES
]


@pytest.mark.parametrize("row", OURS, ids=lambda row: row.id)
def test_gradients_agree_with_finite_differences(row):
    assert slopes_agree(row)


@pytest.mark.gate("gradients of the layers", "a weight is cut off from its gradient")
def test_a_lost_gradient_is_noticed(monkeypatch):
    weigh = layers.attention.masked_softmax_unchecked
    monkeypatch.setattr(
        layers.attention, "masked_softmax_unchecked", lambda *x: weigh(*x).detach()
    )
    with pytest.raises(RuntimeError, match="Jacobian"):
        slopes_agree(OF["Attention"])


DRAWN = [
    row
    for row in OF.values()
    if row.name in FOUND and "generator" in inspect.signature(FOUND[row.name]).parameters
]


@pytest.mark.parametrize("row", DRAWN, ids=lambda row: row.name)
def test_first_weights_come_from_the_generator_alone(row):
    before = torch.get_rng_state()
    one, two, other = (
        FOUND[row.name](*row.sizes, generator=torch.Generator().manual_seed(seed))
        for seed in (0, 0, 1)
    )
    assert torch.equal(torch.get_rng_state(), before)
    for a, b, c in zip(*(x.parameters() for x in (one, two, other)), strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)


# What does not fit, and what is said of it. ``ones`` of three axes, or of two.

X, A, B = torch.ones(2, 5, 4), torch.ones(1, 2), torch.ones(1, 3)
C, D = torch.ones(2, 5, 6), torch.ones(2, 7, 4)
ON, SEEN = torch.ones(3, 3, dtype=torch.bool), torch.ones(5, 5, dtype=torch.bool)
LATENTS = OF["latent_attention"].give()
L = layers


def cross(*x, values=None, **sizes):
    return L.CrossAttention(6, 4, 3, 8, 9, **sizes)(*x, values=values)


def sdpa(q=X, k=X, v=X, mask=None, **more):
    return L.scaled_dot_product_attention(q, k, v, mask, **more)


REFUSED = [
    (lambda: DotScore()(B, A), "DotScore: q and k must agree"),
    (lambda: DotScore()(torch.ones(3), B), "DotScore: q must be an array with at least 2 axes"),
    (lambda: DotScore()(B.int(), B), "DotScore: q must be a tensor of floats"),
    (lambda: DotScore()(B, B.double()), "DotScore: q and k must agree in their dtype"),
    (lambda: L.ScaledDotScore(math.nan), "ScaledDotScore: scale must be a finite number"),
    (lambda: L.AdditiveScore(3, 0, 4), "AdditiveScore: d_key must be a positive"),
    (lambda: L.AdditiveScore(3, 4, 5)(B, B), "k must be an array with d_key = 4"),
    (lambda: L.Attention()(B, B, A[:0]), "Attention: k and v must agree in the number of keys"),
    (lambda: L.masked_softmax(X, torch.ones(4)), "mask must be a boolean tensor"),
    (lambda: L.masked_softmax(X, ON), "mask must be broadcastable to the scores"),
    (lambda: L.GeneralScore(0, 2), "GeneralScore: d_q must be a positive whole number, got 0"),
    (lambda: L.ConcatScore(2, 2, 1.5), "ConcatScore: d_a must be a positive"),
    (lambda: L.LocationScore(2, True), "LocationScore: longest must be a positive"),
    (lambda: L.GeneralScore(2, 3)(B, B), "GeneralScore: q must be an array with d_q = 2"),
    (lambda: L.ConcatScore(2, 3, 4)(A, A), "ConcatScore: k must be an array with d_key = 3"),
    (lambda: L.LocationScore(2, 3)(B, B), "LocationScore: q must be an array with d_q = 2"),
    (lambda: L.CosineScore(0.0), "CosineScore: beta must be a positive finite number"),
    (lambda: L.CosineScore(math.nan), "CosineScore: beta must be a positive finite"),
    (lambda: L.CosineScore(1.0, 0), "CosineScore: d_q must be a positive"),
    (lambda: L.CosineScore(1.0, 3)(A, A), "CosineScore: q must be an array with d_k = 3"),
    (lambda: L.CosineScore()(A, B), "CosineScore: q and k must agree"),
    (lambda: L.KernelScore()(A, B), "KernelScore: q and k must agree"),
    (lambda: L.KernelScore()(A[0], A), "KernelScore: q must be a"),
    (lambda: L.HardAttention(soft_share=2), "soft_share must be a number from 0 to 1"),
    (lambda: L.GumbelAttention(0.0), "temperature must be positive, got 0.0"),
    (lambda: L.MovingBaseline(decay=-1), "decay must be a number from 0 to 1, got -1"),
    (
        lambda: L.reinforce_loss(torch.ones(2, 3), torch.tensor([0]), torch.ones(1)),
        "reinforce_loss: weights, choices and rewards must agree in their batch axes",
    ),
    (lambda: L.PredictedCentre(0, 3), "PredictedCentre: d_query must be at least 1, got 0"),
    (lambda: L.LocalAttention(DotScore(), 0), "D must be a positive whole number, got 0"),
    (
        lambda: local_weights(B, torch.zeros(2), 0),
        "local_weights: scores and p must agree in the number of queries",
    ),
    (lambda: L.sliding_window_attention(X, X, X, 0), "width must be a positive whole number"),
    (
        lambda: L.sliding_window_attention(X, X[:, :2], X[:, :2], 2),
        "sliding_window_attention: k must be at least as many keys as queries, 5",
    ),
    (lambda: L.sliding_window_attention(X, X, X, 2, math.nan), "scale must be a finite number"),
    (
        lambda: L.block_sparse_attention(X, X, X, ON.float(), 2),
        "block_sparse_attention: blocks must be a boolean tensor",
    ),
    (
        lambda: L.block_sparse_attention(X, X, X, ON[:2], 2),
        "block_sparse_attention: blocks must be an array with q_blocks = 3",
    ),
    (
        lambda: L.block_sparse_attention(X, X[:, :2], X[:, :2], ON[:, :1], 2, True),
        "block_sparse_attention: causal must be False",
    ),
    (lambda: L.linear_attention(X, X[:, :2], X[:, :2], True), "at least as many keys as quer"),
    (lambda: L.linear_attention(X, X, X[:, :2]), "k and v must agree in the number of keys"),
    (lambda: L.LatentAttention(6, 3, 0, 2), "r must be a positive whole number"),
    (lambda: L.WindowedAttention(6, 3, 0), "WindowedAttention: width must be a positive"),
    (lambda: L.NativeSparseAttention(6, 3, 2, 0, 2), "NativeSparseAttention: chosen must be a"),
    (
        lambda: L.native_sparse_attention(X, X, X, X[..., :2], torch.ones(2), 1, 1),
        "native_sparse_attention: gates must be an array with ways = 3",
    ),
    (
        lambda: L.native_sparse_attention(X, X, X, X[..., :3], torch.ones(0), 1, 1),
        "native_sparse_attention: pool must be an array with size of at least 1",
    ),
    (
        lambda: L.native_sparse_attention(X, X[:, :3], X[:, :3], X[..., :3], A[0], 1, 1),
        "native_sparse_attention: k must be at least as many keys as queries",
    ),
    (
        lambda: L.latent_attention(*LATENTS[:4], torch.ones(3, 7, 4), LATENTS[5]),
        "latent_attention: c and W_k must agree in the axis r",
    ),
    (lambda: L.SteadyAttention(6, 3, cap=0.0), "cap must be a positive finite number"),
    (lambda: L.RecurrentAttention(6, 3, short=0), "RecurrentAttention: short must be"),
    (
        lambda: (lambda part: part.look(X[:, :2], part.keys_and_values(X)))(
            L.RecurrentAttention(4, 2)
        ),
        "RecurrentAttention: x must hold every position, got 2 of 5",
    ),
    (
        lambda: gated_delta_from_logs(X, X, X, X[..., 0], X[..., :1]),
        "gated_delta_from_logs: q and log_decay must agree in the axis n",
    ),
    (
        lambda: gated_delta_from_logs(X, X[:, :3], X, X[..., 0], X[..., 0]),
        "gated_delta_from_logs: q and k must agree in the axis n",
    ),
    (
        lambda: gated_delta_from_logs(X, X, X, X[..., 0], X[..., 0], size=0),
        "gated_delta_from_logs: size must be",
    ),
    (lambda: L.NonLocalBlock(3, 2, "gaussian"), "NonLocalBlock: way must be one of"),
    (lambda: new_positions("clock", 4, 2), "new_positions: kind must be one of"),
    (lambda: new_positions("learned", 4, 2, 4).add(X), "must end by 4, got"),
    (lambda: new_positions("sinusoidal", 4, 2, 5).add(X, 4), "got position 9"),
    (lambda: TransformerBlock(6, 4, 8), "d_model must be a multiple of n_heads"),
    (lambda: TransformerBlock(4, 2, 8, True)(X), "memory must be the keys"),
    (lambda: L.CrossAttention(0), "CrossAttention: d_model must be a positive"),
    (lambda: L.CrossAttention(4, n_heads=0), "CrossAttention: n_heads must be a positive"),
    (lambda: L.CrossAttention(4, d_memory=-1), "CrossAttention: d_memory must be"),
    (lambda: L.CrossAttention(4, d_v=2.0), "CrossAttention: d_v must be"),
    (lambda: cross(X, D), "CrossAttention: x must be an array with d_model = 6"),
    (lambda: cross(C, D[0]), "CrossAttention: memory must be an array with exactly 3 axes"),
    (
        lambda: cross(C, D, D),
        "CrossAttention: mask must be a boolean tensor",
    ),
    (lambda: cross(C, D, values=D[..., :3]), "values must be an array with d_values = 4"),
    (lambda: cross(C, D, values=D[:, :6]), "memory and values must agree in the axis keys"),
    (lambda: cross(C, D, d_values=5), "values must be given, with d_values = 5"),
    (lambda: L.SelfAttention(4, 0), "d_k must be a positive whole number, got 0"),
    (lambda: L.SelfAttention(6, 4)(X), "SelfAttention: x must be an array with d_model = 6"),
    (lambda: L.SelfAttention(4, 4)(X, SEEN.double()), "mask must be a boolean tensor"),
    (lambda: sdpa(torch.ones(2, 5, 9)), "q and k must agree in their last axis"),
    (lambda: sdpa(k=X.double()), "q and k must agree in their dtype"),
    (lambda: sdpa(v=torch.ones(2, 9, 6)), "k and v must agree in the number of keys"),
    (lambda: sdpa(mask=SEEN.float()), "mask must be a boolean tensor"),
    (lambda: sdpa(mask=ON), "mask must be broadcastable to the scores"),
    (lambda: sdpa(scale=math.nan), "scale must be a finite number, got nan"),
    *(
        (lambda bad=bad: L.MultiHeadAttention(**({"d_model": 24, "n_heads": 4} | bad)), said)
        for bad, said in (
            ({"n_heads": 5}, "d_model must be a multiple of n_heads = 5 unless d_k is given"),
            ({"n_heads": 0}, "n_heads must be a positive whole number, got 0"),
            ({"n_heads": 2.0}, "n_heads must be a positive whole number, got 2.0"),
            ({"n_kv_heads": 3}, "n_kv_heads must be a divisor of n_heads = 4, got 3"),
            ({"d_k": 0}, "d_k must be a positive whole number, got 0"),
            ({"d_model": True}, "d_model must be a positive whole number, got True"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said[:40] for _, said in REFUSED])
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
