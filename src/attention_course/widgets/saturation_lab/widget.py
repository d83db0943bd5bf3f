"""The saturation lab: what the width d_k does to scores, weights and gradients."""

from typing import Any, ClassVar

import traitlets

from attention_course.reference.labs.saturation import (
    DEAD,
    GRADIENT_BINS_A_DECADE,
    GRADIENT_DECADES,
    MAX_D_K,
    MAX_KEYS,
    N_QUERIES,
    SCALES,
    SCORE_BINS,
    SCORE_STEP,
    TYPICAL,
    saturation,
)
from attention_course.reference.number_formats import FORMATS
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, flag, number, numbers, whole

#: What the script must know of the mathematics, and settings to start from.
SIZES: dict[str, Any] = {
    "queries": N_QUERIES,
    "keys": MAX_KEYS,
    "width": MAX_D_K,
    "dead": DEAD,
    "score_step": SCORE_STEP,
    "score_bins": SCORE_BINS,
    "gradient_decades": list(GRADIENT_DECADES),
    "gradient_bins": GRADIENT_BINS_A_DECADE,
}
_PLAIN = {"spread": 1.0, "number_format": "float32"}
PRESETS: list[dict[str, Any]] = [
    {"text": text, "hint": hint, "set": {"d_k": d_k, "scale": scale, **_PLAIN}}
    for text, hint, d_k, scale in (
        ("Narrow", "d_k = 4", 4, "none"),
        ("Wide", "512, no factor", 512, "none"),
        ("Scaled", "512, ÷ √d_k", 512, "sqrt_d_k"),
        ("Too much", "512, ÷ d_k", 512, "d_k"),
    )
]


class SaturationLab(CourseWidget, folder="saturation_lab"):
    """Move d_k and the scale, and see softmax saturate and the gradient die.

    Everything is computed in the browser, from draws that NumPy reproduces:
    :meth:`readouts` returns the same numbers from the reference.

    Args:
        d_k: width of queries and keys, 1 to 4096.
        n_keys: number of keys, 2 to 32.
        scale: "none", "sqrt_d_k" or "d_k" (these divide), or "custom".
        scale_value: what the scores are multiplied by where ``scale`` is "custom".
        spread: standard deviation of the queries' components, 0.001 to 1000.
        number_format: "float32", "bfloat16" or "float16".
        seed: of the draws.
        query: the query that is shown singly, 0 to 255; -1 for a typical one, whose largest
            weight is the median.
        offsets: added to the scores of the shown query.
        compact: the simple variant: a switch, the width, two pictures, one question.
        key: names the lab in links; "saturation-lab" unless given.

    >>> SaturationLab(d_k=512).readouts()["batch"]["dead"]
    0.55078125
    """

    _state: ClassVar[tuple[str, ...]] = (
        "d_k",
        "n_keys",
        "scale",
        "scale_value",
        "spread",
        "number_format",
        "seed",
        "query",
        "offsets",
    )

    d_k = whole(1, MAX_D_K, 64)
    n_keys = whole(2, MAX_KEYS, 16)
    scale = choice(SCALES, "none", ("none", "÷ √d_k", "÷ d_k", "other"))
    scale_value = number(1e-6, 100.0, 0.125, slider=(1e-4, 10.0))
    spread = number(0.001, 1000.0, 1.0, slider=(0.01, 1000.0))
    number_format = choice(FORMATS, "float32")
    seed = whole(0, 2**32 - 1, 0)
    query = whole(TYPICAL, N_QUERIES - 1, TYPICAL)
    offsets = numbers(1e5, 0, MAX_KEYS)
    compact = flag(default=False)
    sizes = traitlets.Dict(SIZES).tag(sync=True)
    presets = traitlets.List(PRESETS).tag(sync=True)

    @classmethod
    def fixed(cls) -> dict[str, Any]:
        """Return what every lab stores alike."""
        return super().fixed() | {"sizes": SIZES, "presets": PRESETS}

    def readouts(self) -> dict[str, Any]:
        """Return the reference's numbers for the state as it is now."""
        return saturation(**{name: getattr(self, name) for name in self._state})
