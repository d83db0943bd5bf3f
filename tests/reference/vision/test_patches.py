"""Patches, their places, and attention followed through layers: loops, and wrong versions."""

import numpy as np
import pytest

from attention_course.reference import (
    attention_rollout,
    patchify,
    plane_positions,
    sinusoidal_positions,
    softmax,
    unpatchify,
)

N, ROWS, COLUMNS, SIDE = 2, 3, 4, 5
IMAGES = np.random.RandomState(0).standard_normal((N, ROWS * SIDE, COLUMNS * SIDE))
WEIGHTS = softmax(np.random.RandomState(1).standard_normal((3, 2, 6, 6)))


def patches_are_those_of_the_loop(function):
    found = function(IMAGES, SIDE)
    assert found.shape == (N, ROWS * COLUMNS, SIDE * SIDE)
    for n, a, b in np.ndindex(N, ROWS, COLUMNS):
        square = IMAGES[n, a * SIDE : (a + 1) * SIDE, b * SIDE : (b + 1) * SIDE]
        assert np.array_equal(found[n, a * COLUMNS + b], square.ravel())


def the_cut_is_undone(function):
    assert np.array_equal(function(patchify(IMAGES, SIDE), SIDE, ROWS), IMAGES)


def rollout_is_that_of_the_loop(function):
    """Sum over all ways through the layers, each step weighing half attention, half staying."""
    wanted = np.zeros((6, 6))
    A = WEIGHTS.mean(axis=1)
    for last, third, second, first in np.ndindex(6, 6, 6, 6):
        steps = ((last, third), (third, second), (second, first))
        share = 1.0
        for layer, (i, j) in zip((2, 1, 0), steps, strict=True):
            share *= 0.5 * A[layer, i, j] + 0.5 * (i == j)
        wanted[last, first] += share
    np.testing.assert_allclose(function(WEIGHTS), wanted, rtol=0, atol=1e-12)


def straight_to_rows(images, side):
    return images.reshape(len(images), -1, side * side)


def columns_first(images, side):
    n, height, width = images.shape
    cut = images.reshape(n, height // side, side, width // side, side)
    return cut.transpose(0, 3, 1, 2, 4).reshape(n, -1, side * side)


def pixels_turned(images, side):
    n = len(images)
    return patchify(images, side).reshape(n, -1, side, side).swapaxes(2, 3).reshape(n, -1, 25)


def back_straight(patches, side, rows):
    return patches.reshape(len(patches), rows * side, -1)


def without_staying(weights):
    mixed = np.eye(6)
    for A in weights.mean(axis=1):
        mixed = A @ mixed
    return mixed


def in_the_other_order(weights):
    return attention_rollout(weights[::-1])


def the_last_layer_alone(weights):
    return weights[-1].mean(axis=0)


RIGHT = (
    (patches_are_those_of_the_loop, patchify),
    (the_cut_is_undone, unpatchify),
    (rollout_is_that_of_the_loop, attention_rollout),
)
WRONG = (
    (patches_are_those_of_the_loop, straight_to_rows),
    (patches_are_those_of_the_loop, columns_first),
    (patches_are_those_of_the_loop, pixels_turned),
    (the_cut_is_undone, back_straight),
    (rollout_is_that_of_the_loop, without_staying),
    (rollout_is_that_of_the_loop, in_the_other_order),
    (rollout_is_that_of_the_loop, the_last_layer_alone),
)


@pytest.mark.parametrize(("check", "function"), RIGHT)
def test_the_specification(check, function):
    check(function)


@pytest.mark.parametrize(("check", "function"), WRONG)
def test_wrong_versions_are_caught(check, function):
    with pytest.raises((AssertionError, ValueError)):
        check(function)


def test_a_place_says_its_row_and_its_column():
    places = plane_positions(ROWS, COLUMNS, 12).reshape(ROWS, COLUMNS, 12)
    for a, b in np.ndindex(ROWS, COLUMNS):
        assert np.array_equal(places[a, b, :6], sinusoidal_positions(ROWS, 6)[a])
        assert np.array_equal(places[a, b, 6:], sinusoidal_positions(COLUMNS, 6)[b])


def test_shares_stay_shares():
    np.testing.assert_allclose(attention_rollout(WEIGHTS).sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: patchify(IMAGES, 4), "patchify: images must be pictures whose sides"),
        (lambda: patchify(IMAGES, 0), "patchify: side must be a positive whole number"),
        (lambda: unpatchify(np.ones((1, 6, 5)), 2, 3), "unpatchify: patches must be rows of 4"),
        (lambda: unpatchify(np.ones((1, 7, 4)), 2, 3), "unpatchify: patches must be a grid"),
        (lambda: plane_positions(2, 3, 5), "plane_positions: d_model must be even"),
        (lambda: attention_rollout(WEIGHTS[..., :5]), "attention_rollout: weights must be"),
        (lambda: attention_rollout(2 * WEIGHTS), "attention_rollout: weights must be"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
