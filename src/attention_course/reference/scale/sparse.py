"""Attention that leaves keys out: a sliding window, blocks, and how far a stack then sees."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import enough_keys, finite, square_if_causal, whole
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention


@checked(enough_keys, non_empty_axes="d_k k", upcast_float16=True, width=whole(1), scale=finite)
def sliding_window_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    width: int,
    scale: float | None = None,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attend to the nearest keys alone: itself and ``width - 1`` before.

    .. math:: \mathbf c_i = \sum_{j = i - w + 1}^{i} \alpha_{ij}\, \mathbf v_j

    The contexts of full attention under :func:`~attention_course.reference.window_mask`, but
    no score outside the window is computed: time grows with queries times width.

    Args:
        q: queries; the last one is beside the last key.
        k: keys, at least as many as queries.
        v: values, one for each key.
        width: how many keys a query sees at most, itself included; at least 1.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The context vectors.

    Source:
        Beltagy et al. (2020), section 3.1, "sliding window", with the window behind the query.

    >>> x, v = np.zeros((3, 2)), np.array([[0.0], [2.0], [6.0]])
    >>> sliding_window_attention(x, x, v, width=2)
    array([[0.],
           [1.],
           [4.]])
    """
    past = k.shape[-2] - q.shape[-2]
    context = np.empty((*q.shape[:-1], v.shape[-1]), np.result_type(q, k, v))
    for i in range(q.shape[-2]):
        near = slice(max(0, past + i + 1 - width), past + i + 1)
        keys, values = k[..., near, :], v[..., near, :]
        found, _ = scaled_dot_product_attention(q[..., i : i + 1, :], keys, values, scale=scale)
        context[..., i : i + 1, :] = found
    return context


@checked(
    non_empty_axes="d_k k",
    upcast_float16=True,
    size=whole(1),
    scale=finite,
    causal=square_if_causal,
    q_blocks=lambda q, size: -(-q // size),
    k_blocks=lambda k, size: -(-k // size),
)
def block_sparse_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    blocks: Bool[np.ndarray, "q_blocks k_blocks"],
    size: int,
    causal: bool = False,
    scale: float | None = None,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attend to the blocks of keys that are on; the others are not computed.

    .. math:: m_{ij} = B_{\lfloor i / b \rfloor,\, \lfloor j / b \rfloor}

    The contexts of full attention under the mask of :func:`expand_blocks`.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        blocks: True where a block of queries sees a block of keys; one row for each block of
            queries. A row of nothing gives zeros.
        size: queries, and keys, in a block; the last block may be shorter.
        causal: whether keys behind the query are left out as well.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The context vectors.

    Source:
        Child et al. (2019), sections 4 and 5.5; Zaheer et al. (2020), section 2.

    >>> x, v = np.zeros((4, 2)), np.array([[0.0], [2.0], [6.0], [8.0]])
    >>> block_sparse_attention(x, x, v, np.array([[True, False], [True, True]]), size=2)
    array([[1.],
           [1.],
           [4.],
           [4.]])
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    context = np.zeros((*q.shape[:-1], v.shape[-1]), np.result_type(q, k, v))
    for row, on in enumerate(blocks):
        rows = np.arange(row * size, min((row + 1) * size, n_q))
        keys = np.flatnonzero(np.repeat(on, size)[:n_k])
        if len(keys):
            seen = keys <= rows[:, None] if causal else None
            context[..., rows, :], _ = scaled_dot_product_attention(
                q[..., rows, :], k[..., keys, :], v[..., keys, :], seen, scale=scale
            )
    return context


@checked(
    size=whole(1),
    n_queries=whole(1),
    n_keys=whole(1),
    q_blocks=lambda n_queries, size: -(-n_queries // size),
    k_blocks=lambda n_keys, size: -(-n_keys // size),
)
def expand_blocks(
    blocks: Bool[np.ndarray, "q_blocks k_blocks"], size: int, n_queries: int, n_keys: int
) -> Bool[np.ndarray, "q k"]:
    r"""Write the mask out that a pattern of blocks stands for.

    .. math:: m_{ij} = B_{\lfloor i / b \rfloor,\, \lfloor j / b \rfloor}

    Args:
        blocks: True where a block of queries sees a block of keys.
        size: queries, and keys, in a block.
        n_queries: number of queries.
        n_keys: number of keys.

    Returns:
        True where query i may see key j.

    Source:
        Follows from the definition.

    >>> expand_blocks(np.eye(2, dtype=bool), 2, 3, 4).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 1]])
    """
    mask = np.repeat(np.repeat(blocks, size, axis=0), size, axis=1)
    return mask[:n_queries, :n_keys]


@checked(
    n_blocks=whole(1), n_local=whole(1), n_first=whole(0), n_random=whole(0), seed=whole(0)
)
def block_pattern(
    n_blocks: int, n_local: int, n_first: int = 0, n_random: int = 0, seed: int = 0
) -> Bool[np.ndarray, "q_blocks k_blocks"]:
    r"""Choose blocks for a causal model: near ones, the first ones, some at random.

    Args:
        n_blocks: blocks of queries, and of keys.
        n_local: how many blocks a query sees at least: its own and those before; at least 1.
        n_first: blocks at the beginning that everybody sees.
        n_random: further earlier blocks for each row, where there are as many.
        seed: of the random choice.

    Returns:
        True where a block of queries sees a block of keys; nothing above the diagonal.

    Source:
        Zaheer et al. (2020), section 2, for the three kinds; causal here, so "first" is seen
        by everybody and sees nobody later.

    >>> block_pattern(4, n_local=1, n_first=1).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 0, 1, 0],
           [1, 0, 0, 1]])
    """
    rng = np.random.RandomState(seed)
    row, column = np.ogrid[:n_blocks, :n_blocks]
    on = (column <= row) & ((column > row - n_local) | (column < n_first))
    for i in range(n_blocks):
        free = np.flatnonzero(~on[i, :i])
        on[i, rng.permutation(free)[:n_random]] = True
    return on


@checked(layers=whole(1))
def receptive_field(mask: Bool[np.ndarray, "n n"], layers: int) -> Bool[np.ndarray, "n n"]:
    r"""Say which inputs can reach which outputs through a stack of masked layers.

    .. math:: R_1 = M \lor I, \qquad R_{l+1} = R_l \cdot (M \lor I) > 0

    A residual connection lets each position reach itself.

    Args:
        mask: what a single layer lets each position see; square.
        layers: how many layers, each with this mask.

    Returns:
        True where output i can depend on input j.

    Source:
        Beltagy et al. (2020), section 3.1: layers times width.

    >>> from attention_course.reference import window_mask
    >>> receptive_field(window_mask(2, 4), layers=2).sum(axis=1)
    array([1, 2, 3, 3])
    """
    n = len(mask)
    step = (mask | np.eye(n, dtype=bool)).astype(np.float32)
    reach = step
    for _ in range(layers - 1):
        reach = (reach @ step > 0).astype(np.float32)
    return reach > 0
