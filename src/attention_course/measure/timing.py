"""Times that can be compared: interleaved, in a drawn order, with intervals."""

import gc
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from attention_course.measure.device import Device, this_device
from attention_course.measure.statistics import Interval, median_interval, paired_ratio

Call = Callable[[], object]
# Written before each call, so that nothing of the one before is left in the L2 cache.
FLUSH = 256 * 2**20
# Clock cycles, about a millisecond, in which a GPU waits before each call, so that all of the
# call is in its queue when it begins: else the time would be the processor's that queues it.
HEAD_START = 2_000_000
# One sample on a CPU lasts at least this long: the call is repeated, and the time divided.
_SHORTEST = 2e-3
_CLOCKS = {
    "sm_MHz": "clocks.sm",
    "memory_MHz": "clocks.mem",
    "watts": "power.draw",
    "watts_limit": "power.limit",
    "celsius": "temperature.gpu",
}


@dataclass(frozen=True)
class Timings:
    """What :func:`compare` measured: a call took ``samples[name][i]`` seconds in round ``i``.

    Attributes:
        samples: name to seconds, one a round; the rounds are the same for all.
        device: on which device.
    """

    samples: Mapping[str, list[float]]
    device: Device

    def median(self, name: str) -> Interval:
        """Return the median time of a call, in seconds, with its 95 % interval.

        Args:
            name: of the call.

        Returns:
            The interval.

        Raises:
            ValueError: if nothing was measured under that name.
        """
        return median_interval(self._of("median", name))

    def ratio(self, over: str, under: str) -> Interval:
        """Return how many times as long one call takes as another, from pairs of one round.

        Args:
            over: name of the first call.
            under: name of the one that it is divided by.

        Returns:
            The median ratio with its 95 % interval.

        Raises:
            ValueError: if nothing was measured under one of the names.
        """
        return paired_ratio(self._of("ratio", over), self._of("ratio", under))

    def __str__(self) -> str:
        """Return each call's median, and how many times as long the first takes."""
        first = next(iter(self.samples))
        wide = max(map(len, self.samples))
        lines = [
            f"On {self.device.name}:",
            f"{'':{wide}}   ms (95 %)                 {first} / it",
        ]
        for name in self.samples:
            ms = [1e3 * x for x in self.median(name)]
            line = f"{name:{wide}}   ≈ {ms[0]:<7.3g} ({ms[1]:.3g} to {ms[2]:.3g})"
            if name != first:
                line = f"{line:{wide + 29}}≈ {self.ratio(first, name).value:.3g}"
            lines.append(line)
        return "\n".join(lines)

    __repr__ = __str__

    def _of(self, function: str, name: str) -> list[float]:
        if name not in self.samples:
            raise ValueError(f"{function}: expected one of {list(self.samples)}, got {name!r}")
        return self.samples[name]


def compare(
    calls: Mapping[str, Call],
    *,
    rounds: int = 30,
    seconds: float = 5.0,
    device: Device | None = None,
) -> Timings:
    """Time calls against one another: A B, B A, A B, ... in a drawn order, after a warm-up.

    On a GPU, events stand around each call and the L2 cache is flushed before it. On a CPU the
    process's own CPU time is taken, on one thread, so that other programs count little.

    Args:
        calls: name to what is timed; it takes no argument, and may return something.
        rounds: how often each is timed.
        seconds: after about so long the rounds end, though never before the fifth.
        device: where the calls compute; :func:`this_device` unless given.

    Returns:
        All times, with medians and paired ratios.

    Raises:
        ValueError: if there is no call, fewer than five rounds, or no time.

    Source:
        The list of what to mind: NVIDIA's and PyTorch's guides to benchmarking; pairing: common
        practice in experiments.

    >>> def doubled(): return [2 * i for i in range(2000)]
    >>> timings = compare({"one": doubled, "two": doubled}, rounds=5, seconds=1.0)
    >>> len(timings.samples["one"]), 0.2 < timings.ratio("one", "two").value < 5
    (5, True)
    """
    if not calls or not all(callable(call) for call in calls.values()):
        raise ValueError(f"compare: expected names with what to call, got {calls!r:.60}")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 5:
        raise ValueError(f"compare: expected five rounds or more, got {rounds!r}")
    if not seconds > 0:
        raise ValueError(f"compare: expected seconds above zero, got {seconds!r}")
    device = device or this_device()
    watch = _on_gpu if device.kind == "cuda" else _on_cpu
    with watch(calls) as time_of:
        names = list(calls)
        samples: dict[str, list[float]] = {name: [] for name in names}
        order = np.random.RandomState(0)
        now = time.perf_counter if device.kind == "cuda" else time.process_time
        started = now()
        for done in range(rounds):
            if done >= 5 and now() - started > seconds:
                break
            for i in order.permutation(len(names)):
                samples[names[i]].append(time_of(names[i]))
        return Timings(samples, device)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread, and no garbage be collected, as long as this is open.

    Returns:
        A context manager.
    """
    import torch

    threads, collects = torch.get_num_threads(), gc.isenabled()
    torch.set_num_threads(1)
    gc.disable()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if collects:
            gc.enable()


@contextmanager
def _on_cpu(calls: Mapping[str, Call]) -> Iterator[Callable[[str], float]]:
    def spent(name: str, times: int) -> float:
        call, started = calls[name], time.process_time()
        for _ in range(times):
            call()
        return (time.process_time() - started) / times

    with one_thread():
        repeats = {}
        for name in calls:
            first = min(spent(name, 1) for _ in range(2))
            repeats[name] = max(1, min(1000, round(_SHORTEST / max(first, 1e-9))))
        yield lambda name: max(spent(name, repeats[name]), 1e-9)


@contextmanager
def _on_gpu(calls: Mapping[str, Call]) -> Iterator[Callable[[str], float]]:
    import torch

    flush = torch.empty(FLUSH, dtype=torch.int8, device="cuda")
    for name in calls:
        started = time.perf_counter()
        for _ in range(25):
            calls[name]()
            torch.cuda.synchronize()
            if time.perf_counter() - started > 2.0:
                break

    def spent(name: str) -> float:
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        flush.zero_()
        torch.cuda._sleep(HEAD_START)
        first.record()
        calls[name]()
        last.record()
        torch.cuda.synchronize()
        return float(first.elapsed_time(last)) / 1000

    gc.collect()
    yield spent


def clocks(device: Device) -> dict[str, float]:
    """Read clocks, power and temperature of the GPU.

    Args:
        device: from :func:`this_device`.

    Returns:
        MHz, watts and degrees by name, what is not known left out; empty on a CPU, or where
        nobody can be asked.

    Source:
        ``nvidia-smi --query-gpu``.
    """
    said = ask_driver(device, ",".join(_CLOCKS.values()))
    found = {}
    for name, word in zip(_CLOCKS, said.split(","), strict=False):
        with suppress(ValueError):
            found[name] = float(word)
    return found


def ask_driver(device: Device, question: str) -> str:
    """Ask the driver about the GPU that torch uses, which need not be the machine's first.

    Args:
        device: from :func:`this_device`.
        question: the names of what is asked, with commas between them.

    Returns:
        The answers, with commas between them; nothing on a CPU, or where nobody can be asked.

    Source:
        ``nvidia-smi --query-gpu``.

    >>> ask_driver(this_device("cpu"), "driver_version")
    ''
    """
    program = shutil.which("nvidia-smi")
    if device.kind != "cuda" or not program:
        return ""
    import torch

    own = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    which = f"--id=GPU-{own}" if own else "--id=0"
    command = [program, f"--query-gpu={question}", "--format=csv,noheader,nounits", which]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
