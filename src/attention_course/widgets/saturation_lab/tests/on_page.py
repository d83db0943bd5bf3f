"""What the lab shows and says on a page."""

import math
import re

from widget_kinds import built
from widget_sentences import spoken_number

LAB_SCALES = {
    "none": "Without the factor,",
    "sqrt_d_k": "With the factor,",
    "d_k": "Divided by the width itself,",
    "custom": "With a factor of your own,",
}


def numbers(state: dict) -> dict[str, float]:
    seen = built("SaturationLab", state).readouts()
    parts = {"shown": ("top_weight", "entropy", "jacobian_norm", "gradient_norm"), "batch": ()}
    return {
        f"{part}.{name}": float(value)
        for part, wanted in parts.items()
        for name, value in seen[part].items()
        if (name in wanted if wanted else name != "overflow")
    }


def complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must name the scale, the typical weight and the dead, in two numbers."""
    if math.isnan(numbers["batch.top_weight_median"]):
        return (
            [] if "too large for" in words else [f"does not say what is too large: {words!r}"]
        )
    dead = numbers["batch.dead"]
    must = [
        LAB_SCALES[state["scale"]],
        {0: "no query is", 1: "every query is", 1 / 256: "one query is"}.get(
            dead, f"{math.floor(100 * dead + 0.5)}% of the queries are"
        ),
    ]
    found = [f"does not say {part!r}: {words!r}" for part in must if part not in words]
    if len(re.findall(r"\d[\d.]*", words)) > 2:
        found.append(f"says more than two numbers: {words!r}")
    if numbers["batch.entropy_median"] > 0.99 * math.log(state["n_keys"]):
        even = "almost evenly"
        return found + ([] if even in words else [f"does not say {even!r}: {words!r}"])
    if not (said := re.search(r"puts (.+?) of its weight on one key", words)):
        return [*found, f"says nothing of the typical weight: {words!r}"]
    value, slack = spoken_number(said[1].replace("all", "1"))
    if not abs(value - numbers["batch.top_weight_median"]) <= slack:
        wanted = numbers["batch.top_weight_median"]
        found.append(f"says the typical weight is {said[1]}, the reference {wanted!r}")
    return found
