"""What a prediction says on a page, and what it refuses."""

import re

from widget_sentences import spoken_number

BAD = [("guess", [1, 2]), ("choices", 7), ("answer", "many"), ("kind", "riddle")]


def complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence of a prediction must judge the guess as the numbers do, and not before."""
    if not state["opened"]:
        return [] if words.startswith("Your guess stays") else [words]
    found = []
    if "right" in numbers and words.startswith("Yes:") != bool(numbers["right"]):
        found.append(f"right is {numbers['right']}, but it says {words!r}")
    if "wrong" in numbers:
        said = re.match(r"(\d+) of (\d+) pairs", words)
        counts = [float(n) for n in said.groups()] if said else [0.0, numbers["pairs"]]
        if counts != [numbers["wrong"], numbers["pairs"]]:
            found.append(f"{numbers['wrong']} pairs are wrong, but it says {words!r}")
    side = re.search(r": too (high|low) by ", words)
    if side and (side[1] == "high") != (numbers["difference"] > 0):
        found.append(f"the difference is {numbers['difference']}: {words!r}")
    if factor := re.search(r"a factor of (.+?)\.(?: |$)", words):
        value, _ = spoken_number(factor[1])  # two digits are said
        if not abs(value - numbers["factor"]) <= 0.05 * value:
            found.append(f"the factor is {numbers['factor']}: {words!r}")
    return found
