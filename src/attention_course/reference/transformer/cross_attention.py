"""Attention that leaves out what may not be seen, one number at a time."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import broadcasts_to
from attention_course.reference._checked import checked


@checked(non_empty_axes="d_k", mask=broadcasts_to("q k"))
def masked_attention_by_loops(
    q: Float[np.ndarray, "q d_k"],
    k: Float[np.ndarray, "k d_k"],
    v: Float[np.ndarray, "k d_v"],
    mask: Bool[np.ndarray, "q k"],
) -> tuple[Float[np.ndarray, "q d_v"], Float[np.ndarray, "q k"]]:
    r"""Attention in which a query never touches a key that it may not see.

    .. math:: \mathbf c_i = \sum_{j \in M_i} \alpha_{ij} \mathbf v_j, \qquad
       \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{l \in M_i} \exp(e_{il})}, \qquad
       M_i = \{j : m_{ij}\}

    There is no large negative number in it: the sums simply run over fewer keys. It is what
    the vectorised versions must equal.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        mask: True where query i may see key j.

    Returns:
        The context vectors and the weights. An empty sum is 0, so a query that may see
        nothing gets zeros.

    Source:
        Vaswani et al. (2017), equation 1 and section 3.2.3.

    >>> q, k, v = np.zeros((2, 3)), np.ones((2, 3)), np.array([[0.0], [4.0]])
    >>> masked_attention_by_loops(q, k, v, np.array([[True, False], [True, True]]))[0]
    array([[0.],
           [2.]])
    """
    weights = np.zeros((len(q), len(k)), dtype=np.result_type(q, k))
    for i, may_see in enumerate(np.broadcast_to(mask, weights.shape)):
        seen = np.flatnonzero(may_see)
        e = {j: q[i] @ k[j] / np.sqrt(q.shape[-1]) for j in seen}
        exps = {j: np.exp(e[j] - max(e.values())) for j in e}
        for j in e:
            weights[i, j] = exps[j] / sum(exps.values())
    return weights @ v, weights


@checked(non_empty_axes="d_k", mask=broadcasts_to("q k"))
def cross_attention_by_loops(
    x: Float[np.ndarray, "q d_model"],
    memory: Float[np.ndarray, "k d_memory"],
    W_q: Float[np.ndarray, "heads d_model d_k"],
    W_k: Float[np.ndarray, "heads d_memory d_k"],
    W_v: Float[np.ndarray, "heads d_memory d_v"],
    W_o: Float[np.ndarray, "heads d_v d_model"],
    mask: Bool[np.ndarray, "q k"] | None = None,
) -> tuple[Float[np.ndarray, "q d_model"], Float[np.ndarray, "heads q k"]]:
    r"""Queries from one sequence, keys and values from another, one head after the other.

    .. math:: z_i = \sum_h \mathbf c_i^h W_o^h, \qquad
       \mathbf c^h = \operatorname{attention}(x W_q^h,\ \text{memory}\, W_k^h,\
       \text{memory}\, W_v^h)

    Self-attention is the case ``memory = x``.

    Args:
        x: the sequence that asks.
        memory: the sequence that is asked.
        W_q: makes queries from x, a matrix for each head.
        W_k: makes keys from memory.
        W_v: makes values from memory.
        W_o: carries each head's context back to the width of x; their sum is the output.
        mask: True where position i of x may see position j of memory; all unless given.

    Returns:
        The outputs, and the weights of every head.

    Source:
        Vaswani et al. (2017), sections 3.2.2 and 3.2.3. Concatenating the heads and multiplying
        by one tall matrix is the same as adding up their products with its blocks.

    >>> x, memory = np.ones((2, 3)), np.ones((5, 4))
    >>> W = [np.ones(shape) for shape in ((1, 3, 2), (1, 4, 2), (1, 4, 6), (1, 6, 3))]
    >>> z, weights = cross_attention_by_loops(x, memory, *W)
    >>> z.shape, weights.shape
    ((2, 3), (1, 2, 5))
    """
    seen = np.ones((len(x), len(memory)), bool) if mask is None else mask
    z = np.zeros(x.shape, dtype=np.result_type(x, W_o))
    weights = []
    for h in range(len(W_q)):
        q, k, v = x @ W_q[h], memory @ W_k[h], memory @ W_v[h]
        context, alpha = masked_attention_by_loops(q, k, v, seen)
        z += context @ W_o[h]
        weights.append(alpha)
    return z, np.stack(weights)
