"""Layer normalisation: each vector by itself, over its last axis."""

from dataclasses import replace

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, *size, far=2.0, middle=1.0):
    x = far * rng.standard_normal(size) + middle
    gain, shift = 1 + 0.5 * rng.random(size[-1]), 0.5 * rng.standard_normal(size[-1])
    return Call("normalise_vectors", (x, gain, shift), returns=("x",))


def gain_from_one(call):
    """Hand over the gain as what it is more than 1."""
    x, gain, shift = call.args
    return replace(call, args=(x, gain - 1, shift))


def nearly_constant(rng):
    x = rng.standard_normal((4, 1)) + 2e-3 * rng.standard_normal((4, 8))
    return [replace(ask(rng, 4, 8), args=(x, *ask(rng, 4, 8).args[1:]))]


PROBES = (
    Probe("a single vector", "a vector", lambda rng: [ask(rng, 1, 6)]),
    Probe("a vector of two numbers", "a vector", lambda rng: [ask(rng, 1, 2)]),
    Probe("five vectors", "many vectors", lambda rng: [ask(rng, 5, 6)]),
    Probe("as many vectors as numbers in each", "many vectors",
        lambda rng: [ask(rng, 6, 6)], EVERY_AXIS_FITS),
    Probe("two axes in front", "many vectors", lambda rng: [ask(rng, 2, 3, 4, 7)]),
    Probe("vectors that are nearly constant", "small and large", nearly_constant,
        "Here the small number under the root is as large as the variance."),
    Probe("vectors far from zero", "small and large",
        lambda rng: [ask(rng, 4, 6, far=30.0, middle=100.0)]),
)  # fmt: skip
