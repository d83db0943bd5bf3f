"""Attention in the plane: drag a query and some keys, and watch the context move."""

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import Checked, choice, items, number

LIMIT = 5.0
MIN_KEYS, MAX_KEYS = 2, 6


def _point(default: list[float]) -> Checked:
    expected = f"two numbers from {-LIMIT:g} to {LIMIT:g}"
    return items(number(-LIMIT, LIMIT, 0.0), 2, 2, default, expected)


class AttentionPlane(CourseWidget, folder="plane"):
    """One query and a few keys in the plane; the keys are the values too.

    Attributes:
        query: the query's two components, each from -5 to 5.
        key_points: 2 to 6 points, each two numbers from -5 to 5.
        score: "dot", "scaled" (divided by the square root of 2) or "cosine".
        temperature: what the scores are divided by, 0.1 to 10.
    """

    query = _point([2.0, 1.2])
    key_points = items(
        _point([0.0, 0.0]),
        MIN_KEYS,
        MAX_KEYS,
        [[1.2, 2.2], [-1.5, 1.0], [0.5, -2.0], [4.0, -1.0]],
        f"{MIN_KEYS} to {MAX_KEYS} pairs of numbers from {-LIMIT:g} to {LIMIT:g}",
    )
    score = choice(
        ("dot", "scaled", "cosine"), "dot", ("dot product", "dot product / √2", "cosine")
    )
    temperature = number(0.1, 10.0, 2.0)
