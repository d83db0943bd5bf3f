"""Every conclusion of ``recurrent/bahdanau`` can come out False: made-up runs that do it."""

import numpy as np
import pytest

from attention_course.claims import (
    ahead_everywhere,
    always_below,
    concentrated,
    finds_most,
    keeps_more,
    learnt,
    looks_past,
    misaligned,
    near_misses,
    nearly_even,
    runs_along,
    same_score,
    share_kept,
)
from attention_course.reference import entropy, softmax

N = 27


def rows(scale):
    """Ten rows of weights over N positions, the sharper the larger the scale."""
    return softmax(scale * np.random.RandomState(0).standard_normal((10, N)))


def test_weights_that_were_trained_are_not_even():
    assert nearly_even(entropy(rows(0.05)), N)
    assert not nearly_even(entropy(rows(1.0)), N)
    assert not nearly_even(entropy(np.eye(10, N)), N)


def test_weights_that_were_not_trained_are_not_concentrated():
    assert concentrated(entropy(rows(6.0)), N)
    assert not concentrated(entropy(rows(1.0)), N)
    assert not concentrated(entropy(np.full((10, N), 1 / N)), N)


def test_even_weights_do_not_look_past_the_first_word():
    assert not looks_past(np.full((10, N), 1 / N), slice(0, 8))
    late = np.hstack([np.full((10, 8), 0.005), np.full((10, N - 8), 0.96 / (N - 8))])
    assert looks_past(late, slice(0, 8))
    assert not looks_past(late[:, ::-1], slice(0, 8))


def test_an_alignment_without_errors_is_not_misaligned():
    assert misaligned([0.2] * 200)
    assert not misaligned([0.0] * 199 + [1.0])


def test_links_to_anywhere_are_no_near_misses():
    rng = np.random.RandomState(0)
    assert near_misses([1] * 80 + [2] * 12)
    assert not near_misses(rng.randint(-12, 13, 200).tolist())
    assert not near_misses([2, 2, 2])
    assert not near_misses([1, -7])


def test_without_a_miss_nothing_can_be_said():
    with pytest.raises(ValueError, match="near_misses: distances must hold at least one"):
        near_misses([])


def test_a_model_that_stumbles_over_dates_has_not_learnt_them():
    assert learnt([0.99], at_least=0.97)
    assert not learnt([0.96], at_least=0.97)
    assert learnt([0.96]), "a fixed context that has learnt them turns the other sentence False"


def test_one_seed_at_one_length_is_enough_to_spoil_it():
    fixed = np.array([[7.0, 6.5, 6.0], [7.2, 6.6, 6.1], [6.9, 6.4, 6.2]])
    attention = fixed + 8
    assert ahead_everywhere(attention, fixed)
    attention[1, 2] = 6.15
    assert not ahead_everywhere(attention, fixed)
    assert not ahead_everywhere(fixed, fixed)


def test_curves_over_other_lengths_are_refused():
    with pytest.raises(
        ValueError, match="ahead_everywhere: better and worse must have the sam"
    ):
        ahead_everywhere(np.ones((3, 4)), np.ones((3, 5)))


def test_a_fixed_context_that_holds_up_as_well_keeps_as_much():
    rng = np.random.RandomState(0)
    flat, falling = np.full(7, 15.0), np.linspace(9.0, 6.5, 7)
    runs = [np.array([c + rng.normal(0, 0.1, 7) for _ in range(3)]) for c in (flat, falling)]
    assert keeps_more(*runs)
    assert not keeps_more(*runs[::-1])
    assert not keeps_more(runs[0], runs[0])
    assert not keeps_more(2 * runs[1], runs[1]), "twice as good and falling as fast"


def test_the_share_kept_is_that_of_the_ends():
    assert share_kept([10.0, 30.0, 99.0, 5.0, 15.0]) == pytest.approx(0.5)
    with pytest.raises(
        ValueError, match="share_kept: curve must hold at least 4 lengths, got 3"
    ):
        share_kept([1.0, 2.0, 3.0])


def test_another_models_score_is_not_the_recorded_one():
    assert same_score(15.4, 15.5)
    assert not same_score(7.0, 15.5)
    assert not same_score(16.1, 15.5)


def test_a_fixed_vector_that_translates_better_in_one_seed_spoils_the_comparison():
    assert always_below([7.0, 6.8, 7.2], [15.5, 15.1, 16.0])
    assert not always_below([7.0, 15.3, 7.2], [15.5, 15.1, 16.0])


def test_a_dictionary_by_chance_is_not_right():
    right = {"god": ["dieu"], "land": ["pays", "terre"], "house": ["maison"], "if": ["si"]}
    good = {"god": "dieu", "land": "pays", "house": "maison", "if": "et"}
    assert finds_most(good, right)
    assert not finds_most(good | {"land": ","}, right)
    assert not finds_most({}, right)
    with pytest.raises(ValueError, match="finds_most: right must hold at least one word"):
        finds_most(good, {})


def test_links_to_anywhere_do_not_run_along():
    rng = np.random.RandomState(0)
    ahead = [list(range(12)) for _ in range(50)]
    assert runs_along(ahead)
    assert not runs_along([rng.permutation(12).tolist() for _ in range(50)])
    assert not runs_along([row[::-1] for row in ahead])
    swapped = [[*row[6:], *row[:6]] for row in ahead]
    assert not runs_along(swapped), "halves that change places"
    with pytest.raises(ValueError, match="runs_along: positions must have a sentence that mo"):
        runs_along([[2, 2, 2]])
