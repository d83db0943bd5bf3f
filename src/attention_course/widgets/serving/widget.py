"""A server and its readers, played on requests that really came."""

from typing import Any, ClassVar

from attention_course.data.requests import conversations
from attention_course.reference._check import one_of
from attention_course.reference._check import whole as whole_number
from attention_course.reference._checked import checked
from attention_course.reference.scale.roofline import device_sheets
from attention_course.reference.scale.serving import SHORT, WAYS, ServedModel
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, whole

PLAYED, SHOWN, BEGINNING, WHOLE = 150, (60, 84), 2000, 8192
PROMPTS = (
    "as they came",
    "a long beginning, read each time",
    "a long beginning, kept",
    "a long beginning, kept and fetched once a step",
)
LAYOUTS = (
    "one GPU",
    "two GPUs, a model on each",
    "two GPUs, one model",
    "two GPUs, one reads and one writes",
)
#: What happens where the cache is full, in the words of the menu.
FULL = ("read again later", "swap to the host", "keep room for answers")
#: Seconds to the first token, and a token, within which a request is served well.
LIMITS = (0.25, 0.01)
#: Dollars for an H100 for an hour: assumed; list prices were 2.49 to 3.99 early in 2026.
PRICE = 3.0
#: Bytes a second between two servers: 400 Gbit/s.
WIRE = 50e9
MEASURES = {
    "first": "first token: half wait at most",
    "slow": "first token: 99 of 100 wait at most",
    "token": "time per output token, of half at most",
    "stall": "longest pause inside an answer",
    "kept": "requests that keep both 250 ms and 10 ms a token",
    "blocks": "blocks in use at most, of all",
    "lost": "times that a request lost its blocks",
    "fetching": "time of steps that bytes bound",
    "computing": "time of steps that operations bound",
    "exchanging": "time of exchanges, with GPUs or the host",
    "cost": "a million written tokens, at $3 for a GPU hour",
    "energy": "a million written tokens, all GPUs at 700 W",
}


#: Seconds of an exchange between GPUs, however short: assumed, of the order of what NCCL's ring
#: takes on NVLink; no data sheet gives it.
LATENCY = 10e-6


@checked(device=one_of(*device_sheets()), gpus=whole_number(1))
def mistral(device: str = "H100 SXM", gpus: int = 1, cache: float | None = None) -> ServedModel:
    """Return Mistral 7B in 16-bit floats on a device, as far as a step's time is concerned.

    Args:
        device: one of ``device_sheets()``, whose memory holds the 14.5 GB of the parameters.
        gpus: how many hold the model together.
        cache: bytes of a GPU's memory beside all parameters; if None, what they leave of it.
            Several GPUs hold the parameters once, and so have more for keys and values.

    Returns:
        32 layers, 4,096 wide, 32 heads of 128, 8 heads of keys, 14,336 inside the feed-forward
        part, 32,000 tokens. A device without bfloat16 is taken at its speed in float16; one
        without a link exchanges through the host.

    Source:
        Jiang et al. (2023), table 1.

    >>> mistral().parameters, mistral().cache_bytes
    (7241465856, 131072)
    """
    sheet = device_sheets()[device]
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    parameters = 32 * layer + 2 * 32000 * 4096
    host = sheet.host or sheet.bandwidth  # a CPU is its own host
    return ServedModel(
        parameters=parameters,
        cache_bytes=32 * 8 * 2 * 128 * 2,
        pair_operations=32 * 4 * 4096,
        peak=sheet.peak.get("bfloat16") or sheet.peak["float16"],
        bandwidth=sheet.bandwidth,
        memory=sheet.memory if cache is None else 2 * parameters + cache,
        host=host,
        layers=32,
        width=4096,
        gpus=gpus,
        link=sheet.link or host,
        latency=LATENCY,
    )


class Serving(CourseWidget, folder="serving"):
    r"""Send 150 real requests to one GPU or two, and choose in what order they are worked on.

    Each step takes the longer of the time for its operations and the time for its bytes.

    Args:
        way: "one by one", "in batches" or "continuous".
        cache: memory of each GPU beside a whole model, 1 to 64 GB. For keys and values, two
            GPUs that hold one model have twice that and the 14.5 GB of a second model.
        budget: tokens that a step reads and writes at most, 64 to 8,192.
        speed: how many times as fast the requests come, 1 to 32.
        short: what happens where the cache is full: "recompute", "swap" or "reserve".
        prompts: as they came, or behind a beginning of 2,000 tokens that all share: read each
            time, kept, or kept and fetched once a step for all.
        gpus: one, or two in one of three ways.
        window: which 150 of the 600 stored requests, 1 to 4.
        key: names the widget in links.

    Source:
        Requests: Patel et al. (2024); model: Jiang et al. (2023).

    >>> Serving(way="continuous").way
    'continuous'
    """

    _constants: ClassVar[dict[str, Any]] = {
        "requests": [list(row) for row in conversations()],
        "played": PLAYED,
        "shown": list(SHOWN),
        "beginning": BEGINNING,
        "whole": WHOLE,
        "wire": WIRE,
        "limits": list(LIMITS),
        "price": PRICE,
        "watts": device_sheets()["H100 SXM"].power,
        "measures": [list(pair) for pair in MEASURES.items()],
        "model": vars(mistral()),
    }

    way = choice(WAYS, "in batches", texts=[way.capitalize() for way in WAYS])
    cache = whole(1, 64, 64, stops=(1, 2, 4, 8, 16, 32, 64))
    budget = whole(64, WHOLE, WHOLE, stops=(64, 128, 256, 512, 1024, 2048, WHOLE))
    speed = whole(1, 32, 8, stops=(1, 2, 4, 8, 16, 32))
    short = choice(SHORT, SHORT[0], texts=list(FULL))
    prompts = choice(PROMPTS, PROMPTS[0])
    gpus = choice(LAYOUTS, LAYOUTS[0])
    window = whole(1, len(conversations()) // PLAYED, 1)
