"""Try to break a sentence: a search for a case in which it does not hold."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

SECONDS = 1.0  # after which a search ends


def break_it(
    claim: str,
    draw: Callable[[np.random.Generator], Mapping[str, Any]],
    holds: Callable[..., Any],
    *,
    draws: int = 200,
    seed: int = 0,
) -> None:
    """Search for a counter-example to a claim, and print it, or how many draws had none.

    Not to find one proves nothing: it says that the claim survived these draws. The search
    ends after a second, however many draws are left.

    Args:
        claim: an English sentence, without its full stop.
        draw: takes a random generator and returns a case: its numbers and arrays by name.
        holds: takes a case's parts by their names, and says whether the claim is true of it.
        draws: how many cases are drawn at most.
        seed: where the generator begins.

    Raises:
        ValueError: if the claim is no sentence, ``draw`` returns no dictionary, ``holds``
            returns neither True nor False, or a number is not one that can be used.

    >>> def draw(rng):
    ...     return {"scores": rng.standard_normal(4)}
    >>> def holds(scores):
    ...     return scores.argmax() == np.exp(scores).argmax()
    >>> break_it("exp keeps the order", draw, holds)
    No counter-example in 200 draws: exp keeps the order
    >>> break_it("scores are below 1", draw, lambda scores: (scores < 1).all())
    Counter-example, draw 2: scores are below 1
      scores = [-0.54  0.36  1.3   0.95]
    """
    if not isinstance(claim, str) or not claim.strip():
        _refuse("claim must be an English sentence", claim)
    for name, function in (("draw", draw), ("holds", holds)):
        if not callable(function):
            _refuse(f"{name} must be a function", function)
    for name, number, least in (("draws", draws, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            _refuse(f"{name} must be a whole number from {least} on", number)
    rng, end, tried = np.random.default_rng(seed), time.monotonic() + SECONDS, 0
    while tried < draws and (not tried or time.monotonic() < end):
        tried += 1
        case = draw(rng)
        if not isinstance(case, Mapping):
            _refuse("draw must return a dictionary", case)
        verdict = holds(**case)
        if not isinstance(verdict, bool | np.bool_):
            _refuse("holds must return True or False", verdict)
        if not verdict:
            print(f"Counter-example, draw {tried}: {claim}")
            print(*(f"  {name} = {_shown(part)}" for name, part in case.items()), sep="\n")
            return
    print(f"No counter-example in {tried} draw{'s' * (tried > 1)}: {claim}")


def _refuse(expected: str, got: Any) -> NoReturn:
    raise ValueError(f"break_it: {expected}, got {got!r}")


def _shown(part: Any) -> str:
    """Return a part of a case in a line: of a large array, its shape and where it begins."""
    array = np.asarray(part)
    if array.dtype.kind not in "iufcb":
        return str(part)
    some = np.array2string(array.ravel()[:6], precision=2, max_line_width=200)
    if array.size <= 6 and array.ndim < 2:
        return some
    return f"{' x '.join(map(str, array.shape))} numbers, from {some}"
