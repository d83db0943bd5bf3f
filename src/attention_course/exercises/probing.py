"""What the probes and the variants of several exercises share."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.exercise import Probe
from attention_course.exercises.runner import Call

__all__ = [
    "EVERY_AXIS_FITS",
    "Call",
    "Probe",
    "draw",
    "mask_turned_over",
    "random_mask",
    "returns_reversed",
]

EVERY_AXIS_FITS = "Here every wrong axis fits as well, so only the numbers tell."


def draw(rng: np.random.Generator, *shapes: int | tuple[int, ...]) -> list[np.ndarray]:
    """Draw a standard normal array of each shape, one after the other."""
    return [rng.standard_normal(shape) for shape in shapes]


def random_mask(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask in which every row has keys that may be seen and keys that may not."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = rng.random(shape[:-1]) < 0.5
    mask[..., 1] = ~mask[..., 0]
    return mask


def mask_turned_over(call: Call) -> Call:
    """Return the call with the other meaning of True in its mask, if it has one."""
    if "mask" not in call.kwargs:
        return call
    return replace(call, kwargs=call.kwargs | {"mask": ~call.kwargs["mask"]})


def returns_reversed(call: Call) -> Call:
    """Return the call with its results in the opposite order."""
    return replace(call, returns=call.returns[::-1])
