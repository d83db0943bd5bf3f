"""Packed arrays keep the precision that is promised, in few bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.widgets.explorer.packing import Packer, pack_array, unpack, unpack_array

NUMBERS = st.lists(
    st.floats(-1e6, 1e6) | st.integers(-300, 300).map(float) | st.just(float("nan")),
    min_size=1,
    max_size=40,
)


@given(values=NUMBERS, precision=st.sampled_from([1e-2, 1e-3, 1e-5]))
def test_no_error_is_larger_than_promised(values, precision):
    array = np.array(values)
    code, raw, low, step, worst = pack_array(array, precision)
    back = unpack_array(code, raw, low, step)
    assert np.array_equal(np.isnan(back), np.isnan(array))
    if not np.isnan(array).all():
        error = np.nanmax(np.abs(back - array))
        span = np.nanmax(array) - np.nanmin(array)
        # float32 is the last resort, and is as good as float32 is
        assert error <= max(precision * span, np.nanmax(np.abs(array)) * 2.0**-24)
        assert error == worst


@given(st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=30))
def test_on_a_log_axis_the_error_is_a_share_of_each_number(values):
    array = np.array(values)
    code, raw, low, step, _ = pack_array(array, 1e-3, log=True)
    assert np.all(np.abs(unpack_array(code, raw, low, step) / array - 1) <= 1e-3)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (np.arange(100), "u1"),
        (np.arange(-50, 50), "u1"),
        (np.full(5, 1 / 3), "u1"),
        (np.linspace(0, 1, 30), "u2"),
        (np.linspace(1000, 1001, 30), "u2"),
        (np.arange(300), "u2"),
        ([1e-30, 1.0, 1e30], "u1"),
    ],
)
def test_each_array_gets_the_smallest_format_that_is_good_enough(values, code):
    assert pack_array(np.asarray(values, float), 1e-3)[0] == code


def test_numbers_of_very_different_size_need_floats_on_a_log_axis():
    assert pack_array(np.array([1e-30, 1.0, 1e30]), 1e-3, log=True)[0] == "f4"
    assert pack_array(np.array([1e-4, 1e-2, 1.0, 9.0]), 1e-3, log=True)[0] == "f2"


def test_whole_numbers_and_constants_are_exact():
    for values in (np.arange(5, 200), np.full(4, 0.1), np.array([3.0, np.nan, 5.0])):
        code, raw, low, step, worst = pack_array(values.astype(float), 1e-3)
        assert worst == 0
        assert np.array_equal(unpack_array(code, raw, low, step), values, equal_nan=True)


def test_infinity_becomes_a_gap():
    code, raw, low, step, _ = pack_array(np.array([0.0, np.inf, -np.inf, 1.0]), 1e-3)
    assert np.isnan(unpack_array(code, raw, low, step)).tolist() == [False, True, True, False]


def test_equal_arrays_are_stored_once():
    packer = Packer()
    x = np.linspace(0, 1, 1000)
    assert [packer.add(x), packer.add(x * 2), packer.add(list(x))] == [0, 1, 0]
    back = unpack(packer.state())
    assert len(back) == 2
    assert np.abs(back[0] - x).max() <= 1e-3


def test_negative_control_a_lost_byte_is_seen():
    code, raw, low, step, _ = pack_array(np.linspace(0, 1, 8), 1e-3)
    shifted = unpack_array(code, raw[2:] + raw[:2], low, step)
    assert np.abs(shifted - np.linspace(0, 1, 8)).max() > 1e-3
