"""Luong's local attention: a window on the source, its centre, and the gradient through it.

Source positions are counted from 0, and so are decoder steps. Matrices act on columns, as in
the paper.
"""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import all_finite, at_most, broadcasts_to, whole
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax


@checked(n_keys=whole(1))
def predicted_centres(
    h: Float[np.ndarray, "*batch q d"],
    W_p: Float[np.ndarray, "d_p d"],
    v_p: Float[np.ndarray, " d_p"],
    n_keys: int,
) -> Float[np.ndarray, "*batch q"]:
    r"""Let the decoder's state say where on the source to look (local-p).

    .. math:: p_t = S \cdot \sigma\bigl(\mathbf v_p^\top \tanh(W_p \mathbf h_t)\bigr)

    The other choice, local-m, learns nothing: :math:`p_t = t`.

    Args:
        h: the decoder's states, the queries.
        W_p: from a state to a hidden layer.
        v_p: from that layer to one number.
        n_keys: S, the true length of the source, without padding.

    Returns:
        A real number between 0 and ``n_keys`` for each state; not rounded.

    Source:
        Luong et al. (2015), section 3.2, equation 9.

    >>> predicted_centres(np.ones((1, 3)), np.ones((2, 3)), np.zeros(2), 9)
    array([4.5])
    """
    return n_keys / (1 + np.exp(-(np.tanh(h @ W_p.T) @ v_p)))


@checked(p=all_finite, n_keys=whole(1), D=whole(1))
def window(
    p: Float[np.ndarray, "*batch q"], n_keys: int, D: int
) -> Bool[np.ndarray, "*batch q k"]:
    r"""Say which positions lie within D of each centre.

    .. math:: s \in [p_t - D, \; p_t + D]

    Args:
        p: the centres, real numbers.
        n_keys: number of source positions, 0 to ``n_keys - 1``.
        D: half the window's width.

    Returns:
        True where position s may be attended to: at most 2D + 1 of them. What would lie
        outside the source is left out, so a window may be shorter, or empty.

    Source:
        Luong et al. (2015), section 3.2 (they use D = 10).

    >>> window(np.array([0.0, 2.5]), 5, 1).astype(int)
    array([[1, 1, 0, 0, 0],
           [0, 0, 1, 1, 0]])
    """
    return np.abs(np.arange(n_keys) - p[..., None]) <= D


@checked(p=all_finite, D=whole(1), length=(whole(1), at_most("k")))
def local_weights_by_loops(
    scores: Float[np.ndarray, "q k"],
    p: Float[np.ndarray, " q"],
    D: int,
    gaussian: bool = True,
    length: int | None = None,
) -> Float[np.ndarray, "q k"]:
    r"""Softmax over each window alone, then a Gaussian around its centre.

    .. math:: a_t(s) = \frac{\exp(e_{ts})}{\sum_{s'} \exp(e_{ts'})}
       \exp\Bigl(-\frac{(s - p_t)^2}{2 \sigma^2}\Bigr), \qquad \sigma = \frac D2

    s' runs over the window. The product is *not* normalised again: with the Gaussian a row
    adds up to less than 1, and how much less depends on how far it looks from its centre.

    Args:
        scores: any scores, before the softmax.
        p: the centre of each row.
        D: half the window's width.
        gaussian: True for local-p; False for local-m, which has the window alone.
        length: true length of the source; all of it unless given.

    Returns:
        The weights; zero outside the window, all zeros if the window holds no position.

    Source:
        Luong et al. (2015), section 3.2, equations 7 and 10.

    >>> local_weights_by_loops(np.zeros((1, 4)), np.array([1.0]), 1).round(3)
    array([[0.045, 0.333, 0.045, 0.   ]])
    """
    weights, sigma = np.zeros_like(scores), D / 2
    for t, centre in enumerate(p):
        places = range(length or scores.shape[1])
        inside = [s for s in places if centre - D <= s <= centre + D]
        top = max((scores[t, s] for s in inside), default=0.0)
        total = sum(np.exp(scores[t, s] - top) for s in inside)
        for s in inside:
            weights[t, s] = np.exp(scores[t, s] - top) / total
            if gaussian:
                off = (s - centre) ** 2
                weights[t, s] *= np.exp(-off / (2 * sigma**2))
    return weights


@checked(upcast_float16=True, p=all_finite, D=whole(1), mask=broadcasts_to("*batch q k"))
def local_weights(
    scores: Float[np.ndarray, "*batch q k"],
    p: Float[np.ndarray, "*batch q"],
    D: int,
    gaussian: bool = True,
    mask: Bool[np.ndarray, "..."] | None = None,
) -> Float[np.ndarray, "*batch q k"]:
    r"""The same as :func:`local_weights_by_loops`, for a whole batch.

    .. math:: a_t(s) = \operatorname{softmax}_{|s - p_t| \le D}(e_{ts}) \,
       \exp\Bigl(-\frac{(s - p_t)^2}{2 \sigma^2}\Bigr), \qquad \sigma = \frac D2

    Args:
        scores: any scores, before the softmax.
        p: the centre of each row.
        D: half the window's width.
        gaussian: True for local-p; False for local-m.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The weights.

    Source:
        Luong et al. (2015), section 3.2, equations 7 and 10.

    >>> local_weights(np.zeros((1, 4)), np.array([1.0]), 1, gaussian=False).round(3)
    array([[0.333, 0.333, 0.333, 0.   ]])
    """
    inside = window(p, scores.shape[-1], D)
    if mask is not None:
        inside = inside & mask
    weights = softmax(scores, mask=inside)
    if gaussian:
        off = np.arange(scores.shape[-1]) - p[..., None]
        weights = weights * np.exp(-(off**2) / (2 * (D / 2) ** 2))
    return weights


@checked(p=all_finite, D=whole(1))
def centre_gradient(
    weights: Float[np.ndarray, "*batch q k"],
    p: Float[np.ndarray, "*batch q"],
    D: int,
    weight_gradient: Float[np.ndarray, "*batch q k"],
) -> Float[np.ndarray, "*batch q"]:
    r"""How the loss changes as a centre moves.

    .. math:: \frac{\partial a_t(s)}{\partial p_t} = a_t(s) \, \frac{s - p_t}{\sigma^2},
       \qquad
       \frac{\partial L}{\partial p_t} = \sum_s \frac{\partial L}{\partial a_t(s)} \, a_t(s)
       \, \frac{s - p_t}{\sigma^2}

    Only the Gaussian carries it. Inside one window the softmax does not depend on the centre,
    and where a position enters or leaves, at :math:`|s - p_t| = D`, the weights jump: there
    is no derivative at an edge, and this one does not know that the edge is near. Without the
    Gaussian it is zero wherever it exists, so local-m's centre could not be learned.

    Args:
        weights: what :func:`local_weights` returned with the Gaussian; need not sum to 1.
        p: the centre of each row.
        D: half the window's width.
        weight_gradient: the derivative of the loss by each weight.

    Returns:
        The derivative of the loss by each centre.

    Source:
        Derived here from Luong et al. (2015), equation 10; they call the model differentiable
        almost everywhere.

    >>> p = np.array([1.0])
    >>> a = local_weights(np.zeros((1, 4)), p, 1)
    >>> centre_gradient(a, p, 1, np.array([[0.0, 0.0, 1.0, 0.0]])).round(3)
    array([0.18])
    """
    off = np.arange(weights.shape[-1]) - p[..., None]
    return (weight_gradient * weights * off).sum(-1) / (D / 2) ** 2


@checked(n_keys=whole(1))
def predictor_gradients(
    h: Float[np.ndarray, "q d"],
    W_p: Float[np.ndarray, "d_p d"],
    v_p: Float[np.ndarray, " d_p"],
    n_keys: int,
    gradient: Float[np.ndarray, " q"],
) -> tuple[Float[np.ndarray, "q d"], Float[np.ndarray, "d_p d"], Float[np.ndarray, " d_p"]]:
    r"""Carry the gradient from the centres on to what predicts them.

    .. math:: \mathbf t = \tanh(W_p \mathbf h), \quad
       u = \frac{\partial p}{\partial (\mathbf v_p^\top \mathbf t)}
         = p \, \Bigl(1 - \frac pS\Bigr)

    .. math:: \frac{\partial p}{\partial \mathbf v_p} = u\, \mathbf t, \qquad
       \frac{\partial p}{\partial W_p}
         = u\, [\mathbf v_p \odot (1 - \mathbf t^2)]\, \mathbf h^\top, \qquad
       \frac{\partial p}{\partial \mathbf h}
         = u\, W_p^\top [\mathbf v_p \odot (1 - \mathbf t^2)]

    Args:
        h: the decoder's states.
        W_p: from a state to a hidden layer.
        v_p: from that layer to one number.
        n_keys: S, the length of the source.
        gradient: the derivative of the loss by each centre.

    Returns:
        The derivatives of the loss by ``h``, ``W_p`` and ``v_p``.

    Source:
        Derived here from Luong et al. (2015), equation 9.

    >>> h, W_p, v_p = np.ones((1, 3)), np.zeros((2, 3)), np.ones(2)
    >>> [g.shape for g in predictor_gradients(h, W_p, v_p, 8, np.ones(1))]
    [(1, 3), (2, 3), (2,)]
    """
    p = predicted_centres(h, W_p, v_p, n_keys)
    t = np.tanh(h @ W_p.T)
    u = gradient * p * (1 - p / n_keys)
    inner = u[:, None] * v_p * (1 - t**2)
    return inner @ W_p, inner.T @ h, u @ t
