"""Settings of the score functions, with what the reference says of each."""

import math
from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course import reference
from attention_course.reference import softmax
from attention_course.widgets.score_response.widget import D_A, N_KEYS


def shown(angle: float, length: float, d: int, beta: float, seed: int) -> dict[str, Any]:
    """Return the read-outs of a setting: scores and weights of the keys, by score function."""
    draw = np.random.RandomState(seed).standard_normal
    root = math.sqrt(d)
    k, W = draw((N_KEYS, d)), draw((d, d)) / root
    W_q, W_k = draw((d, D_A)) / root, draw((d, D_A)) / root
    w_v, places = draw(D_A) / math.sqrt(D_A), draw((d, N_KEYS)) / root
    along = k[0] / np.linalg.norm(k[0])
    across = k[1] - (k[1] @ along) * along
    across /= np.linalg.norm(across)
    turned = math.radians(angle)
    q = (length * root * (math.cos(turned) * along + math.sin(turned) * across))[None]
    scores = {
        "dot": reference.dot_scores(q, k),
        "scaled": reference.scaled_dot_scores(q, k),
        "general": reference.general_scores(q, k, W),
        "additive": reference.additive_scores(q, k, W_q, W_k, w_v),
        "location": reference.location_scores(q, k, places),
        "cosine": reference.cosine_scores(q, k, beta),
        "kernel": reference.kernel_scores(q, k),
    }
    return {
        "score": {name: e[0] for name, e in scores.items()},
        "weight": {name: softmax(e)[0] for name, e in scores.items()},
    }


def score_response() -> list[dict[str, Any]]:
    """Return settings of the response widget with the scores and weights of every score."""
    draw = np.random.RandomState(6)
    rows = []
    for i in range(120):
        setting = {
            "angle": float(draw.randint(-36, 37) * 5),
            "length": float(np.round(10 ** draw.uniform(-1, 0.6), 3)),
            "d": (4, 16, 64, 256)[i % 4],
            "beta": float(np.round(10 ** draw.uniform(-0.3, 1.69), 3)),
            "seed": int(draw.randint(0, 10)),
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"score_response": score_response}
