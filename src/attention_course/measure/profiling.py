"""Which kernel really ran: asked of the profiler, never of the function's name."""

import os
from collections.abc import Callable
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

_IDLE = ("cuda", "Memcpy", "Memset", "Activity Buffer", "[memory]", "ProfilerStep")


def kernel_names(call: Callable[[], object]) -> list[str]:
    """Run ``call`` under torch's profiler and return what it spent its time in.

    Args:
        call: what to run; once before, unwatched.

    Returns:
        Five names at most, the costliest first: on a GPU those of its kernels, on a CPU the
        operations of ATen, such as ``aten::_scaled_dot_product_flash_attention_for_cpu``.

    Source:
        ``torch.profiler``.

    >>> x = torch.ones(64, 64)
    >>> kernel_names(lambda: torch.mm(x, x))[0]
    'aten::mm'
    """
    gpu = torch.cuda.is_available()
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # else it says when it starts and stops
    call()
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if gpu else [])]
    times: dict[str, float] = {}
    # On a CPU the profiler's clock runs on while other programs do: the least of three counts.
    for _ in range(1 if gpu else 3):
        with profile(activities=activities) as watched:
            call()
            if gpu:
                torch.cuda.synchronize()
        events = watched.key_averages()
        on_gpu = {e.key: _device_time(e) for e in events if _is_kernel(e)}
        once = on_gpu or {e.key: e.self_cpu_time_total for e in events if e.key[:6] == "aten::"}
        times = {name: min(spent, times.get(name, spent)) for name, spent in once.items()}
    return sorted(times, key=lambda name: -times[name])[:5]


def _is_kernel(event: Any) -> bool:
    on_device = str(getattr(event, "device_type", "")).endswith("CUDA")
    # torch.compile marks stretches of the GPU's time as its own, which are no kernels.
    marked = getattr(event, "is_user_annotation", False) or event.key.startswith(_IDLE)
    return on_device and _device_time(event) > 0 and not marked


def _device_time(event: Any) -> float:
    return float(getattr(event, "self_device_time_total", 0.0))
