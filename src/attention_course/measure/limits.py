"""What a device can do at most, measured in the same run."""

from typing import NamedTuple

from attention_course.measure.device import Device, this_device
from attention_course.measure.timing import compare

_GPU_SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 2048, 13312))
_CPU_SHAPES = ((768, 768, 768),)
_BYTES = {"cuda": 2**30, "cpu": 2**27}


class Ceilings(NamedTuple):
    """A device's own ceilings.

    Attributes:
        matmul: operations a second of its best matrix product, in its number format.
        copy: bytes a second, read and written, of a copy too large for its caches.
    """

    matmul: float
    copy: float


def ceilings(device: Device | None = None, seconds: float = 2.0) -> Ceilings:
    """Measure the device's own matrix product, of its best shape, and copy, in some seconds.

    Source:
        Williams et al. (2009), the roofline's two ceilings.

    >>> ceilings(this_device("cpu"), seconds=0.1).matmul > 0
    True
    """
    import torch

    device = device or this_device()
    where = {"device": device.torch, "dtype": device.dtype}
    shapes = _GPU_SHAPES if device.kind == "cuda" else _CPU_SHAPES
    best = 0.0
    for m, n, k in shapes:
        a, b = torch.randn(m, k, **where), torch.randn(k, n, **where)
        out = torch.empty(m, n, **where)
        timed = compare(
            {"matmul": lambda a=a, b=b, out=out: torch.mm(a, b, out=out)},  # type: ignore[misc]
            seconds=seconds / 2 / len(shapes),
            device=device,
        )
        best = max(best, 2 * m * n * k / timed.median("matmul"))
    size = _BYTES[device.kind] // 4
    x = torch.ones(size, device=device.torch)
    y = torch.empty_like(x)
    timed = compare({"copy": lambda: y.copy_(x)}, seconds=seconds / 2, device=device)
    return Ceilings(best, 8 * size / timed.median("copy"))
