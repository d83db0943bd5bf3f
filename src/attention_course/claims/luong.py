"""What a comparison with few seeds may say: better, worse, or nothing yet."""

from collections.abc import Sequence


def verdict(ours: Sequence[float], theirs: Sequence[float]) -> str:
    r"""Compare two settings by all of their runs.

    If the two are alike, one lies wholly above the other by chance alone with probability

    .. math:: 1 \Big/ \binom{n + m}{n}

    which is 1 in 20 for three runs each. Among ten comparisons one such slip is no surprise.

    Args:
        ours: one measurement a run, more is better.
        theirs: the same for the other setting.

    Returns:
        "better" if every run of ours is above every run of theirs, "worse" if below, and
        otherwise "open".

    Raises:
        ValueError: if one of them has no runs.

    Source:
        The extreme case of the rank test of Mann and Whitney (1947).

    >>> verdict([0.9, 0.8], [0.5, 0.7]), verdict([0.9, 0.6], [0.5, 0.7])
    ('better', 'open')
    """
    if len(ours) == 0 or len(theirs) == 0:
        raise ValueError(
            "verdict: ours and theirs must hold at least one run, "
            f"got {len(ours)} and {len(theirs)}"
        )
    if min(ours) > max(theirs):
        return "better"
    return "worse" if max(ours) < min(theirs) else "open"
