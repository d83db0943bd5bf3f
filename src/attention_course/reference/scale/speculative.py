"""Guessing ahead: what a large model keeps of a small one's guesses, and what it gains."""

from typing import Any

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.reference._check import Call, finite, sums_to_one, whole
from attention_course.reference._checked import checked


def _distributions(call: Call, argument: str, p: Any) -> Any:
    p = sums_to_one(call, argument, p)
    if not p.any(axis=-1).all():
        raise call.fail(argument, "probabilities that sum to 1 in each row", "a row of zeros")
    return p


def _differ(call: Call) -> None:
    if not (call.given["p"] > call.given["q"]).any(axis=-1).all():
        raise call.fail("q", "different from p at every place", "the same")


def _guessed(call: Call) -> None:
    p, q, guesses = (call.given[name] for name in ("p", "q", "guesses"))
    if len(p) != len(q) + 1:
        raise call.fail("p", f"{len(q) + 1} rows, one more than q")
    known = ((guesses >= 0) & (guesses < q.shape[1])).all()
    if not known or not q[np.arange(len(q)), guesses].all():
        raise call.fail("guesses", "symbols to which q gives a chance", guesses.tolist())


@checked(_differ, non_empty_axes="symbols", p=_distributions, q=_distributions)
def residual(
    p: Float[np.ndarray, "*places symbols"], q: Float[np.ndarray, "*places symbols"]
) -> Float[np.ndarray, "*places symbols"]:
    r"""Return what a symbol is drawn from once a guess was refused.

    .. math:: r(x) = \frac{\max(p(x) - q(x),\, 0)}{\sum_y \max(p(y) - q(y),\, 0)}

    Args:
        p: probabilities of the large model.
        q: those of the draft, different from p somewhere at every place.

    Returns:
        Probabilities: what the guesses write too seldom.

    Source:
        Leviathan et al. (2023), section 2.3, ``p'``.

    >>> residual(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.75, 0.0]))
    array([0.5, 0. , 0.5])
    """
    more = np.maximum(p - q, 0)
    return more / more.sum(-1, keepdims=True)


@checked(non_empty_axes="symbols", p=_distributions, q=_distributions)
def acceptance(
    p: Float[np.ndarray, "*places symbols"], q: Float[np.ndarray, "*places symbols"]
) -> Float[np.ndarray, "*places"]:
    r"""Return how likely a guess from q is to be kept.

    .. math:: \beta = \sum_x q(x) \min\Bigl(1, \frac{p(x)}{q(x)}\Bigr)
       = \sum_x \min(p(x), q(x))

    Args:
        p: probabilities of the large model.
        q: those of the draft.

    Returns:
        One number a place, from 0 to 1: 1 less the total variation distance.

    Source:
        Leviathan et al. (2023), theorem 3.5.

    >>> float(acceptance(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.75, 0.0])))
    0.5
    """
    return np.asarray(np.minimum(p, q).sum(-1))


@checked(_differ, non_empty_axes="symbols", p=_distributions, q=_distributions)
def written_by_guessing(
    p: Float[np.ndarray, " symbols"], q: Float[np.ndarray, " symbols"]
) -> Float[np.ndarray, " symbols"]:
    r"""Return from what distribution the first symbol comes, guessed or drawn anew.

    .. math:: q(x) \min\Bigl(1, \frac{p(x)}{q(x)}\Bigr) + (1 - \beta)\, r(x)

    Args:
        p: probabilities of the large model.
        q: those of the draft, different from p.

    Returns:
        Probabilities. They are p.

    Source:
        Leviathan et al. (2023), appendix A.1.

    >>> written_by_guessing(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.75, 0.0]))
    array([0.5 , 0.25, 0.25])
    """
    kept = np.array([q[x] * min(1, p[x] / q[x]) if q[x] else 0.0 for x in range(len(p))])
    return kept + (1 - kept.sum()) * residual(p, q)


@checked(kept=finite, guesses=whole(0))
def tokens_per_pass(kept: float, guesses: int) -> float:
    r"""Return how many tokens a pass of the large model writes on average.

    .. math:: 1 + \beta + \beta^2 + \dots + \beta^\gamma

    Args:
        kept: the chance β that a guess is kept, the same at every place.
        guesses: how many are made for each pass, γ.

    Returns:
        From 1 to ``guesses + 1``.

    Source:
        Leviathan et al. (2023), equation 1.

    >>> tokens_per_pass(0.5, 2)
    1.75
    """
    return sum(kept**i for i in range(guesses + 1))


@checked(_guessed, non_empty_axes="symbols", p=_distributions, q=_distributions)
def keep_guesses(
    p: Float[np.ndarray, "places symbols"],
    q: Float[np.ndarray, "guesses symbols"],
    guesses: Int[np.ndarray, " guesses"],
    rng: np.random.RandomState,
) -> Int[np.ndarray, " written"]:
    """Keep the guesses that the large model allows, and write one symbol more.

    Args:
        p: probabilities of the large model at each guess's place and at the one behind them.
        q: those from which each guess was drawn.
        guesses: the symbols guessed.
        rng: the generator.

    Returns:
        The symbols that are written: from one to ``len(guesses) + 1``.

    Source:
        Leviathan et al. (2023), algorithm 1; Chen et al. (2023), algorithm 2.

    >>> p = q = np.full((3, 4), 0.25)
    >>> keep_guesses(p, q[:2], np.array([3, 1]), np.random.RandomState(0))[:2]
    array([3, 1])
    """
    for i, x in enumerate(guesses):
        if rng.rand() >= p[i, x] / q[i, x]:
            anew = draw_symbol(residual(p[i], q[i]), rng)
            return np.array([*guesses[:i], anew])
    return np.array([*guesses, draw_symbol(p[-1], rng)])


@checked(non_empty_axes="symbols", p=_distributions)
def draw_symbol(p: Float[np.ndarray, " symbols"], rng: np.random.RandomState) -> int:
    """Draw a symbol.

    Args:
        p: the probabilities.
        rng: the generator.

    Returns:
        The number of the symbol.

    Source:
        Common practice.

    >>> draw_symbol(np.array([0.0, 1.0]), np.random.RandomState(0))
    1
    """
    return int(rng.choice(len(p), p=p / p.sum()))
