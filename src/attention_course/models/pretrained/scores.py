"""What a head does, as a number: where its weights lie, and if that is more than chance."""

from typing import Any

import numpy as np

from attention_course._shapes import Bool, Float, Int


def looks_back(
    weights: Float[np.ndarray, "*heads n n"], steps: int
) -> Float[np.ndarray, "*heads"]:
    r"""Return the mean weight on the token that lies so many steps back.

    .. math:: \frac1{n-s} \sum_{i \ge s} \alpha_{i,\,i-s}

    Args:
        weights: of one text.
        steps: 1 for the previous token; -1 for the next.

    Returns:
        A number from 0 to 1 for each head.

    Raises:
        ValueError: if the text has no such pair of tokens.

    Source:
        Clark et al. (2019), section 3.1.

    >>> looks_back(np.eye(3), 0), looks_back(np.eye(3), 1)
    (array(1.), array(0.))
    """
    n = weights.shape[-1]
    if abs(steps) >= n:
        expected = f"steps must be below {n}"
        raise ValueError(f"looks_back: {expected}, got {steps}")
    return np.asarray(np.diagonal(weights, -steps, -2, -1).mean(-1))


def looks_first(weights: Float[np.ndarray, "*heads n n"]) -> Float[np.ndarray, "*heads"]:
    r"""Return the mean weight on the first token, by all others.

    .. math:: \frac1{n-1} \sum_{i \ge 1} \alpha_{i,0}

    Args:
        weights: of one text of at least two tokens.

    Source:
        Xiao et al. (2023), section 3.1.

    >>> looks_first(np.array([[1.0, 0.0], [0.75, 0.25]]))
    array(0.75)
    """
    return np.asarray(weights[..., 1:, 0].mean(-1))


def induction_scores(
    weights: Float[np.ndarray, "*heads n n"], period: int
) -> Float[np.ndarray, "*heads"]:
    r"""Return the mean weight on the token *behind* the earlier copy of the present one.

    .. math:: \frac1{n-p} \sum_{i \ge p} \alpha_{i,\,i-p+1}

    Args:
        weights: of a text that repeats itself.
        period: p, after how many tokens.

    Raises:
        ValueError: if nothing is repeated.

    Source:
        Olsson et al. (2022), section "Per-Token Losses" and appendix, "prefix matching".

    >>> text = np.zeros((4, 4))  # a b a b
    >>> text[2, 1] = text[3, 2] = 1
    >>> induction_scores(text, 2)
    array(1.)
    """
    n = weights.shape[-1]
    if not 0 < period < n:
        expected = f"period must be from 1 to {n - 1}"
        raise ValueError(f"induction_scores: {expected}, got {period}")
    behind = np.diagonal(weights, 1 - period, -2, -1)
    return np.asarray(behind[..., 1:].mean(-1))


def points_to(
    weights: Float[np.ndarray, "*heads n n"], words: Bool[np.ndarray, " n"]
) -> Int[np.ndarray, "*heads n"]:
    r"""Return which *other* word each token looks at most.

    .. math:: \arg\max_{j \ne i,\ j \text{ a word}} \alpha_{ij}

    Args:
        weights: of one text.
        words: which of its tokens are words; marks are not.

    Source:
        Clark et al. (2019), section 4.2, who leave the marks out as well.

    >>> weights = np.array([[0.7, 0.1, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    >>> points_to(weights, np.array([False, True, True]))
    array([2, 2, 1])
    """
    seen = words & ~np.eye(len(words), dtype=bool)
    return np.asarray(np.where(seen, weights, -1).argmax(-1))


def t_statistic(swings: Float[np.ndarray, "n *heads"]) -> Float[np.ndarray, "*heads"]:
    r"""Return how far the mean is from 0, in standard errors.

    .. math:: t = \bar x \Big/ \frac{s}{\sqrt n}

    Args:
        swings: of n pairs, two or more. A head that never swings is no standard error from 0.

    Source:
        Student (1908).

    >>> t_statistic(np.array([1.0, 3.0]))
    array(2.)
    """
    error = swings.std(0, ddof=1) / len(swings) ** 0.5
    return np.asarray(swings.mean(0) / np.maximum(error, 1e-300))


def flip_p_values(
    swings: Float[np.ndarray, "n heads"], rng: np.random.RandomState, draws: int = 10_000
) -> tuple[Float[np.ndarray, " heads"], Float[np.ndarray, " heads"]]:
    r"""Return the p-value of each head alone, and corrected for having looked at all.

    .. math:: p_h = \frac{1 + \#\{\,|t^*_h| \ge |t_h|\,\}}{1 + \text{draws}}, \qquad
       p^{\max}_h = \frac{1 + \#\{\max_k |t^*_k| \ge |t_h|\}}{1 + \text{draws}}

    Without an effect a pair might as well have come the other way round, which turns the sign
    of all its swings. t* is the statistic after the signs of pairs were drawn anew.

    Args:
        swings: of n pairs by all the heads that were looked at.
        rng: draws the signs.
        draws: how often.

    Source:
        Nichols and Holmes (2002), with the largest statistic of each draw.

    >>> swings = np.random.RandomState(0).normal(size=(20, 5))
    >>> alone, corrected = flip_p_values(swings, np.random.RandomState(1), 200)
    >>> bool((corrected >= alone).all())
    True
    """
    seen = np.abs(t_statistic(swings))
    alone, corrected = np.ones(len(seen)), np.ones(len(seen))
    for _ in range(draws):
        signs = rng.choice([-1.0, 1.0], len(swings))
        flipped = np.abs(t_statistic(signs[:, None] * swings))
        alone += flipped >= seen
        corrected += flipped.max() >= seen
    return alone / (draws + 1), corrected / (draws + 1)


def bootstrap_interval(
    values: np.ndarray, rng: np.random.RandomState, draws: int = 2000
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the ends of a 95 % interval of the mean, by drawing the cases anew.

    .. math:: \bigl[q_{0.025}, q_{0.975}\bigr] \text{ of } \bar x^*, \qquad
       x^*_1, \dots, x^*_n \text{ drawn from } x \text{ with replacement}

    For two settings it is asked of the differences, case by case.

    Args:
        values: one case a row: (cases, ...).
        rng: draws the cases.
        draws: how often.

    Returns:
        The lower and the upper end of each column.

    Raises:
        ValueError: if there are fewer than two cases, or a number is not finite.

    Source:
        Efron (1979), with the percentiles of the draws.

    >>> ends = bootstrap_interval(np.array([1.0, 3.0]), np.random.RandomState(0))
    >>> [float(end) for end in ends]
    [1.0, 3.0]
    """
    x = _cases(values)
    n = len(x)
    means = [x[rng.randint(n, size=n)].mean(0) for _ in range(draws)]
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return np.asarray(low), np.asarray(high)


def _cases(values: Any) -> np.ndarray:
    x = np.asarray(values, dtype=float)
    if len(x) < 2 or not np.isfinite(x).all():
        raise ValueError(
            "bootstrap_interval: values must be finite, of two cases or more, "
            f"got {values!r:.60}"
        )
    return x
