"""The widgets: a folder each, with the Python class and the script that the browser runs.

They are imported from here (``from attention_course.widgets import SaturationLab``) or from
their own folders; only what is asked for is loaded. ``kit`` is what they are made of, ``chart``
draws for several of them.
"""

import importlib
from typing import Any

_WHERE = {
    "AttentionPlane": "plane",
    "CourseWidget": "kit",
    "Explore": "explorer.widget",
    "Grow": "grow",
    "HardChoice": "hard_choice",
    "HeadsSideBySide": "heads",
    "LivingSentence": "living_sentence",
    "LiveTraining": "live_training",
    "ImageAsker": "image_asker",
    "ImageLooker": "image_looker",
    "LocalWindow": "local_window",
    "MaskPainter": "mask_painter",
    "PositionClocks": "clocks",
    "Prediction": "prediction",
    "Roofline": "roofline",
    "SaturationLab": "saturation_lab",
    "ScoreResponse": "score_response",
    "SentencePlayer": "sentence_player",
    "Stepper": "stepper",
    "Temperature": "temperature",
    "explore": "explorer",
}

__all__ = [
    "AttentionPlane",
    "CourseWidget",
    "Grow",
    "HardChoice",
    "HeadsSideBySide",
    "ImageAsker",
    "ImageLooker",
    "LiveTraining",
    "LivingSentence",
    "LocalWindow",
    "MaskPainter",
    "PositionClocks",
    "Roofline",
    "SaturationLab",
    "ScoreResponse",
    "SentencePlayer",
    "Stepper",
    "Temperature",
    "explore",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
