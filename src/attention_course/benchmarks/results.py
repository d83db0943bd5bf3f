"""What was measured, just now or on record: read, compared, fitted and printed."""

import json
import textwrap
from collections.abc import Callable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from attention_course.benchmarks.base import label
from attention_course.measure.statistics import Fit, exponent

WIDTH = 76
# How a quantity is had from a row; "extra_bytes" is counted, all else comes from a clock.
QUANTITIES: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "seconds": lambda row: row["seconds"],
    "milliseconds": lambda row: 1e3 * row["seconds"],
    "TFLOP/s": lambda row: 1e-12 * row["operations"] / row["seconds"],
    "extra_bytes": lambda row: row["extra_bytes"],
}
_FOLDER = resources.files("attention_course") / "data" / "recorded" / "devices"
_NOT_YET = """Not yet recorded on a GPU. There, in the course's folder, this records it:
  python benchmarks/gpu.py"""


class Results:
    """Rows of one question on one device, measured just now (``live``) or recorded.

    Attributes:
        content: all that was measured, as a record holds it.
        about: where, when and with which versions.
        baseline: the way that the others are compared with.
        ceilings: the device's own matrix product and copy, in the same run, if measured.
        rows: one a way and size.
        equivalence: the verdicts that stood before any time was taken.
    """

    name: str
    baseline: str
    device: dict[str, Any]
    ceilings: dict[str, float]
    rows: list[dict[str, Any]]
    equivalence: list[dict[str, Any]]

    def __init__(self, content: Mapping[str, Any], about: Mapping[str, Any], *, live: bool):
        self.content, self.about, self.live = dict(content), dict(about), live
        vars(self).update(content)

    @property
    def variants(self) -> list[str]:
        """The ways, in their order."""
        return list(dict.fromkeys(row["variant"] for row in self.rows))

    @property
    def recorded(self) -> "list[Results]":
        """The same question on every device on which it was recorded, GPUs first."""
        return recorded(self.name)

    @property
    def errors(self) -> dict[str, tuple[float, float | None]]:
        """The largest errors of each way's output and gradient, as shares of the bound.

        None where no gradient was compared; what has no number is infinitely far off.
        """
        found: dict[str, tuple[float, float | None]] = {}
        for verdict in self.equivalence:
            most, steepest = found.get(verdict["variant"], (0.0, None))
            if verdict["gradient"]:
                steepest = max(steepest or 0.0, _share(verdict["gradient"]))
            found[verdict["variant"]] = max(most, _share(verdict["output"])), steepest
        return found

    @property
    def looks_ahead(self) -> list[str]:
        """The ways in which a causal output depends on the future; there should be none."""
        return sorted({v["variant"] for v in self.equivalence if v["causal"] is False})

    def only(self, **size: Any) -> "Results":
        """Return the same results at some sizes; ValueError if there are none."""
        rows = [row for row in self.rows if size.items() <= row["size"].items()]
        if not rows:
            there = "; ".join(dict.fromkeys(label(row["size"]) for row in self.rows))
            raise ValueError(f"{self.name}: expected one of its sizes, {there}; got {size}")
        return Results({**self.content, "rows": rows}, self.about, live=self.live)

    def row(self, variant: str, **size: Any) -> dict[str, Any]:
        """Return the one row of a way at a size; ValueError unless there is exactly one."""
        found = [row for row in self.only(**size).rows if row["variant"] == variant]
        if len(found) != 1:
            said = f"expected one row of {variant!r} at {size}, got {len(found)}"
            raise ValueError(f"{self.name}: {said}; there are {self.variants}")
        return found[0]

    def time(self, variant: str, **size: Any) -> float:
        """Return a way's median seconds; ValueError, with the reason, if not measured."""
        row = self.row(variant, **size)
        if "seconds" not in row:
            raise ValueError(f"{self.name}: no time of {variant!r}: {row['why_not']}")
        return float(row["seconds"])

    def ratio(self, over: str, under: str, **size: Any) -> float:
        """Return how many times as long one way takes as another, by their medians."""
        return self.time(over, **size) / self.time(under, **size)

    def exponent(self, variant: str, x: str, quantity: str, **size: Any) -> Fit:
        """Fit a power of ``x`` to a quantity; ValueError where fewer than three are known."""
        return exponent(*self.series(variant, x, quantity, **size))

    def series(
        self, variant: str, x: str, quantity: str, **size: Any
    ) -> tuple[list[float], list[float]]:
        """Return a quantity over one of the size's numbers ``x``, where it was measured.

        The sizes ascend, and ``size`` is what stays fixed. A quantity that is none of
        ``QUANTITIES`` is refused by a ValueError.
        """
        if quantity not in QUANTITIES:
            raise ValueError(f"series: expected one of {list(QUANTITIES)}, got {quantity!r}")
        needs = "extra_bytes" if quantity == "extra_bytes" else "seconds"
        found = {
            row["size"][x]: float(QUANTITIES[quantity](row))
            for row in self.rows
            if row["variant"] == variant
            and needs in row
            and size.items() <= row["size"].items()
        }
        return sorted(found), [found[n] for n in sorted(found)]

    @property
    def measured_on(self) -> str:
        """The device, in words, with versions and date."""
        packages = self.about.get("packages", {})
        versions = [f"{x} {packages[x]}" for x in ("torch", "triton") if x in packages]
        return f"{self.device['name']} ({', '.join([*versions, self.about['date']])})"

    @property
    def where(self) -> str:
        """What is live, and what was recorded where and when."""
        lines = [f"Measured live on: {self.measured_on}"] if self.live else []
        on_file = self.recorded if self.live else [self]
        lines += [f"Recorded on {found.measured_on}." for found in on_file]
        return "\n".join(map(_wrap, lines))

    def __str__(self) -> str:
        """Return a table, with what could not be measured below it and why."""
        sizes = [row["size"] for row in self.rows]
        fixed = {k: v for k, v in sizes[0].items() if all(s.get(k) == v for s in sizes)}
        table = [["", "variant", "ms", f"{self.baseline} / it", "extra MB"]]
        table += [self._line(row, fixed) for row in self.rows if "seconds" in row]
        keep = [i for i in range(5) if any(line[i] for line in table[1:])]
        wide = [max(len(line[i]) for line in table) for i in range(5)]
        lines = ["  ".join(line[i].ljust(wide[i]) for i in keep).rstrip() for line in table]
        why: dict[str, dict[str, None]] = {}
        for row in (row for row in self.rows if "why_not" in row):
            why.setdefault(row["why_not"], {})[row["variant"]] = None
        lines += ["", "Not measured, or not everywhere:"] if why else []
        lines += [_wrap(f"{', '.join(who)}: {reason}") for reason, who in why.items()]
        at = [_wrap(f"At {label(fixed)}:")] if fixed else []
        return "\n".join([self.where, "", *at, *lines])

    __repr__ = __str__

    def _line(self, row: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[str]:
        sign, base = "≈ " * self.live, self.row(self.baseline, **row["size"])
        times = base["seconds"] / row["seconds"] if "seconds" in base else None
        ratio = f"{sign}{three_digits(times)}" if times and base is not row else ""
        extra = f"{row['extra_bytes'] / 1e6:.3f}" if "extra_bytes" in row else ""
        said = label({k: v for k, v in row["size"].items() if k not in fixed})
        ms = f"{sign}{three_digits(1e3 * row['seconds'])}"
        return [said, row["variant"], ms, ratio, extra]


def recorded(name: str) -> list[Results]:
    """Return a question's results on every device on which it was recorded, GPUs first."""
    files = sorted(f.name for f in _FOLDER.iterdir() if f.name.endswith(".json"))
    read = [parts(_FOLDER / file) for file in files]
    found = [Results(**there[name], live=False) for there in read if name in there]
    return sorted(found, key=lambda one: one.device["kind"] != "cuda")


def parts(file: Traversable) -> dict[str, dict[str, Any]]:
    """Read the record of a device: of each question its ``content``, and where it is from."""
    record = json.loads(file.read_text(encoding="utf-8"))
    found: dict[str, dict[str, Any]] = record["result"]["parts"]
    return found


def gpus(name: str) -> list[Results]:
    """Return a question's results on every GPU on which they were recorded."""
    return [found for found in recorded(name) if found.device["kind"] == "cuda"]


def on_record(*questions: str) -> str:
    """Return a table for each question and GPU on record, or the command that records them."""
    return "\n\n".join(str(one) for name in questions for one in gpus(name)) or _NOT_YET


def three_digits(number: float) -> str:
    """Write a number above zero with three digits, and never with a power of ten.

    >>> three_digits(0.0012345), three_digits(12.345), three_digits(12345.6)
    ('0.00123', '12.3', '12346')
    """
    places = 0 if number >= 100 else 2 - int(np.floor(np.log10(number)))
    return f"{number:.{places}f}"


def _share(pair: list[float | None]) -> float:
    """Return an error over its bound; infinity for an error that is no finite number."""
    error, most = pair
    return float("inf") if error is None or most is None else error / most


def _wrap(line: str) -> str:
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  "))
