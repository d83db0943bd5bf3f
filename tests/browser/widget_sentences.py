"""What the widgets say in words, compared with the reference."""

import math
import re

_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_NUMBER = re.compile(r"^([-\d.]+)(?: × 10(-?\d+))?$")


def spoken_number(text: str) -> tuple[float, float]:
    """A number as a widget writes it, and how much its last digit leaves open."""
    if text == "more than 0.999":
        return 0.9995, 0.0006
    found = _NUMBER.match(text.translate(_RAISED))
    if not found:
        raise AssertionError(f"{text!r} is not a number as the widgets write them")
    power = 10.0 ** int(found[2] or 0)
    decimals = len(found[1].partition(".")[2])
    return float(found[1]) * power, 0.5001 * 10.0**-decimals * power


LAB_SCALES = {
    "none": "Without the factor,",
    "sqrt_d_k": "With the factor,",
    "d_k": "Divided by the width itself,",
    "custom": "With a factor of your own,",
}


def lab_complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
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
    complaints = [f"does not say {part!r}: {words!r}" for part in must if part not in words]
    if len(re.findall(r"\d[\d.]*", words)) > 2:
        complaints.append(f"says more than two numbers: {words!r}")
    if numbers["batch.entropy_median"] > 0.99 * math.log(state["n_keys"]):
        even = "almost evenly"
        return complaints + ([] if even in words else [f"does not say {even!r}: {words!r}"])
    if not (found := re.search(r"puts (.+?) of its weight on one key", words)):
        return [*complaints, f"says nothing of the typical weight: {words!r}"]
    value, slack = spoken_number(found[1].replace("all", "1"))
    if not abs(value - numbers["batch.top_weight_median"]) <= slack:
        wanted = numbers["batch.top_weight_median"]
        complaints.append(f"says the typical weight is {found[1]}, the reference {wanted!r}")
    return complaints


def explore_complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must be the one that Python computed for the chosen values."""
    wanted = _stored_sentence(state)
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]


def _stored_sentence(state: dict) -> str:
    at = 0  # of all combinations, the last slider moving fastest
    for control in state["spec"]["controls"]:
        place = control["numbers"].index(state["chosen"][control["name"]])
        at = at * len(control["numbers"]) + place
    return state["spec"]["charts"][at]["sentence"]


def mask_complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must name what moves, by how much, and what the gradient reaches."""
    complaints = []
    moved = {i: numbers[f"moved-{i}"] for i in range(6) if f"moved-{i}" in numbers}
    stirred = [i + 1 for i, x in moved.items() if x > 1e-9]
    said = re.search(r"outputs? ([\d, and]+?) moves?, by up to (.+?)\. ", words)
    if bool(said) != bool(stirred):
        complaints.append(f"outputs {stirred} move, but it says {words!r}")
    elif said:
        value, slack = spoken_number(said[2])
        named = [int(x) for x in re.findall(r"\d+", said[1])]
        if named != stirred or not abs(value - max(moved.values())) <= slack:
            complaints.append(f"outputs {stirred} move by {max(moved.values())!r}: {words!r}")
    broken = [i + 1 for i in range(6) if i not in moved]
    told = re.search(r"Outputs? ([\d, and]+?) (?:is|are) not a number", words)
    if [int(x) for x in re.findall(r"\d+", told[1] if told else "")] != broken:
        complaints.append(f"outputs {broken} are not numbers, but it says {words!r}")
    reached = [i + 1 for i in range(6) if numbers.get(f"reach-{i}", 0) > 1e-9]
    last = re.search(r"gradient of output (\d) reaches inputs? ([\d, and]+)\.(?: It|$)", words)
    if [int(x) for x in re.findall(r"\d+", last[2] if last else "")] != reached:
        complaints.append(f"the gradient reaches {reached}, but it says {words!r}")
    return complaints


def prediction_complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence of a prediction must judge the guess as the numbers do, and not before."""
    if not state["opened"]:
        return [] if words.startswith("Your guess stays") else [words]
    complaints = []
    if "right" in numbers and words.startswith("Yes:") != bool(numbers["right"]):
        complaints.append(f"right is {numbers['right']}, but it says {words!r}")
    if "wrong" in numbers:
        said = re.match(r"(\d+) of (\d+) pairs", words)
        counts = [float(n) for n in said.groups()] if said else [0.0, numbers["pairs"]]
        if counts != [numbers["wrong"], numbers["pairs"]]:
            complaints.append(f"{numbers['wrong']} pairs are wrong, but it says {words!r}")
    side = re.search(r": too (high|low) by ", words)
    if side and (side[1] == "high") != (numbers["difference"] > 0):
        complaints.append(f"the difference is {numbers['difference']}: {words!r}")
    if factor := re.search(r"a factor of (.+?)\.(?: |$)", words):
        value, _ = spoken_number(factor[1])  # two digits are said
        if not abs(value - numbers["factor"]) <= 0.05 * value:
            complaints.append(f"the factor is {numbers['factor']}: {words!r}")
    return complaints
