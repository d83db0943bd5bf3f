"""Seven score functions side by side: the same query, the same keys, other weights."""

import math
from typing import Any, ClassVar

import numpy as np

from attention_course.reference import (
    additive_scores,
    cosine_scores,
    dot_scores,
    general_scores,
    kernel_scores,
    location_scores,
    scaled_dot_scores,
    softmax,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice, number, whole

WIDTHS = (4, 16, 64, 256)
N_KEYS, D_A = 5, 16
LABELS = {
    "dot": "dot",
    "scaled": "scaled dot",
    "general": "general",
    "additive": "additive, concat",
    "location": "location",
    "cosine": "cosine",
    "kernel": "kernel",
}


class ScoreResponse(CourseWidget, folder="score_response"):
    """How score functions answer when the query turns, grows or widens.

    Five keys are drawn with components of variance 1. The query lies in the plane of the
    first two: at an angle of 0 degrees it points along key 1. What the score functions would
    learn is drawn too, and stays as it starts.

    Attributes:
        angle: direction of the query in degrees, -180 to 180.
        length: size of a typical component of the query, 0.1 to 4; the keys' is 1.
        d: width of query and keys: 4, 16, 64 or 256.
        beta: the cosine's strength, 0.5 to 50.
        seed: which keys and which weights are drawn, 0 to 9.
    """

    _state: ClassVar[tuple[str, ...]] = ("angle", "length", "d", "beta", "seed")
    _constants: ClassVar[dict[str, Any]] = {
        "N_KEYS": N_KEYS,
        "D_A": D_A,
        "scores": [[name, label] for name, label in LABELS.items()],
    }

    angle = number(-180.0, 180.0, 20.0)
    length = number(0.1, 4.0, 1.0)
    d = choice(WIDTHS, 64)
    beta = number(0.5, 50.0, 5.0)
    seed = whole(0, 9, 0)

    def readouts(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the scores and the weights of the five keys, by score function."""
        draw = np.random.RandomState(self.seed).standard_normal
        root = math.sqrt(self.d)
        k, W = draw((N_KEYS, self.d)), draw((self.d, self.d)) / root
        W_q, W_k = draw((self.d, D_A)) / root, draw((self.d, D_A)) / root
        w_v, places = draw(D_A) / math.sqrt(D_A), draw((self.d, N_KEYS)) / root
        q = self._query(k)[None]
        scores = {
            "dot": dot_scores(q, k),
            "scaled": scaled_dot_scores(q, k),
            "general": general_scores(q, k, W),
            "additive": additive_scores(q, k, W_q, W_k, w_v),
            "location": location_scores(q, k, places),
            "cosine": cosine_scores(q, k, self.beta),
            "kernel": kernel_scores(q, k),
        }
        return {
            "score": {name: e[0] for name, e in scores.items()},
            "weight": {name: softmax(e)[0] for name, e in scores.items()},
        }

    def _query(self, k: np.ndarray) -> np.ndarray:
        along = k[0] / np.linalg.norm(k[0])
        across = k[1] - (k[1] @ along) * along
        across /= np.linalg.norm(across)
        turned = math.radians(self.angle)
        direction = math.cos(turned) * along + math.sin(turned) * across
        return self.length * math.sqrt(self.d) * direction

    def _fallback(self) -> str:
        weights = self.readouts()["weight"]
        rows = [(LABELS[name], *(f"{w:.3f}" for w in row)) for name, row in weights.items()]
        sentence = (
            f"<p>At d = {self.d} the dot product gives key 1 a weight of "
            f"{weights['dot'][0]:.3f}, the scaled dot product {weights['scaled'][0]:.3f}, "
            f"the additive score {weights['additive'][0]:.3f}.</p>"
        )
        head = ("score", *(f"key {j + 1}" for j in range(N_KEYS)))
        return sentence + table(head, rows, "Weights of the same five keys")
