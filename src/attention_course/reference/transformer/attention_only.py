"""A translator made of attention alone, one example at a time, for torch to equal."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call
from attention_course.reference._checked import checked
from attention_course.reference.transformer.cross_attention import cross_attention_by_loops


class HeadWeights(NamedTuple):
    """The matrices of one attention layer, a stack of one matrix for each head.

    Attributes:
        W_q: heads, width in, d_k.
        W_k: heads, width of the memory, d_k.
        W_v: heads, width of the memory, d_v.
        W_o: heads, d_v, width out.
    """

    W_q: np.ndarray
    W_k: np.ndarray
    W_v: np.ndarray
    W_o: np.ndarray


class AttentionOnlyWeights(NamedTuple):
    """All arrays of the translator; matrices are on the right of row vectors.

    Attributes:
        E_x: an embedding for each source symbol.
        P_x: a vector for each source position.
        E_y: an embedding for each target symbol.
        P_y: a vector for each target position.
        encoder_self: attention of the source to itself.
        decoder_self: attention of the target to itself.
        cross: attention of the target to the source.
        W_1: into the hidden layer.
        b_1: its bias.
        W_2: out of the hidden layer.
        b_2: its bias.
        W: to one logit for each target symbol.
        b: its bias.
    """

    E_x: np.ndarray
    P_x: np.ndarray
    E_y: np.ndarray
    P_y: np.ndarray
    encoder_self: HeadWeights
    decoder_self: HeadWeights
    cross: HeadWeights
    W_1: np.ndarray
    b_1: np.ndarray
    W_2: np.ndarray
    b_2: np.ndarray
    W: np.ndarray
    b: np.ndarray


def _symbols(call: Call) -> None:
    source, target, ahead = len(call["source"]), len(call["target_in"]), call["ahead"]
    if not source or not target or ahead < 0:
        expected = "sequences that hold a symbol, and ahead at least 0"
        got = f"{source}, {target} and {ahead}"
        raise call.fail("source and target_in", expected, got)


@checked(_symbols)
def attention_only_by_loops(
    source: Sequence[int], target_in: Sequence[int], p: AttentionOnlyWeights, ahead: int = 0
) -> tuple[Float[np.ndarray, "target symbols"], Float[np.ndarray, "heads target source"]]:
    r"""Logits of every step of a given target, position by position.

    .. math:: m = x + A_1(x, x), \quad s_i = y_i + A_2(y_i, y_{\le i}), \quad
       t_i = s_i + A_3(s_i, m), \quad
       \text{logits}_i = (t_i + \max(0, t_i W_1 + b_1) W_2 + b_2) W + b

    The decoder's self-attention is handed only what it may see: no mask appears.

    Args:
        source: numbers of the source symbols, without padding.
        target_in: the target moved right by one, the start mark first.
        p: the arrays.
        ahead: how many positions beyond itself a decoder position is handed.

    Returns:
        Logits, and the weights of cross-attention.

    Source:
        Vaswani et al. (2017), section 3.2.3, without normalisation.

    >>> from attention_course.reference.transformer import attention_only
    >>> heads = attention_only.HeadWeights(*[np.ones((1, 2, 2))] * 4)
    >>> e, W = np.ones((3, 2)), np.eye(2)
    >>> arrays = [e, e, e, e, heads, heads, heads, W, W[0], W, W[0], W, W[0]]
    >>> p = attention_only.AttentionOnlyWeights(*arrays)
    >>> [part.shape for part in attention_only_by_loops([0, 1, 2], [1, 0], p)]
    [(2, 2), (1, 2, 3)]
    """
    x = np.stack([p.E_x[symbol] + p.P_x[j] for j, symbol in enumerate(source)])
    y = np.stack([p.E_y[symbol] + p.P_y[i] for i, symbol in enumerate(target_in)])
    m = x + cross_attention_by_loops(x, x, *p.encoder_self)[0]
    logits, weights = [], []
    for i in range(len(y)):
        visible = y[: i + 1 + ahead]
        s = y[i : i + 1] + cross_attention_by_loops(y[i : i + 1], visible, *p.decoder_self)[0]
        found, alpha = cross_attention_by_loops(s, m, *p.cross)
        t = (s + found)[0]
        hidden = np.maximum(0, t @ p.W_1 + p.b_1)
        logits.append((t + hidden @ p.W_2 + p.b_2) @ p.W + p.b)
        weights.append(alpha[:, 0])
    return np.stack(logits), np.stack(weights, axis=1)
