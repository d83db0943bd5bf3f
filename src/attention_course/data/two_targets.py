"""Two things to fetch at once: the token before, and the token of the same kind."""

import numpy as np

from attention_course._shapes import Float, Int

N_KINDS, CONTENT = 4, 4
N_TOKENS = 2 * N_KINDS
WIDTH = N_TOKENS + N_KINDS + CONTENT


def two_targets_batch(
    rng: np.random.RandomState, size: int
) -> tuple[
    Float[np.ndarray, "batch tokens width"],
    Float[np.ndarray, "batch tokens wanted"],
    Int[np.ndarray, "batch tokens two"],
]:
    """Draw rows of eight tokens; each must fetch the contents of two others.

    A token says its place (one of 8), its kind (one of 4, two tokens of each) and its content
    (4 normal numbers). It wants the content of the token before it, the first one that of the
    last, and the content of its partner, the other token of its kind. The partner is never
    the token before.

    Args:
        rng: where the rows are drawn from; advanced in place.
        size: how many rows, at least 1.

    Returns:
        The tokens, what each wants (content before, then content of the partner), and the
        places of the two.

    Source:
        Written for this course, after Vaswani et al. (2017), section 3.2.2.

    >>> x, wanted, places = two_targets_batch(np.random.RandomState(0), 5)
    >>> x.shape, wanted.shape, places[0, 0].tolist()
    ((5, 8, 16), (5, 8, 8), [7, 5])
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(
            f"two_targets_batch: size must be a positive whole number, got {size!r}"
        )
    kinds = _kinds(rng, size)
    content = rng.standard_normal((size, N_TOKENS, CONTENT))
    where = np.broadcast_to(np.eye(N_TOKENS), (size, N_TOKENS, N_TOKENS))
    x = np.concatenate([where, np.eye(N_KINDS)[kinds], content], axis=-1)
    alike = kinds[:, :, None] == kinds[:, None, :]
    partner = (alike & ~np.eye(N_TOKENS, dtype=bool)).argmax(axis=-1)
    before = np.broadcast_to((np.arange(N_TOKENS) - 1) % N_TOKENS, partner.shape)
    places = np.stack([before, partner], axis=-1)
    rows = np.arange(size)[:, None, None]
    return x, content[rows, places].reshape(size, N_TOKENS, 2 * CONTENT), places


def _kinds(rng: np.random.RandomState, size: int) -> np.ndarray:
    """Two tokens of each kind in any order without equal neighbours, the ends being two."""
    found = np.empty((0, N_TOKENS), dtype=np.int64)
    while len(found) < size:
        order = rng.random_sample((4 * size, N_TOKENS)).argsort(axis=1) // 2
        found = np.concatenate([found, order[(order != np.roll(order, 1, axis=1)).all(axis=1)]])
    return found[:size]
