"""Hard attention's gradients against loops, sums over all choices, and finite differences."""

import numpy as np
import pytest

from attention_course.reference import entropy, softmax
from attention_course.reference.recurrent.gumbel import (
    gumbel_noise,
    relaxed_choice,
    straight_through_gradient,
)
from attention_course.reference.recurrent.hard import (
    best_baseline,
    choose,
    expected_reward_gradient,
    moving_baselines,
    reinforce_gradients,
    reinforce_variance,
    stochastic_gradient_by_loops,
)

E = np.array([1.0, 0.0, 0.5, -0.5, 0.2])
R = np.array([-0.5, -3.0, -2.0, -4.0, -2.5])
W = softmax(E)


def slope(function, x, step=1e-6):
    """Central differences of a scalar function."""
    moved = step * np.eye(len(x))
    return np.array([(function(x + d) - function(x - d)) / (2 * step) for d in moved])


def every_estimate(baseline):
    """The REINFORCE estimate of every choice, once."""
    return reinforce_gradients(W, np.arange(5), R, baseline)


# ---- choosing ----


def choose_by_loop(weights, u):
    total = 0.0
    for j, w in enumerate(weights):
        total += w
        if total > u:
            return j
    return max(j for j, w in enumerate(weights) if w > 0)


def test_choices_are_those_of_a_loop():
    u = np.random.RandomState(0).random_sample(500)
    assert choose(W, u).tolist() == [choose_by_loop(W, x) for x in u]


def test_a_batch_of_rows_is_chosen_row_by_row():
    draw = np.random.RandomState(1)
    weights, u = softmax(draw.standard_normal((3, 4, 5))), draw.random_sample((7, 3, 4))
    chosen = choose(weights, u)
    assert chosen.shape == (7, 3, 4)
    assert chosen[6, 2, 1] == choose_by_loop(weights[2, 1], u[6, 2, 1])


def test_frequencies_are_the_weights():
    chosen = choose(W, np.random.RandomState(2).random_sample(40_000))
    assert np.abs(np.bincount(chosen) / 40_000 - W).max() < 4 * np.sqrt(0.25 / 40_000)


def test_nothing_is_chosen_where_the_weight_is_zero():
    u = np.array([0.0, 0.3, 0.9999999999999999])
    assert choose(np.array([0.0, 0.4, 0.6 - 1e-12, 0.0]), u).tolist() == [1, 1, 2]
    assert choose(np.zeros((1, 3)), np.array([0.5])).tolist() == [-1]


# ---- gradients ----


def test_the_exact_gradient_is_the_slope_of_the_expected_reward():
    by_hand = slope(lambda e: softmax(e) @ R, E)
    np.testing.assert_allclose(expected_reward_gradient(E, R), by_hand, atol=1e-9)


@pytest.mark.parametrize("baseline", [0.0, -2.0, 7.0])
def test_reinforce_is_unbiased_with_any_constant_baseline(baseline):
    mean = W @ every_estimate(baseline)  # every choice, weighted by its probability
    np.testing.assert_allclose(mean, expected_reward_gradient(E, R), atol=1e-12)


@pytest.mark.parametrize("baseline", [0.0, -2.0, 7.0])
def test_the_variance_is_the_sum_over_all_choices(baseline):
    off = every_estimate(baseline) - expected_reward_gradient(E, R)
    assert reinforce_variance(W, R, baseline) == pytest.approx(W @ (off**2).sum(1), rel=1e-12)


def test_no_constant_has_less_variance_than_the_best():
    best = float(best_baseline(W, R))
    least = reinforce_variance(W, R, best)
    around = np.linspace(best - 3, best + 3, 61)
    assert all(reinforce_variance(W, R, b) >= least - 1e-12 for b in around)
    assert reinforce_variance(W, R, float(W @ R)) > least  # not simply the mean reward


def test_a_shifted_reward_changes_the_variance_only_without_baseline():
    up = R + 10
    np.testing.assert_allclose(
        expected_reward_gradient(E, up), expected_reward_gradient(E, R), atol=1e-12
    )
    assert reinforce_variance(W, up) > 10 * reinforce_variance(W, R)
    assert best_baseline(W, up) == pytest.approx(float(best_baseline(W, R)) + 10)


def test_the_papers_rule_is_the_sum_of_its_parts():
    choices = np.array([0, 3, 3, 1])
    parts = 0.5 * reinforce_gradients(W, choices, R[choices], -2.0).mean(0)
    rule = stochastic_gradient_by_loops(E, R, choices, -2.0, 0.5, 0.1)
    of_entropy = slope(lambda e: float(entropy(softmax(e))), E)
    np.testing.assert_allclose(rule, parts + 0.1 * of_entropy, atol=1e-9)


def test_a_moving_baseline_has_seen_only_earlier_rewards():
    rewards = np.array([3.0, -1.0, 4.0, 1.0])
    wanted, b = [], 0.0
    for reward in rewards:
        wanted.append(b)
        b = 0.9 * b + 0.1 * reward
    np.testing.assert_allclose(moving_baselines(rewards), wanted)
    changed = moving_baselines(np.array([3.0, -1.0, 4.0, 99.0]))
    np.testing.assert_array_equal(changed, moving_baselines(rewards))


# ---- Gumbel ----


def test_the_largest_noisy_score_falls_as_the_softmax_says():
    noise = gumbel_noise((40_000, 5), np.random.RandomState(3))
    shares = np.bincount((E + noise).argmax(1)) / 40_000
    assert np.abs(shares - W).max() < 4 * np.sqrt(0.25 / 40_000)
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    assert noise.var() == pytest.approx(np.pi**2 / 6, rel=0.03)


def test_noise_is_finite_where_the_uniform_number_is_zero():
    class Zero(np.random.RandomState):
        def random_sample(self, size=None):
            return np.zeros(size)

    assert np.isfinite(gumbel_noise((2,), Zero(0))).all()


@pytest.mark.parametrize("tau", [0.3, 1.0, 4.0])
def test_straight_through_is_the_slope_of_the_relaxed_reward(tau):
    noise = gumbel_noise((5,), np.random.RandomState(4))
    by_hand = slope(lambda e: relaxed_choice(e, noise, tau) @ R, E)
    found = straight_through_gradient(E, noise, tau, R)
    np.testing.assert_allclose(found, by_hand, atol=1e-8)


def test_straight_through_is_biased_and_less_so_when_cold():
    noise = gumbel_noise((60_000, 5), np.random.RandomState(5))
    exact, off, spread = expected_reward_gradient(E, R), [], []
    for tau in (0.2, 1.0, 5.0):
        found = straight_through_gradient(E, noise, tau, np.broadcast_to(R, noise.shape))
        off.append(np.linalg.norm(found.mean(0) - exact))
        spread.append(found.var(0).sum())
    assert off[0] < off[1] < off[2]
    assert spread[0] > spread[1] > spread[2]
    assert off[1] > 20 * np.sqrt(spread[1] / 60_000)


# ---- wrong versions, by name, and what notices them ----


def a_baseline_that_has_seen_its_reward(rewards):
    b, out = 0.0, []
    for reward in rewards:
        b = 0.9 * b + 0.1 * reward
        out.append(b)
    return np.array(out)


def the_temperature_forgotten(scores, noise, tau, slopes):
    return tau * straight_through_gradient(scores, noise, tau, slopes)


def the_reward_of_another(weights, choices, rewards, baselines):
    return reinforce_gradients(weights, choices, np.roll(rewards, 1), baselines)


def only_the_chosen_score(weights, choices, rewards, baselines):
    return (rewards - baselines)[:, None] * np.eye(len(weights))[choices]


def the_variance_about_zero(weights, rewards, baseline=0.0):
    exact = expected_reward_gradient(np.log(weights), rewards)
    return reinforce_variance(weights, rewards, baseline) + (exact**2).sum()


@pytest.mark.parametrize("wrong", [the_reward_of_another, only_the_chosen_score])
def test_a_wrong_estimate_is_biased(wrong):
    mean = W @ wrong(W, np.arange(5), R, 0.0)
    assert np.abs(mean - expected_reward_gradient(E, R)).max() > 0.05


def test_a_baseline_that_has_seen_its_reward_shrinks_the_mean():
    choices = choose(W, np.random.RandomState(6).random_sample(40_000))
    seen = a_baseline_that_has_seen_its_reward(R[choices])
    mean = reinforce_gradients(W, choices, R[choices], seen).mean(0)
    assert mean[0] / expected_reward_gradient(E, R)[0] == pytest.approx(0.9, abs=0.04)


def test_a_forgotten_temperature_is_not_the_slope():
    noise = gumbel_noise((5,), np.random.RandomState(4))
    by_hand = slope(lambda e: relaxed_choice(e, noise, 0.3) @ R, E)
    assert np.abs(the_temperature_forgotten(E, noise, 0.3, R) - by_hand).max() > 0.01


def test_a_variance_about_zero_is_not_the_sum_over_choices():
    off = every_estimate(0.0) - expected_reward_gradient(E, R)
    wanted = W @ (off**2).sum(1)
    assert the_variance_about_zero(W, R) > wanted + 0.1


# ---- bad input ----
