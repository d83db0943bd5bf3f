"""What the window says on a page."""

SAID = [(r"weights add up to (.+?)\.$", "total")]
