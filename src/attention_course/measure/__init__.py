"""How anything is measured: device, time, memory, growth, equality, and what was recorded.

What is asked for is loaded, nothing else: the import needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attention_course.measure.records import provenance, record, recorded, recorded_runs

if TYPE_CHECKING:
    from attention_course.measure.device import Device, this_device
    from attention_course.measure.equality import equivalence
    from attention_course.measure.limits import Ceilings, ceilings
    from attention_course.measure.peak_memory import peak_extra_bytes
    from attention_course.measure.profiling import kernel_names
    from attention_course.measure.slow_memory import traffic
    from attention_course.measure.statistics import Fit, exponent, mean_interval, verdict
    from attention_course.measure.timing import Timings, compare

_WHERE = {
    "Ceilings": "limits",
    "Device": "device",
    "Fit": "statistics",
    "Timings": "timing",
    "ceilings": "limits",
    "compare": "timing",
    "equivalence": "equality",
    "exponent": "statistics",
    "kernel_names": "profiling",
    "mean_interval": "statistics",
    "peak_extra_bytes": "peak_memory",
    "this_device": "device",
    "traffic": "slow_memory",
    "verdict": "statistics",
}

__all__ = [
    "Ceilings",
    "Device",
    "Fit",
    "Timings",
    "ceilings",
    "compare",
    "equivalence",
    "exponent",
    "kernel_names",
    "mean_interval",
    "peak_extra_bytes",
    "provenance",
    "record",
    "recorded",
    "recorded_runs",
    "this_device",
    "traffic",
    "verdict",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
