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
    """One way to compute what a question measures.

    Attributes:
        prepare: from a size to a function of the inputs; compiling belongs here.
        needs: what the device must be able to do, as :meth:`Device.why_not` calls it.
        largest: the length ``n`` up to which it is measured; beyond, it takes too long.
        only: of what no page's cell runs, the numbers of the sizes at which it is recorded.
        steps: the reference that it is compared with, where that is not the baseline.
    """

    prepare: Callable[[Size], Call]
    needs: tuple[str, ...] = ()
    largest: int | None = None
    only: Mapping[str, int] | None = None
    steps: Call | None = None

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

    Attributes:
        baseline: the way that the others are compared with; in float64 it is the reference.
        ways: from a device to the ways by name; the baseline is one of them.
        inputs: from size, device and number format to the inputs, normally distributed.
        sizes: under "cpu" and "cuda" what is recorded there, under "live cpu" and "live cuda"
            what a page's cell runs, if that is less.
        operations: how many are needed at a size, whatever the way does.
        moved: bytes that a way moves between memory and chip; 0: not counted.
        memory: whether the bytes that a way needs besides its inputs are counted.
        timed: "forward", "backward" (of a graph that is there) or "both".
        gradients: whether the ways must agree in their gradients, too.
        equality_check_size: from a size to the smaller one at which the ways are compared.
    """

    baseline: str
    ways: Callable[[Device], dict[str, Way]]
    inputs: Callable[[Size, Device, Any], tuple[Tensor, ...]]
    sizes: Mapping[str, Sequence[Size]]
    operations: Callable[[Size, str], int]
    moved: Callable[[Size, str, Device], int] = lambda size, way, device: 0
    memory: bool = False
    timed: str = "forward"
    gradients: bool = True
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
