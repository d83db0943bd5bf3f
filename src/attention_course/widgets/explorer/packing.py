"""Many small arrays as one short text: each in the fewest bytes that keep its precision."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

# Code of the top value in the whole-number formats: there is no number here.
_MISSING = {"u1": 255, "u2": 65535}


def pack_array(values: np.ndarray, precision: float, log: bool = False) -> tuple[Any, ...]:
    """Choose the smallest format that keeps an array to the given precision.

    Formats: ``u1`` and ``u2`` store whole steps between the smallest and the largest value,
    ``f2`` and ``f4`` are floats. What is not finite becomes a gap.

    Args:
        values: one axis of numbers.
        precision: the largest error, as a share of the span of the values; of each value
            itself if ``log``.
        log: the numbers are drawn on a log axis.

    Returns:
        Format, bytes, low end, step, and the largest error that was made.
    """
    values = np.where(np.isfinite(values), values, np.nan).astype(np.float64)
    seen = values[~np.isnan(values)]
    low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)
    allowed = precision * (np.abs(values) if log else max(high - low, 1e-300))
    # Two bytes are best spent on whole steps, unless small numbers must stay apart.
    for code in ("u1", "f2", "u2", "f4") if log else ("u1", "u2", "f4"):
        raw, low_used, step = _encode(code, values, low, high)
        back = unpack_array(code, raw, low_used, step)
        error = np.abs(back - values)
        # Comparisons with NaN are False: a gap is never an error.
        fits = not (error > allowed).any() and not np.isinf(back).any()
        if fits or code == "f4":
            worst = float(np.nanmax(error)) if seen.size else 0.0
            return code, raw, low_used, step, worst
    raise AssertionError("f4 always returns")


def _encode(code: str, values: np.ndarray, low: float, high: float) -> tuple[Any, ...]:
    if code.startswith("f"):
        with np.errstate(over="ignore"):
            return values.astype(f"<{code}").tobytes(), 0.0, 1.0
    top = _MISSING[code] - 1
    step = (high - low) / top or 1.0
    whole = np.nan_to_num(values, nan=low)
    # Whole numbers in reach keep their own step, and so stay exact.
    if high - low <= top and np.array_equal(whole, np.round(whole)):
        step = 1.0
    steps = np.where(np.isnan(values), _MISSING[code], np.round((whole - low) / step))
    return steps.astype(f"<{code}").tobytes(), low, step


def unpack_array(code: str, raw: bytes, low: float, step: float) -> np.ndarray:
    """Read a packed array back, as the browser does: gaps are NaN."""
    stored = np.frombuffer(raw, dtype=f"<{code}")
    if code.startswith("f"):
        return stored.astype(np.float64)
    return np.where(stored == _MISSING[code], np.nan, low + stored * step)


class Packer:
    """A table of packed arrays in which equal arrays stand once.

    >>> packer = Packer(precision=1e-3)
    >>> packer.add([1, 2, 4]), packer.add([1, 2, 4]), packer.add([0.5, None, 0.25])
    (0, 0, 1)
    >>> packer.state()["arrays"][0]
    ['u1', 0, 3, 1.0, 1.0]
    """

    def __init__(self, precision: float = 1e-4) -> None:
        self.precision = precision
        self._known: dict[tuple[Any, ...], int] = {}
        self._raw = bytearray()
        self._arrays: list[list[Any]] = []
        self._sources: list[np.ndarray] = []

    def add(self, values: Sequence[Any] | np.ndarray, log: bool = False) -> int:
        """Store an array, or find it; return its number."""
        array = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        key = (array.tobytes(), log)
        if key not in self._known:
            code, raw, low, step, _ = pack_array(array, self.precision, log)
            self._known[key] = len(self._arrays)
            self._arrays.append([code, len(self._raw), len(array), low, step])
            self._sources.append(array)
            self._raw += raw
        return self._known[key]

    def state(self) -> dict[str, Any]:
        """Return the table: format, first byte, length, low end and step of each array."""
        return {"arrays": self._arrays, "data": base64.b64encode(bytes(self._raw)).decode()}


def unpack(state: dict[str, Any]) -> list[np.ndarray]:
    """Read every array of :meth:`Packer.state` back."""
    raw = base64.b64decode(state["data"])
    return [
        unpack_array(code, raw[at : at + count * int(code[1])], low, step)
        for code, at, count, low, step in state["arrays"]
    ]
