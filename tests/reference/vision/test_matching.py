"""The cost of a pair, and the cheapest matching, beside all that there are."""

from itertools import permutations

import numpy as np
import pytest

from attention_course.reference import match, matching_cost

RNG = np.random.RandomState(4)
DRAWN = (
    RNG.dirichlet(np.ones(6), size=5),
    RNG.random_sample((5, 4)),
    np.array([3, 0, 3]),
    RNG.random_sample((3, 4)),
)


def cheapest(cost):
    objects, queries = cost.shape
    rows = np.arange(objects)
    return min(cost[rows, list(p)].sum() for p in permutations(range(queries), objects))


def is_the_cheapest(function):
    rng = np.random.RandomState(0)
    for trial in range(300):
        objects = rng.randint(1, 5)
        shape = (objects, rng.randint(objects, 7))
        # Every other time whole numbers: many matchings cost the same.
        cost = rng.standard_normal(shape) if trial % 2 else 1.0 * rng.randint(0, 4, shape)
        chosen = function(cost)
        assert len({*chosen}) == objects
        total = cost[np.arange(objects), chosen].sum()
        assert total == pytest.approx(cheapest(cost), abs=1e-9)


def is_the_loop(function):
    probabilities, boxes, names, true_boxes = DRAWN
    came = function(*DRAWN)
    assert came.shape == (3, 5)
    for i, j in np.ndindex(3, 5):
        apart = sum(abs(boxes[j, k] - true_boxes[i, k]) for k in range(4))
        assert came[i, j] == pytest.approx(5 * apart - probabilities[j, names[i]])


def each_takes_its_own_best(cost):
    return cost.argmin(axis=1)


def first_come_first_served(cost):
    left, chosen = cost.copy(), []
    for row in range(len(left)):
        chosen.append(left[row].argmin())
        left[:, chosen[-1]] = np.inf
    return np.array(chosen)


def the_dearest(cost):
    return match(-cost)


def queries_first(*drawn):
    return matching_cost(*drawn).T


def straight_lines(probabilities, boxes, names, true_boxes):
    apart = np.linalg.norm(true_boxes[:, None] - boxes, axis=-1)
    return 5 * apart - probabilities[:, names].T


def names_added(probabilities, boxes, names, true_boxes):
    return matching_cost(-probabilities, boxes, names, true_boxes)


def test_no_matching_is_cheaper():
    is_the_cheapest(match)


def test_the_cost_is_that_of_the_loop():
    is_the_loop(matching_cost)


@pytest.mark.parametrize(
    "wrong", [each_takes_its_own_best, first_come_first_served, the_dearest]
)
def test_a_wrong_matching_is_noticed(wrong):
    with pytest.raises(AssertionError):
        is_the_cheapest(wrong)


@pytest.mark.parametrize("wrong", [queries_first, straight_lines, names_added])
def test_a_wrong_cost_is_noticed(wrong):
    with pytest.raises(AssertionError):
        is_the_loop(wrong)


def test_the_order_of_the_queries_does_not_matter():
    cost = np.random.RandomState(1).standard_normal((4, 6))
    order = np.random.RandomState(2).permutation(6)
    np.testing.assert_array_equal(order[match(cost[:, order])], match(cost))


def test_what_cannot_be_matched_is_refused():
    with pytest.raises(ValueError, match="match: cost must be an array with at least as many"):
        match(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="match: cost must be finite numbers"):
        match(np.full((1, 2), np.nan))
    probabilities, boxes, _, true_boxes = DRAWN
    with pytest.raises(ValueError, match="matching_cost: names must be numbers from 0 to 5"):
        matching_cost(probabilities, boxes, np.array([0, 1, 6]), true_boxes)
