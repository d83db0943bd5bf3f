"""What the probes and the variants of several exercises share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_course.exercises.exercise import Probe
from attention_course.exercises.runner import Call

__all__ = [
    "EVERY_AXIS_FITS",
    "LONG",
    "Call",
    "Drawn",
    "Probe",
    "draw",
    "inverted_mask",
    "mask_turned_over",
    "open_mask",
    "random_mask",
    "returns_reversed",
    "transpose_args",
]

EVERY_AXIS_FITS = "Here every wrong axis fits as well, so only the numbers tell."

# Of standard normal arrays, draw by draw: who is right at one scale only is found out.
SCALES = 1.0, 0.75, 0.5, 2.0

# And of axes, how long they are: twice as long keeps what divides what, one longer what differs
# by how much. Axes of one entry stay so.
GROWTHS: tuple[Callable[[int], int], ...] = (lambda n: n, lambda n: 2 * n, lambda n: n + 1)

# Longer than any table, cache or window that is made in advance.
LONG = 8200


class Drawn(np.random.Generator):
    """Draws the inputs of probes: every standard normal array holds a value beyond ±3.

    An answer that is right for small numbers only, since it cuts its inputs off for example,
    would else pass by luck: of a hundred normal numbers 76 times none is so large.

    ``lengths`` holds for the length of an axis the one that is drawn in its place: the same
    in all arrays, so that what fits together still does. ``asked`` is what was asked for.
    """

    scale = 1.0
    asked: set[int]
    lengths: Mapping[int, int] = MappingProxyType({})

    @classmethod
    def of(cls, digest: bytes, draw: int = 0) -> "Drawn":
        """Return the one that belongs to a digest; later draws have other scales."""
        drawn = cls(np.random.PCG64(int.from_bytes(digest[:16], "little")))
        drawn.scale = SCALES[draw % len(SCALES)]
        drawn.asked = set()
        return drawn

    def _long(self, size: Any) -> Any:
        """Return the length, or the lengths, that are drawn in place of those asked for."""
        if size is None:
            return None
        if isinstance(size, Iterable):
            return tuple(map(self._long, size))
        self.asked.add(int(size))
        return self.lengths.get(int(size), size)

    def standard_normal(self, size: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Draw, and move one number of an array to 3 to 4 or to -4 to -3."""
        drawn = super().standard_normal(self._long(size), *args, **kwargs)
        if np.size(drawn) and size is not None:
            at = self.integers(drawn.size)
            drawn.flat[at] = np.copysign(3 + self.random(), drawn.flat[at])
        return drawn * self.scale if self.scale != 1 else drawn

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Draw an order."""
        return super().permutation(x if np.ndim(x) else self._long(x), axis)


def _takes_lengths(name: str, place: int) -> Callable[..., Any]:
    """Return a method of a generator, whose argument at this place is the size."""
    method = getattr(np.random.Generator, name)

    def drawn(self: Drawn, *args: Any, **kwargs: Any) -> Any:
        args = tuple(self._long(x) if i == place else x for i, x in enumerate(args))
        kwargs |= {"size": self._long(kwargs["size"])} if "size" in kwargs else {}
        return method(self, *args, **kwargs)

    return drawn


_SIZES = {"random": 0, "choice": 1, "dirichlet": 1}
_SIZES |= {"integers": 2, "uniform": 2, "normal": 2, "gamma": 2}
for _name, _place in _SIZES.items():
    setattr(Drawn, _name, _takes_lengths(_name, _place))


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


def open_mask(call: Call) -> Call:
    """Return a call on queries and keys with a mask that hides nothing, if it has none."""
    if "mask" in call.kwargs or not call.args or not isinstance(call.args[0], np.ndarray):
        return call
    queries, keys = call.args[0], call.args[min(1, len(call.args) - 1)]
    mask = np.ones((queries.shape[-2], keys.shape[-2]), dtype=bool)
    return replace(call, kwargs=call.kwargs | {"mask": mask})


def transpose_args(call: Call, places: Sequence[int]) -> Call:
    """Return the call with the last two axes of the arguments at these places exchanged."""
    return _changed(call, places, lambda x: np.ascontiguousarray(np.swapaxes(x, -1, -2)))


def inverted_mask(call: Call, places: Sequence[int]) -> Call:
    """Return the call with the other meaning of True in the arguments at these places."""
    return _changed(call, places, np.logical_not)


def _changed(
    call: Call, places: Sequence[int], change: Callable[[np.ndarray], np.ndarray]
) -> Call:
    args = (change(x) if i in places else x for i, x in enumerate(call.args))
    return replace(call, args=tuple(args))
