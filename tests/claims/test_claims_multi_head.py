"""The decisions that the chapter on heads prints: measurements that turn each of them False."""

import numpy as np
import pytest

from attention_course.claims import (
    a_place_each,
    best_is_between,
    ends_alike,
    must_compromise,
    none_carries_it_all,
    roles_are_assigned,
)


@pytest.mark.parametrize(
    ("one", "more", "expected"),
    [
        ([0.5, 0.49, 0.52], [0.01, 0.0, 0.04], True),
        ([0.5, 0.3, 0.5], [0.01, 0.0, 0.0], False),  # one head found a way
        ([0.5, 0.9, 0.5], [0.01, 0.0, 0.0], False),  # one head learned nothing
        ([0.5, 0.5, 0.5], [0.01, 0.2, 0.0], False),  # two heads did not get there
    ],
)
def test_one_head_must_compromise_only_if_it_is_at_the_floor_and_two_are_not(
    one, more, expected
):
    assert must_compromise(one, more, 0.5) is expected


def test_runs_with_the_same_favourites_would_be_assigned_roles():
    rng = np.random.RandomState(0)
    run = (np.eye(7)[[2, 4, 1, 4]] + rng.dirichlet(np.ones(7), size=4)) / 2
    near = [run + rng.uniform(0, 1e-6, run.shape) for _ in range(3)]
    assert roles_are_assigned(near)
    assert not roles_are_assigned([run, run[[1, 0, 2, 3]]])


def test_a_best_setting_at_either_end_of_one_run_is_enough_to_deny_it():
    assert best_is_between([[2.2, 2.0, 2.1]] * 3)
    assert not best_is_between([[2.2, 2.0, 2.1], [2.2, 2.1, 2.0]])
    assert not best_is_between([[1.9, 2.0, 2.1], [2.2, 2.0, 2.1]])


def test_a_head_that_carries_half_is_seen():
    assert none_carries_it_all(2.0, [2.2, 2.1, 2.05], 3.0)
    assert not none_carries_it_all(2.0, [2.0, 2.6, 2.0], 3.0)


def test_two_heads_at_the_same_place_do_not_have_one_each():
    places = np.random.RandomState(0).permutation(8)[:2][None, None].repeat(50, 0)
    apart = np.swapaxes(places, 1, 2)
    assert a_place_each(apart, places) == a_place_each(apart[:, ::-1], places) == 1.0
    together = apart[:, [0, 0]]
    assert a_place_each(together, places) == 0.5


def test_heads_that_change_places_halfway_do_not_have_one_each():
    places = np.array([[[3, 5]]]).repeat(50, 0)
    most = np.swapaxes(places, 1, 2).copy()
    most[25:] = most[25:, ::-1]
    assert a_place_each(most, places) == 0.5


def test_a_run_that_learned_nothing_does_not_end_alike():
    assert ends_alike(2.2, [2.21, 2.25, 2.19])
    assert not ends_alike(2.94, [2.21, 2.25, 2.19])
    assert not ends_alike(1.9, [2.21, 2.25, 2.19])
