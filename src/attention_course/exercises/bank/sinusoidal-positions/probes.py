"""A table of sines and cosines: where a word stands, as a vector."""

from attention_course.exercises.probing import LONG, Call, Probe


def ask(n, d_model, *offset, **named):
    return Call("sinusoidal_table", (n, d_model, *offset), named, returns=("P",))


def sizes(rng):
    """An odd number of positions and an even width never agree."""
    return 2 * int(rng.integers(2, 6)) + 1, 2 * int(rng.integers(3, 8))


def equal_sizes(rng):
    n = 2 * int(rng.integers(3, 6))
    return [ask(n, n)]


def by_name(rng):
    n, d_model = sizes(rng)
    return [ask(n, d_model, offset=n - 2)]


def in_two_pieces(rng):
    n, d_model = sizes(rng)
    return [ask(n, d_model), ask(n, d_model, n), ask(n, d_model, 1)]


PROBES = (
    Probe("positions from 0", "table", lambda rng: [ask(*sizes(rng))]),
    Probe("a width of 2 is a single clock", "table",
        lambda rng: [ask(int(rng.integers(4, 9)), 2)]),
    Probe("position 0 alone", "table", lambda rng: [ask(1, 2 * int(rng.integers(3, 8)))],
        "Which angle does every clock show at position 0?"),
    Probe("as many positions as columns", "table", equal_sizes,
        "Here a table lying on its side has the right shape too."),
    Probe("positions far from the beginning", "offset",
        lambda rng: [ask(*sizes(rng), int(rng.integers(20, 60))), ask(5, 4, 4 * LONG)]),
    Probe("the offset given by name, smaller than n", "offset", by_name),
    Probe("a later table goes on where the first one ended", "offset", in_two_pieces,
        "Each call must look at its own offset."),
)  # fmt: skip
