"""What the painter shows and says on a page, and what it refuses."""

import math
import re

from widget_kinds import built, by_place
from widget_sentences import spoken_number

BAD = [("mask", "all")]


def numbers(state: dict) -> dict[str, float]:
    seen = built("MaskPainter", state).readouts()
    found = by_place("weight", seen["weights"])
    for name in ("moved", "reach"):
        found |= {f"{name}-{i}": float(x) for i, x in enumerate(seen[name])}
    # What is not a number is shown as such and has no read-out.
    return {name: value for name, value in found.items() if not math.isnan(value)}


def complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must name what moves, by how much, and what the gradient reaches."""
    found = []
    moved = {i: numbers[f"moved-{i}"] for i in range(6) if f"moved-{i}" in numbers}
    stirred = [i + 1 for i, x in moved.items() if x > 1e-9]
    said = re.search(r"outputs? ([\d, and]+?) moves?, by up to (.+?)\. ", words)
    if bool(said) != bool(stirred):
        found.append(f"outputs {stirred} move, but it says {words!r}")
    elif said:
        value, slack = spoken_number(said[2])
        named = [int(x) for x in re.findall(r"\d+", said[1])]
        if named != stirred or not abs(value - max(moved.values())) <= slack:
            found.append(f"outputs {stirred} move by {max(moved.values())!r}: {words!r}")
    broken = [i + 1 for i in range(6) if i not in moved]
    told = re.search(r"Outputs? ([\d, and]+?) (?:is|are) not a number", words)
    if [int(x) for x in re.findall(r"\d+", told[1] if told else "")] != broken:
        found.append(f"outputs {broken} are not numbers, but it says {words!r}")
    reached = [i + 1 for i in range(6) if numbers.get(f"reach-{i}", 0) > 1e-9]
    last = re.search(r"gradient of output (\d) reaches inputs? ([\d, and]+)\.(?: It|$)", words)
    if [int(x) for x in re.findall(r"\d+", last[2] if last else "")] != reached:
        found.append(f"the gradient reaches {reached}, but it says {words!r}")
    return found
