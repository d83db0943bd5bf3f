"""Settings of the plane, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference import entropy, scaled_dot_product_attention


def shown(query: Any, key_points: Any, score: str, temperature: float) -> dict[str, Any]:
    """Return the read-outs of a setting; the keys are the values too."""
    q, k = np.array([query]), np.array(key_points)
    v = k
    if score == "cosine":
        q, k = _unit(q), _unit(k)
    factor = 1 / np.sqrt(2.0) if score == "scaled" else 1.0
    context, weights = scaled_dot_product_attention(q, k, v, scale=factor / temperature)
    return {
        "score": factor * (k @ q[0]),
        "weight": weights[0],
        "entropy": entropy(weights[0]),
        "context": context[0],
    }


def _unit(points: np.ndarray) -> np.ndarray:
    """Return points divided by their length; the origin stays where it is."""
    length = np.linalg.norm(points, axis=-1, keepdims=True)
    return points / np.where(length == 0, 1.0, length)


def plane() -> list[dict[str, Any]]:
    """Return settings of the plane with scores, weights, entropy and context."""
    draw = np.random.RandomState(2)
    rows = []
    for i in range(210):
        score = ("dot", "scaled", "cosine")[i % 3]
        points = draw.uniform(-5, 5, (draw.randint(3, 8), 2)).round(1)
        if i % 20 == 0:
            points[0] = 0.0  # a query without direction
        temperature = float(np.round(10 ** draw.uniform(-1, 1), 3))
        setting = {
            "query": points[0].tolist(),
            "key_points": points[1:].tolist(),
            "score": score,
            "temperature": temperature,
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"plane": plane}
