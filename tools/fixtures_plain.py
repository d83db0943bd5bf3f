"""Turn numbers and arrays into what JSON can hold."""

import math
from typing import Any

import numpy as np


def plain(x: Any, digits: int | None = 12) -> Any:
    """Return ``x`` as JSON can hold it; numbers that are not finite become words."""
    if isinstance(x, dict):
        return {key: plain(value, digits) for key, value in x.items()}
    if isinstance(x, (list, tuple, np.ndarray)):
        return [plain(value, digits) for value in x]
    if isinstance(x, (int, np.integer)):
        return int(x)
    x = float(x)
    if not math.isfinite(x):
        return "NaN" if math.isnan(x) else ("Infinity" if x > 0 else "-Infinity")
    return x if digits is None else float(f"{x:.{digits}g}")
