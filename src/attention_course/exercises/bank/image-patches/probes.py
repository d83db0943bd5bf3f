"""Pictures cut into square patches: order of patches, of pixels, of colours."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe
from attention_course.exercises.runner import Result

RETURNS = ("patches",)


def ask(rng, n, rows, columns, side, channels):
    images = rng.standard_normal((n, rows * side, columns * side, channels))
    return Call("image_patches", (images, side), returns=RETURNS)


def counted(rng):
    images = np.arange(24.0).reshape(1, 4, 6, 1)
    return [Call("image_patches", (images, 2), returns=RETURNS)]


def written_over(*shape, side):
    """The pictures are a copy of patches; once cut, they are written over."""

    def calls(rng):
        n, height, width, channels = shape
        made = rng.standard_normal((n, height, width, channels))
        cut = [Call("image_patches", (made, side)), Call("reshape", shape, on=0)]
        again = Call("image_patches", (Result(1), side))
        first = Call("__getitem__", (0,), on=2, returns=("patches of the first picture",))
        return [*cut, again, Call("fill", (9.0,), on=1), first]

    return calls


def colours_first(call):
    """The same pictures as torch has them."""
    if call.target == "reshape":
        n, height, width, channels = call.args
        return replace(call, args=(n, channels, height, width))
    if call.target != "image_patches" or not isinstance(call.args[0], np.ndarray):
        return call
    images, side = call.args
    return replace(call, args=(np.ascontiguousarray(np.moveaxis(images, -1, 1)), side))


PROBES = (
    Probe("a picture of 0, 1, 2, ...", "patches", counted,
        "The second patch holds 2, 3, 8 and 9."),
    Probe("a grey picture, wider than high", "patches", lambda rng: [ask(rng, 1, 2, 3, 4, 1)]),
    Probe("several pictures", "patches", lambda rng: [ask(rng, 3, 4, 2, 3, 1)]),
    Probe("all sizes equal", "colours and sizes", lambda rng: [ask(rng, 2, 2, 2, 2, 2)],
        EVERY_AXIS_FITS),
    Probe("three colours", "colours and sizes", lambda rng: [ask(rng, 2, 3, 4, 5, 3)],
        "The colours of one pixel stay together."),
    Probe("patches of one pixel", "colours and sizes", lambda rng: [ask(rng, 2, 3, 5, 1, 2)]),
    Probe("one patch, the whole picture", "colours and sizes",
        lambda rng: [ask(rng, 2, 1, 1, 6, 2)]),
    Probe("pictures of one pixel a patch, written over later", "colours and sizes",
        written_over(2, 3, 4, 2, side=1),
        "Do the patches share their memory with the pictures?"),
    Probe("pictures of one patch, written over later", "colours and sizes",
        written_over(3, 6, 6, 2, side=6),
        "Do the patches share their memory with the pictures?"),
)  # fmt: skip
