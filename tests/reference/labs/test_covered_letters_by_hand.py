"""A guess of a covered letter: what it may not depend on."""

import numpy as np

from attention_course.reference import guess_covered


def letters(n_heads=2, d=4):
    draw = np.random.RandomState(0).standard_normal
    shapes = {"letters": (30, d), "places": (6, d), "W_1": (d, 5), "b_1": 5, "W_2": (5, 26)}
    shapes |= dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), (d, d)) | {"b_2": 26}
    return {name: draw(shape) for name, shape in shapes.items()}


def test_a_guess_does_not_depend_on_the_padding_or_the_rest_of_the_batch():
    p = letters()
    one, weights = guess_covered(np.array([[1, 3, 5, 2]]), np.array([1]), p, 2)
    rows = np.array([[1, 3, 5, 2, 0, 0], [1, 7, 8, 3, 9, 2]])
    two, padded = guess_covered(rows, np.array([1, 3]), p, 2)
    np.testing.assert_allclose(two[0], one[0], atol=1e-14)
    np.testing.assert_allclose(padded[0, :, :4], weights[0], atol=1e-14)
    assert not padded[0, :, 4:].any()


def test_with_every_head_silent_a_guess_knows_only_the_place():
    p, silent = letters(), np.zeros(2, bool)
    guesses = [
        guess_covered(np.array([[1, 3, letter, 2]]), np.array([1]), p, 2, keep=silent)[0]
        for letter in (4, 5, 20)
    ]
    np.testing.assert_array_equal(guesses[0], guesses[1])
    np.testing.assert_array_equal(guesses[0], guesses[2])
