"""Translators measured against what is true of a sentence: where they look, what a cut does.

What is true comes as positions: for each word of the translation the source words that it comes
from (:meth:`attention_course.data.world.Pair.alignment`) and those that decide it besides
(:func:`attention_course.data.world.deciders`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from attention_course._shapes import Float, Int
from attention_course.models.cuts import BLADES
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.word_cuts import cut_words, weight_on
from attention_course.reference.metrics.translation import (
    alignment_error_rate,
    hardest_links,
)

Places = Sequence[frozenset[int]]  # source positions, for each word of the translation


class Gaze(NamedTuple):
    """Where a translator looks, against the truth.

    Attributes:
        on_source: share of the weight on the words that each word comes from.
        on_decider: share on the words that decide it; None where no word has any.
        alignment_error: alignment error rate of the largest weights.
    """

    on_source: float | None
    on_decider: float | None
    alignment_error: float | None


def gaze(weights: Float[np.ndarray, "target source"], own: Places, decided: Places) -> Gaze:
    """Compare where a translator looks in one sentence with where its words come from.

    A link is sure where a word comes from one word, and possible where it comes from several.

    Args:
        weights: one row for each word of the translation, of sum 1.
        own: the words that each comes from; rows without any do not count.
        decided: the words that decide each besides its own.

    Returns:
        Two shares and the alignment error, each None where no word counts.

    Raises:
        ValueError: if weights, own and decided are not of one length.

    Source:
        Och and Ney (2003), section 4, for the alignment error.

    >>> W = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> gaze(W, [frozenset({0}), frozenset({1})], [frozenset({1}), frozenset()])
    Gaze(on_source=0.75, on_decider=0.25, alignment_error=0.0)
    """
    if not len(weights) == len(own) == len(decided):
        raise ValueError(
            "gaze: weights, own and decided must have a row for each word of the translation, "
            f"got {len(weights)}, {len(own)} and {len(decided)}"
        )
    asked = [n for n, places in enumerate(own) if places]
    possible = {(n, place) for n in asked for place in own[n]}
    sure = {(n, place) for n, place in possible if len(own[n]) == 1}
    error = (
        alignment_error_rate(hardest_links(weights, asked), sure, possible) if asked else None
    )
    return Gaze(weight_on(weights, own), weight_on(weights, decided), error)


def mean_gaze(gazes: Sequence[Gaze]) -> Gaze:
    """Return the means over sentences; what is None in one does not count there.

    >>> mean_gaze([Gaze(0.5, None, 0.0), Gaze(1.0, 0.25, 0.5)])
    Gaze(on_source=0.75, on_decider=0.25, alignment_error=0.25)
    """
    columns = ([value for value in column if value is not None] for column in zip(*gazes))  # noqa: B905
    means = [float(np.mean(column)) if column else None for column in columns]
    return Gaze(*means) if means else Gaze(None, None, None)


class Cut(NamedTuple):
    """A source word that is cut, and the words of the translation that it may change.

    Attributes:
        position: of the word that is cut.
        decided: target words that it decides.
        other: target words that it neither decides nor gives.
    """

    position: int
    decided: tuple[int, ...]
    other: tuple[int, ...]


def cuts_of(own: Places, decided: Places) -> list[Cut]:
    """Return a cut for each source word of a sentence that decides a word.

    Args:
        own: for each target word the words that it comes from.
        decided: the words that decide it besides.

    >>> cuts_of([frozenset({0}), frozenset({1}), frozenset({2})],
    ...         [frozenset({1}), frozenset(), frozenset()])
    [Cut(position=1, decided=(0,), other=(2,))]
    """
    found = []
    for cut in sorted(frozenset().union(*decided)):
        its = tuple(n for n, places in enumerate(decided) if cut in places)
        others = (n for n, places in enumerate(own) if n not in its and cut not in places)
        found.append(Cut(cut, its, tuple(others)))
    return found


class Effect(NamedTuple):
    """What a cut did to the words that were right without it.

    Attributes:
        decided: for each word that it decides, whether it is lost.
        other: the same of words that it neither decides nor gives.
    """

    decided: tuple[bool, ...]
    other: tuple[bool, ...]

    @property
    def clean(self) -> bool:
        """Whether a word that it decides is lost, and no other."""
        return any(self.decided) and not any(self.other)


def far_apart(groups: Sequence[int]) -> list[int]:
    """Return an order of rows in which each is followed by one of another group.

    The last is followed by the first. The blade "other" needs that: it puts in what the next
    row has.

    Args:
        groups: the sentence of each row, rows of a sentence side by side.

    Raises:
        ValueError: if a third of the rows or more are of one sentence.

    >>> far_apart([0, 0, 1, 1, 2, 2, 3])
    [0, 2, 4, 6, 1, 3, 5]
    """
    most = max(np.unique(groups, return_counts=True)[1], default=1)
    if most > 1 and len(groups) < 3 * most:
        raise ValueError(
            "far_apart: groups must be so many that no sentence has over a third of the rows, "
            f"got {most} of {len(groups)}"
        )
    return [n for first in range(most) for n in range(first, len(groups), most)]


@torch.no_grad()
def cut_effects(
    model: Translator,
    source: Int[torch.Tensor, "sentences source"],
    lengths: Int[torch.Tensor, "sentences"],
    target_in: Int[torch.Tensor, "sentences target"],
    wanted: Int[np.ndarray, "sentences target"],
    cuts: Sequence[Sequence[Cut]],
    blade: str,
) -> list[Effect]:
    """Cut words one at a time, and say which right words of the translation are lost.

    Each word is asked for behind the right ones.

    Args:
        model: a translator that keeps one vector for each source word.
        source: the sentences.
        lengths: of each.
        target_in: their translations, moved right by one.
        wanted: the translations.
        cuts: for each sentence the words to cut, as :func:`cuts_of` gives them.
        blade: what is put in a word's place: "zero", "mean" or "other" (:func:`cut_words`).

    Returns:
        One effect for each cut, in the order of ``cuts``.

    Raises:
        ValueError: if the blade is another, or the cuts of one sentence are more than a third
            of all, so that the next row could not be another sentence.
    """
    if blade not in BLADES:
        raise ValueError(f"cut_effects: blade must be one of {BLADES}, got {blade!r}")
    rows = [(n, cut) for n, each in enumerate(cuts) for cut in each]
    order = far_apart([n for n, _ in rows])
    at = [rows[n][0] for n in order]
    batch = source[at], lengths[at], target_in[at]
    where = torch.zeros_like(batch[0], dtype=torch.bool)
    where[range(len(at)), [rows[n][1].position for n in order]] = True
    before = model(*batch).argmax(-1).numpy() == wanted[at]
    with cut_words(model, where, blade):
        after = model(*batch).argmax(-1).numpy() == wanted[at]
    found = {}
    for row, n in enumerate(order):
        cut = rows[n][1]
        found[n] = Effect(*(
            tuple(bool(not after[row, w]) for w in words if before[row, w])
            for words in (cut.decided, cut.other)
        ))  # fmt: skip
    return [found[n] for n in range(len(rows))]
