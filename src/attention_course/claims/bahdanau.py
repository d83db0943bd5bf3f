"""What the runs of ``recurrent/bahdanau`` show."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from attention_course._shapes import Float


def nearly_even(
    entropies: Float[np.ndarray, " rows"] | Sequence[float], among: int, share: float = 0.99
) -> bool:
    r"""Are rows of weights spread almost as evenly as they could be?

    .. math:: \bar H \ge 0.99 \ln n

    Args:
        entropies: of the rows, in nats.
        among: how many positions a row has, n.
        share: of the largest entropy, that of an even row.

    Returns:
        True if their mean reaches that share.

    >>> nearly_even([0.693, 0.693], 2), nearly_even([0.693, 0.1], 2)
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    return bool(np.mean(entropies) >= share * np.log(among))


def concentrated(
    entropies: Float[np.ndarray, " rows"] | Sequence[float], among: int, share: float = 0.5
) -> bool:
    r"""Are rows of weights much sharper than even ones?

    .. math:: \bar H \le 0.5 \ln n

    Args:
        entropies: of the rows, in nats.
        among: how many positions a row has, n.
        share: of the largest entropy.

    Returns:
        True if their mean is at most that share.

    >>> concentrated([0.3, 0.3], 8), concentrated([2.0, 2.0], 8)
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    return bool(np.mean(entropies) <= share * np.log(among))


def looks_past(
    weights: Float[np.ndarray, "targets sources"],
    positions: slice | Sequence[int],
    below: float = 0.1,
) -> bool:
    """Do some source positions get next to no weight?

    Args:
        weights: one row for each target symbol.
        positions: the columns that are judged together.
        below: the share of a row's weight that counts as next to none.

    Returns:
        True if these columns get less than that, in the mean over the rows.

    >>> looks_past(np.array([[0.05, 0.95], [0.03, 0.97]]), [0])
    True

    Taught in ``recurrent/bahdanau``.
    """
    return bool(np.asarray(weights)[:, positions].sum(axis=1).mean() < below)


def misaligned(rates: Sequence[float], above: float = 0.05) -> bool:
    """Is the alignment error noticeable?

    Args:
        rates: alignment error rate of each sentence.
        above: the rate that counts as noticeable.

    Returns:
        True if their mean is above it.

    >>> misaligned([0.0, 0.2]), misaligned([0.0, 0.02])
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    return bool(np.mean(rates) > above)


def near_misses(distances: Sequence[int], within: int = 1, share: float = 0.5) -> bool:
    """Do most wrong links point right beside a right one?

    Args:
        distances: how far each wrong link is from the nearest right one, with its sign.
        within: how far is still beside.
        share: how many count as most.

    Returns:
        True if more than that share are within reach.

    Raises:
        ValueError: if there is no wrong link.

    >>> near_misses([1, 1, -1, 7]), near_misses([1, 5, -6, 7])
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    if len(distances) == 0:
        raise ValueError("near_misses: distances must hold at least one, got none")
    return bool(np.mean(np.abs(distances) <= within) > share)


def ahead_everywhere(
    better: Float[np.ndarray, "seeds places"], worse: Float[np.ndarray, "seeds places"]
) -> bool:
    """Is every run of one setting above every run of the other, at every place?

    Args:
        better: one run a row, one place (a length, a bin) a column; more is better.
        worse: the same for the other setting.

    Returns:
        True if in each column the smallest of ``better`` is above the largest of ``worse``.

    Raises:
        ValueError: if they have not the same places, or none.

    >>> ahead_everywhere(np.array([[3.0, 4.0]]), np.array([[1.0, 2.0]]))
    True

    Taught in ``recurrent/bahdanau``.
    """
    places = np.shape(better)[1], np.shape(worse)[1]
    if places[0] != places[1] or not places[0]:
        raise ValueError(
            "ahead_everywhere: better and worse must have the same places, at least one, "
            f"got {places[0]} and {places[1]}"
        )
    return bool((np.min(better, axis=0) > np.max(worse, axis=0)).all())


def runs_along(positions: Sequence[Sequence[int]], above: float = 0.8) -> bool:
    """Do the strongest links follow the order of the source?

    Args:
        positions: for each sentence, the source position that each target symbol points at.
        above: the mean correlation with the target's own order that is asked for.

    Returns:
        True if it is higher. Sentences that point at a single position do not count.

    Raises:
        ValueError: if no sentence is left.

    >>> runs_along([[0, 1, 1, 3], [0, 2, 1, 3]]), runs_along([[3, 2, 1, 0], [0, 2, 1, 3]])
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    moving = [row for row in positions if len(set(row)) > 1]
    if not moving:
        raise ValueError("runs_along: positions must have a sentence that moves, got none")
    found = [np.corrcoef(np.arange(len(row)), row)[0, 1] for row in moving]
    return bool(np.mean(found) > above)


def share_kept(curve: Float[np.ndarray, " lengths"] | Sequence[float], ends: int = 2) -> float:
    r"""What is left at the long end of a curve of what was there at the short end.

    .. math:: \frac{y_{n-1} + y_n}{y_1 + y_2}

    Args:
        curve: quality by length, shortest first.
        ends: how many lengths are averaged at either end.

    Returns:
        1 if nothing is lost.

    Raises:
        ValueError: if there are fewer than two times ``ends`` lengths.

    >>> share_kept([20.0, 20.0, 15.0, 12.0, 8.0])
    0.5

    Taught in ``recurrent/bahdanau``.
    """
    if len(curve) < 2 * ends:
        raise ValueError(
            f"share_kept: curve must hold at least {2 * ends} lengths, got {len(curve)}"
        )
    return float(np.mean(curve[-ends:]) / np.mean(curve[:ends]))


def keeps_more(
    curves: Float[np.ndarray, "seeds lengths"],
    others: Float[np.ndarray, "seeds lengths"],
    margin: float = 0.05,
) -> bool:
    """Does one setting keep more of its quality on long inputs, in every run?

    Args:
        curves: quality by length, one run a row, shortest inputs first.
        others: the same for the other setting.
        margin: by how much the shares kept must differ.

    Returns:
        True if the smallest share of ``curves`` exceeds the largest of ``others`` by that.

    >>> flat, falling = np.full((2, 4), 15.0), np.array([[9.0, 9, 6, 6], [8, 8, 5, 5]])
    >>> keeps_more(flat, falling), keeps_more(falling, flat)
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    kept, left = ([share_kept(run) for run in runs] for runs in (curves, others))
    return bool(min(kept) > max(left) + margin)


def same_score(again: float, recorded: float, within: float = 0.5) -> bool:
    """Is a score that was measured anew the recorded one?

    Another processor adds in another order; now and then a close choice between two words
    falls differently.

    Args:
        again: the new score.
        recorded: the stored one.
        within: how far they may differ, in points.

    Returns:
        True if they do not differ by more.

    >>> same_score(16.1, 16.2), same_score(16.1, 17.2)
    (True, False)

    Taught in ``recurrent/bahdanau``.
    """
    return bool(abs(again - recorded) <= within)


def finds_most(
    found: Mapping[str, str], right: Mapping[str, Collection[str]], share: float = 0.75
) -> bool:
    """Does a list of translations that was read off the weights hold up?

    Args:
        found: for a word, the one that the weights point at most often.
        right: for each word that is judged, all that would be right.
        share: how many must be right.

    Returns:
        True if at least that share of the judged words has a right one.

    Raises:
        ValueError: if no word is judged.

    >>> finds_most({"god": "dieu", "land": "roi"}, {"god": ["dieu"], "land": ["pays", "terre"]})
    False

    Taught in ``recurrent/bahdanau``.
    """
    if not right:
        raise ValueError("finds_most: right must hold at least one word, got none")
    return bool(np.mean([found.get(word) in right[word] for word in right]) >= share)
