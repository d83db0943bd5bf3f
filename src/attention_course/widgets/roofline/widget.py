"""The roofline of attention on six devices."""

import html
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import traitlets

from attention_course.reference.scale.roofline import (
    BYTES,
    CHUNK,
    TILE,
    VARIANTS,
    AttentionWork,
    RooflineTime,
    attention_work,
    device_sheets,
    roofline,
)
from attention_course.widgets.kit.base import CourseWidget, table
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
_PREFIXES = ("n", "µ", "m", "", "k", "M", "G", "T", "P", "E")
_POWERS = tuple(2**i for i in range(9))
_POINT = {
    "name": str,
    "device": str,
    "dtype": str,
    "variant": str,
    "n": int,
    "d": int,
    "tflops": float,
    "source": str,
}


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

    >>> found = Roofline(n=8192, d=128, heads=16).readouts()
    >>> round(found["seconds-naive"] / found["seconds-tiled"], 1)
    4.7
    """

    _state: ClassVar[tuple[str, ...]] = (
        "variant",
        "device",
        "dtype",
        "n",
        "d",
        "heads",
        "group",
        "batch",
        "causal",
        "block",
    )
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

    def _kv_heads(self) -> int:
        group = min(self.group, self.heads)
        if self.heads % group:
            raise ValueError(
                f"Roofline: group must be a divisor of heads, {self.heads}, got {self.group}"
            )
        return self.heads // group

    def computed(self, variant: str) -> tuple[AttentionWork, RooflineTime | None]:
        """Return the counts of a form in this setting, and its time where there is one."""
        device = device_sheets()[self.device]
        work = attention_work(
            variant,
            self.n,
            self.d,
            heads=self.heads,
            kv_heads=self._kv_heads(),
            batch=self.batch,
            dtype=self.dtype,
            causal=self.causal,
            cache=device.cache,
            block=self.block,
        )
        return work, roofline(work, device) if self.dtype in device.peak else None

    def readouts(self) -> dict[str, float]:
        """Return the numbers that the widget shows."""
        work, time = self.computed(self.variant)
        found = {
            "matmul": work.matmul,
            "exponentials": work.exponentials,
            "streamed": work.streamed,
            "moved": work.moved,
        }
        if time:
            found |= {f"time-{name}": seconds for name, seconds in time.times.items()}
        for variant in VARIANTS:
            work, time = self.computed(variant)
            found |= {f"moved-{variant}": work.moved, f"held-{variant}": work.held}
            if time:
                found[f"seconds-{variant}"] = time.seconds
        return {name: float(value) for name, value in found.items()}

    def sentence(self) -> str:
        """Return what the widget says, as ``describe`` in ``maths.js`` does."""
        device = device_sheets()[self.device]
        work, time = self.computed(self.variant)
        if time is None:
            return f"No time can be given, because {device.missing[self.dtype]}."
        said = {name: with_unit(seconds, "s") for name, seconds in time.times.items()}
        cache = f"L2 {said['l2']}, " if "l2" in said else ""
        text = (
            f"{self.device}, {NAMES[self.variant]}: at least {with_unit(time.seconds, 's')}, "
            f"held up by {CEILING_NAMES[time.binding]}. Alone, matrix products take "
            f"{said['matmul']}, exponentials {said['exponentials']}, {cache}memory "
            f"{said['memory']}; one after the other, {with_unit(time.summed, 's')}."
        )
        if not cache:
            text += f" L2 is left out: {device.missing['l2']}."
        if work.matmul > 1.5 * work.useful:
            text += " Nearly half of its operations are masked afterwards."
        if not time.fits:
            text += (
                f" It needs {with_unit(work.held, 'B')} of memory, and there are "
                f"{with_unit(device.memory, 'B')}."
            )
        return text

    def _fallback(self) -> str:
        rows = []
        for variant in VARIANTS:
            work, time = self.computed(variant)
            rows.append(
                (
                    NAMES[variant],
                    with_unit(work.matmul, "FLOP"),
                    with_unit(work.exponentials, ""),
                    with_unit(work.moved, "B"),
                    with_unit(work.held, "B"),
                    with_unit(time.seconds, "s") if time else "no time",
                    CEILING_NAMES[time.binding] if time else "",
                )
            )
        head = (
            "form",
            "operations",
            "exponentials",
            "moved",
            "held",
            "at least",
            "held up by",
        )
        caption = f"Five forms of attention on this device: {self.device}, {self.dtype}"
        return f"<p>{html.escape(self.sentence())}</p>" + table(head, rows, caption)


def with_unit(x: float, unit: str) -> str:
    """Write a number with three digits and a prefix, as ``withUnit`` in ``maths.js`` does.

    >>> [with_unit(x, "s") for x in (5.2149e-3, 9.999e-4, 1.0, 0)]
    ['5.21 ms', '1 ms', '1 s', '0 s']
    """
    if x == 0:
        return f"0 {unit}".strip()
    digits, power = (float(part) for part in f"{x:.2e}".split("e"))
    step = min(6, max(-3, math.floor(power / 3)))
    shift = int(power) - 3 * step
    text = f"{digits * 10.0**shift:.{max(0, 2 - shift)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {_PREFIXES[step + 3]}{unit}".strip()


def _point(given: Any) -> dict[str, Any]:
    """Return a measured point as the script takes it, or say what is wrong with it."""
    if not isinstance(given, Mapping) or not _POINT.keys() <= given.keys():
        raise ValueError(
            f"Roofline: points must be dictionaries with {', '.join(_POINT)}, got {given!r}"
        )
    point = {"heads": 1, "group": 1, "batch": 1, "causal": False, **given}
    if point["device"] not in device_sheets():
        raise ValueError(
            f"Roofline: device of a point must be one of {', '.join(device_sheets())}, "
            f"got {point['device']!r}"
        )
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
    more = ("heads", "group", "batch", "causal")
    return {name: kind(point[name]) for name, kind in _POINT.items()} | {
        name: point[name] for name in more
    }
