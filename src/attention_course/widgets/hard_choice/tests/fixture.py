"""Sampled choices, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets import HardChoice
from attention_course.widgets.hard_choice.widget import ESTIMATORS


def hard_choice() -> list[dict[str, Any]]:
    """Return sampled choices with their estimates, for every estimator."""
    draw = np.random.RandomState(11)
    rows = []
    for i in range(48):
        n = int(draw.randint(2, 7))
        setting = {
            "scores": draw.uniform(-3, 3, n).round(2).tolist(),
            "rewards": draw.uniform(-6, 2, n).round(2).tolist(),
            "shift": float(draw.randint(-10, 21)),
            "estimator": ESTIMATORS[i % 4],
            "samples": int(draw.choice([10, 30, 100, 300])),
            "tau": round(float(10 ** draw.uniform(-0.9, 0.6)), 3),
            "seed": int(draw.randint(1000)),
        }
        rows.append({"setting": setting, "numbers": as_json(HardChoice(**setting).readouts())})
    return rows


FIXTURES = {"hard_choice": hard_choice}
