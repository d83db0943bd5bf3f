"""How well two people agree who marked the same answers without seeing the other's marks."""

import random
from collections.abc import Iterator, Sequence
from statistics import fmean, pvariance
from typing import NamedTuple

from course_grader.marking.graded import StudentGrade
from course_grader.marking.store import SECOND, Flat, kind_of
from course_grader.marking.totals import number


class Twice(NamedTuple):
    """An answer with two marks: the sums, each criterion's in words, whether it is decided."""

    student: str
    item: str
    first: float
    second: float
    words: str
    decided: bool


def sample(
    grades: Sequence[StudentGrade], kept: Flat, most: int, seed: int
) -> dict[tuple[str, str], str]:
    """Return some answers that are marked, drawn by a seed.

    Raises:
        ValueError: if fewer are marked.
    """
    marked = [
        (grade.student, item.id)
        for grade in grades
        for item in grade.by_hand
        if not item.unread
        and all(
            kept.get((grade.student, item.id, name), {}).get("answer") == item.digest
            for name, _ in item.criteria
        )
    ]
    if not 0 < most <= len(marked):
        raise ValueError(f"--second must be from 1 to {len(marked)}, all marked, got {most}")
    return dict.fromkeys(random.Random(seed).sample(marked, most), "")


def twice_marked(kept: Flat) -> list[Twice]:
    """Return the answers that have a second mark, with the first ones as they stood then."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for place, mark in sorted(kept.items()):
        if kind_of(place) == SECOND:
            found.setdefault((place[1], place[2]), {})[place[3]] = mark
    return [
        Twice(
            *place,
            sum(mark["first"] for mark in marks.values()),
            sum(mark["mark"] for mark in marks.values()),
            ", ".join(
                f"{n}: {number(m['first'])} and {number(m['mark'])}" for n, m in marks.items()
            ),
            all("decided" in m or m["first"] == m["mark"] for m in marks.values()),
        )
        for place, marks in found.items()
    ]


def kappa(pairs: Sequence[tuple[float, float]]) -> float:
    """Return Cohen's kappa with quadratic weights; not a number where all marks are one.

    It is one less the mean squared difference over the one that is expected if each person's
    marks were dealt out by chance (J. Cohen, Weighted kappa, Psychological Bulletin 70, 1968).

    >>> round(kappa([(0, 0), (1, 1), (2, 1)]), 3), kappa([(1, 1), (1, 1)])
    (0.667, nan)
    """
    first, second = zip(*pairs, strict=True)
    by_chance = pvariance(first) + pvariance(second) + (fmean(first) - fmean(second)) ** 2
    seen = fmean((a - b) ** 2 for a, b in pairs)
    return 1 - seen / by_chance if by_chance else float("nan")


def agreement_lines(found: Sequence[Twice]) -> Iterator[str]:
    """Yield for each question how well its two markers agree, then where they differ."""
    for item in dict.fromkeys(one.item for one in found):
        pairs = [(one.first, one.second) for one in found if one.item == item]
        equal, more = fmean(a == b for a, b in pairs), fmean(b - a for a, b in pairs)
        yield (
            f"{item}: {len(pairs)} marked twice, {equal:.0%} equal, the second {more:+.2f} on "
            f"average, weighted kappa {kappa(pairs):.2f}"
        )
    for one in found:
        if one.first != one.second or not one.decided:
            state = "decided" if one.decided else "open"
            yield f"{one.student} ({one.item}), {one.words}: {state}"
