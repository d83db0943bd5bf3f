"""Two ways to mark a translator: what it wrote, and where it looked."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, all_finite
from attention_course.reference._checked import checked

Link = tuple[int, int]  # position in the target, position in the source


def _rows(call: Call, argument: str, rows: Collection[int]) -> Collection[int]:
    n = call["target"]
    if any(not 0 <= row < n for row in rows):
        raise call.fail(argument, f"below {n}", sorted(rows))
    return rows


def _sure_is_possible(call: Call) -> None:
    found, sure, possible = (set(call[name]) for name in ("found", "sure", "possible"))
    if not sure <= possible or not found | sure:
        raise call.fail(
            "sure",
            "a part of possible, with at least one link found or sure",
            f"{len(sure)} sure, {len(sure - possible)} of them not possible",
        )


def _as_many(call: Call) -> None:
    written, wanted = len(call["written"]), len(call["wanted"])
    if written != wanted or not wanted:
        raise call.fail("written", "as many as wanted, at least one", f"{written} and {wanted}")


@checked(weights=all_finite, rows=_rows)
def hardest_links(
    weights: Float[np.ndarray, "target source"], rows: Collection[int]
) -> set[Link]:
    r"""Take the source position with the largest weight as what a target symbol belongs to.

    .. math:: a_i = \arg\max_j \alpha_{ij}

    Args:
        weights: one row for each target symbol; need not sum to 1.
        rows: the target positions asked about.

    Returns:
        One link for each of those rows.

    Source:
        Luong et al. (2015), section 5.4.

    >>> hardest_links(np.array([[0.1, 0.9], [0.6, 0.4]]), [0, 1]) == {(0, 1), (1, 0)}
    True
    """
    return {(row, int(weights[row].argmax())) for row in rows}


@checked(_sure_is_possible)
def alignment_error_rate(
    found: Collection[Link], sure: Collection[Link], possible: Collection[Link]
) -> float:
    r"""Share of links that are wrong or missing.

    .. math:: \text{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    A link that is sure has to be found; one that is only possible may be.

    Args:
        found: the links A of a model.
        sure: the links S that have to be there.
        possible: the links P that may be there; S is part of it.

    Returns:
        From 0 (perfect) to 1.

    Source:
        Och and Ney (2003), section 4.

    >>> alignment_error_rate({(0, 1), (1, 5)}, {(0, 1)}, {(0, 1), (1, 2), (1, 3)})
    0.33333333333333337
    """
    found, sure, possible = set(found), set(sure), set(possible)
    return 1 - (len(found & sure) + len(found & possible)) / (len(found) + len(sure))


@checked(_as_many)
def bleu(
    written: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], longest: int = 4
) -> float:
    r"""Share of n-grams that the reference has too, with a penalty for being short.

    .. math:: \text{BLEU} = 100 \, \min(1, e^{1 - r/c})
       \Bigl(\prod_{n=1}^{4} p_n\Bigr)^{1/4}

    Counts are added up over all sentences first; an n-gram counts at most as often as its
    reference has it. c and r are the words written and wanted.

    Args:
        written: words of each translation.
        wanted: words of the only reference for each.
        longest: words in the longest n-gram.

    Returns:
        From 0 to 100; 0 if no n-gram of some length fits.

    Source:
        Papineni et al. (2002), section 2. Equal to sacrebleu on words already cut.

    >>> cat = "the cat sat on the mat".split()
    >>> round(bleu([cat], [cat]), 1), bleu([["the"] * 6], [cat])
    (100.0, 0.0)
    """
    logs = 0.0
    for n in range(1, longest + 1):
        fitting = total = 0
        for ours, theirs in zip(written, wanted, strict=True):
            grams, there = _grams(ours, n), _grams(theirs, n)
            fitting += (grams & there).total()
            total += grams.total()
        if not fitting:
            return 0.0
        logs += math.log(fitting / total) / longest
    c, r = (sum(map(len, side)) for side in (written, wanted))
    return 100 * min(1.0, math.exp(1 - r / c)) * math.exp(logs)


def _grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
