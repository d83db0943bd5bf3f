"""Self-attention with learned queries, keys and values, for any number of sentences."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("contexts", "weights")


def ask(rng, *batch, n, d_model, d_k, d_v, spread=1.0):
    draw = rng.standard_normal
    X = spread * draw((*batch, n, d_model))
    matrices = draw((d_model, d_k)), draw((d_model, d_k)), draw((d_model, d_v))
    return [Call("self_attention_layer", (X, *matrices), returns=RETURNS)]


def by_words_last(call):
    X, *matrices = call.args
    X = np.ascontiguousarray(np.swapaxes(X, -1, -2))
    return replace(call, args=(X, *(np.ascontiguousarray(W.T) for W in matrices)))


PROBES = (
    Probe("five words of width 3, keys of width 4", "one sentence",
        lambda rng: ask(rng, n=5, d_model=3, d_k=4, d_v=7)),
    Probe("all sizes equal", "one sentence",
        lambda rng: ask(rng, n=4, d_model=4, d_k=4, d_v=4), EVERY_AXIS_FITS),
    Probe("a sentence of one word attends to itself", "one sentence",
        lambda rng: ask(rng, n=1, d_model=6, d_k=2, d_v=3)),
    Probe("three sentences at once", "many sentences",
        lambda rng: ask(rng, 3, n=6, d_model=5, d_k=2, d_v=4)),
    Probe("a batch of one sentence", "many sentences",
        lambda rng: ask(rng, 1, n=5, d_model=3, d_k=6, d_v=2)),
    Probe("as many sentences as words", "many sentences",
        lambda rng: ask(rng, 4, n=4, d_model=3, d_k=5, d_v=4),
        "No sentence may see a word of another."),
    Probe("two axes in front", "many sentences",
        lambda rng: ask(rng, 2, 3, n=5, d_model=4, d_k=7, d_v=6)),
    Probe("scores in the thousands", "large scores",
        lambda rng: ask(rng, 2, n=6, d_model=4, d_k=3, d_v=5, spread=40.0),
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
