"""A table of sinusoids that says where the patches of a picture lie."""

from attention_course.exercises.probing import LONG, Call, Probe


def ask(rows, columns, d_model, trained=None):
    trained = trained or (rows, columns)
    return Call("image_positions", (rows, columns, d_model, trained), returns=("P",))


def drawn(rng, low, high):
    return int(rng.integers(low, high))


def wide(rng):
    rows = drawn(rng, 3, 5)
    return [ask(rows, rows + drawn(rng, 2, 4), 4 * drawn(rng, 3, 6))]


def square(rng):
    n = drawn(rng, 3, 6)
    return [ask(n, n, 4 * drawn(rng, 3, 6))]


def another_shape(rng):
    rows, columns = drawn(rng, 3, 5), drawn(rng, 5, 7)
    return [ask(rows, columns, 4 * drawn(rng, 2, 5), (columns + 4, rows))]


PROBES = (
    Probe("a grid wider than high", "plane", wide),
    Probe("as many rows as columns", "plane", square,
        "Here rows and columns can change places unseen by the shape."),
    Probe("one row", "plane", lambda rng: [ask(1, drawn(rng, 4, 7), 4 * drawn(rng, 2, 5))],
        "The coordinate of a single row is 0, and has a cosine of 1."),
    Probe("one angle a coordinate", "plane",
        lambda rng: [ask(3, 4, 4), ask(2, LONG, 4), ask(LONG, 2, 4)]),
    Probe("a grid twice as high", "another size",
        lambda rng: [ask(6, 4, 4 * drawn(rng, 2, 5), (3, 4))],
        "Only the rows are squeezed."),
    Probe("a grid of another shape", "another size", another_shape,
        "Each side has a factor of its own."),
)  # fmt: skip
