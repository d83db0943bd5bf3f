"""A server that answers many requests with one model: what it does when, step by step.

Nothing here is a measurement. A step takes the least time that the device allows: as long as
its operations take or as long as its bytes take, whichever is longer. A real server takes
longer (kernels are started, layers wait, networks carry): it is ways to serve that are compared
here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from attention_course.reference._check import Call, one_of, whole
from attention_course.reference._checked import checked

WAYS = ("one by one", "in batches", "continuous")


class Request(NamedTuple):
    """What a reader asks for: when it came (s), tokens of the prompt and of the answer."""

    came: float
    prompt: int
    answer: int


class Served(NamedTuple):
    """How a request fared, in seconds: first token, last token, longest wait between two."""

    first: float
    last: float
    stall: float


class Step(NamedTuple):
    """One pass: when it began (s), how long it took (s), who took part.

    Of each request in it: its number, tokens read, tokens written.
    """

    begin: float
    seconds: float
    parts: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class ServedModel:
    """A model on a device, as far as the time of a step is concerned.

    Attributes:
        parameters: how many there are; each is fetched once a step, two bytes.
        cache_bytes: what one token keeps, in all layers.
        pair_operations: operations for a query and a key, in all layers and heads.
        peak: operations a second.
        bandwidth: bytes a second.
    """

    parameters: float
    cache_bytes: float
    pair_operations: float
    peak: float
    bandwidth: float

    def seconds(self, new: int, kept: int, pairs: int) -> float:
        """Return the least time of a step, in seconds.

        Args:
            new: tokens that pass through the model.
            kept: tokens whose keys and values are fetched.
            pairs: of a query and a key, over all requests.

        Returns:
            The longer of the time for operations and the time for bytes.
        """
        operations = 2 * self.parameters * new + self.pair_operations * pairs
        moved = 2 * self.parameters + self.cache_bytes * (kept + new)
        return max(operations / self.peak, moved / self.bandwidth)


@dataclass
class _Running:
    number: int
    request: Request
    read: int
    times: list[float] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return len(self.times) == self.request.answer

    def work(self, room: int) -> tuple[int, int]:
        """Return the tokens that it reads in this step, and those that it writes."""
        left = self.request.prompt - self.read
        if not left:
            return 0, int(not self.done)
        return min(left, room), int(left <= room)

    def step(self, read: int, wrote: int, now: float) -> None:
        self.read += read
        self.times += [now] * wrote


def _in_order(call: Call, argument: str, requests: Sequence[Request]) -> Sequence[Request]:
    fair = [r.came >= 0 and r.prompt > 0 and r.answer > 0 for r in requests]
    if (
        not fair
        or not all(fair)
        or sorted(r.came for r in requests) != [r[0] for r in requests]
    ):
        expected = "requests in the order in which they came, each of at least one token"
        raise call.fail(argument, expected, f"{len(requests)} requests")
    return requests


@checked(requests=_in_order, most=whole(1), way=one_of(*WAYS), chunk=whole(1), kept=whole(0))
def serve(
    requests: Sequence[Request],
    model: ServedModel,
    way: str = "continuous",
    most: int = 32,
    chunk: int = 10**9,
    kept: int = 0,
) -> tuple[list[Served], list[Step]]:
    """Answer all requests, and say what happened in every step.

    In a step each running request whose prompt has been read writes one token, and of the
    prompts that have not been read, in the order in which they came, at most ``chunk`` tokens
    are read. The step that reads the last of a prompt writes the first token of its answer.

    Args:
        requests: in the order in which they came.
        model: what a step costs.
        way: "one by one"; "in batches", each of which runs until its longest answer is written;
            or "continuous": a place that is free is taken in the next step.
        most: places.
        chunk: prompt tokens that a step reads at most, over all requests.
        kept: tokens with which every prompt begins, whose keys and values stay once the first
            prompt has been read. At least one token of a prompt is read.

    Returns:
        How each request fared, and the steps.

    Raises:
        ValueError: if the requests are not in order, or a number is too small.

    Source:
        Yu et al. (2022), section 3.1, for the continuous way; Agrawal et al. (2024), section
        4.2, for chunks: their budget of a step counts the tokens that are written, too.

    >>> model = ServedModel(1e9, 0, 0, 1e15, 1e12)
    >>> found, steps = serve([Request(0.0, 10, 2), Request(0.0, 10, 1)], model, "one by one")
    >>> [round(done.last, 6) for done in found], len(steps)
    ([0.004, 0.006], 3)
    """
    most = 1 if way == "one by one" else most
    waiting, now, reusable = list(enumerate(requests)), 0.0, 0
    running: list[_Running] = []
    steps: list[Step] = []
    ended: dict[int, Served] = {}
    while len(ended) < len(requests):
        if way == "continuous" or all(r.done for r in running):
            running = [r for r in running if not r.done]
            while waiting and waiting[0][1].came <= now and len(running) < most:
                number, request = waiting.pop(0)
                running.append(_Running(number, request, min(reusable, request.prompt - 1)))
        if not running:
            now = waiting[0][1].came
            continue
        step = _step(running, model, now, chunk)
        now += step.seconds
        steps.append(step)
        by_number = {r.number: r for r in running}
        for number, read, wrote in step.parts:
            by_number[number].step(read, wrote, now)
            if wrote:
                reusable = kept
            if by_number[number].done:
                ended[number] = _fared(by_number[number].times)
    return [ended[i] for i in range(len(requests))], steps


def _step(running: list[_Running], model: ServedModel, now: float, chunk: int) -> Step:
    """Plan one step: who reads and writes how much, and how long that takes."""
    room, new, kept, pairs, parts = chunk, 0, 0, 0, []
    for r in running:
        read, wrote = r.work(room)
        if not read and not wrote:
            continue
        room -= read
        before = r.read + len(r.times)
        through = read or 1  # a token that was written passes through as well
        new += through
        kept += before
        pairs += through * before + through * (through + 1) // 2
        parts.append((r.number, read, wrote))
    return Step(now, model.seconds(new, kept, pairs), tuple(parts))


def _fared(times: list[float]) -> Served:
    gaps = [b - a for a, b in pairwise(times)]
    return Served(times[0], times[-1], max(gaps, default=0.0))
