"""What the scores show and say on a page."""

from widget_kinds import built

SAID = [
    (r"gives key 1 a weight of (.+?), the scaled", "weight-dot-0"),
    (r"the scaled dot product (.+?), the additive", "weight-scaled-0"),
    (r"the additive score (.+?)\. From", "weight-additive-0"),
]
UNNAMED = {"d", "beta", "angle", "length"}


def numbers(state: dict) -> dict[str, float]:
    return {
        f"{part}-{score}-{j}": float(x)
        for part, rows in built("ScoreResponse", state).readouts().items()
        for score, row in rows.items()
        for j, x in enumerate(row)
    }
