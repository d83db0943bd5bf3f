"""Multi-head attention as a torch module: projections, heads, masks, gradients, dropout."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw, random_mask

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
    calls = made(rng, 12, 2, ask(x, y), ask(x, y), dropout=0.25)
    calls[2].args[0]["W_v.weight"] = np.eye(12)
    return calls


def dropped(calls, values):
    """Say what dropout took away, of a result whose values are rows of the identity, repeated.

    Without dropout each head's context then is its weights, repeated. What is drawn differs
    from answer to answer; this text does not.
    """
    output, again, weights, _ = sorted(values, key=np.ndim)
    (x, x_kv), share = calls[-1].args, calls[0].kwargs["dropout"]
    shape = batch, heads, n_q, n_k = len(x), calls[0].args[1], x.shape[1], x_kv.shape[1]
    if output.shape != x.shape or weights.shape != shape:
        return f"results of shapes {output.shape} and {weights.shape}"
    mix = calls[2].args[0]["W_o.weight"].T
    # Sequence, query, head, copy, key.
    came = (output @ np.linalg.inv(mix)).reshape(batch, n_q, heads, -1, n_k)
    right = np.repeat(weights.transpose(0, 2, 1, 3)[:, :, :, None], came.shape[3], axis=3)
    if (weights == 0).any():
        return "weights are 0 among those returned"

    def all_or_nothing(ratio):
        return bool((np.abs(ratio - (ratio > 0.5)) < 1e-3).all())

    ratio = came / right
    if not all_or_nothing(ratio * (1 - share)):
        if all_or_nothing(output / (right.reshape(batch, n_q, -1) @ mix) * (1 - share)):
            return "numbers of the output are dropped, not weights"
        if all_or_nothing(ratio):
            said = "nothing is dropped", "what is kept is not divided by 1 - dropout"
            return said[bool((ratio < 0.5).any())]
        if all_or_nothing(ratio * (1 - share) ** 2):
            return "the weights are dropped twice"
        if all_or_nothing(came.sum(axis=-1)):
            return "what is kept is made to add up to 1 again"
        return "what is kept is neither 0 nor the weight divided by 1 - dropout"
    kept = ratio > 0.5
    if (kept != kept[:, :, :, :1]).any():
        once = (kept == kept[:, :1]).all()
        return f"numbers of the {'values' if once else 'contexts'} are dropped, not weights"
    axes = {"sequence": 0, "query": 1, "head": 2, "key": 4}
    same = [name for name, i in axes.items() if (kept == kept.take([0], axis=i)).all()]
    if same:
        return f"every {same[0]} drops the same"
    if abs(kept.mean() - 1 + share) > 0.1:
        return "another share of the weights is dropped"
    if np.array_equal(output, again):
        return "two calls drop the same: the generator is seeded in the call"
    return "weights are dropped, each by itself, and those kept divided by 1 - dropout"


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
        "What enters nn.Dropout? The weights, on their way to the values.", read=dropped),
    Probe("in evaluation dropout does nothing", "dropout", evaluation,
        "module.eval() must reach it."),
)  # fmt: skip
