"""The points that the roofline's widget takes, and those that it refuses."""

import pytest

from attention_course.reference import device_sheets
from attention_course.reference.scale.roofline import VARIANTS
from attention_course.widgets import Roofline

POINT = {
    "name": "a kernel",
    "device": "H100 SXM",
    "dtype": "float16",
    "variant": "tiled",
    "n": 8192,
    "d": 128,
    "heads": 16,
    "batch": 2,
    "tflops": 646,
    "source": "somebody",
}


def test_points_are_completed_and_kept():
    (point,) = Roofline(points=[POINT]).points
    assert point == POINT | {"tflops": 646.0, "group": 1, "causal": False}


@pytest.mark.parametrize(
    ("given", "said"),
    [({"name": "a"}, "points must be dictionaries"), (POINT | {"variant": "magic"}, "variant")],
)
def test_a_bad_point_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=said):
        Roofline(points=[given])
