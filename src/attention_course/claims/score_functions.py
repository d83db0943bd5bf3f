"""Decisions that the chapter on score functions prints, as True or False."""

from collections.abc import Mapping, Sequence


def lookup_verdicts(
    live: Mapping[str, float], recorded: Mapping[tuple[str, int], Sequence[float]]
) -> dict[str, bool]:
    """Reduce the look-up's accuracies to statements that a run on any machine should repeat.

    Args:
        live: accuracy by score function at the smaller width, of one run.
        recorded: accuracies of several runs, by score function and width.

    Returns:
        Statement to whether it holds.

    Raises:
        ValueError: if a score function is missing.

    >>> good = ("scaled dot", "additive", "concat", "cosine")
    >>> runs = dict.fromkeys(good, 1.0) | {"dot": 0.9, "general": 1.0, "location": 0.2}
    >>> wide = runs | {"dot": 0.5, "general": 0.4}
    >>> seeds = {(s, 16): [x] for s, x in runs.items()}
    >>> seeds |= {(s, 256): [x] for s, x in wide.items()}
    >>> all(lookup_verdicts(runs, seeds).values())
    True

    Taught in ``recurrent/score-functions``.
    """
    steady = ("scaled dot", "additive", "concat", "cosine")
    wanted = (*steady, "dot", "general", "location")
    widths = sorted({d for _, d in recorded})
    missing = [
        s for s in wanted if s not in live or any((s, d) not in recorded for d in widths)
    ]
    if missing or len(widths) != 2:
        raise ValueError(
            f"lookup_verdicts: recorded must hold {wanted} at two widths, live at one, "
            f"got none of {missing} and widths {widths}"
        )
    narrow, wide = ({s: recorded[s, d] for s in wanted} for d in widths)
    return {
        "live, four content scores answer 90 % at least": min(live[s] for s in steady) > 0.9,
        "live, location is below half": live["location"] < 0.5,
        "recorded, those four stay above 90 % at both widths, every seed": all(
            min(runs[s]) > 0.9 for runs in (narrow, wide) for s in steady
        ),
        "recorded, dot and general lose more than 0.2 to width": all(
            min(narrow[s]) - max(wide[s]) > 0.2 for s in ("dot", "general")
        ),
    }


def dates_verdicts(recorded: Mapping[str, Sequence[float]]) -> dict[str, bool]:
    """Reduce the shares of dates written without an error to two statements.

    Args:
        recorded: shares of several seeds, by score function.

    Returns:
        Statement to whether it holds in every seed.

    Raises:
        ValueError: if a score function is missing.

    >>> runs = dict.fromkeys(("dot", "general", "additive"), [0.99]) | {"scaled dot": [0.9]}
    >>> list(dates_verdicts(runs | {"location": [0.4]}).values())
    [True, True]

    Taught in ``recurrent/score-functions``.
    """
    wanted = ("dot", "general", "additive", "scaled dot", "location")
    missing = [s for s in wanted if s not in recorded]
    if missing:
        raise ValueError(f"dates_verdicts: recorded must hold {wanted}, got none of {missing}")
    return {
        "dot, general and additive are ahead of location by 0.3": all(
            min(recorded[s]) > max(recorded["location"]) + 0.3 for s in wanted[:3]
        ),
        "scaled dot is behind unscaled dot": max(recorded["scaled dot"]) < min(recorded["dot"]),
    }


def slower(multiples: Sequence[float], factor: float) -> bool:
    """Does every one of these take more than so many times the baseline's time?

    Args:
        multiples: time over the baseline's, one for each.
        factor: what each must exceed.

    Returns:
        True if the smallest does.

    Raises:
        ValueError: if there is nothing to judge.

    >>> slower([5.0, 9.0], 2), slower([5.0, 1.5], 2)
    (True, False)

    Taught in ``recurrent/score-functions``.
    """
    if len(multiples) == 0:
        raise ValueError("slower: multiples must hold at least one number, got none")
    return bool(min(multiples) > factor)
