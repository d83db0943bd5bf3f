"""Positions as clock hands: turn them, and see what the score learns of the distance."""

from typing import Any, ClassVar

import numpy as np

from attention_course.reference.positions import rotary_angles
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice, whole

KINDS = ("sinusoidal", "rotary", "alibi")
CONTENTS = ("alike", "at right angles", "unlike")
LAST, FURTHER, REACH, SLOPE = 96, 20, 32, 1 / 16
# One angle for each pair of the query, and of the three kinds of key.
QUERY = [0.4, 2.6, -1.1, 0.9, -2.2, 1.7, 0.1, -0.6]
KEYS = {
    "alike": QUERY,
    "at right angles": [angle + np.pi / 2 for angle in QUERY],
    "unlike": [-2.0, 0.3, 1.9, 2.8, -0.4, -2.9, 1.2, 2.2],
}


class PositionClocks(CourseWidget, folder="clocks"):
    r"""One query and one key, each at its position, pair of features by pair.

    .. math:: \text{sinusoidal: } (q + p_i) \cdot (k + p_j) \qquad
       \text{rotary: } R_i q \cdot R_j k \qquad \text{ALiBi: } q \cdot k - m\,|i - j|

    Args:
        kind: "sinusoidal" (hands are added to the content), "rotary" (the content itself is
            turned) or "alibi" (nothing turns; the score loses 1/16 a step).
        content: what the key holds beside the query: "alike", "at right angles", "unlike".
        query_at: position of the query, 0 to 96.
        key_at: position of the key, 0 to 96.
        d: width of both, 4, 8 or 16.
        key: names the widget in links; "position-clocks" unless given.

    >>> widget = PositionClocks(kind="rotary")
    >>> abs(widget.readouts()["score"] - widget.readouts()["moved"]) < 1e-12
    True
    """

    _state: ClassVar[tuple[str, ...]] = ("kind", "content", "query_at", "key_at", "d")
    _constants: ClassVar[dict[str, Any]] = {
        "query": QUERY,
        "keys": KEYS,
        "further": FURTHER,
        "reach": REACH,
        "slope": SLOPE,
    }

    kind = choice(KINDS, "sinusoidal", ("Sinusoids", "Rotary", "ALiBi"))
    content = choice(CONTENTS, "alike")
    query_at = whole(0, LAST, 12)
    key_at = whole(0, LAST, 7)
    d = choice((4, 8, 16), 8)

    def parts(self, query_at: int, key_at: int, kind: str = "") -> np.ndarray:
        """Return what each pair of features adds to the score."""
        pairs, kind = self.d // 2, kind or self.kind
        q, k = np.array(QUERY[:pairs]), np.array(KEYS[self.content][:pairs])
        i, j = (rotary_angles(1, self.d, at)[0] for at in (query_at, key_at))
        found = np.cos(q + i - k - j) if kind == "rotary" else np.cos(q - k)
        if kind == "sinusoidal":  # a clock's hand: the sine first, then the cosine
            found = found + np.cos(i - j) + np.sin(k + i) + np.sin(q + j)
        return found / np.sqrt(self.d)

    def score(self, query_at: int, key_at: int, kind: str = "") -> float:
        """Return the score of the query at one position and the key at another."""
        alibi = (kind or self.kind) == "alibi"
        lost = SLOPE * abs(query_at - key_at) if alibi else 0.0
        return float(self.parts(query_at, key_at, kind).sum() - lost)

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows: the score, the same further on, and the pairs."""
        i, j = self.query_at, self.key_at
        return {
            "distance": i - j,
            "score": self.score(i, j),
            "moved": self.score(i + FURTHER, j + FURTHER),
            "parts": self.parts(i, j),
            "curves": np.array([self.score(i, j) for j in range(max(0, i - REACH), i + 1)]),
        }

    def _fallback(self) -> str:
        now, i, j = self.readouts(), self.query_at, self.key_at
        rows = [
            (
                kind,
                f"{self.score(i, j, kind):.2f}",
                f"{self.score(i + FURTHER, j + FURTHER, kind):.2f}",
            )
            for kind in KINDS
        ]
        sentence = (
            f"<p>The query stands at {i}, the key at {j}. With "
            f"{self.kind} positions their score is {now['score']:.2f}; both moved {FURTHER} "
            f"on, it is {now['moved']:.2f}.</p>"
        )
        head = ("positions", "score", f"both {FURTHER} further on")
        return sentence + table(head, rows, "The same two words under three kinds of position")
