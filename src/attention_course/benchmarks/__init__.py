"""What is measured on the pages of ``scale``: each benchmark once, for any device.

A page calls ``benchmarks.run("forward")``; ``benchmarks/gpu.py`` records the same, larger. A
new benchmark is a subclass of ``Benchmark`` with a name, in a file of its own here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_course.benchmarks.base import Benchmark, Variant
    from attention_course.benchmarks.goals import Goal
    from attention_course.benchmarks.points import roofline_points
    from attention_course.benchmarks.recordings import gpus, on_record
    from attention_course.benchmarks.results import Results, live_number, recorded
    from attention_course.benchmarks.runner import benchmark, names, run

_WHERE = {
    "Backward": "backward",
    "Benchmark": "base",
    "Decode": "decode",
    "Forward": "forward",
    "Goal": "goals",
    "Layers": "layers",
    "Memory": "memory_needed",
    "Recurrence": "layers",
    "Results": "results",
    "Variant": "base",
    "benchmark": "runner",
    "gpus": "recordings",
    "live_number": "results",
    "names": "runner",
    "on_record": "recordings",
    "recorded": "results",
    "roofline_points": "points",
    "run": "runner",
}

__all__ = [
    "Benchmark",
    "Goal",
    "Results",
    "Variant",
    "benchmark",
    "gpus",
    "live_number",
    "names",
    "on_record",
    "recorded",
    "roofline_points",
    "run",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
