"""Hard choices by the hundred: watch an estimate of the gradient find the exact one, or not."""

from typing import Any, ClassVar

import numpy as np

from attention_course.reference import softmax
from attention_course.reference.recurrent.gumbel import gumbel_noise, straight_through_gradient
from attention_course.reference.recurrent.hard import (
    best_baseline,
    choose,
    expected_reward_gradient,
    moving_baselines,
    reinforce_gradients,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice, number, numbers, whole

ESTIMATORS = ("plain", "moving baseline", "best baseline", "straight-through")
LIMIT, FEWEST, MOST = 10.0, 2, 6


class HardChoice(CourseWidget, folder="hard_choice"):
    """One row of weights; each choice brings a reward and an estimate of the gradient.

    Attributes:
        scores: 2 to 6 numbers from -10 to 10.
        rewards: as many, the reward of each choice.
        shift: added to every reward, -10 to 20.
        estimator: "plain", "moving baseline", "best baseline" or "straight-through".
        samples: how many choices are made, 10 to 10,000.
        tau: temperature of the straight-through estimate, 0.1 to 5.
        seed: of the generator, 0 to 999.
    """

    _state: ClassVar[tuple[str, ...]] = (
        "scores",
        "rewards",
        "shift",
        "estimator",
        "samples",
        "tau",
        "seed",
    )

    scores = numbers(LIMIT, FEWEST, MOST, [1.0, 0.0, 0.5, -0.5, 0.2])
    rewards = numbers(LIMIT, FEWEST, MOST, [-0.5, -3.0, -2.0, -4.0, -2.5])
    shift = number(-10.0, 20.0, 0.0)
    estimator = choice(ESTIMATORS, "plain", ("no baseline", *ESTIMATORS[1:]))
    samples = whole(10, 10_000, 100, stops=(10, 30, 100, 300, 1000, 3000, 10_000))
    tau = number(0.1, 5.0, 1.0)
    seed = whole(0, 999, 0)

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows: counts, both gradients, distance and variance."""
        if len(self.scores) != len(self.rewards):
            raise ValueError(
                f"HardChoice: rewards must be one for each of {len(self.scores)} scores, "
                f"got {len(self.rewards)}"
            )
        scores, rewards = np.array(self.scores), np.array(self.rewards) + self.shift
        weights, rng = softmax(scores), np.random.RandomState(self.seed)
        exact = expected_reward_gradient(scores, rewards)
        if self.estimator == "straight-through":
            noise = gumbel_noise((self.samples, len(scores)), rng)
            choices = (scores + noise).argmax(-1)
            slopes = np.broadcast_to(rewards, noise.shape)
            estimates = straight_through_gradient(scores, noise, self.tau, slopes)
        else:
            choices = choose(weights, rng.random_sample((self.samples,)))
            settings: dict[str, np.ndarray | float] = {
                "plain": 0.0,
                "moving baseline": moving_baselines(rewards[choices]),
                "best baseline": float(best_baseline(weights, rewards)),
            }
            baselines = settings[self.estimator]
            estimates = reinforce_gradients(weights, choices, rewards[choices], baselines)
        mean = estimates.mean(axis=0)
        return {
            "weights": weights,
            "exacts": exact,
            "means": mean,
            "counts": np.bincount(choices, minlength=len(scores)),
            "distance": float(np.linalg.norm(mean - exact)),
            "error": float(((estimates - exact) ** 2).sum(axis=1).mean()),
        }

    def _fallback(self) -> str:
        n = self.readouts()
        rows = [
            (
                f"{j + 1}",
                f"{w:.3f}",
                f"{r + self.shift:g}",
                f"{c}",
                f"{e:.3f}",
                f"{m:.3f}",
            )
            for j, (w, r, c, e, m) in enumerate(
                zip(
                    n["weights"],
                    self.rewards,
                    n["counts"],
                    n["exacts"],
                    n["means"],
                    strict=True,
                )
            )
        ]
        sentence = (
            f"<p>{self.samples} choices, {self.estimator}: the mean estimate is "
            f"{n['distance']:.3f} away from the exact gradient; a single one misses it by a "
            f"mean square of {n['error']:.3g}.</p>"
        )
        head = ("position", "weight", "reward", "chosen", "exact gradient", "mean estimate")
        return sentence + table(head, rows, "Choices and gradients")
