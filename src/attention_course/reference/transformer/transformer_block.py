"""The Transformer as its paper's figure 1 reads: one position after the other."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention


class Norm(NamedTuple):
    """A layer normalisation.

    Attributes:
        gain: what each feature is multiplied with afterwards.
        shift: what is added to it then.
    """

    gain: np.ndarray
    shift: np.ndarray


class Heads(NamedTuple):
    """The projections of one attention, all heads side by side, and their biases.

    Attributes:
        n_heads: how many heads.
        W: the matrices to queries, keys and values, and the one behind, right of row vectors.
        b: the four biases.
    """

    n_heads: int
    W: Sequence[np.ndarray]
    b: Sequence[np.ndarray]


class Block(NamedTuple):
    """All arrays of one block.

    Attributes:
        attention: to the own sequence.
        cross: to the other one, or None.
        W: the two matrices of the feed-forward part, right of row vectors.
        b: their biases.
        norms: one for each part, in order.
        norm_first: whether they are before the parts.
    """

    attention: Heads
    cross: Heads | None
    W: Sequence[np.ndarray]
    b: Sequence[np.ndarray]
    norms: Sequence[Norm]
    norm_first: bool = False


@checked()
def layer_norm(
    x: Float[np.ndarray, "*batch d"],
    gain: Float[np.ndarray, " d"],
    shift: Float[np.ndarray, " d"],
    eps: float = 1e-5,
) -> Float[np.ndarray, "*batch d"]:
    r"""Give every vector mean 0 and variance 1 over its features, then a gain and a shift.

    .. math:: \operatorname{LN}(x) = g \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + b,
       \qquad \mu = \frac1d \sum_i x_i, \quad \sigma^2 = \frac1d \sum_i (x_i - \mu)^2

    Args:
        x: vectors; each is normalised on its own.
        gain: g.
        shift: b.
        eps: keeps a constant vector from dividing by zero.

    Returns:
        As many vectors.

    Source:
        Ba, Kiros and Hinton (2016), equations 3 and 4.

    >>> layer_norm(np.array([1.0, 3.0]), np.ones(2), np.zeros(2)).round(3).tolist()
    [-1.0, 1.0]
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + eps) + shift


@checked()
def feed_forward(
    x: Float[np.ndarray, "*batch d"],
    W_1: Float[np.ndarray, "d d_ff"],
    b_1: Float[np.ndarray, " d_ff"],
    W_2: Float[np.ndarray, "d_ff d"],
    b_2: Float[np.ndarray, " d"],
) -> Float[np.ndarray, "*batch d"]:
    r"""Two layers for every position on its own.

    .. math:: \operatorname{FFN}(x) = \max(0,\, x W_1 + b_1)\, W_2 + b_2

    Args:
        x: vectors.
        W_1: into the hidden layer.
        b_1: its bias.
        W_2: out of it.
        b_2: its bias.

    Returns:
        As many vectors.

    Source:
        Vaswani et al. (2017), equation 2.

    >>> feed_forward(np.ones((5, 2)), np.ones((2, 8)), np.ones(8), np.ones((8, 2)),
    ...              np.ones(2)).shape
    (5, 2)
    """
    return np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


def _memory_to_look_at(call: Call) -> None:
    if (call["memory"] is None) != (call["p"].cross is None):
        expected = "given if, and only if, the block looks across"
        raise call.fail("memory", expected, type(call["memory"]).__name__)


@checked(_memory_to_look_at)
def block_by_loops(
    x: Float[np.ndarray, "n d_model"],
    p: Block,
    causal: bool = False,
    memory: Float[np.ndarray, "source d_model"] | None = None,
) -> Float[np.ndarray, "n d_model"]:
    r"""One block, position by position and head by head.

    .. math:: x \leftarrow \operatorname{LN}(x + f(x)) \quad\text{or}\quad
       x \leftarrow x + f(\operatorname{LN}(x))

    With ``causal`` a position is handed only what it may see: no mask appears.

    Args:
        x: one vector for each position.
        p: the arrays.
        causal: whether a position sees nothing behind itself.
        memory: the other sequence, where the block looks across.

    Returns:
        As many vectors.

    Source:
        Vaswani et al. (2017), section 3.1; Xiong et al. (2020), table 1.
    """

    def own(z: np.ndarray) -> np.ndarray:
        rows = [z[: i + 1] if causal else z for i in range(len(z))]
        return np.stack([_look(z[i], rows[i], p.attention) for i in range(len(z))])

    def across(z: np.ndarray) -> np.ndarray:
        seen, heads = cast(np.ndarray, memory), cast(Heads, p.cross)
        return np.stack([_look(row, seen, heads) for row in z])

    def forward(z: np.ndarray) -> np.ndarray:
        return np.stack([feed_forward(row, p.W[0], p.b[0], p.W[1], p.b[1]) for row in z])

    parts = [own, across, forward] if p.cross is not None else [own, forward]
    for part, norm in zip(parts, p.norms, strict=True):
        x = x + part(layer_norm(x, *norm)) if p.norm_first else layer_norm(x + part(x), *norm)
    return x


def encoder_decoder_by_loops(
    x: Float[np.ndarray, "source d_model"],
    y: Float[np.ndarray, "target d_model"],
    encoder: Sequence[Block],
    decoder: Sequence[Block],
    ends: Sequence[Norm] = (),
) -> Float[np.ndarray, "target d_model"]:
    r"""Read the source with one stack of blocks, write the target with another.

    .. math:: m = \operatorname{enc}_N(\dots \operatorname{enc}_1(x)), \qquad
       z = \operatorname{dec}_N(\dots \operatorname{dec}_1(y, m) \dots, m)

    Args:
        x: embedded source, without padding.
        y: embedded target, moved right by one.
        encoder: the blocks that read.
        decoder: those that write; all of them look at the same m.
        ends: a last normalisation for each of the two stacks, or nothing.

    Returns:
        One vector for each target position.

    Source:
        Vaswani et al. (2017), figure 1.

    >>> from attention_course.reference.transformer.transformer_block import Block, Heads, Norm
    >>> W, b, norm = [np.eye(2)] * 4, [np.zeros(2)] * 4, Norm(np.ones(2), np.zeros(2))
    >>> reads = Block(Heads(1, W, b), None, W[:2], b[:2], [norm] * 2, False)
    >>> writes = Block(Heads(1, W, b), Heads(1, W, b), W[:2], b[:2], [norm] * 3, False)
    >>> x, y = np.eye(3)[:, :2], np.eye(4)[:, :2]
    >>> encoder_decoder_by_loops(x, y, [reads], [writes]).shape
    (4, 2)
    """
    for block in encoder:
        x = block_by_loops(x, block)
    m = layer_norm(x, *ends[0]) if ends else x
    for block in decoder:
        y = block_by_loops(y, block, causal=True, memory=m)
    return layer_norm(y, *ends[1]) if ends else y


def _look(row: np.ndarray, seen: np.ndarray, p: Heads) -> np.ndarray:
    """Let one vector look at some others: each head owns its columns of the projections."""
    q, k, v = (z @ W + b for z, W, b in zip((row[None], seen, seen), p.W, p.b, strict=False))
    width = q.shape[1] // p.n_heads
    heads = []
    for h in range(p.n_heads):
        own = slice(h * width, (h + 1) * width)
        heads.append(scaled_dot_product_attention(q[:, own], k[:, own], v[:, own])[0][0])
    return np.concatenate(heads) @ p.W[3] + p.b[3]
