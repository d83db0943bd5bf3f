"""What the scores show and say on a page."""

SAID = [
    (r"gives key 1 a weight of (.+?), the scaled", "weight-dot-0"),
    (r"the scaled dot product (.+?), the additive", "weight-scaled-0"),
    (r"the additive score (.+?)\. From", "weight-additive-0"),
]
UNNAMED = {"d", "beta", "angle", "length"}
