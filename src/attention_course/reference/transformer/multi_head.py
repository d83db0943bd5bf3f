"""Multi-head attention: several attentions side by side, joined by one last projection."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import Call, broadcasts_to, divisor_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention


def _heads_share(call: Call) -> None:
    heads, kv_heads = call["heads"], call["kv_heads"]
    if heads % kv_heads:
        raise call.fail("W_k", f"projections for a divisor of {heads} heads", kv_heads)


@checked(
    _heads_share,
    non_empty_axes="k d_k heads kv_heads",
    upcast_float16=True,
    joined=lambda heads, d_v: heads * d_v,
    mask=broadcasts_to("q k"),
)
def multi_head_by_loops(
    x_q: Float[np.ndarray, "q d_model"],
    x_kv: Float[np.ndarray, "k d_kv"],
    W_q: Float[np.ndarray, "heads d_model d_k"],
    W_k: Float[np.ndarray, "kv_heads d_kv d_k"],
    W_v: Float[np.ndarray, "kv_heads d_kv d_v"],
    W_o: Float[np.ndarray, "joined d_out"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "q d_out"], Float[np.ndarray, "heads q k"]]:
    r"""Multi-head attention as its definition reads: one head after the other.

    .. math:: \mathrm{head}_i = \mathrm{Attention}(X W_q^i, Y W_k^g, Y W_v^g),
       \qquad O = [\mathrm{head}_1, \dots, \mathrm{head}_h]\, W_o

    With fewer key heads than query heads, neighbouring queries share: head i of h uses the
    keys and values of group :math:`g = \lfloor i\, h_{kv} / h \rfloor`.

    Args:
        x_q: the vectors X that ask.
        x_kv: the vectors Y that are attended to; the same as ``x_q`` in self-attention.
        W_q: a projection to queries for each head.
        W_k: a projection to keys for each head, or for each group of heads.
        W_v: a projection to values for each of those.
        W_o: mixes the joined contexts; one row for each of their ``heads * d_v`` numbers.
        mask: True = may attend; the same for all heads.

    Returns:
        The output and the weights of every head.

    Source:
        Vaswani et al. (2017), section 3.2.2; shared keys and values: Shazeer (2019) for one
        group, Ainslie et al. (2023) for several.

    >>> x, W = np.ones((5, 6)), np.ones((3, 6, 2))
    >>> output, weights = multi_head_by_loops(x, x, W, W, W, np.ones((6, 6)))
    >>> output.shape, weights.shape
    ((5, 6), (3, 5, 5))
    """
    heads, all_weights = [], []
    for i in range(len(W_q)):
        g = i * len(W_k) // len(W_q)
        q, k, v = x_q @ W_q[i], x_kv @ W_k[g], x_kv @ W_v[g]
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        heads.append(context)
        all_weights.append(weights)
    return np.concatenate(heads, axis=-1) @ W_o, np.stack(all_weights)


def _cut_evenly(call: Call, argument: str, x: np.ndarray) -> np.ndarray:
    if x.shape[-1] % call["n_heads"]:
        expected = f"an array whose width is a multiple of {call['n_heads']} heads"
        raise call.fail(argument, expected)
    return x


@checked(n_heads=whole(1), x=_cut_evenly)
def split_heads(
    x: Float[np.ndarray, "*batch n features"], n_heads: int
) -> Float[np.ndarray, "*batch heads n d"]:
    r"""Cut the last axis into one piece for each head, and put the heads before the tokens.

    .. math:: y_{i,t,c} = x_{t,\; i d + c}

    The order of the two steps matters: cutting (n, heads * d) straight into (heads, n, d)
    gives an array of the right shape whose "heads" are made of other tokens.

    Args:
        x: one row of ``n_heads * d`` numbers for each token.
        n_heads: into how many heads.

    Returns:
        A view or a copy, one matrix for each head.

    Source:
        Vaswani et al. (2017), section 3.2.2.

    >>> split_heads(np.arange(6.0).reshape(2, 3), 3)[1]
    array([[1.],
           [4.]])
    """
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(pieces, -2, -3)


@checked()
def merge_heads(
    x: Float[np.ndarray, "*batch heads n d"],
) -> Float[np.ndarray, "*batch n joined"]:
    r"""Write the heads of a token side by side again: what :func:`split_heads` undoes.

    .. math:: y_{t,\; i d + c} = x_{i,t,c}

    Args:
        x: one matrix for each head.

    Returns:
        One row of ``n_heads * d`` numbers for each token.

    Source:
        Vaswani et al. (2017), section 3.2.2, "Concat".

    >>> merge_heads(np.array([[[0.0], [3.0]], [[1.0], [4.0]]]))
    array([[0., 1.],
           [3., 4.]])
    """
    x = np.swapaxes(x, -2, -3)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def _widths(call: Call) -> None:
    n = call["n_heads"]
    n_kv = call["n_kv_heads"] or n
    d_k, d_v = max(1, call["queries"] // n), max(1, call["values"] // n_kv)
    wanted = {"queries": n * d_k, "keys": n_kv * d_k, "values": n_kv * d_v, "joined": n * d_v}
    for axis, length in wanted.items():
        call.require_length(axis, length)


@checked(
    _widths,
    non_empty_axes="k",
    upcast_float16=True,
    n_heads=whole(1),
    n_kv_heads=(whole(1), divisor_of("n_heads")),
    d_values=lambda x_kv, x_v: (x_kv if x_v is None else x_v).shape[-1],
    mask=broadcasts_to("*batch n_heads q k"),
    keep=broadcasts_to("n_heads"),
)
def multi_head_attention(
    x_q: Float[np.ndarray, "*batch q d_model"],
    x_kv: Float[np.ndarray, "*batch k d_kv"],
    W_q: Float[np.ndarray, "d_model queries"],
    W_k: Float[np.ndarray, "d_kv keys"],
    W_v: Float[np.ndarray, "d_values values"],
    W_o: Float[np.ndarray, "joined d_out"],
    n_heads: int,
    n_kv_heads: int | None = None,
    mask: Bool[np.ndarray, "..."] | None = None,
    keep: Bool[np.ndarray, " heads"] | None = None,
    x_v: Float[np.ndarray, "*batch k d_values"] | None = None,
) -> tuple[Float[np.ndarray, "*batch q d_out"], Float[np.ndarray, "*batch heads q k"]]:
    r"""Multi-head attention with all heads at once: each projection is one big matrix.

    .. math:: O = \mathrm{merge}\bigl(\mathrm{Attention}(\mathrm{split}(X W_q),
       \mathrm{split}(Y W_k), \mathrm{split}(Y W_v))\bigr)\, W_o

    Head i owns columns ``i * d_k`` to ``(i + 1) * d_k`` of ``W_q`` and rows ``i * d_v`` to
    ``(i + 1) * d_v`` of ``W_o``.

    Args:
        x_q: the vectors X that ask.
        x_kv: the vectors Y that are attended to; the same as ``x_q`` in self-attention.
        W_q: the projections to queries, side by side.
        W_k: the projections to keys, side by side.
        W_v: the projections to values, side by side.
        W_o: mixes the joined contexts.
        n_heads: how many heads there are.
        n_kv_heads: how many of them have keys and values of their own; all unless given, 1
            for multi-query attention, in between for grouped-query attention.
        mask: True = may attend; broadcasts to the weights, so a mask that differs between
            the sequences of a batch has an axis of length 1 where the heads are.
        keep: False silences a head: its context is zero before ``W_o``. All stay unless given.
        x_v: what the values are made of, one for each of ``x_kv``; the same unless given.

    Returns:
        The output and the weights of every head.

    Source:
        Vaswani et al. (2017), section 3.2.2; Shazeer (2019); Ainslie et al. (2023).
        Silencing a head: Michel et al. (2019).

    >>> x, W = np.ones((7, 5, 6)), np.ones((6, 6))
    >>> output, weights = multi_head_attention(x, x, W, W, W, W, n_heads=3)
    >>> output.shape, weights.shape
    ((7, 5, 6), (7, 3, 5, 5))
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    x_v = x_kv if x_v is None else x_v
    q = split_heads(x_q @ W_q, n_heads)
    k = split_heads(x_kv @ W_k, n_kv_heads)
    v = split_heads(x_v @ W_v, n_kv_heads)
    k, v = (np.repeat(x, n_heads // n_kv_heads, axis=-3) for x in (k, v))
    context, weights = scaled_dot_product_attention(q, k, v, mask)
    if keep is not None:
        context = context * keep[:, None, None]
    return merge_heads(context) @ W_o, weights


@checked(
    n_tokens=whole(1),
    n_layers=whole(1),
    n_kv_heads=whole(1),
    d_k=whole(1),
    d_v=whole(1),
    bytes_per_number=whole(1),
)
def kv_cache_bytes(
    n_tokens: int,
    n_layers: int,
    n_kv_heads: int,
    d_k: int,
    d_v: int | None = None,
    bytes_per_number: int = 2,
) -> int:
    r"""Bytes of keys and values that a decoder keeps for one sequence.

    .. math:: \text{tokens} \times \text{layers} \times h_{kv} \times (d_k + d_v)
       \times \text{bytes}

    Args:
        n_tokens: how many tokens have been read or written.
        n_layers: layers of self-attention.
        n_kv_heads: heads with keys and values of their own.
        d_k: width of a key.
        d_v: width of a value; ``d_k`` unless given.
        bytes_per_number: 2 for float16 and bfloat16.

    Returns:
        The number of bytes.

    Source:
        Shazeer (2019), section 2.4, whose point is how often this is read.

    >>> kv_cache_bytes(1000, 12, 8, 64)
    24576000
    """
    d_v = d_k if d_v is None else d_v
    return n_tokens * n_layers * n_kv_heads * (d_k + d_v) * bytes_per_number
