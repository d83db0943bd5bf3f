"""Two scores that measure likeness: the cosine with a strength, and a kernel."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call
from attention_course.reference._checked import checked
from attention_course.reference._core import positive, unit


def _strength(call: Call, argument: str, beta: Any) -> np.ndarray | float:
    """Return beta, ready to multiply the scores of the queries."""
    expected = "a positive finite number, or one for each query"
    array = isinstance(beta, np.ndarray)
    if array and beta.shape != call.given["q"].shape[:-1]:
        raise call.fail(argument, expected)
    if isinstance(beta, bool) or not np.all((beta > 0) & np.isfinite(beta)):
        raise call.fail(argument, expected, repr(beta))
    return beta[..., None] if array else float(beta)


@checked(beta=_strength)
def cosine_scores(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    beta: Float[np.ndarray, "..."] | float = 1.0,
) -> Float[np.ndarray, "*batch q k"]:
    r"""Cosine of the angle between query and key, times a strength.

    .. math:: e_{ij} = \beta_i \,
       \frac{\mathbf q_i \cdot \mathbf k_j}{\lVert\mathbf q_i\rVert\,\lVert\mathbf k_j\rVert}

    No score leaves the range from -beta to beta, whatever the lengths and the width: beta
    alone decides how sharp the weights can become. A vector of zeros has no direction; its
    cosine counts as 0 here.

    Args:
        q: queries (the paper's key vector, emitted by the controller).
        k: keys (the paper's rows of memory), of the same width.
        beta: the strength, above 0: one number, or one for each query (the paper's beta_t).

    Returns:
        One score for each pair.

    Source:
        Graves et al. (2014), equations 5 and 6, "content-based addressing".

    >>> cosine_scores(np.array([[3.0, 0.0]]), np.array([[9.0, 0.0], [0.0, 5.0]]), 2.0)
    array([[2., 0.]])
    """
    return beta * (unit(q) @ unit(k).mT)


@checked(non_empty_axes="d_k")
def kernel_scores(
    q: Float[np.ndarray, "*batch q d_k"], k: Float[np.ndarray, "*batch k d_k"]
) -> Float[np.ndarray, "*batch q k"]:
    r"""Logarithm of a product of positive features, so that a softmax divides by their sum.

    .. math:: e_{ij} = \ln\bigl(\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)\bigr), \qquad
       \varphi(x) = \operatorname{elu}(x) + 1

    The softmax undoes the logarithm. What remains is
    :math:`\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)` over its sum: the same weighted
    sum as ever, with another positive function in the place of exp.

    Args:
        q: queries.
        k: keys, of the same width.

    Returns:
        One score for each pair.

    Source:
        Katharopoulos et al. (2020), equations 4 and 7. The paper has no scores: the logarithm
        is ours, to fit the interface.

    >>> float(kernel_scores(np.zeros((1, 4)), np.zeros((1, 4)))[0, 0] / np.log(4.0))
    1.0
    """
    return np.log(positive(q) @ positive(k).mT)


@checked(non_empty_axes="d_k k")
def kernel_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""The contexts of :func:`kernel_scores`, without ever computing a score.

    .. math:: \mathbf c_i = \frac{\varphi(\mathbf q_i)^\top
       \bigl(\sum_j \varphi(\mathbf k_j)\, \mathbf v_j^\top\bigr)}
       {\varphi(\mathbf q_i)^\top \sum_j \varphi(\mathbf k_j)}

    The sums over the keys are the same for all queries, so they are made once: the cost
    grows with queries + keys instead of queries x keys.

    Args:
        q: queries.
        k: keys, of the same width.
        v: values, one for each key.

    Returns:
        One context vector for each query.

    Source:
        Katharopoulos et al. (2020), equations 5 to 7.

    >>> kernel_attention(np.ones((5, 2)), np.ones((3, 2)), np.ones((3, 7))).shape
    (5, 7)
    """
    q, k = positive(q), positive(k)
    keys_and_values = k.mT @ v
    return q @ keys_and_values / (q @ k.sum(axis=-2)[..., None])
