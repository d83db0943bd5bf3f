"""A tile on the units of a multiprocessor: switch what FlashAttention-3 and 4 do."""

from typing import Any, ClassVar

from attention_course.reference.scale.pipeline import (
    BLOCKS,
    BYTES,
    FIRST,
    FROM_L2,
    INSTRUCTIONS,
    KEYS,
    LAST,
    POLYNOMIAL,
    QUERIES,
    SCHEDULERS,
    SEARCH,
    WARP,
)
from attention_course.reference.scale.roofline import device_sheets
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, flag, whole

#: Share of rescalings that is left where they are conditional: FlashAttention-4 saves nine in
#: ten (Dao, one of its authors, when it appeared).
LEFT = 0.1
#: Cycles that the picture shows.
SHOWN = 6000


class TilePipeline(CourseWidget, folder="tile_pipeline"):
    r"""Choose a GPU and what its kernel overlaps; see which unit works when.

    Args:
        device: "A100 SXM", "H100 SXM", "B200" or "B300".
        d: width of a head, 64 or 128.
        tiles: of queries in flight, 1 or 2.
        ahead: whether the next block's scores are computed before this one's contexts.
        polynomial: exponentials that the arithmetic units compute, in per cent, 0 to 50.
        conditional: whether nine in ten rescalings are left out.
        key: names the widget in links; "tile-pipeline" unless given.

    Source:
        ``attention_course.tile_pipeline``, whose counts and rates these are.

    >>> TilePipeline(device="B200", tiles=2).tiles
    2
    """

    _constants: ClassVar[dict[str, Any]] = {
        "devices": {name: device_sheets()[name].cycle for name in INSTRUCTIONS},
        "instructions": INSTRUCTIONS,
        "queries": QUERIES,
        "keys": KEYS,
        "bytes": BYTES,
        "warp": WARP,
        "schedulers": SCHEDULERS,
        "search": SEARCH,
        "polynomial": POLYNOMIAL,
        "from_l2": FROM_L2,
        "blocks": BLOCKS,
        "first": FIRST,
        "last": LAST,
        "left": LEFT,
        "shown": SHOWN,
    }

    device = choice(tuple(INSTRUCTIONS), "H100 SXM", ("A100", "H100", "B200", "B300"))
    d = choice((64, 128), 128)
    tiles = choice((1, 2), 1, ("one tile", "two tiles"))
    ahead = flag(default=False)
    polynomial = whole(0, 50, 0, stops=(0, 5, 10, 15, 20, 25, 30, 40, 50))
    conditional = flag(default=False)
