"""A permutation test by flipped signs, corrected by the largest statistic of all heads."""

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("p-values",)


def ask(rng, n_pairs, n_heads, n_draws, effect=3.0, size=40):
    """Swings are quarters, whose sums are exact in any order and in single precision."""
    swings = rng.integers(-size, size + 1, (n_pairs, n_heads)) / 4
    swings[:, 0] += effect
    swings[:, -1] -= effect / 2
    signs = rng.choice([-1.0, 1.0], (n_draws, n_pairs))
    return Call("corrected_p_values", (swings, signs), returns=RETURNS)


def tied(rng):
    """Swings of few sizes, so that draws often equal what was seen."""
    call = ask(rng, 4, 3, 30, effect=1.0, size=3)
    call.args[0][0, 1] = 3.25
    call.args[1][:3] = 1
    return [call]


PROBES = (
    Probe("twelve pairs, five heads", "p-values", lambda rng: [ask(rng, 12, 5, 40)]),
    Probe("as many pairs as heads and draws", "p-values",
        lambda rng: [ask(rng, 8, 8, 8)], EVERY_AXIS_FITS),
    Probe("a single head", "p-values", lambda rng: [ask(rng, 9, 1, 30, effect=2.0)]),
    Probe("many heads, few pairs", "p-values", lambda rng: [ask(rng, 6, 20, 50)]),
    Probe("heads that all do something", "p-values",
        lambda rng: [ask(rng, 7, 2, 60, effect=4.0, size=12)]),
    Probe("draws that equal what was seen", "ties", tied,
        "Is a draw that is as large evidence against the head?"),
)  # fmt: skip
