"""Kernels on each GPU with what the reference says of their pipeline."""

from itertools import product
from typing import Any

from attention_course.reference.scale.pipeline import INSTRUCTIONS, tile_pipeline
from attention_course.widgets.tile_pipeline.widget import LEFT, TilePipeline

NAMES = ("device", "d", "tiles", "ahead", "polynomial", "conditional")


def pipelines() -> list[dict[str, Any]]:
    """Return each GPU, width and overlap with its read-outs, the other switches in turn."""
    rows = []
    every = product(INSTRUCTIONS, (64, 128), (1, 2), (False, True))
    for i, (device, d, tiles, ahead) in enumerate(every):
        share, late = (0, 10, 25, 50, 7)[i % 5], i % 3 == 1
        part, left = share / 100, LEFT if late else 1.0
        how = {"tiles": tiles, "ahead": ahead, "polynomial": part, "rescaled": left}
        found, cycle = (
            tile_pipeline(device, d, **how),
            TilePipeline._constants["devices"][device],
        )
        numbers = {"cycles": found.cycles, "tflops": found.rate / 1e12, "busy": found.busy}
        numbers["share"] = 4 * 128**2 * d * tiles / found.cycles / cycle["products"]
        setting = dict(zip(NAMES, (device, d, tiles, ahead, share, late), strict=True))
        rows.append({"setting": setting, "numbers": numbers})
    return rows


FIXTURES = {"tile_pipeline": pipelines}
