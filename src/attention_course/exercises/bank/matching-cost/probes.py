"""What it would cost to let each query answer for each object."""

from functools import partial

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("cost",)
# A box has four numbers.
OfBoxes = partial(Probe, fixed=(4,))


def ask(rng, n_objects, n_queries, n_classes, padded=0):
    probabilities = rng.dirichlet(np.full(n_classes, 0.7), size=n_queries)
    boxes, true_boxes = 9 * rng.random((n_queries, 4)), 9 * rng.random((n_objects, 4))
    names = rng.integers(n_classes, size=n_objects)
    gone = rng.permutation(n_objects)[:padded]
    names[gone] = -1
    return Call("matching_cost", (probabilities, boxes, names, true_boxes), returns=RETURNS)


def of_one_class(rng):
    call = ask(rng, 4, 5, 3)
    call.args[2][...] = rng.integers(3)
    return [call]


def nonsense(rng):
    call = ask(rng, 5, 6, 3, padded=2)
    call.args[3][call.args[2] < 0] = np.nan
    return [call]


PROBES = (
    OfBoxes("three objects, five queries", "cost", lambda rng: [ask(rng, 3, 5, 6)]),
    OfBoxes("all sizes equal", "cost", lambda rng: [ask(rng, 4, 4, 4)], EVERY_AXIS_FITS),
    OfBoxes("a single object", "cost", lambda rng: [ask(rng, 1, 3, 5)]),
    OfBoxes("objects of one class", "cost", of_one_class),
    OfBoxes("padded objects", "padded objects", lambda rng: [ask(rng, 6, 7, 5, padded=3)],
        "Which column does -1 pick?"),
    OfBoxes("padded boxes of nan", "padded objects", nonsense, "0 times nan is nan."),
)  # fmt: skip
