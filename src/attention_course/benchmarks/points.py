"""What was measured, as points that the widget ``Roofline`` draws."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attention_course.benchmarks.results import Results
from attention_course.reference import device_sheets

_NAIVE = re.compile(r"eager|standard|naive|math|compiled|torch", re.IGNORECASE)
# In torch tiles travel through memory, too: what is written in parts is not yet fused.
_IN_PARTS = {"chunked": "chunked", "tiled": "chunked"}
_OTHER_SHEETS = re.compile(r"PCIe|NVL|40 ?GB", re.IGNORECASE)


def roofline_points(
    published: Iterable[Any] = (), recorded: Iterable[Results] = ()
) -> list[dict[str, Any]]:
    """Turn published rows and recorded results into points for the widget ``Roofline``.

    What is on a device that the widget does not know is left out, and so is what was not
    measured. How many operations a byte there are does not depend on heads and batch, so a
    published row need not say them.

    Args:
        published: rows of ``data.published(...)`` in TFLOP/s.
        recorded: results of a question about attention, such as ``gpus("forward")``.

    >>> roofline_points()
    []
    """
    points = []
    for row in published:
        if row.unit != "TFLOP/s":
            raise ValueError(f"roofline_points: unit must be TFLOP/s, got {row.unit!r}")
        source = f"{row.cite}, {row.where}."
        for n, value in zip(row.n, row.values, strict=True):
            size = {"n": n, **row.size}
            points += _point(row.variant, row.device, row.dtype, size, value, source)
    for results in recorded:
        name, dtype = results.device["name"], results.device["dtype"]
        source = f"Recorded for this course on {name}."
        for row in (row for row in results.rows if "seconds" in row):
            reached = row["operations"] / row["seconds"] / 1e12
            points += _point(row["variant"], name, dtype, row["size"], reached, source)
    return points


def _point(
    variant: str, device: str, dtype: str, size: Mapping[str, Any], tflops: float, source: str
) -> list[dict[str, Any]]:
    """Return the point in a list, or an empty one where the widget has no place for it."""
    known = [name for name in device_sheets() if re.search(rf"\b{name.split()[0]}\b", device)]
    if not known or _OTHER_SHEETS.search(device):
        return []
    drawn = "naive" if _NAIVE.search(variant) else _IN_PARTS.get(variant, "tiled")
    point = {"name": variant, "device": known[0], "dtype": dtype, "variant": drawn}
    rest = {"heads": 1, "batch": 1, "causal": False, **size, "group": 1}
    return [point | rest | {"tflops": tflops, "source": source}]
