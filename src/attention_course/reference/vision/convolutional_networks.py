"""Attention inside a convolutional network: by place, by channel, and between places."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import finite, one_of
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax


@checked(upcast_float16=True, ignore_warnings="over", b=finite)
def spatial_gate(
    x: Float[np.ndarray, "n channels height width"],
    w: Float[np.ndarray, " channels"],
    b: float = 0.0,
) -> tuple[
    Float[np.ndarray, "n channels height width"],
    Float[np.ndarray, "n height width"],
]:
    r"""Multiply each place of the feature maps by one plus a gate between 0 and 1.

    .. math:: h_{cp} = (1 + m_p)\, x_{cp}, \qquad m_p = \sigma\Bigl(\sum_c w_c x_{cp} + b\Bigr)

    Args:
        x: feature maps.
        w: what each channel says for a place.
        b: what is said for every place.

    Returns:
        The gated maps, and the mask m.

    Source:
        Wang et al. (2017), section 3: there the mask comes from a branch of its own, and
        has a number for each channel as well.

    >>> gated, mask = spatial_gate(np.ones((2, 3, 4, 5)), np.zeros(3))
    >>> gated.shape, float(mask[0, 0, 0]), float(gated[0, 0, 0, 0])
    ((2, 3, 4, 5), 0.5, 1.5)
    """
    scores = np.tensordot(x, w, axes=(1, 0)) + b  # (n, height, width)
    mask = 1 / (1 + np.exp(-scores))
    return (1 + mask[:, None]) * x, mask


@checked(upcast_float16=True, ignore_warnings="over", non_empty_axes="height width")
def squeeze_and_excitation(
    x: Float[np.ndarray, "n channels height width"],
    W_1: Float[np.ndarray, "channels hidden"],
    b_1: Float[np.ndarray, " hidden"],
    W_2: Float[np.ndarray, "hidden channels"],
    b_2: Float[np.ndarray, " channels"],
) -> tuple[
    Float[np.ndarray, "n channels height width"],
    Float[np.ndarray, "n channels"],
]:
    r"""Multiply each channel by a gate between 0 and 1, made from the means of all channels.

    .. math:: h_{cp} = s_c\, x_{cp}, \qquad
       \mathbf s = \sigma\bigl(\max(0, \bar{\mathbf x} W_1 + \mathbf b_1) W_2
       + \mathbf b_2\bigr), \qquad \bar x_c = \frac1{HW} \sum_p x_{cp}

    Args:
        x: feature maps.
        W_1: from the channels to fewer numbers.
        b_1: its bias.
        W_2: back to the channels.
        b_2: its bias.

    Returns:
        The gated maps, and the gates s.

    Source:
        Hu et al. (2018), section 3.

    >>> x, W = np.ones((2, 3, 4, 5)), np.zeros((3, 2))
    >>> gated, gates = squeeze_and_excitation(x, W, np.zeros(2), W.T, np.zeros(3))
    >>> gated.shape, gates[0].tolist()
    ((2, 3, 4, 5), [0.5, 0.5, 0.5])
    """
    squeezed = x.mean(axis=(2, 3))  # (n, channels)
    hidden = np.maximum(squeezed @ W_1 + b_1, 0)
    gates = 1 / (1 + np.exp(-(hidden @ W_2 + b_2)))
    return gates[:, :, None, None] * x, gates


@checked(
    upcast_float16=True,
    non_empty_axes="channels height width",
    way=one_of("softmax", "dot product"),
)
def non_local(
    x: Float[np.ndarray, "n channels height width"],
    W_q: Float[np.ndarray, "channels d_k"],
    W_k: Float[np.ndarray, "channels d_k"],
    W_v: Float[np.ndarray, "channels d_v"],
    W_z: Float[np.ndarray, "d_v channels"],
    way: str = "softmax",
) -> tuple[
    Float[np.ndarray, "n channels height width"],
    Float[np.ndarray, "n places places"],
]:
    r"""Add to each place of the feature maps what it finds at all places.

    .. math:: Z = X + A\, X W_v W_z, \qquad A = \operatorname{softmax}(S)
       \ \text{or}\ \tfrac1N S, \qquad S = X W_q (X W_k)^\top

    Row p of X holds the channels at place p, and there are N places.

    Args:
        x: feature maps.
        W_q: makes queries.
        W_k: makes keys, as wide as the queries.
        W_v: makes values.
        W_z: from what was found back to the channels.
        way: "softmax", or "dot product", where the scores are divided by N.

    Returns:
        The new maps, and the weights A, a row for each place that asks.

    Source:
        Wang et al. (2018), section 3; the paper writes theta, phi and g for the
        three projections.

    >>> x, W = np.ones((2, 3, 4, 5)), np.zeros((3, 2))
    >>> z, weights = non_local(x, W, W, W, W.T)
    >>> z.shape, weights.shape, float(weights[0, 0].sum().round(6))
    ((2, 3, 4, 5), (2, 20, 20), 1.0)
    """
    X = x.reshape(*x.shape[:2], -1).swapaxes(1, 2)  # (n, places, channels)
    scores = X @ W_q @ (X @ W_k).swapaxes(1, 2)
    A = softmax(scores) if way == "softmax" else scores / X.shape[1]
    Z = X + A @ (X @ W_v) @ W_z
    return Z.swapaxes(1, 2).reshape(x.shape), A
