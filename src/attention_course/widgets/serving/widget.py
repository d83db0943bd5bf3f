"""A server and its readers, played on requests that really came."""

import html
from typing import Any, ClassVar

import numpy as np

from attention_course.data.requests import conversations
from attention_course.reference.scale.roofline import device_sheets
from attention_course.reference.scale.serving import (
    WAYS,
    Request,
    Served,
    ServedModel,
    Step,
    serve,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice, whole

PLAYED, SHOWN, BEGINNING, WHOLE = 150, (60, 84), 2000, 8192
PROMPTS = ("as they came", "a long beginning, read each time", "a long beginning, kept")
MEASURES = {
    "first": "first token: half wait at most",
    "slow": "first token: 99 of 100 wait at most",
    "whole": "whole answer: half wait at most",
    "stall": "longest pause inside an answer",
    "end": "all answers are written after",
}
UNITS = {"stall": "ms"}  # the others are in seconds


def mistral(device: str = "H100 SXM") -> ServedModel:
    """Return Mistral 7B in bfloat16 on a device, as far as the time of a step is concerned.

    Args:
        device: one of ``device_sheets()``.

    Returns:
        32 layers, 4,096 wide, 32 heads of 128, 8 heads of keys, 14,336 inside the feed-forward
        part, 32,000 tokens.

    Source:
        Jiang et al. (2023), table 1.

    >>> mistral().parameters, mistral().cache_bytes
    (7241465856, 131072)
    """
    sheet = device_sheets()[device]
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    return ServedModel(
        parameters=32 * layer + 2 * 32000 * 4096,
        cache_bytes=32 * 8 * 2 * 128 * 2,
        pair_operations=32 * 4 * 4096,
        peak=sheet.peak["bfloat16"],
        bandwidth=sheet.bandwidth,
    )


class Serving(CourseWidget, folder="serving"):
    r"""Send 150 real requests to one GPU, and choose in what order it works on them.

    Each step takes the longer of the time for its operations and the time for its bytes.

    Args:
        way: "one by one", "in batches" or "continuous".
        places: requests that may run together, 1 to 64.
        chunk: prompt tokens that a step reads at most, 64 to 8,192 (whole prompts).
        speed: how many times as fast the requests come, 1 to 16.
        prompts: as they came, or behind a beginning of 2,000 tokens that all share, read each
            time or kept.
        key: names the widget in links.

    Source:
        Requests: Patel et al. (2024); model: Jiang et al. (2023).

    >>> round(Serving(way="continuous").readouts()["first"], 3)
    0.018
    """

    _state: ClassVar[tuple[str, ...]] = ("way", "places", "chunk", "speed", "prompts")
    _constants: ClassVar[dict[str, Any]] = {
        "requests": [list(row) for row in conversations()[:PLAYED]],
        "shown": list(SHOWN),
        "beginning": BEGINNING,
        "whole": WHOLE,
        "measures": [list(pair) for pair in MEASURES.items()],
        "model": vars(mistral()),
    }

    way = choice(WAYS, "in batches", texts=[way.capitalize() for way in WAYS])
    places = whole(1, 64, 16, stops=(1, 2, 4, 8, 16, 32, 64))
    chunk = whole(64, WHOLE, WHOLE, stops=(64, 128, 256, 512, 1024, 2048, WHOLE))
    speed = whole(1, 16, 2, stops=(1, 2, 4, 8, 16))
    prompts = choice(PROMPTS, PROMPTS[0])

    def requests(self) -> list[Request]:
        """Return the requests as they come in this setting."""
        more = 0 if self.prompts == PROMPTS[0] else BEGINNING
        return [
            Request(came / self.speed, prompt + more, answer)
            for came, prompt, answer in conversations()[:PLAYED]
        ]

    def played(self, way: str = "") -> tuple[list[Served], list[Step]]:
        """Return how each request fared, and every step; in the chosen way unless given."""
        kept = BEGINNING if self.prompts == PROMPTS[2] else 0
        way = way or self.way
        return serve(self.requests(), mistral(), way, self.places, self.chunk, kept)

    def readouts(self, way: str = "") -> dict[str, float]:
        """Return the numbers that the widget shows: seconds, but milliseconds for a pause."""
        found, _ = self.played(way)
        came = np.array([r.came for r in self.requests()])
        first = np.array([done.first for done in found]) - came
        last = np.array([done.last for done in found])
        return {
            "first": float(np.quantile(first, 0.5)),
            "slow": float(np.quantile(first, 0.99)),
            "whole": float(np.quantile(last - came, 0.5)),
            "stall": 1000 * max(done.stall for done in found),
            "end": float(last.max()),
        }

    def _fallback(self) -> str:
        rows = []
        for way in WAYS:
            numbers = self.readouts(way)
            rows.append((way, *(f"{numbers[m]:.3g} {UNITS.get(m, 's')}" for m in MEASURES)))
        caption = f"{PLAYED} requests on one GPU, {self.places} places, three ways to serve"
        return f"<p>{html.escape(caption)}.</p>" + table(
            ("way", *MEASURES.values()), rows, caption
        )
