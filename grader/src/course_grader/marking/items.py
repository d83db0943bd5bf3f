"""How the items of an assignment did: how hard each was, and whom it tells apart."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from course_grader.marking.graded import StudentGrade
from course_grader.marking.totals import Marks, points_of

FEWEST = 10  # students: with fewer a correlation says nothing


@dataclass(frozen=True)
class Item:
    """An item as a class met it.

    ``students`` is of how many the points are known. ``mean`` is the share of the points that
    they reached, the item's difficulty. ``discrimination`` is the correlation of its points
    with those of the rest of the assignment, for items that are right or wrong the
    point-biserial one; None if there is no rest, nothing differs, or students are too few.
    """

    id: str
    title: str
    students: int
    mean: float
    discrimination: float | None


def items_of(grades: Sequence[StudentGrade], marks: Mapping[str, Marks]) -> list[Item]:
    """Return the items of a class's grades, in the order in which they were asked."""
    asked: dict[str, tuple[str, float]] = {}
    for grade in grades:
        asked |= {c.slug: (c.title, c.max_points) for c in grade.code}
        asked |= {w.id: (w.title, w.max_points) for w in grade.written}
    points = [points_of(grade, marks.get(grade.student, {})) for grade in grades]
    found = []
    for name, (title, most) in asked.items():
        known = [p for one in points if (p := one.get(name)) is not None]
        # Only of whom all is known: what is open would count as nothing reached.
        pairs = [
            (p, sum(filter(None, one.values())) - p)
            for one in points
            if (p := one.get(name)) is not None and None not in one.values()
        ]
        discrimination = None
        if len(pairs) >= FEWEST and len(asked) > 1:
            with suppress(StatisticsError):  # all have the same points
                discrimination = correlation([p for p, _ in pairs], [r for _, r in pairs])
        mean = fmean(known) / most if known and most else 0.0
        found.append(Item(name, title, len(known), mean, discrimination))
    return found
