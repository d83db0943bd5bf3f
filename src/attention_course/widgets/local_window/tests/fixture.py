"""Windows on rows of scores, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference import softmax
from attention_course.reference.recurrent.local import local_weights, window
from attention_course.widgets.local_window.widget import KINDS


def shown(scores: Any, kind: str, centre: float, half_width: int, **_: Any) -> dict[str, Any]:
    """Return the read-outs of a setting: weights, their sum, the window and what it misses."""
    everywhere, n = softmax(np.array([scores]))[0], len(scores)
    if kind == "global":
        inside, weights, p = np.ones(n, dtype=bool), everywhere, centre
    else:
        p = float(np.floor(centre + 0.5)) if kind == "local-m" else centre
        at, bell = np.array([p]), kind == "local-p"
        inside = window(at, n, half_width)[0]
        weights = local_weights(np.array([scores]), at, half_width, gaussian=bell)[0]
    places = np.flatnonzero(inside).tolist() or [-1]
    return {
        "weight": weights,
        "global_weight": everywhere,
        "p": p,
        "first": places[0],
        "last": places[-1],
        "total": weights.sum(),
        "seen": everywhere[inside].sum(),
    }


def local_window() -> list[dict[str, Any]]:
    """Return windows on rows of scores: every kind, whole and broken centres, both ends."""
    draw = np.random.RandomState(10)
    rows = []
    for i in range(80):
        n = int(draw.randint(3, 17))
        centre = float(draw.choice([draw.uniform(0, 15), draw.randint(0, 16)]))
        setting = {
            "words": [f"w{j}" for j in range(n)],
            "scores": draw.uniform(-4, 4, n).round(2).tolist(),
            "kind": KINDS[i % 4],
            "centre": round(centre, 1),
            "half_width": int(draw.randint(1, 11)),
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"local_window": local_window}
