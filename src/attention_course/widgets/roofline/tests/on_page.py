"""What the roofline says on a page, and what it refuses."""

from widget_kinds import built

BAD = [("group", 3)]


def complaints(state: dict, numbers: dict, words: str) -> list[str]:
    wanted = built("Roofline", state).sentence()
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]
