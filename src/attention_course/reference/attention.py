"""Scaled dot-product attention, as loops and as matrices, and its gradient."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import broadcasts_to, finite
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax, softmax_jacobian


@checked(non_empty_axes="d_k k")
def attention_by_loops(
    q: Float[np.ndarray, "q d_k"],
    k: Float[np.ndarray, "k d_k"],
    v: Float[np.ndarray, "k d_v"],
) -> Float[np.ndarray, "q d_v"]:
    r"""Scaled dot-product attention as its definition reads, one number at a time.

    .. math:: \mathbf c_i = \sum_j \alpha_{ij} \mathbf v_j, \qquad
       \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_l \exp(e_{il})}, \qquad
       e_{ij} = \frac{\mathbf q_i \cdot \mathbf k_j}{\sqrt{d_k}}

    Slow on purpose. It is the specification that the other versions are checked against.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.

    Returns:
        One context vector for each query.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> attention_by_loops(np.zeros((1, 2)), np.ones((2, 2)), np.array([[0.0], [4.0]]))
    array([[2.]])
    """
    d_k = q.shape[-1]
    context = np.zeros((len(q), v.shape[-1]), dtype=np.result_type(q, k, v))
    for i in range(len(q)):
        e = []
        for j in range(len(k)):
            products = [q[i, c] * k[j, c] for c in range(d_k)]
            e.append(sum(products) / np.sqrt(d_k))
        exps = [np.exp(e_ij - max(e)) for e_ij in e]
        for j in range(len(k)):
            context[i] += exps[j] / sum(exps) * v[j]
    return context


@checked(
    non_empty_axes="d_k k", upcast_float16=True, scale=finite, mask=broadcasts_to("*batch q k")
)
def scaled_dot_product_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
    *,
    scale: float | None = None,
) -> tuple[Float[np.ndarray, "*batch q d_v"], Float[np.ndarray, "*batch q k"]]:
    r"""Mix the values, each query with its own weights.

    .. math:: C = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Args:
        q: queries.
        k: keys.
        v: values, one for each key; their width may differ from d_k.
        mask: True = may attend; broadcasts to the scores. A query that may attend to
            nothing gets a context of zeros.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given. It is
            given by its name, because torch's function has its dropout in this place.

    Returns:
        The context vectors and the weights.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> q, k, v = np.ones((5, 2)), np.ones((3, 2)), np.ones((3, 7))
    >>> context, weights = scaled_dot_product_attention(q, k, v)
    >>> context.shape, weights.shape
    ((5, 7), (5, 3))
    """
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    weights = softmax(q * factor @ k.mT, mask=mask)
    return weights @ v, weights


@checked(non_empty_axes="d_k k", upcast_float16=True)
def one_query_backward(
    q: Float[np.ndarray, " d_k"],
    k: Float[np.ndarray, "k d_k"],
    v: Float[np.ndarray, "k d_v"],
    g: Float[np.ndarray, " d_v"],
) -> tuple[Float[np.ndarray, " d_k"], Float[np.ndarray, "k d_k"], Float[np.ndarray, "k d_v"]]:
    r"""Carry a gradient from one query's context back to the query, the keys and the values.

    .. math:: \frac{\partial L}{\partial \mathbf v_j} = \alpha_j\, \mathbf g, \qquad
       \frac{\partial L}{\partial \mathbf e} = J V \mathbf g, \qquad
       \frac{\partial L}{\partial \mathbf q} = s\, K^\top
       \frac{\partial L}{\partial \mathbf e}, \qquad
       \frac{\partial L}{\partial \mathbf k_j} = s\, \frac{\partial L}{\partial e_j}\,
       \mathbf q

    with s = 1 / sqrt(d_k) and J the softmax's Jacobian.

    Args:
        q: one query.
        k: keys.
        v: values, one for each key.
        g: derivative of the loss by the context.

    Returns:
        Derivatives of the loss by the query, the keys and the values.

    Source:
        Chain rule on Vaswani et al. (2017), equation 1.

    >>> q, k, v = np.ones(1), np.ones((2, 1)), np.array([[0.0], [2.0]])
    >>> [x.tolist() for x in one_query_backward(q, k, v, np.ones(1))]
    [[0.0], [[-0.5], [0.5]], [[0.5], [0.5]]]
    """
    scale = len(q) ** -0.5
    weights = softmax(scale * k @ q)
    weight_gradient = v @ g
    score_gradient = softmax_jacobian(weights) @ weight_gradient
    dq = scale * score_gradient @ k
    dk = scale * np.outer(score_gradient, q)
    dv = np.outer(weights, g)
    return dq, dk, dv


@checked(non_empty_axes="d_k k", upcast_float16=True, scale=finite)
def query_gradient(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    weight_gradient: Float[np.ndarray, "*batch q k"],
    scale: float | None = None,
) -> Float[np.ndarray, "*batch q d_k"]:
    r"""Carry a gradient from the weights back to the queries.

    .. math:: \frac{\partial L}{\partial \mathbf q_i} = s \, K^\top J_i \,
       \frac{\partial L}{\partial \boldsymbol\alpha_i}, \qquad
       J_i = \operatorname{diag}(\boldsymbol\alpha_i)
       - \boldsymbol\alpha_i \boldsymbol\alpha_i^\top

    Args:
        q: queries.
        k: keys.
        weight_gradient: derivative of the loss by each weight.
        scale: the factor s; ``1 / sqrt(d_k)`` unless given.

    Returns:
        Derivative of the loss by each query.

    Source:
        Chain rule on Vaswani et al. (2017), equation 1.

    >>> query_gradient(np.ones((1, 2)), np.eye(2), np.array([[1.0, 0.0]]), scale=1.0)
    array([[ 0.25, -0.25]])
    """
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    weights = softmax(q * factor @ k.mT)
    score_gradient = (softmax_jacobian(weights) @ weight_gradient[..., None])[..., 0]
    return factor * (score_gradient @ k)
