"""The solution about how far a signal travels equals the search of the reference."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load
from attention_course.reference import positions_read, receptive_field, signal_path

SLUGS = ("signal-reach",)


def solution(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.mark.parametrize(
    ("layer", "width"),
    [("windowed", 3), ("windowed", 7), ("block-sparse", 2), ("self-attention", 1)],
)
@pytest.mark.parametrize("n", [1, 5, 12])
def test_how_many_layers_apart_is_the_length_of_the_path(layer, width, n):
    reads = np.zeros((n, n), dtype=bool)
    for i in range(n):
        reads[i, positions_read(layer, i, n, width)] = True
    found = solution("signal-reach")(reads)
    for i, j in np.ndindex(n, n):
        assert found[i, j] == len(signal_path(layer, n, j, i, width)) - 1


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_first_layer_whose_receptive_field_has_the_input(seed):
    rng = np.random.RandomState(seed)
    reads = np.eye(8, dtype=bool) | (rng.rand(8, 8) < 0.15)
    fields = [receptive_field(reads, layers) for layers in range(1, 9)]
    first = np.argmax(fields, axis=0) + 1
    wanted = np.where(fields[-1], first, 0)
    np.testing.assert_array_equal(solution("signal-reach")(reads), wanted)
