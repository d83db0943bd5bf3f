"""The widgets: each one a Python class beside the script that computes in the browser.

They are imported from their own modules (``from attention_course.widgets.saturation_lab
import SaturationLab``) or from here; only what is asked for is loaded.
"""

import importlib
from typing import Any

# At once, unlike the others: a module and a function of one name, and the function must win.
from attention_course.widgets.explore import explore

_WHERE = {
    "AttentionPlane": "plane",
    "CourseWidget": "base",
    "Explore": "explore_widget",
    "HardChoice": "hard_choice",
    "LocalWindow": "local_window",
    "MaskPainter": "mask_painter",
    "HeadsSideBySide": "heads",
    "SaturationLab": "saturation_lab",
    "SelfAttentionSteps": "self_attention",
    "ScoreResponse": "score_response",
    "Temperature": "temperature",
}

__all__ = [
    "AttentionPlane",
    "CourseWidget",
    "HardChoice",
    "HeadsSideBySide",
    "LocalWindow",
    "MaskPainter",
    "SaturationLab",
    "ScoreResponse",
    "SelfAttentionSteps",
    "Temperature",
    "explore",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_WHERE[name]}")
    # Kept here, or a module of the same name (explore) would stand in its place.
    globals()[name] = getattr(module, name)
    return globals()[name]
