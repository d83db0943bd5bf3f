"""A Transformer's encoder block with its normalisation before each part."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def parameters(rng, d, d_k, d_v, d_ff):
    sizes = {"W_q": (d, d_k), "W_k": (d, d_k), "W_v": (d, d_v), "W_o": (d_v, d)}
    sizes |= {"W_1": (d, d_ff), "W_2": (d_ff, d)}
    p = {name: rng.standard_normal(size) / size[0] ** 0.5 for name, size in sizes.items()}
    p |= {f"gain_{i}": 1 + 0.5 * rng.random(d) for i in (1, 2)}
    p |= {f"shift_{i}": 0.5 * rng.standard_normal(d) for i in (1, 2)}
    return p | {"b_1": rng.standard_normal(d_ff), "b_2": rng.standard_normal(d)}


def ask(x, p):
    return Call("encoder_block", (x, p), returns=("z",))


def vectors(rng, *size):
    """Vectors whose mean is not 0 and whose spread is not 1."""
    return 2 * rng.standard_normal(size) + 1


def attention_alone(rng):
    p = parameters(rng, 6, 3, 4, 9)
    return [ask(vectors(rng, 5, 6), p | {"W_2": 0 * p["W_2"], "b_2": 0 * p["b_2"]})]


def one_position(rng):
    p = parameters(rng, 7, 3, 4, 9)
    return [ask(vectors(rng, 1, 7), p | {"W_2": 0 * p["W_2"], "b_2": 0 * p["b_2"]})]


def feed_forward_alone(rng):
    p = parameters(rng, 6, 3, 4, 12)
    return [ask(vectors(rng, 5, 6), p | {"W_o": 0 * p["W_o"]})]


def large(rng):
    p = parameters(rng, 8, 5, 3, 10)
    return [ask(vectors(rng, 4, 8), p | {"W_o": 0 * p["W_o"], "b_1": 9 * p["b_1"]})]


def nearly_constant(rng):
    x = rng.standard_normal((4, 1)) + 2e-3 * rng.standard_normal((4, 8))
    return [ask(x, parameters(rng, 8, 3, 5, 9))]


def wide_apart(rng):
    x = 100 * rng.standard_normal((5, 1)) + 30 * rng.standard_normal((5, 6))
    return [ask(x, parameters(rng, 6, 5, 4, 9))]


def large_scores(rng):
    p = parameters(rng, 6, 4, 5, 7)
    return [ask(vectors(rng, 5, 6), p | {"W_q": 1e6 * p["W_q"]})]


def inverted_mask(call):
    """Hand over the matrices as torch stores them: one row for each output."""
    x, p = call.args
    return replace(call, args=(x, {name: np.ascontiguousarray(w.T) for name, w in p.items()}))


PROBES = (
    Probe("the feed-forward part adds nothing", "attention part", attention_alone,
        "W_2 and b_2 are 0 here, so only the attention part counts."),
    Probe("a single position looks at itself", "attention part", one_position,
        "The only weight is 1."),
    Probe("attention adds nothing", "feed-forward part", feed_forward_alone,
        "W_o is 0 here, so only the feed-forward part counts."),
    Probe("large biases in front of the ReLU", "feed-forward part", large,
        "Where exactly are negative numbers cut off?"),
    Probe("both parts, seven positions", "whole block",
        lambda rng: [ask(vectors(rng, 7, 6), parameters(rng, 6, 4, 5, 11))]),
    Probe("three texts", "whole block",
        lambda rng: [ask(vectors(rng, 3, 5, 8), parameters(rng, 8, 4, 6, 10))]),
    Probe("two axes in front", "whole block",
        lambda rng: [ask(vectors(rng, 2, 3, 4, 6), parameters(rng, 6, 5, 7, 8))]),
    Probe("all sizes equal", "whole block",
        lambda rng: [ask(vectors(rng, 6, 6), parameters(rng, 6, 6, 6, 6))], EVERY_AXIS_FITS),
    Probe("vectors that are nearly constant", "whole block", nearly_constant,
        "Here the small number under the root is as large as the variance."),
    Probe("vectors far apart", "whole block", wide_apart),
    Probe("very large scores", "whole block", large_scores,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
