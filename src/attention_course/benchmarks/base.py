"""What a question is: its ways, its sizes, and what can be counted without a clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attention_course.measure import Device

Size = Mapping[str, Any]
Call = Callable[..., Tensor]
# The length at which ways are compared before they are timed: no block's multiple, but one of
# 16 like those that are measured, since for others Triton compiles anew.
LONGEST_CHECKED = 208


class Unavailable(Exception):  # noqa: N818 - it says what is so, and nothing went wrong
    """A way cannot run here; the message says why, and becomes its row."""


@dataclass(frozen=True)
class Way:
    """One way to compute what a question measures."""

    prepare: Callable[[Size], Call]  # gives a function of the inputs; compiling belongs here
    needs: tuple[str, ...] = ()  # of the device, as Device.why_not calls it
    largest: int | None = None  # the length n beyond which it takes too long
    only: Mapping[str, int] | None = None  # of what no page runs, where it is recorded
    steps: Call | None = None  # the reference, where that is not the baseline

    def why_not(self, device: Device, size: Size, live: bool) -> str | None:
        """Return why it is not measured at a size; None where nothing is in the way."""
        for feature in self.needs:
            if reason := device.why_not(feature):
                return reason
        if self.largest and size["n"] > self.largest:
            return f"measured up to n = {self.largest} only: it takes too long beyond"
        if self.only is None:
            return None
        if not self.only.items() <= size.items():
            return f"measured at {label(self.only)} only"
        return "recorded only: a cell has no time for it" if live else None


@dataclass(frozen=True)
class Question:
    """What is measured: the ways that are compared, and the sizes at which.

    ``sizes`` are recorded under "cpu" and "cuda"; under "live cpu" and "live cuda" are those
    that a page's cell runs, if they are fewer.
    """

    baseline: str  # one of the ways; in float64 it is the reference of the others
    ways: Callable[[Device], dict[str, Way]]
    inputs: Callable[[Size, Device, Any], tuple[Tensor, ...]]  # of a number format, normal
    sizes: Mapping[str, Sequence[Size]]
    operations: Callable[[Size, str], int]  # needed, whatever the way does
    moved: Callable[[Size, str, Device], int] = lambda size, way, device: 0  # 0: not counted
    memory: bool = False  # whether the bytes besides the inputs are counted
    timed: str = "forward"  # or "backward" (of a graph that is there), or "both"
    gradients: bool = True  # whether the ways must agree in them, too
    equality_check_size: Callable[[Size], Size] = lambda size: {
        **size, "n": min(size["n"], LONGEST_CHECKED), "batch": min(size["batch"], 2)
    }  # fmt: skip


def label(size: Size) -> str:
    """Write a size in words.

    >>> label({"n": 64, "causal": False})
    'n 64, full'
    """
    masks = {True: "causal", False: "full"}
    return ", ".join(masks[v] if k == "causal" else f"{k} {v}" for k, v in size.items())
