"""Attention in few bits: every step rounded to a format, and what keeps it right."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import finite, one_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.labs.saturation import softmax_in_format
from attention_course.reference.number_formats import FORMATS, round_to

#: Where the factor 1/sqrt(d_k) may stand.
SCALED = ("scores", "queries", "both")


@checked(non_empty_axes="n", ignore_warnings="divide invalid over")
def log_sum_exp(x: Float[np.ndarray, "*batch n"]) -> Float[np.ndarray, "*batch"]:
    r"""Logarithm of the sum of exponentials, without the exponential of a large number.

    .. math:: \ell = \ln \sum_j e^{x_j} = m + \ln \sum_j e^{x_j - m}, \qquad m = \max_j x_j

    It lies between m and m + ln n. A softmax is :math:`e^{x_j - \ell}`.

    Args:
        x: the scores; minus infinity counts as a score that is not there.

    Returns:
        One number for each row; minus infinity for a row without scores.

    Source:
        Blanchard, Higham and Higham (2021), equation 1.3.

    >>> log_sum_exp(np.array([[1000.0, 1000.0], [0.0, -np.inf]])).round(3).tolist()
    [1000.693, 0.0]
    """
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    return top[..., 0] + np.log(np.exp(x - top).sum(axis=-1))


@checked(non_empty_axes="n", ignore_warnings="invalid", sink=finite)
def softmax_with_sink(
    scores: Float[np.ndarray, "*batch n"], sink: float = 0.0
) -> Float[np.ndarray, "*batch n"]:
    r"""A softmax that need not give all its weight away.

    .. math:: \alpha_j = \frac{e^{x_j}}{e^{s} + \sum_l e^{x_l}}

    It is the softmax with one more key, whose score is s and whose value is zero. With s = 0
    the denominator is one larger than usual, hence the name "off by one".

    Args:
        scores: before the softmax.
        sink: the score s; a model may learn it, one for each head.

    Returns:
        The weights; a row sums to less than 1, and to 0 where all scores are minus infinity.

    Source:
        Miller (2023), for s = 0; Xiao et al. (2023), section 3.3, compare it with a learnt
        token that serves as a sink.

    >>> softmax_with_sink(np.array([[0.0, 0.0], [-9.0, -9.0]])).round(4).tolist()
    [[0.3333, 0.3333], [0.0001, 0.0001]]
    """
    top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    exps = np.exp(scores - top)
    return exps / (exps.sum(axis=-1, keepdims=True) + np.exp(sink - top))


@checked(non_empty_axes="n", number_format=one_of(*FORMATS))
def sum_one_by_one(
    x: Float[np.ndarray, "*batch n"], number_format: str
) -> Float[np.ndarray, "*batch"]:
    r"""Add up a row as a loop does whose running sum is stored in a format.

    .. math:: s_j = \mathrm{rd}(s_{j-1} + x_j)

    Args:
        x: the numbers, already rounded to the format.
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The last of the running sums, as float64.

    Source:
        Higham (2002), section 4.1: recursive summation.

    >>> float(sum_one_by_one(np.ones(300), "bfloat16"))
    256.0
    """
    total = np.zeros_like(x[..., :1])
    for j in range(x.shape[-1]):
        total = round_to(total + x[..., j : j + 1], number_format)
    return total[..., 0]


@checked(non_empty_axes="n", number_format=one_of(*FORMATS), block=whole(2))
def sum_in_blocks(
    x: Float[np.ndarray, "*batch n"], number_format: str, block: int
) -> Float[np.ndarray, "*batch"]:
    r"""Add up blocks of a row, then blocks of these sums, until one number is left.

    .. math:: |\hat s - s| \lesssim u \log_2 n \sum_j |x_j| \quad\text{for blocks of two}

    where one by one it is :math:`u\, n`.

    Args:
        x: the numbers, already rounded to the format.
        number_format: "float32", "bfloat16" or "float16".
        block: how many are added up one by one; 2 is pairwise summation.

    Returns:
        The sums, as float64.

    Source:
        Higham (2002), section 4.2: pairwise summation.

    >>> float(sum_in_blocks(np.ones(300), "bfloat16", block=16))
    300.0
    """
    while x.shape[-1] > 1:
        zeros = np.zeros((*x.shape[:-1], -x.shape[-1] % block))
        x = np.concatenate([x, zeros], axis=-1)
        x = x.reshape(*x.shape[:-1], -1, block)
        x = sum_one_by_one(x, number_format)
    return x[..., 0]


@checked(non_empty_axes="d_k k", number_format=one_of(*FORMATS), scaled=one_of(*SCALED))
def attention_in_format(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    number_format: str,
    scaled: str = "scores",
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attention as it is written in three lines, each result stored in a format.

    .. math:: C = \mathrm{rd}\bigl(\mathrm{rd}(\operatorname{softmax}(
       \mathrm{rd}(s\, \mathrm{rd}(Q K^\top))))\, V\bigr)

    Inside a product the sums are wide, as in a matrix unit; what is *stored* is rounded. This
    is the yardstick of FlashAttention's tests: half precision without any care.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        number_format: "float32", "bfloat16" or "float16".
        scaled: where the factor stands: on the "scores", on the "queries" before the product,
            or its root on "both" queries and keys.

    Returns:
        The contexts, as float64.

    Source:
        Dao et al. (2022), algorithm 0; scaled on both: torch's math backend.

    >>> q = np.full((1, 4), 200.0)
    >>> k, v = np.vstack([q, -q]), np.array([[1.0], [3.0]])
    >>> for scaled in ("scores", "queries", "both"):
    ...     print(scaled, attention_in_format(q, k, v, "float16", scaled)[0, 0])
    scores nan
    queries nan
    both nan
    >>> attention_in_format(q / 2, k, v, "float16", "queries")[0, 0]
    np.float64(1.0)
    """
    scale = q.shape[-1] ** -0.5
    q, k, v = (round_to(x, number_format) for x in (q, k, v))
    if scaled == "queries":
        q = round_to(scale * q, number_format)
    elif scaled == "both":
        q = round_to(scale**0.5 * q, number_format)
        k = round_to(scale**0.5 * k, number_format)
    with np.errstate(invalid="ignore"):  # inf - inf is NaN
        scores = round_to(q @ np.swapaxes(k, -1, -2), number_format)
        if scaled == "scores":
            scores = round_to(scale * scores, number_format)
        weights = softmax_in_format(scores, number_format)
        return round_to(weights @ v, number_format)


@checked(non_empty_axes="d_k k", number_format=one_of(*FORMATS))
def fused_in_format(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    number_format: str,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Attention as a fused kernel rounds it: only the exponentials, and the result.

    .. math:: C_i = \mathrm{rd}\!\left(\frac{1}{\sum_j E_{ij}}
       \sum_j \mathrm{rd}(E_{ij})\, \mathbf v_j\right), \qquad
       E_{ij} = e^{e_{ij} - \max_l e_{il}}

    Scores never leave the chip, so they stay wide. The exponentials are rounded because the
    matrix unit takes them beside the values. They are not divided yet: the largest is 1.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The contexts, as float64.

    Source:
        Dao (2023), algorithm 1, for a single block.

    >>> q = np.full((1, 4), 200.0)
    >>> k, v = np.vstack([q, -q]), np.array([[1.0], [3.0]])
    >>> fused_in_format(q, k, v, "float16")[0, 0]
    np.float64(1.0)
    """
    q, k, v = (round_to(x, number_format) for x in (q, k, v))
    scores = q.shape[-1] ** -0.5 * q @ np.swapaxes(k, -1, -2)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    context = round_to(exps, number_format) @ v
    return round_to(context / exps.sum(axis=-1, keepdims=True), number_format)
