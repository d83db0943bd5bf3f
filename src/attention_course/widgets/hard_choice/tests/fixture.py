"""Sampled choices, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference import softmax
from attention_course.reference.recurrent.gumbel import gumbel_noise, straight_through_gradient
from attention_course.reference.recurrent.hard import (
    best_baseline,
    choose,
    expected_reward_gradient,
    moving_baselines,
    reinforce_gradients,
)
from attention_course.widgets.hard_choice.widget import ESTIMATORS


def shown(
    scores: Any, rewards: Any, shift: float, estimator: str, samples: int, tau: float, seed: int
) -> dict[str, Any]:
    """Return the read-outs of a setting: counts, both gradients, distance and variance."""
    scores, rewards = np.array(scores), np.array(rewards) + shift
    weights, rng = softmax(scores), np.random.RandomState(seed)
    exact = expected_reward_gradient(scores, rewards)
    if estimator == "straight-through":
        noise = gumbel_noise((samples, len(scores)), rng)
        choices = (scores + noise).argmax(-1)
        slopes = np.broadcast_to(rewards, noise.shape)
        estimates = straight_through_gradient(scores, noise, tau, slopes)
    else:
        choices = choose(weights, rng.random_sample((samples,)))
        baselines: Any = {
            "plain": 0.0,
            "moving baseline": moving_baselines(rewards[choices]),
            "best baseline": float(best_baseline(weights, rewards)),
        }[estimator]
        estimates = reinforce_gradients(weights, choices, rewards[choices], baselines)
    mean = estimates.mean(axis=0)
    return {
        "weight": weights,
        "exact": exact,
        "mean": mean,
        "count": np.bincount(choices, minlength=len(scores)),
        "distance": np.linalg.norm(mean - exact),
        "error": ((estimates - exact) ** 2).sum(axis=1).mean(),
    }


def hard_choice() -> list[dict[str, Any]]:
    """Return sampled choices with their estimates, for every estimator."""
    draw = np.random.RandomState(11)
    rows = []
    for i in range(48):
        n = int(draw.randint(2, 7))
        setting = {
            "scores": draw.uniform(-3, 3, n).round(2).tolist(),
            "rewards": draw.uniform(-6, 2, n).round(2).tolist(),
            "shift": float(draw.randint(-10, 21)),
            "estimator": ESTIMATORS[i % 4],
            "samples": int(draw.choice([10, 30, 100, 300])),
            "tau": round(float(10 ** draw.uniform(-0.9, 0.6)), 3),
            "seed": int(draw.randint(1000)),
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"hard_choice": hard_choice}
