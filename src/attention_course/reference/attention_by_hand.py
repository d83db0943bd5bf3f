"""Attention for one query, one number at a time, and the two ways of feeding a decoder."""

from collections.abc import Callable

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import all_finite, non_empty_text, sums_to_one, whole
from attention_course.reference._checked import checked


@checked()
def dot_scores_by_loops(
    query: Float[np.ndarray, " d_k"], keys: Float[np.ndarray, "k d_k"]
) -> Float[np.ndarray, " k"]:
    r"""Dot product of one query with each key, one product at a time.

    .. math:: e_j = \sum_c q_c\, k_{jc}

    Args:
        query: one query.
        keys: keys, of the same width.

    Returns:
        One score for each key, in float64.

    Source:
        Luong et al. (2015), section 3.1, "dot".

    >>> dot_scores_by_loops(np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]]))
    array([11., 17.])
    """
    scores = np.zeros(len(keys))
    for j, key in enumerate(keys):
        for q_c, k_c in zip(query, key, strict=True):
            scores[j] += q_c * k_c
    return scores


@checked(non_empty_axes="k", scores=all_finite)
def weights_by_loops(scores: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    r"""Turn the scores of one query into weights, one exponential at a time.

    .. math:: \alpha_j = \frac{\exp(e_j)}{\sum_l \exp(e_l)}

    Args:
        scores: the scores of one query.

    Returns:
        One weight for each score; they are positive and sum to 1.

    Source:
        Bridle (1990).

    >>> weights_by_loops(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])
    """
    exps = [np.exp(e - max(scores)) for e in scores]
    return np.array([x / sum(exps) for x in exps])


@checked(weights=sums_to_one)
def weighted_sum(
    weights: Float[np.ndarray, " k"], values: Float[np.ndarray, "k d_v"]
) -> Float[np.ndarray, " d_v"]:
    r"""Mix the values, each in the proportion of its weight.

    .. math:: \mathbf c = \sum_j \alpha_j \mathbf v_j

    Args:
        weights: the weights of one query; they sum to 1 (or to 0 where nothing is seen).
        values: values, one for each weight.

    Returns:
        The context, in float64.

    Source:
        Bahdanau et al. (2015), equation 5.

    >>> weighted_sum(np.array([0.25, 0.75]), np.array([[0.0, 8.0], [4.0, 0.0]]))
    array([3., 2.])
    """
    context = np.zeros(values.shape[1])
    for weight, value in zip(weights, values, strict=True):
        context += weight * value
    return context


@checked(target=non_empty_text)
def write_with_teacher(next_symbol: Callable[[str], str], target: str) -> str:
    """Let a decoder write while it always reads the right last symbol.

    Args:
        next_symbol: called with the last symbol, returns the one that the decoder writes.
        target: what should be written; its first symbol is given.

    Returns:
        What is written after the first symbol.

    Source:
        Williams and Zipser (1989).

    >>> follow = {"a": "b", "b": "d"}.get
    >>> write_with_teacher(follow, "aab")
    'bb'
    """
    written = ""
    for last in target[:-1]:
        written += next_symbol(last)
    return written


@checked(first=non_empty_text, length=whole(0))
def write_freely(next_symbol: Callable[[str], str], first: str, length: int) -> str:
    """Let a decoder write while it reads what it wrote itself.

    Args:
        next_symbol: as for :func:`write_with_teacher`.
        first: the symbol that is given.
        length: how many symbols are written.

    Returns:
        What is written after the first symbol.

    Source:
        Williams and Zipser (1989).

    >>> follow = {"a": "b", "b": "d"}.get
    >>> write_freely(follow, "a", 2)
    'bd'
    """
    written, last = "", first
    for _ in range(length):
        last = next_symbol(last)
        written += last
    return written
