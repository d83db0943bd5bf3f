"""What ``transformer/transformer-block`` concludes from its measurements."""

from collections.abc import Mapping

MEASURED = ("sums", "hidden", "inputs", "scores", "gradient")


def find_fault(measures: Mapping[str, float], twin: Mapping[str, float] | None = None) -> str:
    """Say which planted fault a row of the diagnostic table shows.

    The entropy is not asked: every one of the faults, and a sound model before training, has
    weights that are nearly uniform. The order matters: what is wrong with the weights
    themselves comes first, then their inputs, then what learning gets.

    How much inputs and scores differ depends on depth and width. Without a twin both are
    compared with fixed limits, which are right for about six blocks.

    Args:
        measures: one number for each name in ``models.experiments.uniform_attention.MEASURES``.
        twin: the same of a sound, untrained model of the same sizes.

    Returns:
        One name of ``models.experiments.uniform_attention.FAULTS``; "none" if nothing strikes.

    Raises:
        ValueError: if a measure is missing.

    >>> row = {"sums": 0.0, "hidden": 0.0, "inputs": 0.9, "gradient": 0.1}
    >>> find_fault(row | {"scores": 0.3}), find_fault(row | {"scores": 0.001})
    ('none', 'small scores')
    >>> sound = row | {"scores": 0.3}
    >>> find_fault(sound | {"inputs": 0.4}), find_fault(sound | {"inputs": 0.4}, sound)
    ('none', 'no residual')
    """
    for name, row in (("measures", measures), ("twin", measures if twin is None else twin)):
        if missing := [measure for measure in MEASURED if measure not in row]:
            raise ValueError(f"find_fault: {name} must hold {missing}, got {[*row]}")
    alike = 0.3 if twin is None else 0.7 * twin["inputs"]
    small = 0.03 if twin is None else 0.1 * twin["scores"]
    signs = {
        "wrong axis": measures["sums"] > 0.05,
        "empty rows": measures["hidden"] > 0.01,
        "no residual": measures["inputs"] < alike,
        "cut gradient": measures["gradient"] < 1e-6,
        "small scores": measures["scores"] < small,
    }
    return next((fault for fault, strikes in signs.items() if strikes), "none")
