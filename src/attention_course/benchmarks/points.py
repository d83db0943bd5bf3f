"""What was measured, as points that the widget ``Roofline`` draws."""

import re
from collections.abc import Iterable
from typing import Any

from attention_course.benchmarks.results import Results
from attention_course.reference import device_sheets

_NAIVE = re.compile(r"eager|standard|naive|math|compiled|torch", re.IGNORECASE)
# In torch tiles travel through memory, too: what is written in parts is not yet fused.
_IN_PARTS = {"chunked": "chunked", "tiled": "chunked"}
_OTHER_SHEETS = re.compile(r"PCIe|NVL|40 ?GB", re.IGNORECASE)


def roofline_points(
    published: Iterable[Any] = (), recorded: Iterable[Results] = (), *, form: str = "tiled"
) -> list[dict[str, Any]]:
    """Turn published rows and recorded results into points for the widget ``Roofline``.

    What is on a device that the widget does not know is left out, and so is what was not
    measured. How many operations a byte there are does not depend on heads and batch, so a
    published row need not say them.

    Args:
        published: rows of ``data.published(...)`` in TFLOP/s.
        recorded: results of a benchmark of attention, such as ``live.recorded``.
        form: of what keeps its scores on the chip, "tiled" or "training"; the others are
            "naive" or "chunked", and are left out of "training".

    Returns:
        A dictionary a point, with its source.

    Raises:
        ValueError: if ``form`` is another one, or a row is in another unit.

    Source:
        Each point names its own.

    >>> roofline_points()
    []
    """
    if form not in ("tiled", "training"):
        raise ValueError(f"roofline_points: form must be tiled or training, got {form!r}")
    points = []
    for row in published:
        if row.unit != "TFLOP/s":
            raise ValueError(f"roofline_points: unit must be TFLOP/s, got {row.unit!r}")
        source = f"{row.cite}, {row.where}"
        for n, value in zip(row.n, row.values, strict=True):
            size = {"n": n, **row.size}
            points += _point(row.variant, row.device, row.dtype, size, value, source, form)
    for results in recorded:
        name, dtype = results.device["name"], results.device["dtype"]
        for row in results.rows:
            if "seconds" not in row:
                continue
            reached = row["operations"] / row["seconds"]["value"] / 1e12
            source = f"Recorded for this course on {name}"
            points += _point(row["variant"], name, dtype, row["size"], reached, source, form)
    return points


def _point(
    variant: str,
    device: str,
    dtype: str,
    size: dict[str, Any],
    tflops: float,
    source: str,
    form: str,
) -> list[dict[str, Any]]:
    """Return the point in a list, or an empty one where the widget has no place for it."""
    known = [name for name in device_sheets() if re.search(rf"\b{name.split()[0]}\b", device)]
    drawn = "naive" if _NAIVE.search(variant) else _IN_PARTS.get(variant, form)
    if not known or _OTHER_SHEETS.search(device) or (form == "training" and drawn != form):
        return []
    return [
        {
            "name": variant,
            "device": known[0],
            "dtype": dtype,
            "variant": drawn,
            "n": size["n"],
            "d": size["d"],
            "heads": size.get("heads", 1),
            "group": 1,
            "batch": size.get("batch", 1),
            "causal": size.get("causal", False),
            "tflops": tflops,
            "source": f"{source}.",
        }
    ]
