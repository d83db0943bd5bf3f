"""The encoder block of the translator: attention in heads, normalised after each sum."""

from attention_course.exercises.probing import Call, Probe, random_mask


def parameters(rng, d, d_ff, n_heads):
    sizes = {"W_q": (d + 1, d), "W_k": (d + 1, d), "W_v": (d + 1, d), "W_o": (d, d)}
    sizes |= {"W_1": (d, d_ff), "W_2": (d_ff, d)}
    p = {name: rng.standard_normal(size) / size[1] ** 0.5 for name, size in sizes.items()}
    p |= {f"gain_{i}": 1 + 0.5 * rng.random(d) for i in (1, 2)}
    p |= {f"shift_{i}": 0.5 * rng.standard_normal(d) for i in (1, 2)}
    p |= {"b_o": rng.standard_normal(d), "b_2": rng.standard_normal(d)}
    return p | {"b_1": rng.standard_normal(d_ff), "n_heads": n_heads}


def ask(rng, n, d, d_ff, n_heads, batch=2, **zero):
    """Ask for a block; the arrays of the parameters ``zero`` are all 0."""
    p = parameters(rng, d, d_ff, n_heads)
    p |= {name: 0 * p[name] for name in zero}
    x = 1 + 2 * rng.standard_normal((batch, n, d))
    return Call("block_that_reads", (x, p, random_mask(rng, batch, 1, 1, n)), returns=("x",))


def feed_forward_alone(rng):
    return [ask(rng, 5, 6, 9, 2, W_o=0, b_o=0)]


PROBES = (
    Probe("the feed-forward layers add nothing", "attention part",
        lambda rng: [ask(rng, 5, 6, 9, 1, W_2=0, b_2=0)],
        "W_2 and b_2 are 0 here, so only the attention part counts."),
    Probe("several heads", "attention part",
        lambda rng: [ask(rng, 6, 8, 7, 4, W_2=0, b_2=0), ask(rng, 5, 6, 7, 3, W_2=0, b_2=0)]),
    Probe("attention adds nothing", "feed-forward part", feed_forward_alone,
        "W_o and b_o are 0 here, so only the feed-forward layers count."),
    Probe("both parts", "whole block", lambda rng: [ask(rng, 7, 6, 11, 2)]),
    Probe("three sentences", "whole block", lambda rng: [ask(rng, 4, 10, 5, 5, batch=3)]),
    Probe("as many words as numbers, one sentence", "whole block",
        lambda rng: [ask(rng, 6, 6, 6, 2, batch=1)]),
)  # fmt: skip
