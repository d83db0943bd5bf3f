"""What ``transformer/transformer-block`` concludes from its measurements."""

from collections.abc import Mapping


def find_fault(measures: Mapping[str, float]) -> str:
    """Say which planted fault a row of the diagnostic table shows.

    The entropy is not asked: every one of the faults, and a sound model before training, has
    weights that are nearly uniform. The order matters: what is wrong with the weights
    themselves comes first, then their inputs, then what learning gets.

    Args:
        measures: one number for each name in ``models.experiments.uniform_attention.MEASURES``.

    Returns:
        One name of ``models.experiments.uniform_attention.FAULTS``; "none" if nothing strikes.

    Raises:
        ValueError: if a measure is missing.

    >>> row = {"sums": 0.0, "hidden": 0.0, "inputs": 0.9, "gradient": 0.1}
    >>> find_fault(row | {"scores": 0.3}), find_fault(row | {"scores": 0.001})
    ('none', 'small scores')

    Taught in ``transformer/transformer-block``.
    """
    wanted = ("sums", "hidden", "inputs", "scores", "gradient")
    missing = [name for name in wanted if name not in measures]
    if missing:
        raise ValueError(f"find_fault: measures must hold {missing}, got {[*measures]}")
    signs = {
        "wrong axis": measures["sums"] > 0.05,
        "empty rows": measures["hidden"] > 0.01,
        "no residual": measures["inputs"] < 0.3,
        "cut gradient": measures["gradient"] < 1e-6,
        "small scores": measures["scores"] < 0.03,
    }
    return next((fault for fault, strikes in signs.items() if strikes), "none")
