"""A small Transformer that learns with a right or a wrong backward pass of attention.

    python benchmarks/own_backward.py             # goes on where it was: two CPU minutes
    python benchmarks/own_backward.py --quick     # a few steps, nothing stored

The model is that of ``ac.train_with``. The wrong ones are named mistakes of the exercise
attention-backward. All of a seed begin with the same parameters and see the same batches.
"""

import json

from shared import ROOT, command_line, means, store, work

from attention_course.assembled.learner import Learner
from attention_course.exercises.bank import exercise_named

SEEDS, STEPS, EVERY = (0, 1, 2), 400, 25
EXERCISE = exercise_named("attention-backward")
RIGHT = "no mistake"
MISTAKES = (
    "the scale is forgotten on the way back",
    "the common part of the softmax's slope is not taken away",
    "the scores' gradient is not transposed for k where that fits",
    "the scores' gradient has the wrong sign",
)


def backward(name: str):
    """Return the function of the solution, or of a named mistake in it."""
    found = {wrong.name: EXERCISE.source_of(wrong) for wrong in EXERCISE.wrong}
    space: dict = {}
    exec(found.get(name, EXERCISE.solution), space)
    return space[EXERCISE.target]


def run(name: str, of: str, seed: int, steps: int = STEPS) -> list[float]:
    """Train once; return the mean losses of every 25 steps."""
    learner = Learner(backward(name), seed)
    for _ in range(steps):
        learner.step()
    return means(learner.losses, EVERY)


def main() -> None:
    """Read the command line, run what is not there yet, record when all is."""
    parser = command_line(__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="CPU minutes of this call")
    given = parser.parse_args()
    if given.quick:
        print(run(MISTAKES[0], "seed", 0, EVERY))
        return
    folder = ROOT / "build/own_backward"
    names = RIGHT, *MISTAKES
    runs = [(name, "seed", seed) for name in names for seed in SEEDS]
    if not work(folder, given.minutes, runs, run):
        return
    found = {
        name: [json.loads((folder / f"{name} seed {seed}.json").read_text()) for seed in SEEDS]
        for name in names
    }
    about = {"steps": STEPS, "every": EVERY}
    store(__file__, found, seeds=list(SEEDS), settings=about)


if __name__ == "__main__":
    main()
