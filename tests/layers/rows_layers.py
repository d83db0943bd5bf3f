"""The torch layers beside the specification, a row each, with the inputs of its own rows."""

import numpy as np
import torch
from reference import rows_attention, rows_recurrent, rows_scale, rows_transformer
from rows import by_torch, draws, given, row

from attention_course import layers
from attention_course import reference as r
from attention_course.layers.recurrent.luong_scores import ConcatScore
from attention_course.layers.scores import DotScore

PARTS = (rows_attention, rows_recurrent, rows_scale, rows_transformer)
INPUTS = {of.name: of.draws for part in PARTS for of in reversed(part.ROWS)}


def made(module, *arrays):
    """Give a module its weights, in the order of its parameters."""
    for p, array in zip(module.double().parameters(), arrays, strict=True):
        p.data = array.reshape(p.shape)
    return module


def same(name, **more):
    """A function of the layers is its namesake in the reference, by the same inputs."""
    return row(
        by_torch(getattr(layers, name)),
        getattr(r, name),
        draws=INPUTS[name],
        atol=1e-10,
        **more,
    )


def module(name, function, rival, inputs, **more):
    """A module that is called with its weights among the arguments."""
    function.__name__ = name
    return row(by_torch(function), rival, draws=inputs, **more)


def additive(q, k, W_q, W_k, w_v):
    score = layers.AdditiveScore(q.shape[-1], k.shape[-1], len(w_v))
    return made(score, W_q.mT, W_k.mT, w_v)(q, k)


def concat(q, k, W, w_v):
    return made(ConcatScore(q.shape[-1], k.shape[-1], len(w_v)), W, w_v)(q, k)


def cosine(q, k, beta=1.0):
    return layers.CosineScore(beta)(q, k)


def cosine_learned(q, k, w, b):
    return made(layers.CosineScore(2.0, q.shape[-1]), w, torch.tensor(b, dtype=torch.double))(
        q, k
    )


def by_strength(q, k, w, b):
    return r.cosine_scores(q, k, np.log1p(np.exp(q @ w + b)))


def heads(x_q, x_kv, W_q, W_k, W_v, W_o, n, kv, mask=None, keep=None, x_v=None):
    width = {"d_k": W_q.shape[1] // n, "d_v": W_v.shape[1] // kv}
    layer = layers.MultiHeadAttention(x_q.shape[-1], n, kv, **width)
    return made(layer, W_q.mT, W_k.mT, W_v.mT, W_o.mT)(x_q, x_kv, mask, keep, x_v=x_v)


def cross(x, memory, W_q, W_k, W_v, W_o, mask=None):
    n, d_model, d_k = W_q.shape
    layer = layers.CrossAttention(d_model, memory.shape[-1], n, d_k, W_v.shape[2])
    flat = [W.movedim(1, 2).flatten(0, 1) for W in (W_q, W_k, W_v)]
    out, weights = made(layer, *flat, W_o.flatten(0, 1).mT)(x[None], memory[None], mask)
    return out[0], weights[0]


def itself(x, W_q, W_k, W_v, mask=None):
    layer = layers.SelfAttention(x.shape[-1], W_q.shape[1], W_v.shape[1])
    return made(layer, W_q, W_k, W_v)(x, mask)


def gate(x, w, b=0.0):
    return made(layers.SpatialGate(len(w)), w, torch.tensor(b, dtype=torch.double))(x)


def squeeze(x, W_1, b_1, W_2, b_2):
    return made(layers.SqueezeAndExcitation(*W_1.shape), W_1.mT, b_1, W_2.mT, b_2)(x)


def pairs_of_places(x, W_q, W_k, W_v, W_z, way="softmax"):
    layer = layers.NonLocalBlock(len(W_q), W_q.shape[1], way)
    return made(layer, W_q.mT, W_k.mT, W_v.mT, W_z.mT)(x)


def block_sparse(q, k, v, blocks, size, causal=False):
    return layers.block_sparse_attention(q, k, v, blocks, size, causal)


Q, K, w = draws(5, (2, 5, 4), (2, 7, 4), 4)
X, Y = draws(6, (2, 5, 6), (2, 7, 6))
HEADS = [
    given(X, Y, *draws(kv, (6, 12), (6, 3 * kv), (6, 5 * kv), (20, 6)), 4, kv, **more)
    for kv in (4, 2, 1)
    for more in ({}, {"mask": r.causal_mask(5, 7), "keep": np.arange(4) != 1})
]
HEADS += [given(*HEADS[0].args, x_v=draws(7, (2, 7, 6))[0])]
CROSS = [given(*draws(8, (5, 6), (7, 4), (n, 6, 2), (n, 4, 2), (n, 4, 8), (n, 8, 6)), mask)
         for n in (1, 3) for mask in (None, r.causal_mask(5, 7))]  # fmt: skip
MAPS = [given(call.args[0], *draws(3, (3, 7), (3, 7), (3, 7), (7, 3)), *call.args[5:])
        for call in INPUTS["non_local"]]  # fmt: skip

ROWS = [
    same("scaled_dot_product_attention", formats=True),
    same("sliding_window_attention", formats=True),
    same("linear_attention", formats=True),
    same("latent_attention"),
    same("absorbed_latent_attention"),
    same("native_sparse_attention"),
    module(
        "gated_step", lambda drive, s, U: layers.gated_step(drive, s, U.mT), r.gated_step,
        INPUTS["gated_step"],
    ),
    row(
        by_torch(block_sparse), r.block_sparse_attention,
        draws=[given(*call.args[:6]) for call in INPUTS["block_sparse_attention"]],
    ),
    row(
        by_torch(layers.masked_softmax), lambda x, mask: r.softmax(x, mask=mask), formats=True,
        draws=[given(*call.args, call.more["mask"])
               for call in INPUTS["softmax"] if {*call.more} == {"mask"}],
    ),
    module("DotScore", lambda q, k: DotScore()(q, k), r.dot_scores, INPUTS["dot_scores"]),
    module(
        "ScaledDotScore", lambda q, k, scale=None: layers.ScaledDotScore(scale)(q, k),
        r.scaled_dot_scores, INPUTS["scaled_dot_scores"],
    ),
    module("AdditiveScore", additive, r.additive_scores, INPUTS["additive_scores"]),
    module(
        "GeneralScore", lambda q, k, W: made(layers.GeneralScore(*W.shape), W)(q, k),
        r.general_scores, INPUTS["general_scores"],
    ),
    module(
        "ConcatScore", concat, r.concat_scores, INPUTS["concat_scores"],
    ),
    module(
        "LocationScore", lambda q, k, W: made(layers.LocationScore(*W.shape), W)(q, k),
        r.location_scores, INPUTS["location_scores"],
    ),
    module(
        "CosineScore", cosine, r.cosine_scores,
        [call for call in INPUTS["cosine_scores"] if np.ndim((*call.args, 1)[2]) == 0],
    ),
    module(
        "CosineScore, learned", cosine_learned, by_strength,
        [given(Q, K, w, b) for b in (0.5, -2.0)],
    ),
    module(
        "KernelScore", lambda q, k: layers.KernelScore()(q, k), r.kernel_scores,
        INPUTS["kernel_scores"],
    ),
    module(
        "MultiHeadAttention", heads, r.multi_head_attention, HEADS,
    ),
    module("CrossAttention", cross, r.cross_attention_by_loops, CROSS),
    module(
        "SelfAttention", itself, r.self_attention, INPUTS["self_attention"],
    ),
    module("SpatialGate", gate, r.spatial_gate, INPUTS["spatial_gate"]),
    module(
        "SqueezeAndExcitation", squeeze, r.squeeze_and_excitation,
        INPUTS["squeeze_and_excitation"],
    ),
    module("NonLocalBlock", pairs_of_places, r.non_local, MAPS),
]  # fmt: skip
