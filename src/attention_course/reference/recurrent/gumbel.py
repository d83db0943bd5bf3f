"""Choosing by noise: the Gumbel trick, its relaxation, and the straight-through gradient."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax


def _random_state(call: Call, argument: str, rng: Any) -> np.random.RandomState:
    if not isinstance(rng, np.random.RandomState):
        raise call.fail(argument, "a numpy RandomState", type(rng).__name__)
    return rng


def _above_0(call: Call, argument: str, temperature: Any) -> Any:
    if not temperature > 0:
        raise call.fail(argument, "positive", repr(temperature))
    return temperature


def _noise_for_scores(call: Call) -> None:
    wanted, given = call["scores"].shape, call["noise"].shape
    if given[len(given) - len(wanted) :] != wanted:
        raise call.fail("noise", f"of a shape that ends in {wanted}", given)


@checked(rng=_random_state)
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

    Source:
        Gumbel (1954); Maddison et al. (2017), section 2.1.

    >>> gumbel_noise((3,), np.random.RandomState(0)).round(2)
    array([0.51, 1.09, 0.68])
    """
    tiny = np.finfo(np.float64).tiny  # u may be exactly 0
    return -np.log(-np.log(np.maximum(rng.random_sample(shape), tiny)))


@checked(_noise_for_scores, upcast_float16=True, temperature=_above_0)
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

    Source:
        Jang et al. (2017), equation 2; Maddison et al. (2017), equation 10.

    >>> relaxed_choice(np.zeros(2), np.array([0.0, np.log(3.0)]), 1.0)
    array([0.25, 0.75])
    """
    return softmax((scores + noise) / temperature)


@checked(_noise_for_scores, upcast_float16=True, temperature=_above_0)
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

    Source:
        Jang et al. (2017), section 2.2, "ST Gumbel-Softmax".

    >>> straight_through_gradient(np.zeros(2), np.zeros(2), 1.0, np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    y = softmax((scores + noise) / temperature)
    return y * (slopes - (y * slopes).sum(axis=-1, keepdims=True)) / temperature
