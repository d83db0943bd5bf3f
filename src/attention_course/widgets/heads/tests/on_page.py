"""What the heads show and say on a page, and what they refuse."""

from widget_kinds import built, by_place, flat

MORE = ("models", "words")
SAID = [(r"its loss is (.+?) nats a letter", "loss_now")]
BAD = [("n_heads", 3), ("models", {})]
UNNAMED = {"models", "place", "n_heads", "silent", "word"}


def numbers(state: dict) -> dict[str, float]:
    """What its read-outs must be: the weights only of what the word has."""
    seen = built("HeadsSideBySide", state).readouts()
    weights = seen.pop("weights")[:, : len(state["word"]) + 2]
    return flat(seen) | by_place("weight", weights)
