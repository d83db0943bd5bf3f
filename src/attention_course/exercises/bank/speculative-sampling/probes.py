"""Guesses of a draft, of which the large model keeps some: what is written."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

# Probabilities are multiples of 1/64 and random numbers odd multiples of 1/128: none of them
# falls on a boundary, and none within 1/10000 of it, so rounding decides nothing.
PARTS, STEPS = 64, 128


def shares(rng, n, symbols):
    """Draw n rows of probabilities, each above 0."""
    odds = rng.dirichlet(np.ones(symbols), n)
    return (rng.multinomial(PARTS - symbols, odds) + 1) / PARTS


def number(rng, low=0.0, high=1.0):
    """Draw an odd multiple of 1/128 above low and below high."""
    possible = np.arange(1, STEPS, 2) / STEPS
    return rng.choice(possible[(possible > low) & (possible < high)])


def decided(rng, p, q, refused=None):
    """Draw guesses and numbers that keep all guesses but the one at the place refused."""
    guesses, u = np.zeros(len(q), int), np.zeros(len(q) + 1)
    for i in range(len(q)):
        x = rng.choice(q.shape[1], p=q[i]) if i != refused else np.argmax(q[i] - p[i])
        ratio = p[i, x] / q[i, x]
        guesses[i] = x
        u[i] = number(rng, low=ratio) if i == refused else number(rng, high=ratio)
    u[-1] = number(rng)
    return Call("verify_guesses", (p, q, guesses, u), returns=("symbols",))


def ask(rng, n, symbols, refused=None):
    p, q = shares(rng, n + 1, symbols), shares(rng, n, symbols)
    while refused is not None and (p[refused] == q[refused]).all():
        q = shares(rng, n, symbols)
    return decided(rng, p, q, refused)


def favourite_refused(rng):
    """The guess is what the large model likes best, and the draft likes it still better."""
    calls = []
    for place in (0, 1, 2) * 2:
        p, q = shares(rng, 4, 5), shares(rng, 3, 5)
        p[place], q[place] = np.array([[24, 14, 10, 8, 8], [50, 2, 4, 4, 4]]) / PARTS
        p[place], q[place] = (np.roll(x[place], len(calls)) for x in (p, q))
        calls.append(decided(rng, p, q, place))
    return calls


def never_wrong(rng, n, symbols):
    p = shares(rng, n + 1, symbols)
    return decided(rng, p, p[:-1].copy())


def kept_at_zero(rng):
    """A number of 0 keeps what the large model may write, and refuses what it never does."""
    calls = []
    for place in (0, 1, 2):
        call = ask(rng, 3, 5)
        p, q, guesses, u = call.args
        q[place] = np.array([16, 24, 8, 16, 0]) / PARTS
        p[place] = np.array([0, 8, 8, 20, 28]) / PARTS
        p[place], q[place] = (np.roll(x[place], place) for x in (p, q))
        guesses[place], u[place] = place, 0.0
        calls.append(Call("verify_guesses", (p, q, guesses, u), returns=call.returns))
    return calls


def drawn_at_zero(rng):
    """Symbols with the probability 0 stand at both ends, and the last number is 0 too."""
    calls = []
    for refused in (None, 0, 1, None, 0, 1):
        call = ask(rng, 2, 6, refused)
        p, q, guesses, u = call.args
        p[-1] = np.roll(np.array([0, 0, 24, 0, 40, 0]) / PARTS, len(calls) // 3)
        p[:2] = np.array([[0, 8, 30, 24, 2, 0], [0, 12, 24, 26, 2, 0]]) / PARTS
        q[:2] = np.array([[0, 32, 8, 14, 10, 0], [0, 40, 8, 8, 8, 0]]) / PARTS
        guesses[:2], u[:2] = (2, 3), 1 / STEPS
        if refused is not None:
            guesses[refused], u[refused] = 1, 1 - 1 / STEPS
        u[-1] = 0.0
        calls.append(Call("verify_guesses", (p, q, guesses, u), returns=call.returns))
    return calls


def drawn_first(call):
    p, q, guesses, u = call.args
    return replace(call, args=(p, q, guesses, np.roll(u, 1)))


def to_logarithms(call):
    p, q, guesses, u = call.args
    with np.errstate(divide="ignore"):
        return replace(call, args=(np.log(p), np.log(q), guesses, u))


PROBES = (
    Probe("three guesses that are kept", "all kept",
        lambda rng: [ask(rng, 3, 7) for _ in range(12)]),
    Probe("another number of guesses", "all kept",
        lambda rng: [ask(rng, n, 5) for n in (1, 2, 6, 1, 2, 6)]),
    Probe("a draft that is never wrong", "all kept",
        lambda rng: [never_wrong(rng, 4, 6) for _ in range(6)],
        "What is the ratio of two equal probabilities?"),
    Probe("a refusal at the first place, in the middle, at the last", "one refused",
        lambda rng: [ask(rng, 4, 6, refused=i) for i in (0, 1, 2, 3) * 4]),
    Probe("the large model's favourite, which the draft likes still better", "one refused",
        favourite_refused, "May a guess be refused that the large model likes best?"),
    Probe("a single guess that is refused", "one refused",
        lambda rng: [ask(rng, 1, 8, refused=0) for _ in range(12)]),
    Probe("as many symbols as places", "one refused",
        lambda rng: [ask(rng, 4, 5, refused=i) for i in (2, 0, 3, 1) * 2], EVERY_AXIS_FITS),
    Probe("a draw with the number 0", "zeros", drawn_at_zero,
        "Can a symbol of probability 0 be drawn?"),
    Probe("a guess that the large model never writes", "zeros", kept_at_zero,
        "Is 0 below 0?"),
)  # fmt: skip
