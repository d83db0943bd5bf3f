"""A server that answers many requests with one model: what it does when, step by step.

Nothing here is a measurement. A step takes the least time that the device allows: as long as
its operations take or as long as its bytes take, whichever is longer, and what crosses a link
on top. A real server takes longer (kernels are started, layers wait, networks carry): it is
ways to serve that are compared here.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from attention_course.reference._check import Call, one_of, positive_number, whole
from attention_course.reference._checked import checked

WAYS = ("one by one", "in batches", "continuous")
#: What happens to a running request for whose next token there is no room.
SHORT = ("recompute", "swap", "reserve")


class Request(NamedTuple):
    """What a reader asks for: when it came (s), tokens of the prompt and of the answer.

    Keys and values of the first ``known`` tokens arrive with it.
    """

    came: float
    prompt: int
    answer: int
    known: int = 0


class Served(NamedTuple):
    """How a request fared, in seconds: first token, last token, longest wait between two.

    And how often it lost its memory.
    """

    first: float
    last: float
    stall: float
    preempted: int = 0


class Step(NamedTuple):
    """One pass: when it began (s), how long it took (s), who took part.

    Of each request in it: its number, tokens read, tokens written. Then the blocks of cache in
    use, which replica it was, and what the time went into: seconds bound by bytes, bound by
    operations, and of exchanges, with other GPUs or with the host.
    """

    begin: float
    seconds: float
    parts: tuple[tuple[int, int, int], ...]
    blocks: int = 0
    replica: int = 0
    spent: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ServedModel:
    """A model on a device, as far as the time of a step is concerned.

    Attributes:
        parameters: how many there are; each is fetched once a step, two bytes.
        cache_bytes: what one token keeps, in all layers.
        pair_operations: operations for a query and a key, in all layers and heads.
        peak: operations a second, of one GPU.
        bandwidth: bytes a second, of one GPU.
        memory: bytes of one GPU, for parameters and caches.
        host: bytes a second to the host's memory, in one direction.
        layers: each asks for two exchanges where several GPUs hold the model.
        width: numbers of two bytes that a token brings to an exchange.
        gpus: how many hold the model together (tensor parallelism); all is divided evenly.
        link: bytes a second from one GPU to the others, in one direction.
        latency: seconds that an exchange takes, however short.
    """

    parameters: float
    cache_bytes: float
    pair_operations: float
    peak: float
    bandwidth: float
    memory: float = math.inf
    host: float = math.inf
    layers: int = 0
    width: int = 0
    gpus: int = 1
    link: float = math.inf
    latency: float = 0.0

    def seconds(self, new: int, kept: int, pairs: int) -> float:
        """Return the least time of a step, in seconds.

        Args:
            new: tokens that pass through the model.
            kept: tokens whose keys and values are fetched.
            pairs: of a query and a key, over all requests.

        Returns:
            The longer of the time for operations and the time for bytes, and after it the
            exchanges between GPUs, during which nothing else is done.
        """
        return sum(self.spent(new, kept, pairs))

    def spent(self, new: int, kept: int, pairs: int) -> tuple[float, float, float]:
        """Return a step's seconds as bound by bytes, bound by operations, and of exchanges.

        One of the first two is 0: the shorter, which the longer one hides.
        """
        operations = 2 * self.parameters * new + self.pair_operations * pairs
        moved = 2 * self.parameters + self.cache_bytes * (kept + new)
        fetching, computing = moved / self.bandwidth, operations / self.peak
        bound = (0.0, computing) if computing > fetching else (fetching, 0.0)
        return bound[0] / self.gpus, bound[1] / self.gpus, self.exchanging(new)

    def exchanging(self, new: int) -> float:
        """Return the seconds of a step's exchanges, two in each layer.

        Each sums what the GPUs hold of every new token (all-reduce): a GPU sends
        2 (gpus - 1) / gpus of it.
        """
        if self.gpus == 1:
            return 0.0
        sent = 2 * (self.gpus - 1) / self.gpus * 2 * self.width * new
        return 2 * self.layers * (self.latency + sent / self.link)

    def blocks(self, block: int) -> float:
        """Return how many blocks of so many tokens the memory holds beside the parameters."""
        room = (self.gpus * self.memory - 2 * self.parameters) / max(self.cache_bytes, 1e-9)
        return math.inf if room == math.inf else math.floor(room / block)


@dataclass(eq=False)
class _Running:
    number: int
    request: Request
    computed: int = 0  # tokens whose keys and values are in memory
    shared: int = 0  # of these, tokens of the beginning that the server keeps
    blocks: int = 0  # its own
    times: list[float] = field(default_factory=list)
    preempted: int = 0

    @property
    def done(self) -> bool:
        return len(self.times) == self.request.answer

    @property
    def pending(self) -> int:
        """Tokens that must pass through the model before the next one is written."""
        return self.request.prompt + len(self.times) - self.computed

    @property
    def writes(self) -> bool:
        return bool(self.times) and self.pending == 1


@dataclass
class _Server:
    queue: deque[_Running]
    model: ServedModel
    way: str
    most: int
    chunk: int
    kept: int
    budget: int
    block: int
    short: str
    once: bool
    running: list[_Running] = field(default_factory=list)
    in_use: int = 0  # blocks, those of the kept beginning among them
    known: bool = False  # whether the beginning has been read
    carried: float = 0.0  # bytes to and from the host since the last step

    def run(self) -> list[Step]:
        steps, now = [], 0.0
        while self.queue or self.running:
            if not self.running:
                now = max(now, self.queue[0].request.came)
            if not self._make_room():
                self._admit(now)
            if parts := self._parts():
                spent = self._spent(parts)
                told = tuple((r.number, 0 if r.writes else n, w) for r, n, w in parts)
                steps.append(Step(now, sum(spent), told, self.in_use, spent=spent))
                now += sum(spent)
                self._account(parts, now)
            self._release()
        return steps

    def _needs(self, r: _Running, tokens: int) -> int:
        return -(-max(tokens - r.shared, 0) // self.block)

    def _release(self) -> None:
        if self.way == "continuous" or all(r.done for r in self.running):
            self.in_use -= sum(r.blocks for r in self.running if r.done)
            self.running = [r for r in self.running if not r.done]

    def _make_room(self) -> bool:
        """Give each request that writes room for a token; say whether others had to go.

        Those who were admitted last go first, and wait at the head of the queue.
        """
        before, capacity = len(self.running), self.model.blocks(self.block)
        for r in [r for r in self.running if r.writes and not r.done]:
            while r in self.running and r.blocks < (need := self._needs(r, r.computed + 1)):
                if self.in_use + need - r.blocks <= capacity:
                    self.in_use += need - r.blocks
                    r.blocks = need
                else:
                    self._preempt(next(x for x in reversed(self.running) if not x.done))
        return len(self.running) < before

    def _preempt(self, r: _Running) -> None:
        self.running.remove(r)
        self.queue.appendleft(r)
        self.in_use -= r.blocks
        r.blocks, r.preempted = 0, r.preempted + 1
        if self.short == "swap":
            self.carried += self.model.cache_bytes * (r.computed - r.shared)
        else:
            r.computed = r.shared = 0

    def _admit(self, now: float) -> None:
        """Let in those who have come, in order, as long as there are places and blocks."""
        if self.way != "continuous" and self.running:
            return
        while self.queue and len(self.running) < self.most:
            r = self.queue[0]
            if r.request.came > now:
                return
            if self.known:
                r.shared = self.kept
            last = r.request.answer - 1 if self.short == "reserve" else len(r.times)
            need = self._needs(r, r.request.prompt + last)
            if self.in_use + need > self.model.blocks(self.block):
                return
            self.carried += self.model.cache_bytes * max(r.computed - r.shared, 0)
            came_with = 0 if r.preempted else r.request.known
            found = max(r.computed, r.shared, came_with)
            r.computed = min(found, r.request.prompt + len(r.times) - 1)
            r.blocks = need
            self.in_use += need
            self.running.append(self.queue.popleft())

    def _parts(self) -> list[tuple[_Running, int, int]]:
        """Return who takes part in the next step, with tokens computed and tokens written."""
        active = [r for r in self.running if not r.done]
        writing = [r for r in active if r.writes][: self.budget]
        parts = [(r, 1, 1) for r in writing]
        room = min(self.chunk, self.budget - len(writing))
        for r in active:
            if not r.writes and (n := min(r.pending, room)):
                parts.append((r, n, int(n == r.pending)))
                room -= n
        return parts

    def _spent(self, parts: list[tuple[_Running, int, int]]) -> tuple[float, float, float]:
        new = sum(n for _, n, _ in parts)
        kept = sum(r.computed for r, _, _ in parts)
        pairs = sum(n * r.computed + n * (n + 1) // 2 for r, n, _ in parts)
        if self.once:  # the kept beginning is fetched for all of them together
            shared = [r.shared for r, _, _ in parts if r.shared]
            kept -= sum(shared[1:])
        wait, self.carried = self.carried / self.model.host, 0.0
        fetching, computing, exchanging = self.model.spent(new, kept, pairs)
        return fetching, computing, exchanging + wait

    def _account(self, parts: list[tuple[_Running, int, int]], now: float) -> None:
        for r, n, wrote in parts:
            r.computed += n
            r.times += [now] * wrote
            if wrote and self.kept and not self.known:  # its first blocks become everybody's
                self.known, r.shared = True, self.kept
                r.blocks -= self.kept // self.block


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


def _as_many(call: Call, argument: str, served: Sequence[Served]) -> Sequence[Served]:
    asked = len(call["requests"])
    if len(served) != asked:
        raise call.fail(argument, f"of {asked} requests", f"{len(served)}")
    return served


def _fits(call: Call) -> None:
    """Raise unless the memory holds the parameters and each request by itself."""
    model, block = call["model"], call["block"]
    shortest = min(r.prompt for r in call["requests"])
    if call["kept"] > shortest:
        expected = f"at most the shortest prompt, {shortest:,} tokens"
        raise call.fail("kept", expected, f"{call['kept']:,}")
    if (blocks := model.blocks(block)) < 1:
        held = f"{2 * model.parameters / 1e9:.1f} GB of parameters (two bytes each) and a block"
        got = f"{model.gpus} x {model.memory / 1e9:.1f} GB"
        raise call.fail("model", f"one whose memory holds {held}", got)
    for number, r in enumerate(call["requests"]):
        tokens = r.prompt + r.answer - 1
        if -(-tokens // block) > blocks:
            expected = f"requests that fit into {blocks:,} blocks of {block} tokens"
            told = f"prompt {r.prompt:,}, answer {r.answer:,} (its last token keeps nothing)"
            raise call.fail("requests", expected, f"request {number}: {told}")
    if call["readers"] >= call["replicas"]:
        expected = f"fewer than replicas = {call['replicas']}, so that one writes"
        raise call.fail("readers", expected, call["readers"])


@checked(
    _fits,
    requests=_in_order,
    way=one_of(*WAYS),
    most=whole(1),
    chunk=whole(1),
    kept=whole(0),
    budget=whole(1),
    block=whole(1),
    short=one_of(*SHORT),
    replicas=whole(1),
    readers=whole(0),
    wire=positive_number,
)
def serve(
    requests: Sequence[Request],
    model: ServedModel,
    way: str = "continuous",
    most: int = 256,
    chunk: int = 10**9,
    kept: int = 0,
    budget: int = 10**9,
    block: int = 16,
    short: str = "recompute",
    once: bool = False,
    replicas: int = 1,
    readers: int = 0,
    wire: float = 50e9,
) -> tuple[list[Served], list[Step]]:
    """Answer all requests, and say what happened in every step.

    A request is admitted when the cache has blocks for its prompt. In a step each running
    request whose prompt has been read writes one token, as far as the budget goes; what is
    left of the budget reads prompts, in the order of admission. The step that reads the last
    of a prompt writes the first token of its answer. Where a token to be written finds no
    block, the request that was admitted last loses its own.

    Args:
        requests: in the order in which they came.
        model: what a step costs, and how much memory there is.
        way: "one by one"; "in batches", each of which runs until its longest answer is written;
            or "continuous": room that is free is taken in the next step.
        most: requests that run together, whatever the memory.
        chunk: prompt tokens that a step reads at most, over all requests.
        kept: tokens with which every prompt begins. The whole blocks of them stay in the cache
            once a prompt has been read. At least one token of a prompt is read.
        budget: tokens that pass through the model in a step at most, read or written.
        block: tokens whose keys and values a block holds.
        short: "recompute": who loses its blocks waits at the head of the queue and reads prompt
            and answer again; "swap": its keys and values go to the host and return; "reserve":
            a request is admitted only when there are blocks for its whole answer.
        once: a step fetches the kept beginning once for all, not once for each.
        replicas: servers, to which requests go in turn; each has its own ``model.gpus``.
        readers: how many of them only read prompts. Keys and values then cross a wire of the
            reader's to a server that only writes; prompts queue for the wire.
        wire: bytes a second between them; 50e9 are the 400 Gbit/s of a network card of 2022.

    Returns:
        How each request fared, and the steps, one replica after the other.

    Source:
        Yu et al. (2022), section 3.1, for the continuous way; Kwon et al. (2023), sections 4.2
        and 4.5, for blocks and preemption; Agrawal et al. (2024), section 4.2, for the budget;
        Zhong et al. (2024) for readers and writers apart; Shoeybi et al. (2019), section 3, for
        the exchanges.

    >>> model = ServedModel(1e9, 0, 0, 1e15, 1e12)
    >>> found, steps = serve([Request(0.0, 10, 2), Request(0.0, 10, 1)], model, "one by one")
    >>> [round(done.last, 6) for done in found], len(steps)
    ([0.004, 0.006], 3)
    """
    places = 1 if way == "one by one" else most
    how = (way, places, chunk, kept - kept % block, budget, block, short, once)
    asked = list(enumerate(requests))
    if readers:
        return _apart(asked, range(readers), range(readers, replicas), model, how, wire)
    ended, steps = _pool(asked, range(replicas), model, how)
    return [_fared([ended[i]]) for i, _ in asked], steps


def _apart(
    asked: list[tuple[int, Request]],
    readers: range,
    writers: range,
    model: ServedModel,
    how: tuple[Any, ...],
    wire: float,
) -> tuple[list[Served], list[Step]]:
    """Read each prompt on one server, send its keys and values, and write on another."""
    read, steps = _pool([(i, r._replace(answer=1)) for i, r in asked], readers, model, how)
    sent = _sent(list(read.values()), len(readers), model.cache_bytes / wire)
    arrived = [
        (i, Request(sent[i], r.prompt + 1, r.answer - 1, known=r.prompt))
        for i, r in sorted(asked, key=lambda row: sent[row[0]])
        if r.answer > 1
    ]
    written, more = _pool(arrived, writers, model, how)
    fared = [_fared([read[i], *([written[i]] if i in written else [])]) for i, _ in asked]
    return fared, steps + more


def _pool(
    asked: list[tuple[int, Request]], replicas: range, model: ServedModel, how: tuple[Any, ...]
) -> tuple[dict[int, _Running], list[Step]]:
    """Give requests to servers in turn, and return how each ended, and all steps."""
    ended: dict[int, _Running] = {}
    steps: list[Step] = []
    for turn, replica in enumerate(replicas):
        mine = [_Running(number, r) for number, r in asked[turn :: len(replicas)]]
        ended |= {r.number: r for r in mine}
        steps += [s._replace(replica=replica) for s in _Server(deque(mine), model, *how).run()]
    return ended, steps


def _sent(read: list[_Running], readers: int, seconds: float) -> dict[int, float]:
    """Return when each prompt's keys and values have crossed, at so many seconds a token.

    A reader sends one after the other, in the order in which they are ready.
    """
    sent: dict[int, float] = {}
    free = [0.0] * readers
    for r in sorted(read, key=lambda r: (r.times[0], r.number)):
        turn = r.number % readers
        sent[r.number] = free[turn] = max(free[turn], r.times[0]) + seconds * r.request.prompt
    return sent


def _fared(stages: list[_Running]) -> Served:
    times = [time for r in stages for time in r.times]
    gaps = [b - a for a, b in pairwise(times)]
    lost = sum(r.preempted for r in stages)
    return Served(times[0], times[-1], max(gaps, default=0.0), lost)


class Report(NamedTuple):
    """What is said of a server: times in seconds, rates a second.

    Attributes:
        first: time to first token, of half of the requests at most this.
        slow: the same, of 99 in a hundred.
        token: time per output token, (last - first) / (answer - 1), of half of the requests.
        slow_token: the same, of 99 in a hundred.
        stall: the longest time between two tokens of an answer.
        end: from the first request to the last token.
        preempted: how often a request lost its blocks.
        good: share of the requests that kept both limits.
        tokens: tokens of answers a second.
    """

    first: float
    slow: float
    token: float
    slow_token: float
    stall: float
    end: float
    preempted: int
    good: float
    tokens: float


@checked(requests=_in_order, served=_as_many, first=positive_number, token=positive_number)
def report(
    requests: Sequence[Request], served: Sequence[Served], first: float, token: float
) -> Report:
    """Sum up how requests fared.

    Args:
        requests: in the order in which they came.
        served: how each fared.
        first: the longest time to first token that is good, in seconds.
        token: the longest time per output token that is good, in seconds.

    Source:
        Zhong et al. (2024), section 1, for goodput at a pair of limits.

    >>> asked, done = [Request(0.0, 10, 3)], [Served(0.5, 1.5, 0.6)]
    >>> found = report(asked, done, 1.0, 0.5)
    >>> found.good, found.token
    (1.0, 0.5)
    """
    firsts = np.array([s.first - r.came for r, s in zip(requests, served, strict=True)])
    count = np.array([r.answer for r in requests])
    last = np.array([s.last for s in served])
    begun = np.array([s.first for s in served])
    each = (last - begun) / np.maximum(count - 1, 1)
    several = each[count > 1] if (count > 1).any() else each
    end = float(last.max() - requests[0].came)
    good = (firsts <= first) & (each <= token)
    return Report(
        first=float(np.quantile(firsts, 0.5)),
        slow=float(np.quantile(firsts, 0.99)),
        token=float(np.quantile(several, 0.5)),
        slow_token=float(np.quantile(several, 0.99)),
        stall=max(s.stall for s in served),
        end=end,
        preempted=sum(s.preempted for s in served),
        good=float(good.mean()),
        tokens=float(count.sum() / end),
    )


class Use(NamedTuple):
    """How far a server's resources were used, as shares from 0 to 1.

    Attributes:
        blocks: the most blocks in use on one replica, of all that it has.
        fetching: of the steps' time, that of steps whose bytes took longest.
        computing: that of steps whose operations took longest.
        exchanging: that of exchanges between GPUs, and with the host.
    """

    blocks: float
    fetching: float
    computing: float
    exchanging: float


def _some(call: Call, argument: str, steps: Sequence[Step]) -> Sequence[Step]:
    if not steps:
        raise call.fail(argument, "the steps of serve, at least one", "none")
    return steps


@checked(steps=_some, block=whole(1))
def used(model: ServedModel, steps: Sequence[Step], block: int = 16) -> Use:
    """Say which resource was short: blocks, bytes a second, operations a second or a link.

    Args:
        model: the one that was served.
        steps: what :func:`serve` returned.
        block: tokens of a block there.

    >>> model = ServedModel(1e9, 0, 0, 1e15, 1e12)
    >>> used(model, serve([Request(0.0, 10, 2)], model)[1])
    Use(blocks=0.0, fetching=1.0, computing=0.0, exchanging=0.0)
    """
    spent = np.array([step.spent for step in steps]).sum(0)
    full = max(step.blocks for step in steps) / model.blocks(block)
    return Use(full, *(spent / spent.sum()).tolist())


@checked(tokens=positive_number, gpus=whole(1), price=positive_number, watts=positive_number)
def per_million(tokens: float, gpus: int, price: float, watts: float) -> tuple[float, float]:
    """Return what a million written tokens cost, and the kilowatt-hours that they take.

    Args:
        tokens: of answers, a second, of all GPUs together.
        gpus: how many there are.
        price: of a GPU for an hour.
        watts: of a GPU. With the power that its sheet names, the most that it draws, the energy
            is an upper bound for the GPUs; cooling, host and network come on top.

    >>> per_million(1000, 2, 3.0, 700)
    (1.6666666666666667, 0.3888888888888889)
    """
    hours = gpus * 1e6 / tokens / 3600
    return hours * price, hours * watts / 1000
