"""What hard choices say on a page, and what they refuse."""

SAID = [
    (r"mean estimate is (.+?) away", "distance"),
    (r"mean square of (.+?)\. ", "error"),
]
BAD = [("rewards", [1])]
