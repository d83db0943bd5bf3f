"""The check of the mask painter's sentence is itself seen to fail."""

import pytest
from widget_kinds import word_complaints

from attention_course.widgets import MaskPainter
from attention_course.widgets.mask_painter.widget import PRESETS

pytestmark = pytest.mark.browser
STATE = {"mask": PRESETS["causal"], "rule": "right", "token": 5, "output": 3, "seed": 0}
MOST = f"{MaskPainter(**STATE).readouts()['moved'].max():.3g}"
RIGHT = (
    f"Token 5 is changed: outputs 5 and 6 move, by up to {MOST}. "
    "The gradient of output 3 reaches inputs 1, 2 and 3."
)


def test_the_right_sentence_is_accepted():
    assert word_complaints("MaskPainter", STATE, RIGHT) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("outputs 5 and 6 move", "outputs 4, 5 and 6 move", "outputs"),
        (MOST, "9.99", "move by"),
        ("outputs 5 and 6 move, by up to " + MOST, "no output moves", "move, but"),
        ("1, 2 and 3", "1 and 2", "the gradient reaches"),
        (". The", ". Output 1 is not a number. The", "are not numbers"),
    ],
)
def test_a_wrong_sentence_is_noticed(old, new, complaint):
    assert old in RIGHT
    found = word_complaints("MaskPainter", STATE, RIGHT.replace(old, new))
    assert any(complaint in text for text in found), found


def test_a_row_that_is_not_a_number_is_asked_for_in_words():
    state = STATE | {"mask": PRESETS["front"], "rule": "infinite", "output": 6}
    found = word_complaints("MaskPainter", state, RIGHT)
    assert any("outputs [1, 2] are not numbers" in text for text in found)
