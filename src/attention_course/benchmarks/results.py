"""What a benchmark gave: rows that can be printed, compared, fitted and drawn."""

import json
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_course.measure.statistics import Fit, Interval, exponent, paired_ratio

WIDTH = 76
# How a quantity is had from a row, and whether it comes from a clock.
QUANTITIES: dict[str, tuple[Callable[[Mapping[str, Any]], float], bool]] = {
    "seconds": (lambda row: row["seconds"]["value"], True),
    "milliseconds": (lambda row: 1e3 * row["seconds"]["value"], True),
    "TFLOP/s": (lambda row: 1e-12 * row["operations"] / row["seconds"]["value"], True),
    "GB/s": (lambda row: 1e-9 * row["bytes"] / row["seconds"]["value"], True),
    "pictures/s": (lambda row: row["size"]["batch"] / row["seconds"]["value"], True),
    "operations": (lambda row: row["operations"], False),
    "bytes": (lambda row: row["bytes"], False),
    "extra_bytes": (lambda row: row["extra_bytes"], False),
    "extra MB": (lambda row: 1e-6 * row["extra_bytes"], False),
}


class Results:
    """Rows of one benchmark on one device, measured just now or recorded.

    Attributes:
        name: the benchmark's.
        question: what it asks.
        baseline: the variant that the others are compared with.
        device: kind, name, number format and, of a GPU, what else is known.
        about: where, when and with which versions.
        ceilings: the device's own matrix product and copy, in the same run, if measured.
        rows: one a variant and size.
        equivalence: the verdicts that stood before any time was taken.
        live: whether it was measured just now.
    """

    def __init__(self, content: Mapping[str, Any], about: Mapping[str, Any], *, live: bool):
        self.name: str = content["name"]
        self.question: str = content["question"]
        self.baseline: str = content["baseline"]
        self.device: dict[str, Any] = dict(content["device"])
        self.ceilings: dict[str, float] = dict(content["ceilings"])
        self.rows: list[dict[str, Any]] = list(content["rows"])
        self.equivalence: list[dict[str, Any]] = list(content["equivalence"])
        self.about, self.live = dict(about), live
        self._content = dict(content)

    @property
    def variants(self) -> list[str]:
        """The variants, in their order."""
        return list(dict.fromkeys(row["variant"] for row in self.rows))

    @property
    def recorded(self) -> "list[Results]":
        """The same benchmark on every device on which it was recorded, GPUs first."""
        return recorded(self.name)

    @property
    def errors(self) -> dict[str, tuple[float, float | None]]:
        """The largest errors of each variant that could be compared, as shares of the bound.

        First the output's, then the gradient's, None where only outputs were compared. What
        failed is not there, and what has no number is infinitely far off.
        """
        found: dict[str, tuple[float, float | None]] = {}
        for verdict in self.equivalence:
            if "failed" in verdict:
                continue
            output, gradient = (_share(verdict[kind]) for kind in ("output", "gradient"))
            before = found.get(verdict["variant"], (0.0, None))
            known = [x for x in (before[1], gradient) if x is not None]
            found[verdict["variant"]] = (
                max(before[0], output or 0.0),
                max(known, default=None),
            )
        return found

    @property
    def looks_ahead(self) -> list[str]:
        """The variants in which a causal output depends on the future; there should be none."""
        compared = (
            v for v in self.equivalence if "failed" not in v and v["size"].get("causal")
        )
        return sorted({v["variant"] for v in compared if not v["causal"]})

    def only(self, **size: Any) -> "Results":
        """Return the same results with the rows of some sizes, for a shorter table.

        Args:
            **size: numbers that a row's size must have.

        Returns:
            Results with at least one row.

        Raises:
            ValueError: if no row has such a size.
        """
        rows = [row for row in self.rows if _fits(row, size)]
        if not rows:
            sizes = dict.fromkeys(_label(row["size"], {}) for row in self.rows)
            raise ValueError(
                f"{self.name}: expected numbers of one of its sizes, {'; '.join(sizes)}; "
                f"got {size}"
            )
        return Results({**self._content, "rows": rows}, self.about, live=self.live)

    def row(self, variant: str, **size: Any) -> dict[str, Any]:
        """Return the one row of a variant at a size.

        Args:
            variant: its name.
            **size: as many of the size's numbers as it takes to name one row.

        Returns:
            The row.

        Raises:
            ValueError: if there is no such row, or more than one.
        """
        found = self._rows(variant, size)
        if len(found) != 1:
            raise ValueError(
                f"{self.name}: expected one row of {variant!r} at {size}, got {len(found)}; "
                f"there are {self.variants}"
            )
        return found[0]

    def time(self, variant: str, **size: Any) -> float:
        """Return the median time of a variant at a size.

        Args:
            variant: its name.
            **size: as for :meth:`row`.

        Returns:
            Seconds.

        Raises:
            ValueError: if there is no such row, or it was not measured; the message says why.
        """
        return float(self._measured(variant, size)["seconds"]["value"])

    def ratio(self, over: str, under: str, **size: Any) -> Interval:
        """Return how many times as long one variant takes as another, from paired rounds.

        Args:
            over: the variant whose time is divided,
            under: and the one by which.
            **size: as for :meth:`row`.

        Returns:
            The median ratio with its 95 % interval.

        Raises:
            ValueError: if one of the two was not measured.
        """
        pair = (self._measured(name, size)["samples"] for name in (over, under))
        return paired_ratio(*pair)

    def exponent(self, variant: str, x: str, quantity: str, **size: Any) -> Fit:
        """Fit a power of a size to a quantity.

        Args:
            variant: whose rows.
            x: which of the size's numbers, as a rule ``n``.
            quantity: one of ``QUANTITIES``, such as "seconds" or "extra_bytes".
            **size: what stays fixed.

        Returns:
            The fitted exponent with its 95 % interval.

        Raises:
            ValueError: if fewer than three sizes were measured, or the quantity is unknown.
        """
        return exponent(*self.series(variant, x, quantity, **size))

    def series(
        self, variant: str, x: str, quantity: str, **size: Any
    ) -> tuple[list[float], list[float]]:
        """Return a quantity over one of the size's numbers, where it was measured.

        Args:
            variant: whose rows.
            x: which of the size's numbers, as a rule ``n``.
            quantity: one of ``QUANTITIES``.
            **size: what stays fixed.

        Returns:
            The sizes, ascending, and the quantity at each.
        """
        if quantity not in QUANTITIES:
            raise ValueError(f"series: expected one of {list(QUANTITIES)}, got {quantity!r}")
        value = QUANTITIES[quantity][0]
        found = {}
        for row in self._rows(variant, size):
            try:
                found[row["size"][x]] = float(value(row))
            except KeyError:
                continue
        return sorted(found), [found[n] for n in sorted(found)]

    def clocked(self, quantity: str) -> bool:
        """Say whether a quantity comes from a clock, so that no other run gives it again.

        Args:
            quantity: one of ``QUANTITIES``.

        Returns:
            Whether it does.
        """
        return quantity in QUANTITIES and QUANTITIES[quantity][1]

    @property
    def measured_on(self) -> str:
        """The device, in words, with versions and date."""
        packages = self.about.get("packages", {})
        versions = [
            f"{name} {packages[name]}" for name in ("torch", "triton") if name in packages
        ]
        return f"{self.device['name']} ({', '.join([*versions, self.about['date']])})"

    @property
    def where(self) -> str:
        """What is live, and what was recorded where and when."""
        lines = [f"Measured live on: {self.measured_on}"] if self.live else []
        recorded = self.recorded if self.live else [self]
        lines += [f"Recorded on {found.measured_on}." for found in recorded]
        return "\n".join(line for long in lines for line in _wrap(long))

    def __str__(self) -> str:
        """Return a table, with what could not be measured below it and why."""
        lines = [self.where, ""]
        fixed = _fixed([row["size"] for row in self.rows])
        if fixed:
            lines += _wrap(f"At {_label(fixed, {})}:")
        body = [self._line(row, fixed) for row in self.rows if "why_not" not in row]
        head = ["", "variant", "ms", f"{self.baseline} / it", "extra MB"]
        keep = [i for i in range(5) if any(line[i] for line in body)] or [1]
        table = [[line[i] for i in keep] for line in [head, *body]]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines += [
            "  ".join(w.ljust(k) for w, k in zip(line, widths, strict=True)).rstrip()
            for line in table
        ]
        lines += self._not_measured(fixed)
        return "\n".join(lines)

    __repr__ = __str__

    def json(self) -> str:
        """Return all of it as JSON."""
        return json.dumps({"result": self._content, "provenance": self.about}, indent=1)

    def _line(self, row: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[str]:
        line = [_label(row["size"], fixed), row["variant"], "", "", ""]
        if "seconds" in row:
            line[2] = self._said(1e3 * row["seconds"]["value"])
            base = [r for r in self._rows(self.baseline, row["size"]) if "samples" in r]
            if base and row["variant"] != self.baseline:
                line[3] = self._said(paired_ratio(base[0]["samples"], row["samples"]).value)
        if "extra_bytes" in row:
            line[4] = f"{row['extra_bytes'] / 1e6:.3f}"
        return line

    def _not_measured(self, fixed: Mapping[str, Any]) -> list[str]:
        """Return each reason once: for which variants, and where, if not everywhere."""
        sizes = {_label(row["size"], fixed) for row in self.rows}
        where: dict[tuple[str, str], list[str]] = {}
        for row in self.rows:
            if "why_not" in row:
                at = where.setdefault((row["variant"], row["why_not"]), [])
                at.append(_label(row["size"], fixed))
        told: dict[str, list[str]] = {}
        for (variant, why), at in where.items():
            partly = at[0] and len(at) < len(sizes)
            told.setdefault(f"{why} ({'; '.join(at)})" if partly else why, []).append(variant)
        lines = ["", "Not measured:"] if told else []
        for why, variants in told.items():
            lines += _wrap(f"{', '.join(variants)}: {why}")
        return lines

    def _said(self, number: float) -> str:
        return live_number(number) if self.live else three_digits(number)

    def _measured(self, variant: str, size: Mapping[str, Any]) -> dict[str, Any]:
        row = self.row(variant, **size)
        if "seconds" not in row:
            reason = row.get("why_not", f"seconds is not among what {self.name} measures")
            raise ValueError(
                f"{self.name}: expected a measured row of {variant!r}, got {reason}"
            )
        return row

    def _rows(self, variant: str, size: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["variant"] == variant and _fits(row, size)]


def recorded(name: str) -> list[Results]:
    """Return a benchmark's results on every device on which they were recorded, GPUs first.

    Args:
        name: the benchmark's.

    Returns:
        The results; none where nothing was recorded.
    """
    from attention_course.measure.records import recorded_devices

    return [Results(found, about, live=False) for found, about in recorded_devices(name)]


def live_number(number: float) -> str:
    """Write a number that comes from a clock just now, with the sign that says so.

    Args:
        number: finite and above zero.

    Returns:
        Three digits after ``≈``: another run gives others.

    Raises:
        ValueError: if the number is not finite or not above zero.

    >>> live_number(3.14159), live_number(1234.5)
    ('≈ 3.14', '≈ 1234')
    """
    if not 0 < number < float("inf"):
        raise ValueError(f"live_number: expected a finite number above zero, got {number!r}")
    return f"≈ {three_digits(number)}"


def three_digits(number: float) -> str:
    """Write a number with three digits, and never with a power of ten.

    Args:
        number: above zero.

    Returns:
        Its digits.

    >>> three_digits(0.0012345), three_digits(12.345), three_digits(12345.6)
    ('0.00123', '12.3', '12346')
    """
    if number >= 100:
        return f"{number:.0f}"
    places = 2 - int(np.floor(np.log10(number)))
    return f"{number:.{places}f}"


def _share(pair: Mapping[str, Any] | None) -> float | None:
    """Return an error over its bound; infinity for an error that is no finite number."""
    if pair is None:
        return None
    error = pair["error"]
    known = isinstance(error, int | float) and np.isfinite(error)
    return float(error / pair["at_most"]) if known else float("inf")


def _fits(row: Mapping[str, Any], size: Mapping[str, Any]) -> bool:
    return all(row["size"].get(key) == value for key, value in size.items())


def _fixed(sizes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what all sizes have in common."""
    first = sizes[0] if sizes else {}
    return {k: v for k, v in first.items() if all(size.get(k) == v for size in sizes)}


def _label(size: Mapping[str, Any], fixed: Mapping[str, Any]) -> str:
    masks = {True: "causal", False: "full"}
    said = [(k, v) for k, v in size.items() if k not in fixed]
    return ", ".join(masks[v] if k == "causal" else f"{k} {v}" for k, v in said)


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")
