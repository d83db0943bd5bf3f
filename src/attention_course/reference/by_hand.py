"""Attention for one query, one number at a time, and the two ways of feeding a decoder."""

from collections.abc import Callable

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import (
    as_float,
    check_finite,
    check_weights,
    fail,
    not_empty,
    same_axis,
    whole_number,
)


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

    Raises:
        ValueError: if either is not an array of floats, or their widths differ.

    Source:
        Luong et al. (2015), section 3.1, "dot".

    >>> dot_scores_by_loops(np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]]))
    array([11., 17.])

    Taught in ``why/attention-by-hand``.
    """
    _check_query("dot_scores_by_loops", query, keys)
    scores = np.zeros(len(keys))
    for j, key in enumerate(keys):
        for q_c, k_c in zip(query, key, strict=True):
            scores[j] += q_c * k_c
    return scores


def weights_by_loops(scores: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    r"""Turn the scores of one query into weights, one exponential at a time.

    .. math:: \alpha_j = \frac{\exp(e_j)}{\sum_l \exp(e_l)}

    Args:
        scores: the scores of one query.

    Returns:
        One weight for each score; they are positive and sum to 1.

    Raises:
        ValueError: if the scores are not an array of finite floats, or there is none.

    Source:
        Bridle (1990).

    >>> weights_by_loops(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])

    Taught in ``why/attention-by-hand``.
    """
    _check_scores("weights_by_loops", scores)
    exps = [np.exp(e - max(scores)) for e in scores]
    return np.array([x / sum(exps) for x in exps])


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

    Raises:
        ValueError: if either is not an array of floats, their numbers differ, or the weights
            are none.

    Source:
        Bahdanau et al. (2015), equation 5.

    >>> weighted_sum(np.array([0.25, 0.75]), np.array([[0.0, 8.0], [4.0, 0.0]]))
    array([3., 2.])

    Taught in ``why/attention-by-hand``.
    """
    _check_mixture("weighted_sum", weights, values)
    context = np.zeros(values.shape[1])
    for weight, value in zip(weights, values, strict=True):
        context += weight * value
    return context


def write_with_teacher(next_symbol: Callable[[str], str], target: str) -> str:
    """Let a decoder write while it always reads the right last symbol.

    Args:
        next_symbol: called with the last symbol, returns the one that the decoder writes.
        target: what should be written; its first symbol is given.

    Returns:
        What is written after the first symbol.

    Raises:
        ValueError: if ``target`` is not a text of at least one symbol.

    Source:
        Williams and Zipser (1989).

    >>> follow = {"a": "b", "b": "d"}.get
    >>> write_with_teacher(follow, "aab")
    'bb'

    Taught in ``why/attention-by-hand``.
    """
    _check_text("write_with_teacher", "target", target)
    written = ""
    for last in target[:-1]:
        written += next_symbol(last)
    return written


def write_freely(next_symbol: Callable[[str], str], first: str, length: int) -> str:
    """Let a decoder write while it reads what it wrote itself.

    Args:
        next_symbol: as for :func:`write_with_teacher`.
        first: the symbol that is given.
        length: how many symbols are written.

    Returns:
        What is written after the first symbol.

    Raises:
        ValueError: if ``first`` is not a text, or ``length`` not a whole number from 0.

    Source:
        Williams and Zipser (1989).

    >>> follow = {"a": "b", "b": "d"}.get
    >>> write_freely(follow, "a", 2)
    'bd'

    Taught in ``why/attention-by-hand``.
    """
    _check_text("write_freely", "first", first)
    _check_length("write_freely", length)
    written, last = "", first
    for _ in range(length):
        last = next_symbol(last)
        written += last
    return written


def _check_query(function: str, query: object, keys: object) -> None:
    q, k = as_float(function, "query", query, ndim=1), as_float(function, "keys", keys, ndim=2)
    same_axis(function, "query", q, 0, "keys", k, 1, "their width, d_k")


def _check_scores(function: str, scores: object) -> None:
    x = as_float(function, "scores", scores, ndim=1)
    not_empty(function, "scores", x, 0, "at least one score")
    check_finite(function, "scores", x)


def _check_mixture(function: str, weights: object, values: object) -> None:
    w = as_float(function, "weights", weights, ndim=1)
    v = as_float(function, "values", values, ndim=2)
    same_axis(function, "weights", w, 0, "values", v, 0, "how many there are")
    check_weights(function, "weights", w)


def _check_text(function: str, argument: str, text: object) -> None:
    if not isinstance(text, str) or not text:
        raise fail(function, argument, "a text of at least one symbol", repr(text))


def _check_length(function: str, length: object) -> None:
    whole_number(function, "length", length, least=0)
