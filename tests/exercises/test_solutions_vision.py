"""The solutions about pictures equal the specification, on sizes that all differ."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load
from attention_course.reference import (
    attention_rollout,
    matching_cost,
    non_local,
    plane_positions,
    softmax,
    squeeze_and_excitation,
)


@pytest.mark.parametrize("sizes", [(3, 5, 6), (1, 2, 3), (4, 4, 4), (7, 3, 2)])
def test_a_matching_costs_what_the_reference_says(sizes):
    n_objects, n_queries, n_classes = sizes
    rng = np.random.default_rng(sum(sizes))
    drawn = (
        rng.dirichlet(np.ones(n_classes), size=n_queries),
        rng.random((n_queries, 4)),
        rng.integers(n_classes, size=n_objects),
        rng.random((n_objects, 4)),
    )
    exercise = exercise_named("matching-cost")
    came = load(exercise.solution)[exercise.target](*drawn)
    np.testing.assert_allclose(came, matching_cost(*drawn), atol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5, 6), (1, 4, 3, 2, 7), (3, 3, 3, 3, 3)])
def test_channels_without_padding_are_gated_as_the_reference_says(sizes):
    n, height, width, channels, hidden = sizes
    rng = np.random.default_rng(sum(sizes))
    x = rng.standard_normal((n, channels, height, width))
    shapes = ((channels, hidden), hidden, (hidden, channels), channels)
    drawn = [rng.standard_normal(shape) for shape in shapes]
    exercise = exercise_named("squeeze-and-excitation")
    real = np.ones((n, height, width), dtype=bool)
    answer = load(exercise.solution)[exercise.target]
    maps, gates = answer(np.moveaxis(x, 1, -1), real, *drawn)
    wanted, wanted_gates = squeeze_and_excitation(x, *drawn)
    np.testing.assert_allclose(np.moveaxis(maps, -1, 1), wanted, atol=1e-12)
    np.testing.assert_allclose(gates, wanted_gates, atol=1e-12)


@pytest.mark.parametrize("way", ["softmax", "dot product"])
def test_where_squares_are_alike_thinning_out_changes_nothing(way):
    """Each key and value then stands four times, and four times a quarter is one."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 2, 4)).repeat(2, axis=2).repeat(2, axis=3)
    drawn = [rng.standard_normal(shape) for shape in ((3, 5), (3, 5), (3, 6), (6, 3))]
    exercise = exercise_named("non-local-block")
    maps, weights = load(exercise.solution)[exercise.target](x, *drawn, way)
    wanted, each = non_local(x, *drawn, way)
    np.testing.assert_allclose(maps, wanted, atol=1e-12)
    squares = each.reshape(2, 32, 2, 2, 4, 2).sum(axis=(3, 5)).reshape(2, 32, 8)
    np.testing.assert_allclose(weights, squares, atol=1e-12)


@pytest.mark.parametrize(("layers", "n"), [(1, 4), (2, 5), (3, 7)])
def test_rollout_of_one_head_is_the_references(layers, n):
    scores = np.random.default_rng(n).standard_normal((layers, 1, n, n))
    weights = softmax(scores)
    row = attention_rollout(weights)[0, 1:]
    exercise = exercise_named("attention-rollout")
    came = load(exercise.solution)[exercise.target](scores)
    np.testing.assert_allclose(came, row / row.sum(), atol=1e-12)


@pytest.mark.parametrize(("rows", "columns", "d_model"), [(3, 5, 8), (4, 2, 12), (1, 6, 16)])
def test_positions_of_a_picture_as_in_training_are_the_references_in_another_order(
    rows, columns, d_model
):
    exercise = exercise_named("image-positions")
    write = load(exercise.solution)[exercise.target]
    came = write(rows, columns, d_model, (rows, columns))
    pairs = np.arange(d_model).reshape(2, 2, -1).swapaxes(1, 2).ravel()  # sine beside cosine
    np.testing.assert_allclose(
        came[1:, pairs], plane_positions(rows, columns, d_model), atol=1e-12
    )
    assert not came[0].any()
    np.testing.assert_allclose(
        write(2 * rows, columns, d_model, (rows, columns))[1:].reshape(rows, 2, columns, -1)[
            :, 0
        ],
        came[1:].reshape(rows, columns, -1),
        atol=1e-12,
    )
