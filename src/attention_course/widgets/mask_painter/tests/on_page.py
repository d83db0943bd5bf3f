"""What the painter shows on a page, and what it refuses."""

import math

from widget_kinds import built, by_place

BAD = [("mask", "all")]


def numbers(state: dict) -> dict[str, float]:
    seen = built("MaskPainter", state).readouts()
    found = by_place("weight", seen["weights"])
    for name in ("moved", "reach"):
        found |= {f"{name}-{i}": float(x) for i, x in enumerate(seen[name])}
    # What is not a number is shown as such and has no read-out.
    return {name: value for name, value in found.items() if not math.isnan(value)}
