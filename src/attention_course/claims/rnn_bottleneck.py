"""What the runs of several seeds show."""

import numpy as np

from attention_course._shapes import Float

# Student's t, 97.5 %, for 1 to 9 degrees of freedom (any table has them).
_T975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def interval(
    samples: Float[np.ndarray, "seeds *shape"],
) -> tuple[Float[np.ndarray, "*shape"], Float[np.ndarray, "*shape"]]:
    r"""Mean of some runs, and half the width of its 95 % interval.

    .. math:: \bar x \pm t_{0.975,\,n-1} \frac{s}{\sqrt n}

    Args:
        samples: one run a row; two to ten runs.

    Returns:
        The mean and the half-width, for each column.

    Raises:
        ValueError: if there are fewer than two runs or more than ten.

    Source:
        Student (1908).

    >>> mean, half = interval(np.array([[1.0], [2.0], [3.0]]))
    >>> float(mean[0]), float(half[0].round(2))
    (2.0, 2.48)
    """
    n = len(samples)
    if not 2 <= n <= len(_T975) + 1:
        raise ValueError(f"interval: samples must be two to ten runs, got {n}")
    return samples.mean(0), _T975[n - 2] * samples.std(0, ddof=1) / np.sqrt(n)
