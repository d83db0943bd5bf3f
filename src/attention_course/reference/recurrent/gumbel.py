"""Choosing by noise: the Gumbel trick, its relaxation, and the straight-through gradient."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import as_float, fail
from attention_course.reference._core import softmax


def gumbel_noise(
    shape: tuple[int, ...], rng: np.random.RandomState
) -> Float[np.ndarray, "..."]:
    r"""Draw standard Gumbel numbers.

    .. math:: g = -\ln(-\ln u), \qquad u \sim \text{uniform}(0, 1)

    The largest of :math:`e_j + g_j` falls on position j with probability
    :math:`\operatorname{softmax}(e)_j`, exactly: adding noise and taking the maximum *is*
    sampling.

    Args:
        shape: how many, in which axes.
        rng: where they are drawn from.

    Returns:
        Numbers with mean 0.577 and variance 1.645.

    Raises:
        ValueError: if ``rng`` is no RandomState.

    Source:
        Gumbel (1954); Maddison et al. (2017), section 2.1.

    >>> gumbel_noise((3,), np.random.RandomState(0)).round(2)
    array([0.51, 1.09, 0.68])

    Used in ``recurrent/local-and-hard``.
    """
    if not isinstance(rng, np.random.RandomState):
        raise fail("gumbel_noise", "rng", "a numpy RandomState", type(rng).__name__)
    tiny = np.finfo(np.float64).tiny  # u may be exactly 0
    return -np.log(-np.log(np.maximum(rng.random_sample(shape), tiny)))


def relaxed_choice(
    scores: Float[np.ndarray, "*batch k"],
    noise: Float[np.ndarray, "*more k"],
    temperature: float,
) -> Float[np.ndarray, "*more k"]:
    r"""A softmax of noisy scores: nearly a choice when the temperature is low.

    .. math:: \mathbf y = \operatorname{softmax}\Bigl(\frac{\mathbf e + \mathbf g}{\tau}\Bigr)

    Args:
        scores: before the softmax.
        noise: from :func:`gumbel_noise`; its axes end in those of the scores.
        temperature: tau; the limit 0 is a one-hot vector.

    Returns:
        Weights that sum to 1.

    Raises:
        ValueError: if the axes do not fit or the temperature is not positive.

    Source:
        Jang et al. (2017), equation 2; Maddison et al. (2017), equation 10.

    >>> relaxed_choice(np.zeros(2), np.array([0.0, np.log(3.0)]), 1.0)
    array([0.25, 0.75])

    Used in ``recurrent/local-and-hard``.
    """
    _check_draws("relaxed_choice", scores, noise, temperature)
    return softmax((scores + noise) / temperature)


def straight_through_gradient(
    scores: Float[np.ndarray, "*batch k"],
    noise: Float[np.ndarray, "*more k"],
    temperature: float,
    slopes: Float[np.ndarray, "*more k"],
) -> Float[np.ndarray, "*more k"]:
    r"""Forward the one-hot choice, backward the relaxed one.

    .. math:: \frac 1\tau J(\mathbf y) \,
       \frac{\partial f}{\partial \mathbf w}\Big|_{\mathbf w = \text{one-hot}},
       \qquad J(\mathbf y) = \operatorname{diag}(\mathbf y) - \mathbf y \mathbf y^\top

    The choice has no derivative; this one belongs to its neighbour y. That is why the mean is
    not the exact gradient.

    Args:
        scores: before the softmax.
        noise: from :func:`gumbel_noise`.
        temperature: tau.
        slopes: derivative of the reward by each weight, taken at the one-hot choice.

    Returns:
        One estimate of the gradient by the scores for each draw of noise.

    Raises:
        ValueError: if the axes do not fit or the temperature is not positive.

    Source:
        Jang et al. (2017), section 2.2, "ST Gumbel-Softmax".

    >>> straight_through_gradient(np.zeros(2), np.zeros(2), 1.0, np.array([1.0, 0.0]))
    array([ 0.25, -0.25])

    Taught in ``recurrent/local-and-hard``.
    """
    _check_draws("straight_through_gradient", scores, noise, temperature)
    _check_slopes("straight_through_gradient", slopes, noise)
    y = softmax((scores + noise) / temperature)
    return y * (slopes - (y * slopes).sum(axis=-1, keepdims=True)) / temperature


def _check_draws(function: str, scores: object, noise: object, temperature: Any) -> None:
    scores = as_float(function, "scores", scores, 1)
    noise = as_float(function, "noise", noise, 1)
    if noise.shape[noise.ndim - scores.ndim :] != scores.shape:
        raise fail(function, "noise", f"of a shape that ends in {scores.shape}", noise.shape)
    if not temperature > 0:
        raise fail(function, "temperature", "positive", repr(temperature))


def _check_slopes(function: str, slopes: object, noise: np.ndarray) -> None:
    given = as_float(function, "slopes", slopes, 1)
    if given.shape != noise.shape:
        wanted = f"of the noise's shape {noise.shape}"
        raise fail(function, "slopes", wanted, f"shape {given.shape}")
