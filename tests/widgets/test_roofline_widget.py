"""The roofline's widget: what it says, what it refuses, what stands there without a script."""

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


def test_the_tiled_form_trades_the_memory_for_the_matrix_unit():
    said = {variant: Roofline(variant=variant).sentence() for variant in VARIANTS}
    assert "held up by the memory" in said["naive"]
    assert "held up by the matrix unit" in said["tiled"]
    assert "held up by the memory" in said["decode"]
    assert "held up by the exponentials" in Roofline(variant="tiled", d=32).sentence()


def test_the_fallback_has_the_sentence_and_every_form():
    made = Roofline(n=4096, device="A100 SXM")
    assert made.sentence() in made.fallback
    assert made.fallback.count("<tr>") == 1 + len(VARIANTS)
    missing = Roofline(device="T4", dtype="bfloat16")
    assert "because a T4 has no bfloat16 arithmetic" in missing.fallback
    assert missing.fallback.count("no time") == len(VARIANTS)


@pytest.mark.parametrize("device", device_sheets())
def test_every_device_can_be_chosen_in_every_format(device):
    for dtype in ("float16", "bfloat16", "float32"):
        numbers = Roofline(device=device, dtype=dtype).readouts()
        assert ("seconds-naive" in numbers) == (dtype in device_sheets()[device].peak)


def test_l2_has_a_time_where_its_rate_is_known_and_a_reason_where_it_is_not():
    for name, device in device_sheets().items():
        made = Roofline(device=name, dtype="float32")
        said, numbers = made.sentence(), made.readouts()
        assert ("time-l2" in numbers) == (device.l2 is not None) == (", L2 " in said)
        assert device.l2 or f"L2 is left out: {device.missing['l2']}." in said
    half = Roofline(variant="tiled", block=64)
    assert "held up by L2" in half.sentence()
    assert "held up by the matrix unit" in Roofline(variant="tiled", block=128).sentence()


def test_more_sharing_than_heads_is_one_head_of_keys():
    assert Roofline(heads=4, group=64).readouts() == Roofline(heads=4, group=4).readouts()


def test_points_are_completed_and_kept():
    (point,) = Roofline(points=[POINT]).points
    assert point == POINT | {"tflops": 646.0, "group": 1, "causal": False}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": 0}, "n must be a whole number from 1 to 1048576, got 0"),
        ({"variant": "flash"}, "variant must be one of"),
        ({"device": "TPU"}, "device must be one of 'T4'"),
        ({"dtype": "fp8"}, "dtype must be one of"),
        ({"causal": 1}, "causal must be True or False"),
        ({"block": 8}, "block must be a whole number from 16 to 512, got 8"),
        ({"heads": 12, "group": 8}, "group must be a divisor of heads, 12, got 8"),
        ({"speed": 1}, "arguments must be among"),
        ({"points": [{"name": "a"}]}, "points must be dictionaries with name, device"),
        ({"points": [POINT | {"device": "TPU"}]}, "device of a point must be one of T4"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"Roofline: {said}"):
        Roofline(**given)


def test_a_point_of_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="variant must be one of"):
        Roofline(points=[POINT | {"variant": "magic"}])
