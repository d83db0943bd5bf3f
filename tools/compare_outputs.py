"""Compare outputs as a reader would: words exactly, numbers within a stated tolerance.

Plotly writes an array as base64 or as a list, depending on its version; both are decoded
first, so that only values count. Two numbers of a figure or a widget agree when

    |a - b| <= 1e-5 max(|a|, |b|) + 1e-8.

A cell may widen the second figure with the metadata ``"tolerance"``, beside a ``"reason"``.
On a logarithmic axis the logarithms are compared instead, to 1e-5 (one that is widened, to
that many powers of ten): 1e-15 is not 1e-12 there.

A text agrees when its words do and its numbers do, pair by pair. Integers have to be equal.
Other numbers may differ by 1e-5 of the larger one, and by one in their last digit where that
is no more than a hundredth of them, for a number is rounded when it is written. A text inside
a figure (its alternative text) has the tolerance of that figure besides. A printed number that
was measured is named by the cell's metadata ``"measured"``, with a tolerance of its own:

    {"# of 500": 8, "attention #": 0.05}

where ``#`` stands for the number, ``*`` for any other one, and the rest for itself. An answer
carries its tolerance: what is before ``(within 0.05)`` may differ by 0.05. What stands
before ``(0.48 to spare)``, in a ``hold``, may by 0.48, for then it still keeps its bound.

What a clock gave just now is *live*: no other run gives it again. A number behind the sign
``≈`` only has to be finite and above zero, and so do the heights of a trace that says
``"meta": {"live": true}``, each where one is stored; the words around the number, the trace's
name, sizes and number of points are compared as ever.
"""

import copy
import json
import math
import re
from collections.abc import Mapping

from attention_course.site.figures import decode

PLOTLY = "application/vnd.plotly.v1+json"
RELATIVE, ABSOLUTE = 1e-5, 1e-8
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
READY = re.compile(r"(?<=^Ready: )Python \d.*$", re.MULTILINE)
SIZE = r"(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+"
NUMBER = re.compile(rf"(?:(?<![\w.#)\]])[-+])?(?<![\w.#]){SIZE}(?!\.\d)")


CARRIED = re.compile(
    rf"(?P<number>{SIZE})(?: \((?P<spare>{SIZE}) to spare\)"
    rf"|(?:%| ?[^\d\s()][^\d\n()]{{0,29}})? \(within (?P<within>{SIZE})\))"
)
LIVE = "≈"
WHERE = re.compile(r"(?<=^Measured live on: ).*(?:\n  .*)*$", re.MULTILINE)


def difference(
    stored, fresh, absolute: float = ABSOLUTE, path: str = "", log: bool = False
) -> str | None:
    """Return where and how two decoded values differ, or None."""
    if _is_number(stored) and _is_number(fresh):
        same = (agree_in_log if log else agree)(stored, fresh, absolute)
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
        pairs = ((f"{path}[{i}]", a, fresh[i]) for i, a in enumerate(stored))
    elif isinstance(stored, str) and not path.rsplit(".", 1)[-1].startswith("_"):
        line = text_difference(stored, fresh, absolute, log=log)
        return line and f"{path}: {line}"
    else:
        return None if stored == fresh else f"{path}: {_differing(stored, fresh)}"
    return next((d for p, a, b in pairs if (d := difference(a, b, absolute, p, log))), None)


def text_difference(
    stored: str,
    fresh: str,
    absolute: float = 0.0,
    measured: Mapping[str, float] | None = None,
    log: bool = False,
) -> str | None:
    """Return where and how two texts differ in a word or a number, or None."""
    if stored == fresh:
        return None
    if _words(stored) != _words(fresh):
        return _differing(stored, fresh)
    tolerances = _own_tolerances(stored)
    for pattern, tolerance in (measured or {}).items():
        tolerances |= dict.fromkeys(measured_numbers(pattern, stored), tolerance)
    for a, b in zip(NUMBER.finditer(stored), NUMBER.finditer(fresh), strict=True):
        tolerance = tolerances.get(a.end())
        if stored[: a.start()].rstrip(" ").endswith(LIVE):
            same = all(0 < float(number.group()) < math.inf for number in (a, b))
        elif tolerance is None:
            same = _agree_as_written(a.group(), b.group(), absolute, log)
        else:
            same = abs(float(a.group()) - float(b.group())) <= tolerance * (1 + 1e-9)
        if not same:
            line = f"{a.group()} stored, {b.group()} computed"
            return f"{line}, after {stored[max(0, a.start() - 40) : a.start()]!r}"
    return None


def _own_tolerances(text: str) -> dict[int, float]:
    """Return the tolerance of each number that carries one, by where the number ends."""
    found = {}
    for match in CARRIED.finditer(text):
        found[match.end("number")] = float(match["within"] or match["spare"])
        if match["spare"]:
            found[match.end("spare")] = float(match["spare"])
    return found


def measured_numbers(pattern: str, text: str) -> list[int]:
    """Return where the numbers end that a pattern of ``"measured"`` names in a text."""
    parts = [p for p in re.split(r"([#*]|\s+)", pattern) if p]
    signs = {"#": rf"([-+]?{SIZE})", "*": rf"[-+]?{SIZE}"}
    written = (r"\s+" if p.isspace() else signs.get(p) or re.escape(p) for p in parts)
    found = re.finditer("".join(written), text)
    return [match.end(i + 1) for match in found for i in range(parts.count("#"))]


def agree(a: float, b: float, absolute: float = ABSOLUTE) -> bool:
    """Say whether two numbers are equal within the tolerance; nan equals nan."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + absolute


def agree_in_log(a: float, b: float, absolute: float = ABSOLUTE) -> bool:
    """Say whether two numbers are equal on a logarithmic axis."""
    if not (0 < a < math.inf and 0 < b < math.inf):
        return agree(a, b, 0.0)
    return abs(math.log(a) - math.log(b)) <= RELATIVE + absolute * math.log(10)


def figure_difference(stored: dict, fresh: dict, absolute: float = ABSOLUTE) -> str | None:
    """Return where two plotly figures differ in their decoded data or layout, or None.

    What lies on a logarithmic axis is compared by its logarithm, and so are the numbers of
    the alternative text where an axis is logarithmic.
    """
    figures = [copy.deepcopy(decode(figure)) for figure in (stored, fresh)]
    if line := _live_difference(*figures):
        return line
    taken = [_take_logarithmic(figure) for figure in figures]
    rest = difference(*figures, absolute, "figure")
    if rest or taken[0].keys() != taken[1].keys():
        return rest or "figure: another axis is logarithmic"
    pairs = ((place, taken[0][place], taken[1][place]) for place in taken[0])
    found = (difference(a, b, absolute, f"figure.{place}", log=True) for place, a, b in pairs)
    return next(filter(None, found), None)


def without_what_is_printed(state: dict) -> dict:
    """Return a widget's state without what its cell prints, and what is compared there.

    A prediction's answer may be measured: its text says how exactly it is known.
    """
    if not str(state.get("_anywidget_id", "")).endswith(".Prediction"):
        return state
    return {key: state[key] for key in state.keys() - {"answer", "fallback", "reveal"}}


def sanitise(text: str) -> str:
    """Return ``text`` without addresses, the setup cell's versions and the live device."""
    return WHERE.sub("...", READY.sub("...", ADDRESS.sub("0x...", text)))


def is_live(trace: dict) -> bool:
    """Say whether a trace was measured just now."""
    meta = trace.get("meta")
    return isinstance(meta, dict) and meta.get("live") is True


def _live_difference(stored: dict, fresh: dict) -> str | None:
    """Compare the heights of live traces as such, and leave the same ones in both figures."""
    pairs = zip(stored.get("data", []), fresh.get("data", []), strict=False)
    for i, (old, new) in enumerate(pairs):
        if not (is_live(old) and is_live(new)):
            continue
        heights = old.get("y") or [], new.get("y") or []
        if len(heights[0]) != len(heights[1]):
            return f"figure.data[{i}].y: {len(heights[0])} stored, {len(heights[1])} computed"
        for j, (a, b) in enumerate(zip(*heights, strict=True)):
            if (a, b) != (None, None) and not (_is_live_number(a) and _is_live_number(b)):
                return f"figure.data[{i}].y[{j}]: {a!r} stored, {b!r} computed, live"
        for key in {"y", "error_y"} & old.keys() & new.keys():
            new[key] = old[key]
    return None


def _is_live_number(value) -> bool:
    return _is_number(value) and 0 < value < math.inf


def _take_logarithmic(figure: dict) -> dict[str, object]:
    """Take out of a decoded figure what is compared by its logarithm; return it by place."""
    layout, taken = figure.get("layout", {}), {}
    for i, trace in enumerate(figure.get("data", [])):
        for letter in "xy":
            axis = str(trace.get(f"{letter}axis", letter)).replace(letter, f"{letter}axis")
            if layout.get(axis, {}).get("type") == "log":
                for key in {letter, f"error_{letter}"} & trace.keys():
                    taken[f"data[{i}].{key}"] = trace.pop(key)
    meta = layout.get("meta")
    axes = [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
    if isinstance(meta, dict) and any(axis.get("type") == "log" for axis in axes):
        taken["layout.meta"] = layout.pop("meta")
    return taken


def _words(text: str) -> list[str]:
    """Return what is between the numbers; the padding of a column is no word."""
    return [re.sub(r"[ \t]+", " ", words).strip(" ") for words in NUMBER.split(text)]


def _agree_as_written(a: str, b: str, absolute: float, log: bool) -> bool:
    """Say whether two numbers that were rounded in writing may be the same."""
    x, y = float(a), float(b)
    if all(written.strip("-+.").isdigit() for written in (a, b)):
        return abs(x - y) <= absolute
    size, unit = max(abs(x), abs(y)), min(_unit(a), _unit(b))
    if (agree_in_log if log else agree)(x, y, absolute):
        return True
    return unit <= 0.0101 * size and abs(x - y) <= unit + RELATIVE * size


def _unit(number: str) -> float:
    """Return what one in the last digit of a written number is worth."""
    digits, _, power = number.lower().partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


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
