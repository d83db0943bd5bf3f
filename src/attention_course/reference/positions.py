"""Where a word stands, as a vector that can be added to the word's own."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, even, whole
from attention_course.reference._checked import checked


def _even_width(call: Call, argument: str, x: np.ndarray) -> np.ndarray:
    if x.shape[1] % 2:
        raise call.fail(argument, "an array of even width")
    return x


@checked(length=whole(1), d_model=whole(1))
def sinusoidal_positions(
    length: int,
    d_model: int,
) -> Float[np.ndarray, "length d_model"]:
    r"""Sines and cosines of the position, at wavelengths from short to long.

    .. math:: p_{t,2r} = \sin\frac{t}{10000^{2r/d}}, \qquad
       p_{t,2r+1} = \cos\frac{t}{10000^{2r/d}}

    Args:
        length: number of positions, at least 1; the first is position 0.
        d_model: width, at least 1; an odd width ends in a sine.

    Returns:
        One row for each position.

    Source:
        Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_positions(3, 4)[0].tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    t, column = np.arange(length)[:, None], np.arange(d_model)
    angles = t / 10000.0 ** ((column - column % 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


@checked(k=whole(0), d_model=(whole(1), even))
def shift_matrix(
    k: int,
    d_model: int,
) -> Float[np.ndarray, "d_model d_model"]:
    r"""The one matrix that moves every sinusoidal position on by k.

    .. math:: p_{t+k} = p_t\, M_k, \qquad M_k = \operatorname{diag}_i
       \begin{pmatrix} \cos k\omega_r & -\sin k\omega_r \\
       \sin k\omega_r & \cos k\omega_r \end{pmatrix}, \qquad
       \omega_r = 10000^{-2r/d}

    Args:
        k: by how many positions, at least 0.
        d_model: width, even.

    Returns:
        The matrix, to the right of a row vector.

    Source:
        Vaswani et al. (2017), section 3.5: "can be represented as a linear function".

    >>> p = sinusoidal_positions(9, 6)
    >>> bool(np.allclose(p[2:7] @ shift_matrix(2, 6), p[4:9]))
    True
    """
    M = np.zeros((d_model, d_model))
    for i, angle in enumerate(rotary_angles(1, d_model, k)[0]):
        cos, sin = np.cos(angle), np.sin(angle)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, -sin], [sin, cos]]
    return M


@checked(length=whole(1), d_k=(whole(1), even), start=whole(0))
def rotary_angles(
    length: int,
    d_k: int,
    start: int = 0,
) -> Float[np.ndarray, "length pairs"]:
    r"""By how much rotary positions turn each pair of features.

    .. math:: t\, \omega_r, \qquad \omega_r = 10000^{-2r/d_k}

    Args:
        length: number of positions.
        d_k: width of a query or key, even.
        start: the first position, at least 0.

    Returns:
        The angles in radians.

    Source:
        Su et al. (2021), section 3.2.2; the angles are those of Vaswani et al. (2017).

    >>> rotary_angles(2, 4).tolist()
    [[0.0, 0.0], [1.0, 0.01]]
    """
    t = np.arange(start, start + length, dtype=float)[:, None]
    return t / 10000.0 ** (np.arange(0, d_k, 2) / d_k)


@checked(non_empty_axes="n d_k", x=_even_width, start=whole(0))
def rotate_by_loops(
    x: Float[np.ndarray, "n d_k"], start: int = 0
) -> Float[np.ndarray, "n d_k"]:
    r"""Turn each pair of features of each vector by the angle of its position.

    .. math:: x'_{2r} = x_{2r} \cos t\omega_r - x_{2r+1} \sin t\omega_r, \qquad
       x'_{2r+1} = x_{2r} \sin t\omega_r + x_{2r+1} \cos t\omega_r

    Args:
        x: queries or keys of one head.
        start: position of the first.

    Returns:
        As many vectors of the same lengths.

    Source:
        Su et al. (2021), equation 34.

    >>> rotate_by_loops(np.array([[1.0, 0.0], [1.0, 0.0]])).round(2).tolist()
    [[1.0, 0.0], [0.54, 0.84]]
    """
    angles = rotary_angles(len(x), x.shape[1], start)
    turned = np.zeros_like(x)
    for t in range(len(x)):
        for r in range(x.shape[1] // 2):
            cos, sin = np.cos(angles[t, r]), np.sin(angles[t, r])
            a, b = x[t, 2 * r], x[t, 2 * r + 1]
            turned[t, 2 * r] = a * cos - b * sin
            turned[t, 2 * r + 1] = a * sin + b * cos
    return turned


@checked(n_heads=whole(1))
def alibi_slopes(n_heads: int) -> Float[np.ndarray, " heads"]:
    r"""How much a score loses for each step of distance, in each head.

    .. math:: m_h = 2^{-8h/H}, \qquad h = 1, \dots, H

    Args:
        n_heads: H.

    Returns:
        The slopes, the steepest first.

    Source:
        Press et al. (2022), section 3, for numbers of heads that are a power of two.

    >>> alibi_slopes(8)[:3].tolist()
    [0.5, 0.25, 0.125]
    """
    return 2.0 ** (-8.0 * np.arange(1, n_heads + 1) / n_heads)


@checked(n_queries=whole(1), n_keys=whole(1), n_heads=whole(1))
def alibi_by_loops(
    n_queries: int,
    n_keys: int,
    n_heads: int,
) -> Float[np.ndarray, "heads q k"]:
    r"""What ALiBi adds to each score: less the further away.

    .. math:: b^h_{ij} = -m_h\, |i - j|

    Args:
        n_queries: number of queries, from position 0.
        n_keys: number of keys, from position 0.
        n_heads: number of heads.

    Returns:
        One matrix for each head.

    Source:
        Press et al. (2022), section 3; the absolute value is for encoders.

    >>> alibi_by_loops(2, 3, 1)[0].tolist()
    [[-0.0, -0.00390625, -0.0078125], [-0.00390625, -0.0, -0.00390625]]
    """
    bias = np.zeros((n_heads, n_queries, n_keys))
    for h, slope in enumerate(alibi_slopes(n_heads)):
        for i in range(n_queries):
            for j in range(n_keys):
                bias[h, i, j] = -slope * abs(i - j)
    return bias
