"""How much weight lies behind earlier copies of the present token."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("scores",)


def ask(rng, n_heads, tokens):
    n = len(tokens)
    weights = np.tril(rng.gamma(0.7, 3.0, size=(n_heads, n, n)))
    weights[:, -1, 0] = 4
    return [Call("induction_score", (weights, np.asarray(tokens)), returns=RETURNS)]


def sees_all(rng):
    """A head that also looks ahead: later copies are not earlier ones."""
    (call,) = ask(rng, 3, rng.integers(4, size=8))
    call.args[0][...] = rng.uniform(0, 5, size=(3, 8, 8))
    return [call]


def heads_last(call):
    weights, tokens = call.args
    return replace(call, args=(np.ascontiguousarray(np.moveaxis(weights, 0, -1)), tokens))


PROBES = (
    Probe("six tokens, twice", "scores",
        lambda rng: ask(rng, 3, np.tile(rng.permutation(6), 2))),
    Probe("tokens that come back here and there", "scores",
        lambda rng: ask(rng, 4, rng.integers(5, size=11))),
    Probe("tokens that come twice in a row", "scores",
        lambda rng: ask(rng, 2, [7, 7, 3, 3, 3, 7])),
    Probe("as many heads as tokens", "scores",
        lambda rng: ask(rng, 6, rng.integers(3, size=6)), EVERY_AXIS_FITS),
    Probe("a head that looks ahead", "scores", sees_all),
    Probe("no token comes back", "no repetition", lambda rng: ask(rng, 3, rng.permutation(5)),
        "The mean of nothing is nan."),
)  # fmt: skip
