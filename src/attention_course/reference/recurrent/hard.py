"""Hard attention: one position is chosen, and its gradient is exact, sampled or relaxed.

A reward r_j says how good it was to choose position j (in the papers, the log-probability of
the right word). What is wanted is the gradient of the expected reward by the scores.
"""

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.reference._check import Call, sums_to_one
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax, softmax_jacobian


def _uniforms(call: Call, argument: str, u: np.ndarray) -> np.ndarray:
    batch = call.batches["batch"]
    if u.shape[u.ndim - len(batch) :] != batch:
        raise call.fail(argument, f"of a shape that ends in {batch}", u.shape)
    if not np.all((u >= 0) & (u < 1)):  # False for NaN as well
        got = f"range {u.min()} to {u.max()}"
        raise call.fail(argument, "numbers from 0 to 1, 1 excluded", got)
    return u


def _share(call: Call, argument: str, decay: float) -> float:
    if not 0 <= decay <= 1:
        raise call.fail(argument, "a number from 0 to 1", repr(decay))
    return decay


@checked(weights=sums_to_one, uniforms=_uniforms)
def choose(
    weights: Float[np.ndarray, "*batch k"], uniforms: Float[np.ndarray, "*more"]
) -> Int[np.ndarray, "*more"]:
    r"""Choose one position for each uniform number: position j with probability w_j.

    .. math:: s = \min \{ j : w_1 + \dots + w_j > u \}

    Args:
        weights: each row sums to 1; a position of weight 0 is never chosen.
        uniforms: numbers from 0 to 1 (1 excluded); its axes end in those of the batch, what
            is in front of them counts samples.

    Returns:
        The chosen positions, and -1 where a row of weights is all zeros.

    Source:
        Inverse transform sampling; any textbook.

    >>> choose(np.array([0.5, 0.0, 0.5]), np.array([0.1, 0.49, 0.5, 0.99]))
    array([0, 0, 2, 2])
    """
    passed = np.cumsum(weights, axis=-1) <= uniforms[..., None]
    last = weights.shape[-1] - 1 - (weights[..., ::-1] > 0).argmax(axis=-1)
    return np.where(weights.any(axis=-1), np.minimum(passed.sum(axis=-1), last), -1)


@checked(upcast_float16=True)
def expected_reward_gradient(
    scores: Float[np.ndarray, "*batch k"], rewards: Float[np.ndarray, "*batch k"]
) -> Float[np.ndarray, "*batch k"]:
    r"""The exact gradient of the expected reward: every choice is tried.

    .. math:: \frac{\partial}{\partial e_i} \sum_j w_j r_j = (J \mathbf r)_i
       = w_i \Bigl(r_i - \sum_j w_j r_j\Bigr)

    Args:
        scores: before the softmax.
        rewards: the reward of each choice.

    Returns:
        One derivative for each score; they sum to 0.

    Source:
        The chain rule; the sum that Xu et al. (2015), equation 11, then sample.

    >>> expected_reward_gradient(np.zeros(2), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    return (softmax_jacobian(softmax(scores)) @ rewards[..., None])[..., 0]


@checked(weights=sums_to_one)
def reinforce_gradients(
    weights: Float[np.ndarray, " k"],
    choices: Int[np.ndarray, " n"],
    rewards: Float[np.ndarray, " n"],
    baselines: Float[np.ndarray, " n"] | float = 0.0,
) -> Float[np.ndarray, "n k"]:
    r"""One estimate of the gradient for each choice that was made.

    .. math:: (r_s - b) \, \frac{\partial \ln w_s}{\partial \mathbf e}
       = (r_s - b) (\mathbf 1_s - \mathbf w)

    Args:
        weights: the probabilities with which the choices were made.
        choices: the chosen positions.
        rewards: the reward that each choice brought.
        baselines: what is subtracted; a number, or one for each choice. It must not depend
            on the choice itself.

    Returns:
        One estimate a row. Their mean tends to :func:`expected_reward_gradient`.

    Source:
        Williams (1992); Xu et al. (2015), section 4.1.

    >>> reinforce_gradients(np.array([0.5, 0.5]), np.array([0]), np.array([3.0]), 1.0)
    array([[ 1., -1.]])
    """
    slopes = np.eye(len(weights))[choices] - weights
    return (rewards - baselines)[:, None] * slopes


@checked(weights=sums_to_one)
def reinforce_variance(
    weights: Float[np.ndarray, "*batch k"],
    rewards: Float[np.ndarray, "*batch k"],
    baseline: float = 0.0,
) -> Float[np.ndarray, "*batch"]:
    r"""The variance of one estimate, exactly: summed over the scores.

    .. math:: \sum_j w_j (r_j - b)^2 \lVert \mathbf 1_j - \mathbf w \rVert^2
       - \lVert J \mathbf r \rVert^2

    Args:
        weights: the probabilities of the choices.
        rewards: the reward of each choice.
        baseline: the constant b.

    Returns:
        The expected squared distance of an estimate from the exact gradient.

    Source:
        The definition of variance, applied to Williams (1992).

    >>> half = np.array([0.5, 0.5])
    >>> [float(reinforce_variance(half, half * 0 + r)) for r in (1.0, 10.0)]
    [0.5, 50.0]
    """
    exact = (softmax_jacobian(weights) @ rewards[..., None])[..., 0]
    second = (weights * (rewards - baseline) ** 2 * _lengths(weights)).sum(-1)
    return np.asarray(second - (exact**2).sum(-1))


@checked(weights=sums_to_one)
def best_baseline(
    weights: Float[np.ndarray, "*batch k"], rewards: Float[np.ndarray, "*batch k"]
) -> Float[np.ndarray, "*batch"]:
    r"""The constant that makes :func:`reinforce_variance` smallest.

    .. math:: b^* = \frac{\sum_j w_j \lVert \mathbf 1_j - \mathbf w \rVert^2 r_j}
       {\sum_j w_j \lVert \mathbf 1_j - \mathbf w \rVert^2}

    A weighted mean of the rewards, so a reward shifted by a constant shifts it too.

    Args:
        weights: the probabilities of the choices; not one-hot.
        rewards: the reward of each choice.

    Returns:
        The baseline.

    Source:
        The minimum of a parabola; known since the 1990s, e.g. Weaver and Tao (2001).

    >>> float(best_baseline(np.array([0.5, 0.5]), np.array([4.0, 2.0])))
    3.0
    """
    shares = weights * _lengths(weights)
    return np.asarray((shares * rewards).sum(-1) / shares.sum(-1))


@checked(decay=_share)
def moving_baselines(
    rewards: Float[np.ndarray, " n"], decay: float = 0.9, start: float = 0.0
) -> Float[np.ndarray, " n"]:
    r"""A moving average of earlier rewards, as it stands *before* each reward.

    .. math:: b_k = 0.9 \, b_{k-1} + 0.1 \, r_k

    Estimate k uses :math:`b_{k-1}`: a baseline that has already seen its own reward would
    bias the estimate.

    Args:
        rewards: in the order in which they came.
        decay: the share that is kept.
        start: b_0.

    Returns:
        b_0, b_1, ..., one for each reward.

    Source:
        Xu et al. (2015), section 4.1.

    >>> moving_baselines(np.array([10.0, 10.0, 10.0]))
    array([0. , 1. , 1.9])
    """
    baselines, b = np.empty_like(rewards), float(start)
    for k, reward in enumerate(rewards):
        baselines[k] = b
        b = decay * b + (1 - decay) * reward
    return baselines


@checked()
def stochastic_gradient_by_loops(
    scores: Float[np.ndarray, " k"],
    rewards: Float[np.ndarray, " k"],
    choices: Int[np.ndarray, " n"],
    baseline: float,
    reward_weight: float,
    entropy_weight: float,
) -> Float[np.ndarray, " k"]:
    r"""The learning rule for the scores as the paper prints it, one number at a time.

    .. math:: \frac 1N \sum_n \Bigl[ \lambda_r (r_{s_n} - b)
       \frac{\partial \ln p(s_n)}{\partial \mathbf e}
       + \lambda_e \frac{\partial H}{\partial \mathbf e} \Bigr]

    The rule's first term, the gradient of the log-likelihood itself, goes to the parameters
    behind the chosen value and not to the scores.

    Args:
        scores: before the softmax.
        rewards: log-likelihood that each choice would bring.
        choices: the N sampled positions.
        baseline: b.
        reward_weight: the paper's lambda_r.
        entropy_weight: the paper's lambda_e.

    Returns:
        The direction in which the scores go (upwards: the reward is to grow).

    Source:
        Xu et al. (2015), section 4.1.

    >>> rule = stochastic_gradient_by_loops
    >>> rule(np.zeros(2), np.array([3.0, 0.0]), np.array([0]), 1.0, 1.0, 0.0)
    array([ 1., -1.])
    """
    exps = [np.exp(e - max(scores)) for e in scores]
    p = [x / sum(exps) for x in exps]
    h = -sum(p_j * np.log(p_j) for p_j in p)
    gradient = np.zeros(len(p))
    for s in choices:
        for i in range(len(p)):
            slope = (1.0 if i == s else 0.0) - p[i]
            gradient[i] += reward_weight * (rewards[s] - baseline) * slope
            gradient[i] -= entropy_weight * p[i] * (np.log(p[i]) + h)
    return gradient / len(choices)


def _lengths(weights: np.ndarray) -> np.ndarray:
    """Squared length of (one-hot at j) - weights, for every j."""
    return 1 - 2 * weights + (weights**2).sum(axis=-1, keepdims=True)
