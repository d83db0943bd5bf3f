"""A query and a key at many places, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets import PositionClocks
from attention_course.widgets.clocks.widget import CONTENTS
from attention_course.widgets.clocks.widget import KINDS as POSITIONS


def clocks() -> list[dict[str, Any]]:
    """Return a query and a key at many places, under every kind of position."""
    draw = np.random.RandomState(12)
    rows = []
    for i in range(36):
        setting = {
            "kind": POSITIONS[i % 3],
            "content": CONTENTS[i // 3 % 3],
            "query_at": int(draw.randint(0, 97)),
            "key_at": int(draw.randint(0, 97)),
            "d": (4, 8, 16)[i // 12 % 3],
        }
        numbers = PositionClocks(**setting).readouts()
        rows.append({"setting": setting, "numbers": as_json(numbers)})
    return rows


FIXTURES = {"clocks": clocks}
