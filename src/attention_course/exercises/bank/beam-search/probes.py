"""Several beginnings at once, from a table in the place of a model."""

from dataclasses import replace

from attention_course.exercises.probing import Call, Probe
from attention_course.exercises.runner import NextLogits


def ask(rng, n_words, longest, width, ended=0.0, start=1, end=2, far=1.0):
    """Ask for words; ``ended`` is added to each logit of the end mark."""
    table = 1.5 * rng.standard_normal((9, n_words, n_words))
    table[:, :, start] -= 20
    table[:, :, end] += ended
    args = (NextLogits(far * table), start, end, longest, width)
    return Call("search_beams", args, returns=("words",))


def costs(call):
    """Return the call with a model that returns costs: logits with the other sign."""
    model, *rest = call.args
    return replace(call, args=(NextLogits(-model.table), *rest))


PROBES = (
    Probe("one beam", "one beam",
        lambda rng: [ask(rng, 7, 6, 1, -20), ask(rng, 6, 8, 1, 1), ask(rng, 6, 8, 1, 2)]),
    Probe("one step", "one beam", lambda rng: [ask(rng, 9, 1, n, -20) for n in (1, 3)]),
    Probe("three beams, and the end mark never comes", "several beams",
        lambda rng: [ask(rng, 8, n, 3, -20) for n in (2, 3, 4, 5, 6, 7)],
        "Which beams can be among the best after the next step?"),
    Probe("other widths", "several beams",
        lambda rng: [ask(rng, 7, 5, width, -20) for width in (2, 2, 4, 5, 6)]),
    Probe("more beams than words", "several beams",
        lambda rng: [ask(rng, 5, 4, 8, -1) for _ in range(4)]),
    Probe("logits in the thousands", "several beams",
        lambda rng: [ask(rng, 6, 4, 2, -20, far=1000.0)], "np.exp(1000) is inf."),
    Probe("beams that end early and late", "beams that end",
        lambda rng: [ask(rng, 7, 8, 3, ended) for ended in (1, 1, 1.5, 2, 2, 2.5)],
        "Does a beam that has ended still compete with the others?"),
    Probe("other numbers for the marks", "beams that end",
        lambda rng: [ask(rng, 6, 7, 3, 1.5, start=3, end=0) for _ in range(4)]),
    Probe("beams that may end or not", "beams that end",
        lambda rng: [ask(rng, 7, 4, width, 0.5) for width in (2, 3, 4, 2, 3, 4)],
        "Is the best beam always one that has ended?"),
)  # fmt: skip
