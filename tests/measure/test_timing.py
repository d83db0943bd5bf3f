"""Times in turns by torch's timer, on one thread; a driver is asked where it is."""

import time
from types import SimpleNamespace

import pytest
import torch
from torch.utils.benchmark import Measurement

from attention_course.measure import Device, Timings, compare, kernel_names, this_device
from attention_course.measure import timing as module

CPU = this_device("cpu")
H200 = Device("cuda", "NVIDIA H200", (9, 0))


class Clock:
    """Says what the calls of a test have taken, and nothing else."""

    now = 0.0

    def takes(self, *seconds):
        steps = iter(seconds)

        def call():
            self.now += next(steps, seconds[-1])

        return call


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    own = SimpleNamespace(process_time=lambda: clock.now, perf_counter=lambda: clock.now)
    monkeypatch.setattr(module, "time", own)
    return clock


def test_medians_and_ratios_are_those_of_the_blocks(clock):
    calls = {"one": clock.takes(9, 9, 9, 1, 1, 3, 3, 1, 1, 8, 8, 2, 2), "two": clock.takes(4)}
    found = compare(calls, seconds=1e-3, device=CPU)
    assert list(found.taken["one"].times) == [1, 3, 1, 8, 2]  # the first of each pair fits it
    assert (found.median("one"), found.median("two")) == (2, 4)
    assert found.ratio("two", "one") == 2
    assert found.taken["one"].iqr == 2


def test_the_calls_take_turns_and_turn_about():
    seen = []
    calls = {name: lambda name=name: (seen.append(name), time.sleep(0.002)) for name in "ab"}
    found = compare(calls, rounds=4, seconds=1e-9, device=CPU)
    assert {name: len(found.taken[name].times) for name in "ab"} == {"a": 4, "b": 4}
    runs = [name for i, name in enumerate(seen) if i == 0 or seen[i - 1] != name]
    assert "".join(runs) == "abababa"  # warm up a, b; then a b, b a, a b, b a


def test_sleeping_costs_nothing_on_a_cpu_and_threads_are_put_back():
    threads, inside = torch.get_num_threads(), set()

    def sleeps():
        inside.add(torch.get_num_threads())
        time.sleep(0.02)

    assert compare({"sleeps": sleeps}, seconds=0.01, device=CPU).median("sleeps") < 0.01
    assert inside == {1}
    assert torch.get_num_threads() == threads


def test_a_gpu_is_waited_for_before_the_clock_is_read(clock, monkeypatch):
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: waited.append(clock.now))
    found = compare({"a": clock.takes(2)}, seconds=1.0, device=H200)
    assert found.median("a") == 2
    assert len(waited) > 20


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
        ({"rounds": 2}, "compare: expected three rounds or more, got 2"),
        ({"seconds": 0}, "compare: expected seconds above zero, got 0"),
    ],
)
def test_what_cannot_be_timed_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        compare(**({"calls": {"a": list}, "device": CPU} | arguments))


def test_timings_are_printed_as_medians_and_ratios():
    found = {
        name: Measurement(1, [seconds], module.Timer("pass")._task_spec)
        for name, seconds in {"in steps": 2e-3, "fused": 1e-3}.items()
    }
    timings = Timings(found, CPU)
    lines = [" ".join(line.split()) for line in str(timings).splitlines()]
    rows = ["ms in steps / it", "in steps ≈ 2", "fused ≈ 1 ≈ 2"]
    assert lines == [" ".join(f"On {CPU.name}:".split()), *rows]
    with pytest.raises(ValueError, match=r"expected one of .*, got 'b'"):
        timings.median("b")
