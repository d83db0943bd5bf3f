"""The roofline of attention on seven devices."""

from collections.abc import Mapping
from typing import Any, ClassVar

import traitlets

from attention_course.reference.scale.roofline import (
    BYTES,
    CHUNK,
    TILE,
    VARIANTS,
    attention_work,
    device_sheets,
)
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, flag, whole

NAMES = {
    "naive": "naive",
    "chunked": "in chunks",
    "tiled": "tiled",
    "training": "tiled, with backward",
    "decode": "one token, cached",
}
CEILING_NAMES = {
    "matmul": "the matrix unit",
    "exponentials": "the exponentials",
    "l2": "L2",
    "memory": "the memory",
}
_POWERS = tuple(2**i for i in range(9))
_POINT = ("name", "device", "dtype", "variant", "n", "d", "tflops", "source")


class Roofline(CourseWidget, folder="roofline"):
    r"""Move sizes, formats and devices; see which ceiling holds attention up.

    .. math:: t \ge \max\left(\frac{\text{operations}}{\text{peak}},\;
       \frac{\text{exponentials}}{\text{their rate}},\;
       \frac{\text{bytes that tiles fetch}}{\text{rate of L2}},\;
       \frac{\text{bytes}}{\text{bandwidth}}\right)

    Args:
        variant: "naive", "chunked", "tiled", "training" (forward and backward) or "decode".
        device: one of ``device_sheets()``.
        dtype: "float16", "bfloat16" or "float32".
        n: tokens, 1 to 1,048,576; in "decode", those in the cache.
        d: width of a head, 1 to 512.
        heads: heads of the queries, 1 to 256.
        group: how many of them share one head of keys and values.
        batch: sequences, 1 to 1,024.
        causal: whether a query sees no later key.
        block: queries in a tile of the tiled forms, 16 to 512.
        points: what was measured, drawn where device, format, d and causal are those chosen:
            dictionaries with name, device, dtype, variant, n, d, tflops (by the usual count,
            4·B·H·n²·d, half where causal), source; and, unless they are 1, 1, 1 and False,
            heads, group, batch and causal.
        key: names the widget in links.

    >>> Roofline(n=128).n
    128
    """

    _constants: ClassVar[dict[str, Any]] = {
        # Pairs: a notebook stores the keys of a dictionary in the order of the alphabet.
        "variants": [list(pair) for pair in NAMES.items()],
        "ceilings": [list(pair) for pair in CEILING_NAMES.items()],
        "bytes": BYTES,
        "chunk": CHUNK,
        "tile": TILE,
        "devices": {
            name: {
                part: getattr(device, part)
                for part in (
                    "peak",
                    "missing",
                    "bandwidth",
                    "exponentials",
                    "l2",
                    "cache",
                    "memory",
                )
            }
            for name, device in device_sheets().items()
        },
    }

    variant = choice(VARIANTS, "naive")
    device = choice(tuple(device_sheets()), "H100 SXM")
    dtype = choice(tuple(BYTES), "bfloat16")
    n = whole(1, 2**20, 8192, stops=[2**i for i in range(7, 21)])
    d = whole(1, 512, 128, stops=(16, 32, 64, 128, 256))
    heads = whole(1, 256, 16, stops=_POWERS[:8])
    group = whole(1, 256, 1, stops=_POWERS[:7])
    batch = whole(1, 1024, 1, stops=_POWERS)
    causal = flag(default=False)
    block = whole(16, 512, TILE, stops=_POWERS[4:])
    points: Any = traitlets.List().tag(sync=True)

    @traitlets.validate("points")
    def _whole_points(self, proposal: Any) -> Any:
        return [_point(given) for given in proposal["value"]]

    def _check(self) -> None:
        if self.heads % min(self.group, self.heads):
            raise ValueError(
                f"Roofline: group must be a divisor of heads, {self.heads}, got {self.group}"
            )


def _point(given: Any) -> dict[str, Any]:
    """Return a measured point as the script takes it, or say what is wrong with it."""
    if not isinstance(given, Mapping) or not {*_POINT} <= given.keys():
        raise ValueError(
            f"Roofline: points must be dictionaries with {', '.join(_POINT)}, got {given!r}"
        )
    point = {"heads": 1, "group": 1, "batch": 1, "causal": False, **given}
    attention_work(  # refuses what is wrong with the others
        point["variant"],
        point["n"],
        point["d"],
        heads=point["heads"],
        kv_heads=point["heads"] // point["group"],
        batch=point["batch"],
        dtype=point["dtype"],
        causal=point["causal"],
    )
    return {name: point[name] for name in (*_POINT, "heads", "group", "batch", "causal")}
