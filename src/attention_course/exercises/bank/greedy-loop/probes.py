"""A loop that takes the likeliest word, from a table in the place of a model."""

from dataclasses import replace

from attention_course.exercises.probing import Call, Probe
from attention_course.exercises.runner import NextLogits


def ask(rng, n_words, longest, ends=None, start=1, end=2):
    """Ask for words; the end mark is likeliest at the place ``ends``, and nowhere before."""
    table = rng.standard_normal((9, n_words, n_words))
    table[:, :, [start, end]] -= 20
    if ends is not None:
        table[ends - 1, :, end] += 40
    args = (NextLogits(table), start, end, longest)
    return Call("write_greedily", args, returns=("words",))


def costs(call):
    """Return the call with a model that returns costs: logits with the other sign."""
    model, *rest = call.args
    return replace(call, args=(NextLogits(-model.table), *rest))


def other_marks(rng):
    return [ask(rng, 8, 9, 4, start=5, end=0), ask(rng, 8, 6, 5, start=0, end=7)]


PROBES = (
    Probe("the end mark comes fifth", "up to the end mark",
        lambda rng: [ask(rng, 7, 9, 5) for _ in range(2)]),
    Probe("the end mark comes first", "up to the end mark", lambda rng: [ask(rng, 6, 9, 1)],
        "May the result be the end mark alone?"),
    Probe("the end mark is the last word that is allowed", "up to the end mark",
        lambda rng: [ask(rng, 12, 6, 6)]),
    Probe("the end mark never comes", "no end mark",
        lambda rng: [ask(rng, 7, 8), ask(rng, 5, 3)], "How many words may there be?"),
    Probe("one word is allowed", "no end mark", lambda rng: [ask(rng, 9, 1)]),
    Probe("other numbers for the marks", "other marks", other_marks),
)  # fmt: skip
