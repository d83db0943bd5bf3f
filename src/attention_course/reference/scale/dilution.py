"""What is left of one key's weight among more and more others."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import finite, whole
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax


@checked(n=whole(1), score=finite, factor=finite, rows=whole(1), seed=whole(0))
def diluted_weights(
    n: int, score: float = 4.0, factor: float = 1.0, rows: int = 400, seed: int = 0
) -> Float[np.ndarray, " rows"]:
    r"""Draw the weight of one key with a high score among keys with standard normal ones.

    .. math:: \alpha = \frac{e^{f s}}{e^{f s} + \sum_{j=2}^{n} e^{f z_j}}, \qquad
       z_j \sim \mathcal N(0, 1)

    For a factor of 1 the sum is about (n - 1) e^(1/2).

    Args:
        n: number of keys, at least 1.
        score: s, of the relevant key.
        factor: f, by which all scores are multiplied.
        rows: how many queries are drawn.
        seed: of the others' scores.

    Returns:
        The weight of the relevant key in each row.

    Source:
        Vaswani et al. (2017), section 2, name the effect ("reduced effective resolution due
        to averaging"); the numbers are this course's.

    >>> bool(abs(diluted_weights(16).mean() - 0.69) < 0.02)
    True
    """
    scores = np.random.RandomState(seed).standard_normal((rows, n))
    scores[:, 0] = score
    return softmax(factor * scores)[:, 0]
