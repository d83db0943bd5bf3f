"""Kernels on each GPU with what the reference says of their pipeline."""

from itertools import product
from typing import Any

from attention_course.reference.scale.pipeline import INSTRUCTIONS, tile_pipeline
from attention_course.reference.scale.roofline import device_sheets
from attention_course.widgets.tile_pipeline.widget import LEFT


def shown(device: str, polynomial: int, conditional: bool, **how: Any) -> dict[str, Any]:
    """Return the read-outs of a setting."""
    rescaled = LEFT if conditional else 1.0
    found = tile_pipeline(device, polynomial=polynomial / 100, rescaled=rescaled, **how)
    cycle = device_sheets()[device].cycle
    peak = cycle["products"] * cycle["multiprocessors"] * cycle["clock"]
    return {
        "cycles": found.cycles,
        "tflops": found.rate / 1e12,
        "share": found.rate / peak,
        "busy": found.busy,
    }


def pipelines() -> list[dict[str, Any]]:
    """Return each GPU, width and overlap, the other switches in turn."""
    every = product(INSTRUCTIONS, (64, 128), (1, 2), (False, True))
    rows = []
    for i, (device, d, tiles, ahead) in enumerate(every):
        setting = {
            "device": device,
            "d": d,
            "tiles": tiles,
            "ahead": ahead,
            "polynomial": (0, 10, 25, 50, 7)[i % 5],
            "conditional": i % 3 == 1,
        }
        rows.append({"setting": setting, "numbers": shown(**setting)})
    return rows


FIXTURES = {"tile_pipeline": pipelines}
