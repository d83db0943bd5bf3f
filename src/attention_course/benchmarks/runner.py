"""Runs a question on the reader's device: equality first, then memory and times in turns."""

import gc
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attention_course.benchmarks import attention, decode, layers, pictures
from attention_course.benchmarks.base import Call, Question, Size, Unavailable
from attention_course.benchmarks.results import Results
from attention_course.measure import (
    Device,
    ceilings,
    compare,
    equivalence,
    peak_extra_bytes,
    provenance,
    this_device,
)

NOT_EQUAL = "failed: it is not equal"
NO_ROOM = "out of memory: it does not fit into this device beside the others"
QUESTIONS = {**attention.ASKED, **decode.ASKED, **layers.ASKED, **pictures.ASKED}
Row = dict[str, Any]
Timed = Callable[[], object]


def names() -> list[str]:
    """Return the names of all questions."""
    return list(QUESTIONS)


def question(name: str) -> Question:
    """Return a question by its name; ValueError if it is unknown.

    >>> question("forward").baseline
    'eager'
    """
    if name not in QUESTIONS:
        raise ValueError(f"question: expected one of {names()}, got {name!r}")
    return QUESTIONS[name]


def run(
    name: str, *, device: Device | None = None, seconds: float = 10.0, live: bool = True
) -> Results:
    """Measure here and now: on the GPU if there is one, else small on the CPU.

    First the ways are compared with a reference in float64; only what agrees is measured. What
    this device cannot do is a row that says why, and never an error.

    Args:
        name: one of :func:`names`.
        device: :func:`attention_course.measure.this_device` unless given.
        seconds: about how long the timing may take.
        live: whether this is a page's cell, which leaves out what takes too long for it.

    Source:
        Dao (2023) for the sizes and the rule of equality; ``torch.utils.benchmark``.
    """
    asked, device = question(name), device or this_device()
    if not seconds > 0:
        raise ValueError(f"run: expected seconds above zero, got {seconds!r}")
    measured, sizes = _Run(asked, device, live), asked.sizes[device.kind]
    if live:
        sizes = asked.sizes.get(f"live {device.kind}", sizes)
    content = {
        "name": name,
        "baseline": asked.baseline,
        "device": describe(device),
        "ceilings": _ceilings(device, min(2.0, seconds / 10)),
        "rows": measured.rows(sizes, seconds),
        # What could not be compared has no output.
        "equivalence": [found for found in measured.verdicts.values() if "output" in found],
    }
    about = provenance(f"benchmarks/gpu.py --device {device.kind}")
    return Results(content, about, live=live)


@dataclass
class _Run:
    """One question on one device: its ways, and the verdicts on them."""

    asked: Question
    device: Device
    live: bool
    verdicts: dict[tuple[str, str], Row] = field(default_factory=dict)

    def rows(self, sizes: Sequence[Size], seconds: float) -> list[Row]:
        """Return a row for each size and way."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of backends that it may not use
            return [row for size in sizes for row in self.at(size, seconds / len(sizes))]

    def at(self, size: Size, seconds: float) -> list[Row]:
        """Measure at one size; return a row for each way."""
        asked, device = self.asked, self.device
        rows: dict[str, Row] = {}
        ways = asked.ways(device)
        for name in ways:
            counted = {"operations": asked.operations(size, name)}
            counted["bytes"] = asked.moved(size, name, device)
            rows[name] = {"variant": name, "size": dict(size), **counted}
        calls: dict[str, Timed] = {}
        inputs = asked.inputs(size, device, device.dtype)
        # The baseline first, what is large last: what does not fit is then the largest.
        for name in sorted(rows, key=lambda n: (n != asked.baseline, rows[n]["bytes"])):
            row = rows[name]
            why = ways[name].why_not(device, size, self.live)
            if why := why or self.unequal(name, asked.equality_check_size(size)):
                row["why_not"] = why
                continue
            try:
                call = _call(asked.timed, ways[name].prepare(size), inputs)
                if asked.memory:
                    row["extra_bytes"] = peak_extra_bytes(call, device)
                calls[name] = call
            except Exception as error:  # a reader's device: say why, and go on
                row["why_not"] = failure(error)
                _make_room()
        self.time(rows, calls, seconds)
        return [*rows.values()]

    def unequal(self, name: str, size: Size) -> str | None:
        """Return why a way is not what it should be; None if it is equal to the reference."""
        key = name, str(size)
        if key not in self.verdicts:
            try:
                self.verdicts[key] = self.verdict(name, size)
            except Exception as error:  # said once, and not tried again at each size
                self.verdicts[key] = {"holds": False, "why_not": failure(error)}
        found = self.verdicts[key]
        return None if found["holds"] else found.get("why_not", NOT_EQUAL)

    def verdict(self, name: str, size: Size) -> Row:
        """Compare a way with the reference; say how far off it is."""
        ways = self.asked.ways(self.device)
        base, way = ways[self.asked.baseline], ways[name]
        verdict = equivalence(
            way.prepare(size),
            way.steps or base.prepare(size),
            self.asked.inputs(size, self.device, self.device.dtype),
            eager=base.prepare(size) if way.steps is base.steps else way.steps,
            causal=bool(size.get("causal")),
            gradients=self.asked.gradients,
        )
        row: Row = {"variant": name, "size": dict(size), "holds": verdict.holds}
        for kind in ("output", "gradient"):
            pair = getattr(verdict, kind)
            # JSON holds no NaN: an error that is no number stands as None.
            row[kind] = pair and [_short(x) if math.isfinite(x) else None for x in pair]
        return row | {"causal": verdict.causal}

    def time(self, rows: dict[str, Row], calls: dict[str, Timed], seconds: float) -> None:
        """Write medians into the rows; each way fits alone, but all side by side may not."""
        while calls:
            try:
                timings = compare(calls, seconds=seconds, device=self.device)
                break
            except RuntimeError as error:  # the last is the largest
                rows[calls.popitem()[0]]["why_not"] = failure(error)
                _make_room()
        for name in calls:
            taken = timings.taken[name]
            rows[name] |= {"seconds": _short(taken.median), "iqr": _short(taken.iqr)}


def describe(device: Device) -> dict[str, object]:
    """Return what a record says of its device: name, format, and a GPU's memory and libraries.

    >>> describe(this_device("cpu"))["dtype"]
    'float32'
    """
    dtype = str(device.dtype).removeprefix("torch.")
    about: dict[str, object] = {"kind": device.kind, "name": device.name, "dtype": dtype}
    if device.kind == "cuda":
        about |= {"capability": list(device.capability), "memory": device.memory}
        about |= {"cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}
    return about


def failure(error: Exception) -> str:
    """Say in a row why there is no time: what is lacking, or what went wrong."""
    if isinstance(error, Unavailable):
        return str(error)
    if "out of memory" in str(error).lower():
        return NO_ROOM
    if "No available kernel" in str(error):
        return "torch has no such kernel for these inputs"
    return f"failed: {type(error).__name__}: {str(error).partition(chr(10))[0]:.160}"


def _ceilings(device: Device, seconds: float) -> dict[str, float]:
    """Return the device's own matrix product and copy, per second."""
    top = ceilings(device, seconds=seconds)._asdict()
    return {kind: _short(value) for kind, value in top.items()}


def _call(timed: str, call: Call, inputs: Sequence[Tensor]) -> Timed:
    """Return what is timed, run once so that it is compiled."""
    leaves = [x.detach().clone().requires_grad_(timed != "forward") for x in inputs]
    with torch.set_grad_enabled(timed != "forward"):
        out = call(*leaves)
    pull = torch.randn_like(out)
    return {
        "forward": lambda: torch.no_grad()(call)(*leaves),
        "both": lambda: torch.autograd.grad(call(*leaves), leaves, pull),
        "backward": lambda: torch.autograd.grad(out, leaves, pull, retain_graph=True),
    }[timed]


def _make_room() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _short(value: float) -> float:
    """Round to four digits, so that a record stays small."""
    return float(f"{value:.4g}")
