"""Tasks against their definitions, symbol by symbol."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.data import random_strings, reverse, running_maximum, swap_neighbours


@st.composite
def strings(draw):
    count, length = draw(st.integers(1, 4)), 2 * draw(st.integers(1, 5))
    return random_strings(count, length, 26, np.random.RandomState(draw(st.integers(0, 99))))


@given(strings())
def test_reversal_by_definition(x):
    y = reverse(x)
    for t in range(x.shape[1]):
        assert np.array_equal(y[:, t], x[:, x.shape[1] - 1 - t])


@given(strings())
def test_swapping_twice_changes_nothing_and_once_moves_every_symbol_by_one(x):
    y = swap_neighbours(x)
    assert np.array_equal(swap_neighbours(y), x)
    assert np.array_equal(y[:, ::2], x[:, 1::2])


@given(strings())
def test_the_running_maximum_by_definition(x):
    y = running_maximum(x)
    for t in range(x.shape[1]):
        assert np.array_equal(y[:, t], x[:, : t + 1].max(axis=1))


def test_no_task_changes_its_input():
    x = random_strings(3, 4, 26, np.random.RandomState(0))
    kept = x.copy()
    for task in (reverse, swap_neighbours, running_maximum):
        task(x)[:] = 0
    assert np.array_equal(x, kept)


def test_random_strings_use_the_whole_alphabet_after_the_marks():
    x = random_strings(200, 30, 26, np.random.RandomState(0))
    assert set(np.unique(x)) == set(range(3, 29))


@pytest.mark.parametrize("name", ["count", "length", "symbols"])
def test_random_strings_refuse_a_size_of_zero(name):
    sizes = {"count": 2, "length": 3, "symbols": 5, name: 0}
    with pytest.raises(ValueError, match=f"random_strings: {name} must be at least 1, got 0"):
        random_strings(**sizes, rng=np.random.RandomState(0))


def test_swapping_refuses_an_odd_length():
    with pytest.raises(ValueError, match="swap_neighbours: length must be even, got 3"):
        swap_neighbours(np.zeros((2, 3), dtype=np.int64))
