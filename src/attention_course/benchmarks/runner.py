"""Runs a benchmark on the reader's device: on its GPU, or small on its CPU."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules

from attention_course.benchmarks.base import Benchmark, failure
from attention_course.benchmarks.results import Results
from attention_course.measure import Device, ceilings, provenance, this_device

# Of a page's cell, which may take twenty: the rest is drawing inputs, comparing and profiling.
_SECONDS = 10.0


def names() -> list[str]:
    """Return the names of all benchmarks.

    Returns:
        The names, in the alphabet's order.

    >>> "forward" in names()
    True
    """
    return sorted(_all())


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name.

    Args:
        name: one of :func:`names`.

    Returns:
        The benchmark.

    Raises:
        ValueError: if there is none of that name.

    >>> benchmark("forward").baseline
    'eager'
    """
    found = _all()
    if name not in found:
        raise ValueError(f"benchmark: expected one of {sorted(found)}, got {name!r}")
    return found[name]()


def run(
    name: str,
    *,
    device: Device | None = None,
    sizes: str | None = None,
    seconds: float = _SECONDS,
    live: bool = True,
    told: Callable[[str], object] = str,
    without: Mapping[str, str] | None = None,
) -> Results:
    """Run a benchmark here and now: on the GPU if there is one, else small on the CPU.

    First the variants are compared with a reference in float64; only what agrees is timed. What
    this device cannot do is a row that says why, and never an error.

    Args:
        name: one of :func:`names`.
        device: :func:`attention_course.measure.this_device` unless given.
        sizes: "cpu", "cuda", "live cuda" or "tiny"; what fits the device, unless given.
        seconds: about how long the timing may take.
        live: whether this is a page's cell, which leaves out what takes too long for it.
        told: called with the name of each variant before it is touched.
        without: variants that are left alone, and why.

    Returns:
        The rows, with the device's own ceilings of the same run; none where they failed.

    Raises:
        ValueError: if there is no such benchmark, or it has no such sizes.

    Source:
        The protocol: Dao (2023) for the sizes and the rule of equality; interleaved pairs with
        bootstrap intervals, written for this course.

    >>> results = run("memory", device=this_device("cpu"), sizes="tiny")
    >>> results.row("eager", n=128, causal=False)["extra_bytes"] > 4 * 128 * 128
    True
    """
    bench = benchmark(name)
    device = device or this_device()
    fitting = device.kind
    if live and f"live {fitting}" in bench.sizes:
        fitting = f"live {fitting}"
    chosen = bench.sizes.get(sizes or fitting)
    if not chosen:
        raise ValueError(
            f"run: expected sizes of {list(bench.sizes)}, got {sizes or fitting!r}"
        )
    if not seconds > 0:
        raise ValueError(f"run: expected seconds above zero, got {seconds!r}")
    measured = bench.measure(
        device, chosen, seconds=seconds, live=live, told=told, without=without
    )
    timed = "time" in bench.measures
    top = _ceilings(device, min(2.0, seconds / 10)) if timed else {}
    content = {
        "name": name,
        "question": bench.question,
        "baseline": bench.baseline,
        "device": describe(device),
        "ceilings": {kind: float(f"{value:.4g}") for kind, value in top.items()},
        **measured,
    }
    return Results(content, provenance("benchmarks/gpu.py"), live=live)


def describe(device: Device) -> dict[str, object]:
    """Return what a record says of its device.

    Args:
        device: which was measured.

    Returns:
        Kind, name and number format; of a GPU also capability, memory and libraries.

    >>> describe(this_device("cpu"))["dtype"]
    'float32'
    """
    import torch

    about: dict[str, object] = {
        "kind": device.kind,
        "name": device.name,
        "dtype": str(device.dtype).removeprefix("torch."),
    }
    if device.kind == "cuda":
        about["capability"] = list(device.capability)
        about["memory"] = device.memory
        about["cuda"] = torch.version.cuda
        about["cudnn"] = torch.backends.cudnn.version()
    return about


def _ceilings(device: Device, seconds: float) -> dict[str, float]:
    """Return the device's ceilings, or none: the rows are worth more than an error."""
    try:
        return ceilings(device, seconds=seconds)._asdict()
    except (RuntimeError, ValueError) as error:
        warnings.warn(f"the ceilings were not measured, {failure(error)}", stacklevel=3)
        return {}


def _all() -> dict[str, type[Benchmark]]:
    """Return every benchmark that a module of this package defines."""
    package = import_module("attention_course.benchmarks")
    found = {}
    for module in iter_modules(package.__path__):
        for thing in vars(import_module(f"{package.__name__}.{module.name}")).values():
            if (
                isinstance(thing, type)
                and issubclass(thing, Benchmark)
                and "name" in vars(thing)
            ):
                found[thing.name] = thing
    return found
