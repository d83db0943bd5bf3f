"""A server and its readers, played on requests that really came."""

from typing import Any, ClassVar

from attention_course.data.requests import conversations
from attention_course.reference.scale.roofline import device_sheets
from attention_course.reference.scale.serving import WAYS, ServedModel
from attention_course.widgets.kit.base import CourseWidget
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

    >>> Serving(way="continuous").way
    'continuous'
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
