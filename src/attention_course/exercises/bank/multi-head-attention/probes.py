"""Multi-head attention as a torch module: projections, heads, masks, gradients, dropout."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw, random_mask
from attention_course.exercises.runner import Result

LAYERS = ("W_q", "W_k", "W_v", "W_o")


PARAMETERS = tuple(f"parameter:{name}.weight" for name in LAYERS)


def made(rng, d_model, n_heads, *more, **options):
    """Return the calls that make a module in double precision with given parameters."""
    weights = {
        f"{name}.weight": 1.5 * rng.standard_normal((d_model, d_model)) / d_model**0.5
        for name in LAYERS
    }
    return [
        Call("MultiHeadAttention", (d_model, n_heads), options),
        Call("double", on=0),
        Call("$load", (weights,), on=0),
        *more,
    ]


def ask(*x, mask=None, gradients=()):
    given = {} if mask is None else {"mask": mask}
    return Call("forward", x, given, 0, gradients, ("output", "weights"))


def names(rng):
    return [
        Call("MultiHeadAttention", (6, 2)),
        Call("$parameters", on=0, returns=("names of the parameters",)),
    ]


def shared_mask(rng):
    x, y = draw(rng, (2, 5, 12), (2, 5, 12))
    return made(
        rng, 12, 3, ask(x, mask=random_mask(rng, 5, 5)), ask(x, y, mask=random_mask(rng, 5))
    )


def mask_of_a_batch(rng):
    x = draw(rng, (3, 4, 6))[0]
    lengths = np.array([4, 2, 3])[rng.permutation(3)]
    padding = np.arange(4) < lengths[:, None, None, None]
    return made(rng, 6, 3, ask(x, mask=padding), ask(x, mask=random_mask(rng, 3, 1, 4, 4)))


def mask_of_heads(rng):
    x = draw(rng, (3, 4, 6))[0]
    mask = random_mask(rng, 3, 4, 4)
    mask[0], mask[2, 1] = True, ~mask[1, 1]
    return made(rng, 6, 3, ask(x, mask=mask), ask(x, mask=random_mask(rng, 3, 3, 4, 4)))


def empty_rows(rng):
    x, y = draw(rng, (2, 4, 6), (2, 5, 6))
    mask = random_mask(rng, 2, 1, 4, 5)
    mask[0, 0, 1] = mask[1, 0, 3] = False
    return made(rng, 6, 2, ask(x, y, mask=mask, gradients=(0, 1, *PARAMETERS)))


def cross_gradients(rng):
    x, y = draw(rng, (2, 3, 6), (2, 4, 6))
    return made(rng, 6, 3, ask(x, y, gradients=(0, 1, *PARAMETERS)))


def which_weights(rng):
    """Values that are rows of the identity show each weight twice."""
    x, y = draw(rng, (32, 4, 12))[0], np.tile(np.eye(3), (32, 1, 4))
    passed = Call("forward", (x, y), on=0)
    asked = Call("$dropped", (Result(3), 0.25), on=0, returns=("dropout",))
    calls = made(rng, 12, 2, passed, asked, dropout=0.25)
    calls[2].args[0]["W_v.weight"] = np.eye(12)
    return calls


def evaluation(rng):
    x = draw(rng, (2, 3, 6))[0]
    return made(rng, 6, 2, Call("eval", on=0), ask(x), ask(x), dropout=1.0)


PROBES = (
    Probe("two sequences, three heads", "output and weights",
        lambda rng: made(rng, 12, 3, ask(*draw(rng, (2, 5, 12))))),
    Probe("the four layers have their names", "parameters", names),
    Probe("as many sequences as heads as tokens", "output and weights",
        lambda rng: made(rng, 9, 3, ask(*draw(rng, (3, 3, 9)))), EVERY_AXIS_FITS),
    Probe("a single head", "output and weights",
        lambda rng: made(rng, 5, 1, ask(*draw(rng, (2, 3, 5))))),
    Probe("heads of width 1", "output and weights",
        lambda rng: made(rng, 4, 4, ask(*draw(rng, (1, 3, 4))))),
    Probe("queries from one sequence, keys and values from a longer one", "output and weights",
        lambda rng: made(rng, 12, 2, ask(*draw(rng, (3, 4, 12), (3, 5, 12))))),
    Probe("a mask that serves all heads", "masks", shared_mask),
    Probe("a mask for each sequence", "masks", mask_of_a_batch,
        "Its shape is (batch, 1, ..., n_k): it has the axis of the heads already."),
    Probe("a mask for each head", "masks", mask_of_heads),
    Probe("queries that see nothing get zeros, and clean gradients", "masks", empty_rows,
        "0 times NaN is NaN: a NaN must not even come up on the way."),
    Probe("gradients of the input and all layers", "gradients",
        lambda rng: made(rng, 6, 2, ask(*draw(rng, (2, 3, 6)), gradients=(0, *PARAMETERS)))),
    Probe("gradients of both inputs", "gradients", cross_gradients),
    Probe("a dropout of 1 in training leaves nothing", "dropout",
        lambda rng: made(rng, 6, 2, ask(*draw(rng, (2, 3, 6))), dropout=1.0),
        "The weights that are returned are those before dropout. And 0 / 0 is NaN."),
    Probe("a dropout of 0.25 drops weights, each by itself", "dropout", which_weights,
        "What enters nn.Dropout? The weights, on their way to the values."),
    Probe("in evaluation dropout does nothing", "dropout", evaluation,
        "module.eval() must reach it."),
)  # fmt: skip
