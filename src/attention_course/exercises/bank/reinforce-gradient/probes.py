"""REINFORCE: the gradient of a random choice, from choices that were made."""

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("gradients",)


def ask(rng, n_rows, n_keys, n_samples, spread=1.0):
    scores = spread * rng.standard_normal((n_rows, n_keys))
    choices = rng.integers(0, n_keys, (n_rows, n_samples))
    rewards = 5 + 2 * rng.standard_normal((n_rows, n_samples))
    return Call(
        "reinforce_estimate",
        (scores, choices, rewards, 4 + rng.random(n_rows)),
        returns=RETURNS,
    )


def repeated(rng):
    call = ask(rng, 2, 5, 9)
    call.args[1][:, 2:] = call.args[1][:, :1]
    return [call]


def many(rng):
    """A single position is cheap, and has the gradient 0; the last call has several."""
    return [*(ask(rng, 1, 1, 15_000) for _ in range(100)), ask(rng, 2, 5, 30)]


PROBES = (
    Probe("three rows of six positions, eight samples", "estimate",
        lambda rng: [ask(rng, 3, 6, 8)]),
    Probe("all sizes equal", "estimate", lambda rng: [ask(rng, 4, 4, 4)], EVERY_AXIS_FITS),
    Probe("a single sample", "estimate", lambda rng: [ask(rng, 5, 3, 1)]),
    Probe("one position chosen again and again", "estimate", repeated,
        "Every choice counts, also the second one of the same position."),
    Probe("scores in the thousands", "large scores",
        lambda rng: [ask(rng, 6, 4, 7, spread=2000.0)],
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("many samples without a loop", "no loop",
        many,
        "Index a whole table with the whole array of choices.", large=True),
)  # fmt: skip
