"""Attention in the plane: drag a query and some keys, and watch the context move."""

from typing import Any, ClassVar

import numpy as np

from attention_course.reference import entropy, scaled_dot_product_attention
from attention_course.widgets.kit.base import CourseWidget, table
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

    _state: ClassVar[tuple[str, ...]] = ("query", "key_points", "score", "temperature")

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

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows: scores, weights, entropy and context."""
        q, k = np.array([self.query]), np.array(self.key_points)
        if self.score == "cosine":
            q, unit = _unit(q), _unit(k)
        else:
            unit = k
        factor = 1 / np.sqrt(2.0) if self.score == "scaled" else 1.0
        context, weights = scaled_dot_product_attention(
            q, unit, k, scale=factor / self.temperature
        )
        return {
            "scores": factor * (unit @ q[0]),
            "weights": weights[0],
            "entropy": float(entropy(weights[0])),
            "context": context[0],
        }

    def _fallback(self) -> str:
        numbers = self.readouts()
        top = int(numbers["weights"].argmax())
        x, y = numbers["context"]
        a, b = self.query
        rows = [
            (f"key {j + 1} at ({u:g}, {v:g})", f"{e:.2f}", f"{w:.3f}")
            for j, ((u, v), e, w) in enumerate(
                zip(self.key_points, numbers["scores"], numbers["weights"], strict=True)
            )
        ]
        sentence = (
            f"<p>The query ({a:g}, {b:g}) gives key {top + 1} the largest weight, "
            f"{numbers['weights'][top]:.3f}; the context is ({x:.2f}, {y:.2f}).</p>"
        )
        return sentence + table(("key", "score", "weight"), rows, "Scores and weights")


def _unit(points: np.ndarray) -> np.ndarray:
    """Points divided by their length; the origin stays where it is."""
    length = np.linalg.norm(points, axis=-1, keepdims=True)
    return points / np.where(length == 0, 1.0, length)
