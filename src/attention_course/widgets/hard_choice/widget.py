"""Hard choices by the hundred: watch an estimate of the gradient find the exact one, or not."""

from typing import ClassVar

from attention_course.widgets.kit.base import CourseWidget
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

    def _check(self) -> None:
        if len(self.scores) != len(self.rewards):
            raise ValueError(
                f"HardChoice: rewards must be one for each of {len(self.scores)} scores, "
                f"got {len(self.rewards)}"
            )
