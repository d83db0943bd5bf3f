"""The decoder block of the translator, with what it found of its own words already there."""

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, random_mask


def parameters(rng, d, d_ff, n_heads):
    sizes = {"W_q": (d + 1, d), "W_k": (d + 1, d), "W_v": (d + 1, d), "W_o": (d, d)}
    cross = {name: rng.standard_normal(size) / d**0.5 for name, size in sizes.items()}
    p = {"cross": cross | {"b_o": rng.standard_normal(d), "n_heads": n_heads}}
    p |= {f"gain_{i}": 1 + 0.5 * rng.random(d) for i in (1, 2, 3)}
    p |= {f"shift_{i}": 0.5 * rng.standard_normal(d) for i in (1, 2, 3)}
    p |= {"W_1": rng.standard_normal((d, d_ff)) / d**0.5, "b_1": rng.standard_normal(d_ff)}
    return p | {"W_2": rng.standard_normal((d_ff, d)) / d**0.5, "b_2": rng.standard_normal(d)}


def ask(rng, n, m, d, d_ff, n_heads, batch=2, still=()):
    """Ask for a block; of the parts ``still`` all results are 0."""
    p = parameters(rng, d, d_ff, n_heads)
    if "feed-forward" in still:
        p |= {name: 0 * p[name] for name in ("W_2", "b_2")}
    if "cross" in still:
        p["cross"] |= {name: 0 * p["cross"][name] for name in ("W_o", "b_o")}
    y, found = 1 + 2 * rng.standard_normal((2, batch, n, d))
    memory, mask = rng.standard_normal((batch, m, d)), random_mask(rng, batch, 1, 1, m)
    return Call("block_that_writes", (y, p, found, memory, mask), returns=("y",))


PROBES = (
    Probe("the other two parts add nothing", "first sum",
        lambda rng: [ask(rng, 4, 5, 6, 9, 2, still=("cross", "feed-forward"))]),
    Probe("one head, and the feed-forward layers add nothing", "cross-attention",
        lambda rng: [ask(rng, 3, 5, 6, 9, 1, still=("feed-forward",))]),
    Probe("several heads", "cross-attention",
        lambda rng: [
            ask(rng, 4, 6, 8, 7, 4, still=("feed-forward",)),
            ask(rng, 5, 3, 6, 7, 3, still=("feed-forward",)),
        ]),
    Probe("cross-attention adds nothing", "whole block",
        lambda rng: [ask(rng, 5, 4, 6, 11, 2, still=("cross",))]),
    Probe("all three parts", "whole block", lambda rng: [ask(rng, 5, 7, 6, 11, 2)]),
    Probe("a single word, three sentences", "whole block",
        lambda rng: [ask(rng, 1, 4, 10, 5, 5, batch=3)]),
    Probe("all sizes equal", "whole block", lambda rng: [ask(rng, 6, 6, 6, 6, 2)],
        EVERY_AXIS_FITS),
)  # fmt: skip
