"""Local attention: window, centre, Gaussian, and the gradient through the centre."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import softmax
from attention_course.reference.recurrent.local import (
    centre_gradient,
    local_weights,
    local_weights_by_loops,
    predicted_centres,
    predictor_gradients,
    window,
)

pytestmark = pytest.mark.usefixtures("untyped")


def example(seed, n_queries=3, n_keys=7, D=2):
    """Scores, and centres whose windows' edges stay away from every position."""
    rng = np.random.RandomState(seed)
    scores = rng.standard_normal((n_queries, n_keys))
    whole = rng.randint(0, n_keys, n_queries)
    return scores, whole + rng.uniform(0.1, 0.9, n_queries), D


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_the_whole_batch_is_the_loops(seed, n_keys, D, gaussian):
    scores, p, _ = example(seed, n_keys=n_keys)
    rng = np.random.RandomState(seed)
    length = rng.randint(1, n_keys + 1)
    mask = np.arange(n_keys) < length
    loops = local_weights_by_loops(scores, p, D, gaussian, length)
    np.testing.assert_allclose(local_weights(scores, p, D, gaussian, mask), loops, atol=1e-14)


def test_a_window_without_gaussian_that_holds_everything_is_the_plain_softmax():
    scores, p, _ = example(0)
    np.testing.assert_allclose(local_weights(scores, p, 9, False), softmax(scores), atol=1e-15)


def test_the_softmax_runs_over_the_window_and_the_product_is_not_normalised_again():
    scores, p, D = example(1)
    for t in range(len(scores)):
        inside = [s for s in range(7) if abs(s - p[t]) <= D]
        align = softmax(scores[t, inside])
        bell = np.exp(-2 * (np.array(inside) - p[t]) ** 2 / D**2)  # sigma is D / 2
        np.testing.assert_allclose(local_weights(scores, p, D)[t, inside], align * bell)
    assert (local_weights(scores, p, D).sum(-1) < 1).all()
    np.testing.assert_allclose(local_weights(scores, p, D, False).sum(-1), 1)


def test_at_the_edge_of_the_window_the_gaussian_is_one_over_e_squared():
    flat = local_weights(np.zeros((1, 9)), np.array([4.0]), 2)[0]
    np.testing.assert_allclose(flat[[2, 6]] / flat[4], np.exp(-2))
    assert flat[1] == flat[7] == 0


def test_a_window_that_lies_beyond_the_source_gives_zeros():
    scores = np.ones((2, 4))
    p = np.array([3.0, 6.0])
    assert local_weights(scores, p, 2)[1].tolist() == [0, 0, 0, 0]
    assert local_weights_by_loops(scores, p, 2, False)[1].tolist() == [0, 0, 0, 0]
    assert window(p, 4, 2).sum(-1).tolist() == [3, 0]


def test_the_window_holds_both_its_edges():
    assert window(np.array([3.0, 3.5]), 9, 2).sum(-1).tolist() == [5, 4]


@given(st.integers(0, 99), st.integers(1, 30))
def test_predicted_centres_lie_in_the_source(seed, n_keys):
    draw = np.random.RandomState(seed).standard_normal
    p = predicted_centres(draw((4, 3)), 3 * draw((5, 3)), 3 * draw(5), n_keys)
    assert ((p > 0) & (p < n_keys)).all()


def test_a_predictor_that_says_nothing_points_at_the_middle_of_any_source():
    for n_keys in (1, 4, 9):
        p = predicted_centres(np.ones((1, 3)), np.ones((2, 3)), np.zeros(2), n_keys)
        assert p.tolist() == [n_keys / 2]


def slopes_by_moving(loss, x, step=1e-6):
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        plus, minus = x.copy(), x.copy()
        plus[place] += step
        minus[place] -= step
        found[place] = (loss(plus) - loss(minus)) / (2 * step)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_centres_gradient_is_the_slope(seed):
    scores, p, D = example(seed)
    g = np.random.RandomState(seed).standard_normal(scores.shape)
    wanted = slopes_by_moving(lambda p: (g * local_weights(scores, p, D)).sum(), p)
    found = centre_gradient(local_weights(scores, p, D), p, D, g)
    np.testing.assert_allclose(found, wanted, atol=1e-8)
    assert np.abs(wanted).max() > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_the_predictors_gradients_are_the_slopes(seed):
    draw = np.random.RandomState(seed).standard_normal
    arrays, n_keys, g = [draw((3, 4)), draw((5, 4)), draw(5)], 7, draw(3)
    found = predictor_gradients(*arrays, n_keys, g)
    for i, x in enumerate(arrays):

        def loss(moved, i=i):
            given = [*arrays[:i], moved, *arrays[i + 1 :]]
            return (g * predicted_centres(*given, n_keys)).sum()

        np.testing.assert_allclose(found[i], slopes_by_moving(loss, x), atol=1e-8)


def test_without_the_gaussian_a_centre_has_no_slope_but_for_jumps():
    scores, p, D = example(0)
    g = np.random.RandomState(0).standard_normal(scores.shape)
    slopes = slopes_by_moving(lambda p: (g * local_weights(scores, p, D, False)).sum(), p)
    assert np.abs(slopes).max() == 0


def test_at_an_edge_the_weights_jump():
    scores, D = np.zeros((1, 7)), 2
    before, after = (local_weights(scores, np.array([p]), D) for p in (3.0 - 1e-9, 3.0 + 1e-9))
    assert np.abs(after - before).max() > 0.02


def renormalised(scores, p, D, gaussian=True, mask=None):
    weights = local_weights(scores, p, D, gaussian, mask)
    return weights / weights.sum(-1, keepdims=True)


def softmax_over_the_whole_source(scores, p, D, gaussian=True, mask=None):
    inside = window(p, scores.shape[-1], D)
    bell = np.exp(-2 * (np.arange(scores.shape[-1]) - p[:, None]) ** 2 / D**2)
    return softmax(scores, mask=mask) * inside * (bell if gaussian else 1)


def gaussian_added_to_the_scores(scores, p, D, gaussian=True, mask=None):
    off = np.arange(scores.shape[-1]) - p[:, None]
    inside = np.abs(off) <= D
    inside = inside if mask is None else inside & mask
    return softmax(scores - (2 * off**2 / D**2 if gaussian else 0), mask=inside)


def sigma_is_D(scores, p, D, gaussian=True, mask=None):
    off = np.arange(scores.shape[-1]) - p[:, None]
    bell = np.exp(-(off**2) / (2 * D**2)) if gaussian else 1.0
    return local_weights(scores, p, D, False, mask) * bell


def rounded_centre(scores, p, D, gaussian=True, mask=None):
    return local_weights(scores, np.round(p), D, gaussian, mask)


@pytest.mark.parametrize(
    "wrong",
    [
        renormalised,
        softmax_over_the_whole_source,
        gaussian_added_to_the_scores,
        sigma_is_D,
        rounded_centre,
    ],
)
def test_what_one_writes_by_mistake_is_not_the_loops(wrong):
    scores, p, D = example(2)
    loops = local_weights_by_loops(scores, p, D)
    assert np.abs(wrong(scores, p, D) - loops).max() > 1e-3


def without_the_weight(a, p, D, g):
    return (g * (np.arange(a.shape[-1]) - p[:, None])).sum(-1) / (D / 2) ** 2


def sign_turned(a, p, D, g):
    return -centre_gradient(a, p, D, g)


def sigma_not_squared(a, p, D, g):
    return centre_gradient(a, p, D, g) * (D / 2)


def as_if_normalised_again(a, p, D, g):
    mean = (a * (np.arange(a.shape[-1]) - p[:, None])).sum(-1, keepdims=True)
    return (g * a * (np.arange(a.shape[-1]) - p[:, None] - mean)).sum(-1) / (D / 2) ** 2


@pytest.mark.parametrize(
    "wrong", [without_the_weight, sign_turned, sigma_not_squared, as_if_normalised_again]
)
def test_a_wrong_gradient_is_not_the_slope(wrong):
    scores, p, D = example(3, D=3)
    g = np.random.RandomState(3).standard_normal(scores.shape)
    a = local_weights(scores, p, D)
    slope = slopes_by_moving(lambda p: (g * local_weights(scores, p, D)).sum(), p)
    assert np.abs(wrong(a, p, D, g) - slope).max() > 1e-3
