"""Small tasks whose right answers are known exactly."""

import numpy as np

from attention_course._shapes import Int
from attention_course.data.vocabulary import END


def random_strings(
    count: int, length: int, symbols: int, rng: np.random.RandomState
) -> Int[np.ndarray, "count length"]:
    """Draw strings of equally likely symbols, numbered from 3 as a vocabulary does.

    Args:
        count: how many strings.
        length: symbols in each.
        symbols: size of the alphabet.
        rng: the generator that draws them.

    Returns:
        One string a row.

    >>> random_strings(2, 5, 26, np.random.RandomState(0)).shape
    (2, 5)
    """
    for name, number in (("count", count), ("length", length), ("symbols", symbols)):
        if number < 1:
            raise ValueError(f"random_strings: {name} must be at least 1, got {number}")
    return rng.randint(symbols, size=(count, length)).astype(np.int64) + END + 1


def reverse(strings: Int[np.ndarray, "count length"]) -> Int[np.ndarray, "count length"]:
    r"""Read each string from its end.

    .. math:: y_t = x_{T+1-t}

    Args:
        strings: one a row.

    Returns:
        A new array of the same shape.

    >>> reverse(np.array([[3, 4, 5]]))
    array([[5, 4, 3]])
    """
    return np.ascontiguousarray(strings[:, ::-1])


def swap_neighbours(
    strings: Int[np.ndarray, "count length"],
) -> Int[np.ndarray, "count length"]:
    r"""Exchange the first symbol with the second, the third with the fourth, and so on.

    .. math:: y_{2i-1} = x_{2i}, \qquad y_{2i} = x_{2i-1}

    The smallest change of word order: *red dress*, *robe rouge*.

    Args:
        strings: one a row, of even length.

    Returns:
        A new array of the same shape.

    >>> swap_neighbours(np.array([[3, 4, 5, 6]]))
    array([[4, 3, 6, 5]])
    """
    count, length = strings.shape
    if length % 2:
        raise ValueError(f"swap_neighbours: length must be even, got {length}")
    return strings.reshape(count, length // 2, 2)[:, :, ::-1].reshape(count, length)


def running_maximum(
    strings: Int[np.ndarray, "count length"],
) -> Int[np.ndarray, "count length"]:
    r"""Say at every step the largest symbol so far, as one reads a record off daily prices.

    .. math:: y_t = \max(x_1, \dots, x_t)

    Args:
        strings: one a row.

    Returns:
        A new array of the same shape.

    >>> running_maximum(np.array([[4, 3, 7, 5]]))
    array([[4, 4, 7, 7]])
    """
    return np.maximum.accumulate(strings, axis=1)
