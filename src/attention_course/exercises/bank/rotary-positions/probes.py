"""Attention with rotary positions: queries and keys are turned, values are not."""

from attention_course.exercises.probing import EVERY_AXIS_FITS, LONG, Call, Probe, draw

RETURNS = ("keys", "scores", "context")


def ask(q, k, v, *offset, **named):
    return Call("rotary_attention", (q, k, v, *offset), named, returns=RETURNS)


def qkv(rng, batch, n_q, n_k, d_k, d_v):
    return draw(rng, (*batch, n_q, d_k), (*batch, n_k, d_k), (*batch, n_k, d_v))


def large(rng):
    q, k, v = qkv(rng, (2,), 4, 6, 4, 3)
    return [ask(1e6 * q, k, v)]


PROBES = (
    Probe("five queries, seven keys", "one head",
        lambda rng: [ask(*qkv(rng, (), 5, 7, 6, 4))]),
    Probe("a single pair of features", "one head",
        lambda rng: [ask(*qkv(rng, (), 3, 6, 2, 4))]),
    Probe("at position 0 nothing turns", "one head",
        lambda rng: [ask(*qkv(rng, (), 1, 1, 8, 6))],
        "With one query and one key the context is the value itself."),
    Probe("values of an odd width", "one head", lambda rng: [ask(*qkv(rng, (), 4, 6, 8, 3))],
        "Only queries and keys have to come in pairs."),
    Probe("all sizes equal", "one head", lambda rng: [ask(*qkv(rng, (), 4, 4, 4, 4))],
        EVERY_AXIS_FITS),
    Probe("two texts with three heads", "batches and heads",
        lambda rng: [ask(*qkv(rng, (2, 3), 5, 7, 8, 6))]),
    Probe("three texts", "batches and heads",
        lambda rng: [ask(*qkv(rng, (3,), 5, 6, 4, 2))]),
    Probe("as many texts and heads as positions", "batches and heads",
        lambda rng: [ask(*qkv(rng, (4, 4), 4, 4, 6, 2))],
        "Positions are counted along the last axis but one."),
    Probe("very large scores", "batches and heads", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("the newest of nine positions asks", "offset",
        lambda rng: [ask(*qkv(rng, (), 1, 9, 6, 4), 8)]),
    Probe("queries far behind the keys", "offset",
        lambda rng: [ask(*qkv(rng, (), 3, 8, 10, 6), int(rng.integers(20, 90))),
            ask(*qkv(rng, (), 2, 3, 4, 2), 4 * LONG)]),
    Probe("the offset given by name, for three texts", "offset",
        lambda rng: [ask(*qkv(rng, (3,), 2, 5, 6, 4), offset=int(rng.integers(1, 9)))]),
)  # fmt: skip
