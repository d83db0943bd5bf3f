"""Texts of different lengths end to end: attention without padding."""

import itertools

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.reference._check import finite
from attention_course.reference._checked import checked
from attention_course.reference.masks import causal_mask
from attention_course.reference.scale._texts import boundaries, same_texts
from attention_course.reference.scale.online_softmax import attention_in_blocks


@checked(
    same_texts,
    upcast_float16="q k v",
    non_empty_axes="d_k",
    cu_seqlens=boundaries("q"),
    cu_seqlens_k=boundaries("k"),
    scale=finite,
)
def varlen_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    cu_seqlens: Int[np.ndarray, " edges"],
    cu_seqlens_k: Int[np.ndarray, " edges_k"] | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attend in each of several texts that lie end to end, and in no other.

    .. math:: \text{text } t = \text{positions } u_t, \dots, u_{t+1} - 1, \qquad
       u_0 = 0, \quad u_{t+1} = u_t + n_t

    Args:
        q: queries of all texts, one after the other.
        k: keys, in the same order of texts.
        v: values, one for each key.
        cu_seqlens: u, the running sum of the lengths n, from 0; one more than there are texts.
        cu_seqlens_k: that of the keys, where their numbers differ; unless given, the same.
        causal: a query sees no later key of its text; of unequal lengths, the last are aligned.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The contexts, in the order of the queries; zeros for a query that sees no key.

    Source:
        Dao (2023), whose code calls the boundaries ``cu_seqlens``.

    >>> x, v = np.zeros((3, 2)), np.array([[1.0], [3.0], [8.0]])
    >>> varlen_attention(x, x, v, np.array([0, 2, 3]))
    array([[2.],
           [2.],
           [8.]])
    """
    edges = cu_seqlens if cu_seqlens_k is None else cu_seqlens_k
    shape = *q.shape[:-1], v.shape[-1]
    context = np.zeros(shape, np.result_type(q, k, v))
    texts = (itertools.pairwise(x.tolist()) for x in (cu_seqlens, edges))
    for (start, stop), (low, high) in zip(*texts, strict=True):
        mask = causal_mask(stop - start, high - low) if causal else None
        context[..., start:stop, :], _ = attention_in_blocks(
            q[..., start:stop, :],
            k[..., low:high, :],
            v[..., low:high, :],
            max(1, high - low),
            scale,
            mask,
        )
    return context
