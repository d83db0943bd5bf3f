"""What an explored figure says on a page, and what it refuses."""

MORE = ("spec",)
BAD = [("chosen", {}), ("spec", {})]
UNNAMED = {"chosen", "spec"}


def numbers(state: dict) -> dict[str, float]:
    """No checks: the sentence covers all numbers."""
    return {}


def complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must be the one that Python computed for the chosen values."""
    wanted = _stored_sentence(state)
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]


def _stored_sentence(state: dict) -> str:
    at = 0  # of all combinations, the last slider moving fastest
    for control in state["spec"]["controls"]:
        place = control["numbers"].index(state["chosen"][control["name"]])
        at = at * len(control["numbers"]) + place
    return state["spec"]["charts"][at]["sentence"]
