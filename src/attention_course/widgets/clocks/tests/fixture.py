"""A query and a key at many places, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference.positions import rotate_by_loops, sinusoidal_positions
from attention_course.widgets.clocks.widget import (
    CONTENTS,
    FURTHER,
    KEYS,
    KINDS,
    QUERY,
    REACH,
    SLOPE,
)


def shown(kind: str, content: str, query_at: int, key_at: int, d: int) -> dict[str, Any]:
    """Return the read-outs of a setting: the score, the same further on, and the pairs."""
    q, k = (_vector(angles[: d // 2]) for angles in (QUERY, KEYS[content]))

    def parts(i: int, j: int) -> np.ndarray:
        a, b = q, k
        if kind == "sinusoidal":
            p = sinusoidal_positions(max(i, j) + 1, d)
            a, b = q + p[i], k + p[j]
        elif kind == "rotary":
            a, b = rotate_by_loops(q[None], i)[0], rotate_by_loops(k[None], j)[0]
        return (a * b).reshape(-1, 2).sum(axis=1) / np.sqrt(d)

    def score(i: int, j: int) -> float:
        return float(parts(i, j).sum() - (SLOPE * abs(i - j) if kind == "alibi" else 0))

    return {
        "distance": query_at - key_at,
        "score": score(query_at, key_at),
        "moved": score(query_at + FURTHER, key_at + FURTHER),
        "part": parts(query_at, key_at),
        "curve": [score(query_at, j) for j in range(max(0, query_at - REACH), query_at + 1)],
    }


def _vector(angles: list[float]) -> np.ndarray:
    """Return unit pairs at given angles, as the widget holds a query and a key."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).ravel()


def clocks() -> list[dict[str, Any]]:
    """Return a query and a key at many places, under every kind of position."""
    draw = np.random.RandomState(12)
    rows = []
    for i in range(36):
        setting = {
            "kind": KINDS[i % 3],
            "content": CONTENTS[i // 3 % 3],
            "query_at": int(draw.randint(0, 97)),
            "key_at": int(draw.randint(0, 97)),
            "d": (4, 8, 16)[i // 12 % 3],
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"clocks": clocks}
