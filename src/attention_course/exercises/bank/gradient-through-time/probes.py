"""How much of the first state is left in the last: a product of Jacobians, by hand."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("norms", "jacobian")


def drawn(n, d_x, d, size=1.0):
    def calls(rng):
        draw = rng.standard_normal
        x, W, U = draw((n, d_x)), size * draw((d, d)) / np.sqrt(d), draw((d, d_x)) / 2
        return [Call("gradient_through_time", (x, W, U), returns=RETURNS)]

    return calls


def silent(rng):
    """Inputs of zero after the first: the states fade, and tanh is steep."""
    draw = rng.standard_normal
    x, W, U = draw((9, 2)), draw((3, 3)) / 2, draw((3, 2))
    x[1:] = 0
    return [Call("gradient_through_time", (x, W, U), returns=RETURNS)]


PROBES = (
    Probe("five steps, a state of three", "norms", drawn(5, 2, 3)),
    Probe("a single step: the identity", "norms", drawn(1, 2, 4)),
    Probe("two steps: a single factor", "norms", drawn(2, 4, 3)),
    Probe("all sizes equal", "norms", drawn(4, 4, 4), EVERY_AXIS_FITS),
    Probe("a state of one number", "norms", drawn(6, 3, 1)),
    Probe("thirty steps", "long way", drawn(30, 3, 5)),
    Probe("a matrix that stretches", "long way", drawn(8, 2, 4, 2.5)),
    Probe("inputs that fall silent", "long way", silent),
)  # fmt: skip
