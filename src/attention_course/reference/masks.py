"""Boolean masks: True = may attend."""

import numpy as np

from attention_course._shapes import Bool, Int
from attention_course.reference._check import Call, at_least, whole
from attention_course.reference._checked import checked


def _lengths(call: Call, argument: str, lengths: np.ndarray) -> np.ndarray:
    if lengths.size and (lengths.min() < 0 or lengths.max() > call["n_keys"]):
        expected = f"between 0 and n_keys = {call['n_keys']}"
        raise call.fail(argument, expected, lengths.tolist())
    return lengths


@checked(n_queries=whole(1), n_keys=(whole(1), at_least("n_queries")))
def causal_mask(
    n_queries: int,
    n_keys: int | None = None,
) -> Bool[np.ndarray, "q k"]:
    """Let each query see itself and what came before, never what comes after.

    Where there are more keys than queries, the last query is aligned with the last key
    (bottom right), as when decoding with cached keys.

    Args:
        n_queries: number of queries, at least 1.
        n_keys: number of keys, at least ``n_queries``; the same as ``n_queries`` unless given.

    Returns:
        True where query i may see key j.

    Source:
        Vaswani et al. (2017), section 3.2.3.

    >>> causal_mask(2, 3).astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    n_keys = n_queries if n_keys is None else n_keys
    return np.tri(n_queries, n_keys, k=n_keys - n_queries, dtype=bool)


@checked(n_keys=whole(1), lengths=_lengths)
def padding_mask(
    lengths: Int[np.ndarray, "*batch"], n_keys: int
) -> Bool[np.ndarray, "*batch k"]:
    """Let every query see the real keys and not the padding behind them.

    Args:
        lengths: how many keys are real in each sequence, from 0 to ``n_keys``.
        n_keys: length of the padded sequence, at least 1.

    Returns:
        True at the first ``length`` positions of each row.

    Source:
        Common practice; the sign convention is this course's.

    >>> padding_mask(np.array([1, 3]), 3).astype(int)
    array([[1, 0, 0],
           [1, 1, 1]])
    """
    return np.arange(n_keys) < lengths[..., None]


@checked(width=whole(1), n_queries=whole(1), n_keys=(whole(1), at_least("n_queries")))
def window_mask(
    width: int, n_queries: int, n_keys: int | None = None
) -> Bool[np.ndarray, "q k"]:
    r"""Let each query see itself and the few keys just before it.

    .. math:: m_{ij} = (i - \text{width} < j \le i)

    Aligned at the bottom right where there are more keys than queries, as
    :func:`causal_mask`.

    Args:
        width: how many keys a query sees at most, itself included; at least 1.
        n_queries: number of queries, at least 1.
        n_keys: number of keys, at least ``n_queries``; the same unless given.

    Returns:
        True where query i may see key j.

    Source:
        Common practice (sliding-window attention).

    >>> window_mask(2, 3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    n_keys = n_queries if n_keys is None else n_keys
    last_too_old = n_keys - n_queries - width
    too_old = np.tri(n_queries, n_keys, k=last_too_old, dtype=bool)
    return causal_mask(n_queries, n_keys) & ~too_old
