"""Attention that chooses what it reads: summaries of blocks, the best blocks, a window."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import all_finite, at_least, enough_keys, whole
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention
from attention_course.reference.masks import window_mask


@checked(enough_keys, non_empty_axes="d_k k size", chosen=whole(1), width=whole(1))
def native_sparse_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    gates: Float[np.ndarray, "*batch q 3"],
    pool: Float[np.ndarray, " size"],
    chosen: int,
    width: int,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attend to summaries of earlier blocks, to the best of those blocks, and to a window.

    .. math:: \mathbf c_i = g^1_i\, \mathbf c_i^\text{summaries}
       + g^2_i\, \mathbf c_i^\text{chosen} + g^3_i\, \mathbf c_i^\text{window}

    A summary is the sum of a block's keys, or values, weighted by ``pool``. The weights that
    the summaries get say which blocks are read in full. The block of the query itself always
    is, and it has no summary yet. This form computes all scores and masks them.

    Args:
        q: queries; the last one is beside the last key.
        k: keys, at least as many as queries.
        v: values, one for each key.
        gates: how much each of the three counts, for each query.
        pool: weights of a block's positions in its summary; there are as many as positions.
        chosen: blocks that are read in full, that of the query among them.
        width: how many keys the window has, that of the query among them.

    Returns:
        The context vectors.

    Source:
        Yuan et al. (2025), equations 5 to 12, with blocks that do not overlap, a weighted sum
        in the place of a small network, and the same keys for all three parts.

    >>> x, gates, pool = np.ones((2, 9, 4)), np.ones((2, 9, 3)), np.ones(3) / 3
    >>> native_sparse_attention(x, x, x, gates, pool, chosen=2, width=2)[0, :, 0]
    array([2., 2., 2., 3., 3., 3., 3., 3., 3.])
    """
    n_q, n, size = q.shape[-2], k.shape[-2], len(pool)
    mine = np.arange(n - n_q, n)[:, None] // size
    earlier = np.arange(-(-n // size)) < mine
    short_k, short_v = summaries(k, pool), summaries(v, pool)
    summed, weights = scaled_dot_product_attention(
        q,
        short_k,
        short_v,
        earlier,
    )
    parts = [summed]
    full = chosen_mask(weights, size, chosen, n)
    for mask in (full, window_mask(width, n_q, n)):
        context, _ = scaled_dot_product_attention(q, k, v, mask)
        parts.append(context)
    return (gates[..., None] * np.stack(parts, axis=-2)).sum(axis=-2)


@checked(non_empty_axes="size")
def summaries(
    x: Float[np.ndarray, "*batch n d"], pool: Float[np.ndarray, " size"]
) -> Float[np.ndarray, "*batch blocks d"]:
    r"""Return the weighted sum of every block.

    .. math:: s_b = \sum_{t} p_t\, x_{bl + t}

    Args:
        x: keys, or values.
        pool: p, the weights of a block's l positions.

    Returns:
        One vector for each block. The last block is filled up with zeros where it is not whole.

    Source:
        Yuan et al. (2025), equation 7, with a weighted sum for the network.

    >>> summaries(np.array([[1.0], [3.0], [5.0]]), np.array([0.5, 0.5]))
    array([[2. ],
           [2.5]])
    """
    missing = -x.shape[-2] % len(pool)
    rest = np.zeros((*x.shape[:-2], missing, x.shape[-1]), x.dtype)
    blocks = np.concatenate([x, rest], axis=-2)
    blocks = blocks.reshape(*x.shape[:-2], -1, len(pool), x.shape[-1])
    return (pool[:, None] * blocks).sum(axis=-2)


@checked(
    weights=all_finite,
    size=whole(1),
    chosen=whole(1),
    n_keys=(whole(1), at_least("q")),
    blocks=lambda n_keys, size: -(-n_keys // size),
)
def chosen_mask(
    weights: Float[np.ndarray, "*batch q blocks"], size: int, chosen: int, n_keys: int
) -> Bool[np.ndarray, "*batch q k"]:
    r"""Say which keys a query may read in full: those of its own block and of the best before.

    .. math:: B_i = \{\lfloor i / l \rfloor\} \cup
       \operatorname{top}_{n - 1} \{ \alpha_{ib} : b < \lfloor i / l \rfloor \}

    Args:
        weights: what each block's summary got; they need not sum to 1, so scores do as well. Of
            equal ones the earlier block is taken.
        size: l, positions in a block.
        chosen: n, blocks that are read, that of the query among them.
        n_keys: how many keys there are; the last query is beside the last of them.

    Returns:
        True = may attend; never what comes after the query.

    Source:
        Yuan et al. (2025), equations 8 to 12.

    >>> chosen_mask(np.array([[0.1, 0.9, 0.0]]), size=2, chosen=2, n_keys=5)
    array([[False, False,  True,  True,  True]])
    """
    j = np.arange(n_keys)
    i = j[n_keys - weights.shape[-2] :, None]
    block, mine = j // size, i // size
    ranked = np.where(np.arange(weights.shape[-1]) < mine, weights, -np.inf)
    best = np.argsort(-ranked, axis=-1, kind="stable")[..., : chosen - 1]
    among = (best[..., None] == block).any(axis=-2) & (block < mine)
    return (among | (block == mine)) & (j <= i)
