"""What the lab says on a page."""

from widget_kinds import built


def complaints(state: dict, numbers: dict, words: str) -> list[str]:
    wanted = built("KernelLab", state).sentence()
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]
