"""The widgets: a folder each, with the Python class and the script that the browser runs.

They are imported from here (``from attention_course.widgets import SaturationLab``) or from
their own folders; only what is asked for is loaded. ``kit`` is what they are made of, ``chart``
draws for several of them.
"""

import importlib
from typing import Any

# Each name, and the folder that has it.
_WHERE = {
    "AttentionPlane": "plane",
    "CourseWidget": "kit",
    "FusedRow": "fused_row",
    "GpuAttention": "gpu_attention",
    "KernelLab": "kernel_lab",
    "LivingSentence": "living_sentence",
    "LiveTraining": "live_training",
    "ImageAsker": "image_asker",
    "ImageLooker": "image_looker",
    "MaskPainter": "mask_painter",
    "PictureTeller": "picture_teller",
    "PositionClocks": "clocks",
    "Roofline": "roofline",
    "RecurrentFamily": "family",
    "SaturationLab": "saturation_lab",
    "Serving": "serving",
    "Stepper": "stepper",
    "Temperature": "temperature",
    "TilePipeline": "tile_pipeline",
    "WorldPlayer": "world_player",
    "explore": "explorer",
}

# Made by ``explore`` and ``ac.predict``.
_MADE = {"Explore": "explorer.widget", "Prediction": "prediction"}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    where = _WHERE | _MADE
    if name not in where:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{where[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
