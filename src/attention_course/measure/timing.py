"""Times that can be compared: torch's own timer, in turns, and medians of the blocks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch.utils.benchmark import Measurement, Timer

from attention_course.measure.device import Device, this_device

Call = Callable[[], object]


@dataclass(frozen=True)
class Timings:
    """What :func:`compare` measured.

    Attributes:
        taken: name to torch's measurement of that call.
        device: on which device.
    """

    taken: Mapping[str, Measurement]
    device: Device

    def median(self, name: str) -> float:
        """Return the median seconds of a call; ValueError if there is none of that name."""
        if name not in self.taken:
            raise ValueError(f"Timings: expected one of {list(self.taken)}, got {name!r}")
        return float(self.taken[name].median)

    def ratio(self, over: str, under: str) -> float:
        """Return how many times as long one call takes as another, by their medians."""
        return self.median(over) / self.median(under)

    def __str__(self) -> str:
        """Return each call's median, and how many times as long the first takes."""
        first, wide = next(iter(self.taken)), max(map(len, self.taken))
        lines = [f"On {self.device.name}:", f"{'':{wide}}   ms         {first} / it"]
        for name in self.taken:
            line = f"{name:{wide}}   ≈ {1e3 * self.median(name):<7.3g}"
            lines.append(line if name == first else f"{line}  ≈ {self.ratio(first, name):.3g}")
        return "\n".join(lines)

    __repr__ = __str__


def compare(
    calls: Mapping[str, Call],
    *,
    rounds: int = 5,
    seconds: float = 5.0,
    device: Device | None = None,
) -> Timings:
    """Time calls against one another, in turns: A B C, C B A, A B C, ...

    Each turn is a block of as many calls as torch's timer finds long enough. On a GPU the timer
    waits until the block is done; its caches stay warm. On a CPU the process's own CPU time is
    taken, on one thread, so that other programs count little.

    Args:
        calls: name to what is timed; it takes no argument, and may return something.
        rounds: how many blocks each gets.
        seconds: about how long all of it takes.
        device: where the calls compute; :func:`this_device` unless given.

    Source:
        ``torch.utils.benchmark.Timer.blocked_autorange``.

    >>> def doubled(): return [2 * i for i in range(2000)]
    >>> timings = compare({"one": doubled, "two": doubled}, seconds=0.2)
    >>> 0.2 < timings.ratio("one", "two") < 5
    True
    """
    if not calls or not all(callable(call) for call in calls.values()):
        raise ValueError(f"compare: expected names with what to call, got {calls!r:.60}")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 3:
        raise ValueError(f"compare: expected three rounds or more, got {rounds!r}")
    if not seconds > 0:
        raise ValueError(f"compare: expected seconds above zero, got {seconds!r}")
    device = device or this_device()
    clock = _on_gpu if device.kind == "cuda" else lambda: time.process_time()
    timers = {k: Timer("call()", globals={"call": c}, timer=clock) for k, c in calls.items()}
    blocks: dict[str, list[Measurement]] = {name: [] for name in calls}
    names, block = list(calls), seconds / rounds / len(calls)
    for timer in timers.values():
        timer.timeit(1)  # warms up, and compiles what is compiled
    for _ in range(rounds):
        for name in names:
            blocks[name].append(timers[name].blocked_autorange(min_run_time=block))
        # There and back: a machine that becomes slower slows all of them.
        names.reverse()
    return Timings({k: Measurement.merge(v)[0] for k, v in blocks.items()}, device)


def _on_gpu() -> float:
    import torch

    torch.cuda.synchronize()
    # A launch returns before its kernel has run: hence the wait.
    return time.perf_counter()
