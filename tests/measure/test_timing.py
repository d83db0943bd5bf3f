"""Times in pairs, in a drawn order, on one thread; a GPU's clocks are read where it is."""

import time
from types import SimpleNamespace

import pytest
import torch

from attention_course.measure import Device, Timings, compare, kernel_names, this_device
from attention_course.measure import timing as module

CPU = this_device("cpu")


def work(loops):
    return lambda: sum(i * i for i in range(loops))


def test_twice_the_work_takes_about_twice_as_long():
    found = compare({"one": work(4000), "two": work(8000)}, rounds=15, seconds=2, device=CPU)
    ratio = found.ratio("two", "one")
    assert 1.6 < ratio.value < 2.5
    assert ratio.low <= ratio.value <= ratio.high
    assert found.median("one").low <= found.median("one").value


def test_the_order_within_the_rounds_is_drawn_and_every_round_has_all():
    seen = []
    calls = {name: lambda name=name: (seen.append(name), work(9000)()) for name in "ab"}
    found = compare(calls, rounds=12, seconds=9, device=CPU)
    assert {name: len(times) for name, times in found.samples.items()} == {"a": 12, "b": 12}
    firsts = {}
    rounds = _runs(seen)[2:]
    for first, second in zip(rounds[::2], rounds[1::2], strict=False):
        firsts[first + second] = firsts.get(first + second, 0) + 1
    assert set("".join(firsts)) == {"a", "b"}


def _runs(seen):
    """Return what was called, with the repetitions of one sample as one."""
    return [name for i, name in enumerate(seen) if i == 0 or seen[i - 1] != name]


def test_sleeping_costs_nothing_on_a_cpu_and_threads_are_put_back():
    threads = torch.get_num_threads()
    inside = []

    def sleeps():
        inside.append(torch.get_num_threads())
        time.sleep(0.02)

    found = compare({"sleeps": sleeps}, rounds=5, seconds=1, device=CPU)
    assert found.median("sleeps").value < 0.01
    assert set(inside) == {1}
    assert torch.get_num_threads() == threads


def test_the_rounds_end_when_the_time_is_over_but_never_before_the_fifth():
    found = compare({"long": work(200_000)}, rounds=500, seconds=0.05, device=CPU)
    assert 5 <= len(found.samples["long"]) < 500


def test_clocks_are_what_nvidia_smi_says_and_nothing_on_a_cpu(monkeypatch):
    class Said:
        stdout = "1980, 3201, 312.5, [N/A], 41\n"

    asked = []
    monkeypatch.setattr(module.shutil, "which", lambda name: name)
    monkeypatch.setattr(
        module.subprocess, "run", lambda command, **more: asked.append(command) or Said
    )
    own = SimpleNamespace(uuid="1b2c")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda number: own)
    gpu = Device("cuda", "NVIDIA H200", (9, 0))
    known = {"sm_MHz": 1980.0, "memory_MHz": 3201.0, "watts": 312.5, "celsius": 41.0}
    assert module.clocks(gpu) == known
    assert asked[0][1].startswith("--query-gpu=clocks.sm,clocks.mem,power.draw")
    assert asked[0][-1] == "--id=GPU-1b2c"  # the one that torch sees, whatever is hidden
    assert module.clocks(CPU) == {}
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    assert module.clocks(gpu) == {}


def test_a_gpu_waits_until_the_call_is_in_its_queue(monkeypatch):
    queue = []

    class Event:
        def __init__(self, enable_timing):
            pass

        def record(self):
            queue.append("event")

        def elapsed_time(self, other):
            return 1.0

    flush = SimpleNamespace(zero_=lambda: queue.append("flush"))
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: queue.append("wait"))
    monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: queue.append("sleep"))
    monkeypatch.setattr(torch, "empty", lambda *size, **how: flush)
    gpu = Device("cuda", "NVIDIA H200", (9, 0))
    calls = {"a": lambda: queue.append("call")}
    found = compare(calls, rounds=5, device=gpu)
    assert found.median("a").value == 1e-3
    assert queue[50:] == ["flush", "sleep", "event", "call", "event", "wait"] * 5


def test_what_is_marked_on_a_gpu_is_no_kernel():
    from attention_course.measure.profiling import _is_kernel

    event = SimpleNamespace(key="fused_0", device_type="DeviceType.CUDA")
    event.self_device_time_total, event.is_user_annotation = 9.0, False
    assert _is_kernel(event)
    event.is_user_annotation = True  # "## Call CompiledFxGraph ... ##"
    assert not _is_kernel(event)


def test_the_kernel_that_ran_is_named():
    x = torch.randn(1, 1, 64, 32)
    names = kernel_names(lambda: torch.nn.functional.scaled_dot_product_attention(x, x, x))
    assert names[0] == "aten::_scaled_dot_product_flash_attention_for_cpu"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"calls": {}}, "compare: expected names with what to call, got {}"),
        ({"calls": {"a": 3}}, "compare: expected names with what to call"),
        ({"rounds": 4}, "compare: expected five rounds or more, got 4"),
        ({"seconds": 0}, "compare: expected seconds above zero, got 0"),
    ],
)
def test_what_cannot_be_timed_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        compare(**({"calls": {"a": work(1)}, "device": CPU} | arguments))


def test_what_was_not_timed_has_no_median():
    with pytest.raises(ValueError, match=r"median: expected one of \['a'\], got 'b'"):
        Timings({"a": [1.0]}, CPU).median("b")


def test_timings_are_printed_as_medians_and_ratios_and_never_as_samples():
    samples = {"in steps": [0.002, 0.0021, 0.0019], "fused": [0.001, 0.00105, 0.00095]}
    device, head, *rows = str(Timings(samples, CPU)).splitlines()
    assert device == f"On {CPU.name}:"
    assert head.split() == ["ms", "(95", "%)", "in", "steps", "/", "it"]
    assert rows[0].startswith("in steps   ≈ 2 ")
    assert rows[1].split()[:3] == ["fused", "≈", "1"]
    assert rows[1].endswith("≈ 2")
    assert rows[1].rindex("≈") == head.index("in steps")
    assert repr(Timings(samples, CPU)) == str(Timings(samples, CPU))
