"""Positions as clock hands: turn them, and see what the score learns of the distance."""

from typing import Any, ClassVar

import numpy as np

from attention_course.widgets.kit.base import CourseWidget
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

    >>> PositionClocks(kind="rotary", d=4)
    PositionClocks(kind='rotary', content='alike', query_at=12, key_at=7, d=4)
    """

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
