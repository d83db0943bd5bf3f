"""Decisions about reading a pronoun that a chapter prints: what runs show."""

from collections.abc import Mapping


def pronoun_verdicts(accuracy: Mapping[str, float]) -> dict[str, bool]:
    """Reduce accuracies to the statements that a run on any machine should repeat.

    Args:
        accuracy: "sees all", "causal, at it" and "causal, at the end" to accuracy.

    Returns:
        Statement to whether it holds.

    Raises:
        ValueError: if a setting is missing.

    Source:
        Written for this course.

    >>> runs = {"sees all": 0.99, "causal, at it": 0.45, "causal, at the end": 1.0}
    >>> all(pronoun_verdicts(runs).values())
    True

    Taught in ``transformer/self-attention``.
    """
    settings = ("sees all", "causal, at it", "causal, at the end")
    if missing := [setting for setting in settings if setting not in accuracy]:
        raise ValueError(
            f"pronoun_verdicts: accuracy must hold {settings}, got none of {missing}"
        )
    sees_all, at_it, at_the_end = (accuracy[setting] for setting in settings)
    return {
        "with the whole sentence, understood at it": sees_all > 0.8,
        "with a causal mask, at it no better than a coin": at_it < 0.6,
        "with a causal mask, understood at the last word": at_the_end > 0.8,
    }
