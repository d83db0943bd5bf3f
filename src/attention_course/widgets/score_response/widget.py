"""Seven score functions side by side: the same query, the same keys, other weights."""

from typing import Any, ClassVar

from attention_course.widgets.kit.base import CourseWidget
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
