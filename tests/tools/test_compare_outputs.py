"""Numbers within the tolerance agree, everything else must be equal."""

import base64
import math

import numpy as np
import pytest
from compare_outputs import agree, decode, difference, figure_difference, sanitise
from hypothesis import given
from hypothesis import strategies as st


def packed(values, dtype="f8", **more):
    data = base64.b64encode(np.asarray(values, dtype).tobytes()).decode()
    return {"dtype": dtype, "bdata": data} | more


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "i2"])
def test_packed_arrays_are_unpacked(dtype):
    assert decode({"y": packed([1, 2, 3], dtype)}) == {"y": [1, 2, 3]}


def test_a_matrix_keeps_its_shape():
    assert decode(packed(range(6), shape="2, 3")) == [[0, 1, 2], [3, 4, 5]]


def test_a_packed_array_equals_the_same_list():
    assert figure_difference({"y": packed([0.5, 1.5])}, {"y": [0.5, 1.5]}) is None


@given(st.floats(1e-3, 1e12), st.floats(-1, 1))
def test_the_tolerance_is_relative(number, share):
    assert agree(number, number * (1 + 0.9e-5 * share))
    assert not agree(number, number * (1 + 3e-5))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (0.0, 9e-9, True),
        (0.0, 2e-8, False),
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (math.inf, 1e308, False),
    ],
)
def test_small_and_strange_numbers(a, b, same):
    assert agree(a, b) is same


def test_an_int_may_stand_for_a_float_but_not_for_a_truth_value():
    assert difference([1], [1.0]) is None
    assert difference([1], [True]) is not None


@pytest.mark.parametrize(
    ("stored", "fresh", "words"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, "keys differ: b"),
        ([1, 2], [1], "length 2 stored, 1 computed"),
        ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, ".a[0].b: 'x' stored, 'y' computed"),
        ({"a": None}, {"a": 0}, ".a: null stored, 0 computed"),
        ("a" * 99 + "b", "a" * 99 + "c", "from character 79"),
    ],
)
def test_the_place_of_a_difference_is_named(stored, fresh, words):
    assert words in difference(stored, fresh)


def test_a_cell_may_widen_its_tolerance():
    assert figure_difference({"y": [1.0]}, {"y": [1.001]}) is not None
    assert figure_difference({"y": [1.0]}, {"y": [1.001]}, absolute=0.01) is None


def test_addresses_are_hidden_and_numbers_are_not():
    assert sanitise("<Dial at 0x7f0a12bc> 0x10") == "<Dial at 0x...> 0x10"
