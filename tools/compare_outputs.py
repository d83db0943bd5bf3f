"""Compare outputs as a reader would: text exactly, numbers within a stated tolerance.

Plotly writes an array as base64 or as a list, depending on its version; both are decoded
first, so that only values count. Two numbers agree when

    |a - b| <= 1e-5 max(|a|, |b|) + 1e-8.

A cell may widen the second figure with the metadata ``"tolerance"``, beside a ``"reason"``.
"""

import base64
import json
import math
import re

import numpy as np

PLOTLY = "application/vnd.plotly.v1+json"
RELATIVE, ABSOLUTE = 1e-5, 1e-8
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


def decode(value):
    """Return plotly's JSON with every base64 array as a list of numbers."""
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            return _array(value).tolist()
        return {key: decode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [decode(item) for item in value]
    return value


def difference(stored, fresh, absolute: float = ABSOLUTE, path: str = "") -> str | None:
    """Return where and how two decoded values differ, or None.

    Args:
        stored: what the notebook says.
        fresh: what the run gives.
        absolute: the absolute tolerance for numbers.
        path: the place of the values, for the message.
    """
    if _is_number(stored) and _is_number(fresh):
        same = agree(stored, fresh, absolute)
        return None if same else f"{path}: {stored!r} stored, {fresh!r} computed"
    if type(stored) is not type(fresh):
        return f"{path}: {_short(stored)} stored, {_short(fresh)} computed"
    if isinstance(stored, dict):
        if stored.keys() != fresh.keys():
            odd = sorted(stored.keys() ^ fresh.keys())
            return f"{path}: keys differ: {', '.join(odd)}"
        pairs = ((f"{path}.{key}", stored[key], fresh[key]) for key in stored)
    elif isinstance(stored, list):
        if len(stored) != len(fresh):
            return f"{path}: length {len(stored)} stored, {len(fresh)} computed"
        pairs = (
            (f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(stored, fresh, strict=True))
        )
    else:
        return None if stored == fresh else f"{path}: {_differing(stored, fresh)}"
    return next((d for p, a, b in pairs if (d := difference(a, b, absolute, p))), None)


def agree(a: float, b: float, absolute: float = ABSOLUTE) -> bool:
    """Say whether two numbers are equal within the tolerance; nan equals nan."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + absolute


def figure_difference(stored: dict, fresh: dict, absolute: float = ABSOLUTE) -> str | None:
    """Return where two plotly figures differ in their decoded data or layout, or None."""
    return difference(decode(stored), decode(fresh), absolute, "figure")


def sanitise(text: str) -> str:
    """Return ``text`` with memory addresses replaced, which no run repeats."""
    return ADDRESS.sub("0x...", text)


def _array(value: dict) -> np.ndarray:
    array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
    if "shape" in value:
        array = array.reshape([int(n) for n in str(value["shape"]).split(",")])
    return array


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _differing(stored, fresh) -> str:
    """Show two long texts from the place where they part."""
    if not isinstance(stored, str) or not isinstance(fresh, str):
        return f"{_short(stored)} stored, {_short(fresh)} computed"
    at = next((i for i, (a, b) in enumerate(zip(stored, fresh, strict=False)) if a != b), None)
    at = min(len(stored), len(fresh)) if at is None else at
    start = max(0, at - 20)
    a, b = stored[start : start + 60], fresh[start : start + 60]
    return f"{a!r} stored, {b!r} computed (from character {start})"
