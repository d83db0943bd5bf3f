"""Masks under every rule, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference.transformer.mask_errors import RULES
from attention_course.widgets import MaskPainter
from attention_course.widgets.mask_painter.widget import PRESETS


def mask_painter() -> list[dict[str, Any]]:
    """Return masks, by name and painted, under every rule, with all that is shown."""
    draw = np.random.RandomState(10)
    rows = []
    for rule in RULES:
        painted = [(draw.random_sample((6, 6)) < share).astype(int) for share in (0.3, 0.7)]
        painted[0][2] = 0
        for mask in [*PRESETS.values(), *(p.tolist() for p in painted)]:
            state = {
                "mask": mask,
                "rule": rule,
                "token": int(draw.randint(1, 7)),
                "output": int(draw.randint(1, 7)),
                "seed": int(draw.randint(0, 100)),
            }
            rows.append({"setting": state, "numbers": as_json(MaskPainter(**state).readouts())})
    return rows


FIXTURES = {"mask_painter": mask_painter}
