"""Ring attention: every device keeps a part of the queries, keys and values go round.

What a device does is a generator: it yields the arrays that it hands on, and is sent those that
arrive. :func:`simulate_ring` drives all devices in one process; :func:`ring_attention` starts a
process for each, which exchange their arrays by torch.distributed.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed

from attention_course._shapes import Float
from attention_course.kernels.tiled import GROUPED, grouped, merge_partials
from attention_course.reference._check import Call, finite, multiple_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.scale.ring import ring_positions

Message = tuple[Tensor, ...]
Device = Generator[Message, Message, Message]
SECONDS = 120.0
# What a process runs. Its own program, not a fork or a copy of the notebook: that works from a
# notebook, a script and a test alike, on every system.
PROGRAM = "import sys; from attention_course.kernels import ring; ring.work(*sys.argv[1:])"


@dataclass(frozen=True)
class RingRun:
    """What a ring returned, and what it took.

    Attributes:
        context: of all queries, in their order.
        gradients: by q, k and v, if a gradient went in; else empty.
        sent_forward: bytes that each device sent in the forward pass.
        sent_backward: the same for the backward pass.
    """

    context: Tensor
    gradients: Message
    sent_forward: tuple[int, ...]
    sent_backward: tuple[int, ...]


def see_part(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float
) -> tuple[Tensor, Tensor]:
    r"""Attend to some of the keys; return the contexts and the log-sum-exps.

    .. math:: \mathbf c_i = \sum_j e^{e_{ij} - \ell_i} \mathbf v_j, \qquad
       \ell_i = \log \sum_j e^{e_{ij}}

    Source:
        Liu et al. (2023), algorithm 1; the parts are those of Dao et al. (2022).

    >>> x = torch.zeros(3, 2)
    >>> see_part(x, x, x + 5, None, 1.0)[1].exp()
    tensor([3., 3., 3.])
    """
    scores = scale * q @ k.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    log_sum = scores.logsumexp(dim=-1)
    safe = log_sum.masked_fill(log_sum == -torch.inf, 0.0)
    return (scores - safe[..., None]).exp() @ v, log_sum


@dataclass(frozen=True)
class RingPlan:
    """What all devices of a ring know.

    Attributes:
        places: which places of the sequence each device holds, a row for each.
        causal: whether queries see no later key.
        scale: what the dot products are multiplied by.
    """

    places: Tensor
    causal: bool
    scale: float

    @property
    def devices(self) -> int:
        """How many there are."""
        return len(self.places)

    def mask(self, rank: int, owner: int) -> Tensor | None:
        """Return which of the owner's keys the queries of a device see; None if all."""
        if not self.causal:
            return None
        return self.places[owner] <= self.places[rank][:, None]


def ring_forward(
    rank: int, ring: RingPlan, q: Tensor, k: Tensor, v: Tensor
) -> Generator[Message, Message, Message]:
    r"""Be one device: attend to the keys at hand, merge, hand them on, take the next.

    Args:
        rank: which device this is.
        ring: what all devices know.
        q: its queries.
        k: the keys it begins with.
        v: their values.

    Returns:
        At the end: its contexts and log-sum-exps.

    Source:
        Liu et al. (2023), algorithm 1.

    >>> x, ring = torch.zeros(1, 2), RingPlan(torch.tensor([[0], [1]]), False, 1.0)
    >>> [y.shape for y in next(ring_forward(0, ring, x, x, x))]
    [torch.Size([1, 2]), torch.Size([1, 2])]
    """
    context = q.new_zeros(*q.shape[:-1], v.shape[-1])
    log_sum = torch.full_like(context[..., 0], -torch.inf)
    for step in range(ring.devices):
        owner = (rank - step) % ring.devices  # whose keys are here
        mask = ring.mask(rank, owner)
        if mask is None or mask.any():
            part = see_part(q, k, v, mask, ring.scale)
            both = zip((context, log_sum), part, strict=True)
            context, log_sum = merge_partials(*map(torch.stack, both))
        if step < ring.devices - 1:
            k, v = yield k, v
    return context, log_sum


def ring_backward(
    rank: int,
    ring: RingPlan,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    found: Message,
    gradient: Tensor,
) -> Generator[Message, Message, Message]:
    r"""Be one device in the backward pass: the gradients of keys and values travel with them.

    .. math:: P_{ij} = e^{s\, \mathbf q_i \cdot \mathbf k_j - \ell_i}, \qquad
       \frac{\partial L}{\partial e_{ij}} = P_{ij} \bigl(
       \mathbf g_i \cdot \mathbf v_j - \mathbf g_i \cdot \mathbf c_i \bigr)

    Args:
        rank: which device this is.
        ring: what all devices know.
        q: its queries.
        k: the keys it begins with.
        v: their values.
        found: what :func:`ring_forward` returned.
        gradient: of the loss by the contexts.

    Returns:
        At the end: the gradients by its queries, keys and values.

    Source:
        Liu et al. (2023), section 3; the formula is that of Dao et al. (2022), algorithm 4.

    >>> x, ring = torch.zeros(1, 2), RingPlan(torch.tensor([[0], [1]]), False, 1.0)
    >>> len(next(ring_backward(0, ring, x, x, x, (x, torch.zeros(1)), x)))
    4
    """
    context, log_sum = found
    along = (gradient * context).sum(dim=-1, keepdim=True)
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))
    for step in range(ring.devices):
        mask = ring.mask(rank, (rank - step) % ring.devices)
        weights = (ring.scale * q @ k.mT - log_sum[..., None]).exp()
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        slopes = ring.scale * weights * (gradient @ v.mT - along)
        dq = dq + slopes @ k
        dk = dk + (slopes.mT @ q).sum_to_size(dk.shape)
        dv = dv + (weights.mT @ gradient).sum_to_size(dv.shape)
        if step < ring.devices - 1:
            k, v, dk, dv = yield k, v, dk, dv
        else:
            dk, dv = yield dk, dv  # the last step takes them home
    return dq, dk, dv


def _full_precision(call: Call) -> None:
    if call.given["q"].dtype not in (torch.float32, torch.float64):
        raise call.fail("q", "in float32 or float64", call.given["q"].dtype)


def _divided(call: Call) -> None:
    if call["n"] % call["devices"]:
        raise call.fail("q", f"of a length that {call['devices']} devices share")


#: What both rings ask of their arguments.
RING = *GROUPED, _full_precision, _divided


@checked(*RING, devices=whole(), scale=finite)
def simulate_ring(
    q: Float[Tensor, "batch heads n d_k"],
    k: Float[Tensor, "batch kv_heads n d_k"],
    v: Float[Tensor, "batch kv_heads n d_v"],
    *,
    devices: int,
    causal: bool = False,
    striped: bool = False,
    scale: float | None = None,
    gradient: Float[Tensor, "batch heads n d_v"] | None = None,
) -> RingRun:
    """Let all devices of a ring take turns in this process.

    Args:
        q: queries of the whole sequence.
        k: keys; they may have fewer heads than the queries.
        v: values.
        devices: how many share the sequence; divides its length.
        causal: whether queries see no later key.
        striped: whether places are dealt out one by one and not in blocks.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        gradient: of a loss by the contexts, if the backward pass is wanted.

    Returns:
        Contexts, gradients, and the bytes that were handed on.

    Raises:
        ValueError: if the shapes do not fit, or ``devices`` does not divide the length.

    Source:
        Liu et al. (2023), algorithm 1; Brandon et al. (2023) for ``striped``.

    >>> x = torch.ones(1, 2, 6, 4)
    >>> simulate_ring(x, x, x, devices=3).sent_forward
    (256, 256, 256)
    """
    task = _Task.of(q, k, v, devices, causal, striped, scale, gradient)
    ranks = range(devices)
    parts, sent = _take_turns([task.forward(rank) for rank in ranks])
    if gradient is None:
        return task.joined(parts, [], sent, ())
    back, sent_back = _take_turns([task.backward(rank, *parts[rank]) for rank in ranks])
    return task.joined(parts, back, sent, sent_back)


@checked(*RING, devices=whole(2), scale=finite)
def ring_attention(
    q: Float[Tensor, "batch heads n d_k"],
    k: Float[Tensor, "batch kv_heads n d_k"],
    v: Float[Tensor, "batch kv_heads n d_v"],
    *,
    devices: int,
    causal: bool = False,
    striped: bool = False,
    scale: float | None = None,
    gradient: Float[Tensor, "batch heads n d_v"] | None = None,
    seconds: float = SECONDS,
) -> RingRun:
    """Start a process for each device of a ring, which know nothing but their own part.

    They meet at a file and talk by gloo, torch's library for CPUs. Whatever happens, all of
    them have ended when this returns or raises.

    Args:
        q: queries of the whole sequence.
        k: keys; they may have fewer heads than the queries.
        v: values.
        devices: how many processes share the sequence; from 2, divides its length.
        causal: whether queries see no later key.
        striped: whether places are dealt out one by one and not in blocks.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        gradient: of a loss by the contexts, if the backward pass is wanted.
        seconds: after which the processes are ended.

    Returns:
        Contexts, gradients, and the bytes that each process sent.

    Raises:
        ValueError: if the shapes do not fit, or ``devices`` does not divide the length.
        RuntimeError: if this torch has no gloo, a process fails, or the time is up.

    Source:
        Liu et al. (2023), algorithm 1; Brandon et al. (2023) for ``striped``.
    """
    name = "ring_attention"
    task = _Task.of(q, k, v, devices, causal, striped, scale, gradient)
    if not (distributed.is_available() and distributed.is_gloo_available()):
        raise RuntimeError(f"{name}: expected a torch with gloo, got {torch.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(devices):
            torch.save(task.part(rank), Path(folder) / f"in-{rank}.pt")
        _run_processes(name, folder, devices, seconds)
        found = [
            torch.load(Path(folder) / f"out-{rank}.pt", weights_only=True)
            for rank in range(devices)
        ]
    parts, back, sent, sent_back = zip(*found, strict=True)
    return task.joined(parts, back, sent, sent_back if gradient is not None else ())


def work(folder: str, rank: str) -> None:
    """Be one process of a ring: read a part, take part in the ring, write the result."""
    torch.set_num_threads(1)
    me = int(rank)
    task = _Task(**torch.load(Path(folder) / f"in-{rank}.pt", weights_only=True))
    devices = len(task.places)
    store = distributed.FileStore(str(Path(folder) / "rendezvous"), devices)  # type: ignore[attr-defined]
    distributed.init_process_group(
        "gloo", store=store, rank=me, world_size=devices, timeout=timedelta(seconds=SECONDS)
    )

    def exchange(message: Message) -> Message:
        arriving = tuple(torch.empty_like(x) for x in message)
        # All are begun before any is awaited: blocking sends around a ring would never end.
        going = [distributed.isend(x.contiguous(), (me + 1) % devices) for x in message]
        going += [distributed.irecv(x, (me - 1) % devices) for x in arriving]
        for one in going:
            if one is not None:
                one.wait()
        return arriving

    part, sent = _drive(task.forward(me, whole=False), exchange)
    back: Message = ()
    sent_back = 0
    if task.gradient is not None:
        back, sent_back = _drive(task.backward(me, *part, whole=False), exchange)
    torch.save((part, back, sent, sent_back), Path(folder) / f"out-{rank}.pt")
    distributed.destroy_process_group()


@dataclass
class _Task:
    """What is to be computed: of the whole sequence, or of one device's part."""

    q: Tensor
    k: Tensor
    v: Tensor
    places: Tensor
    causal: bool
    scale: float
    gradient: Tensor | None

    @property
    def plan(self) -> RingPlan:
        return RingPlan(self.places, self.causal, self.scale)

    @classmethod
    def of(
        cls,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        devices: int,
        causal: bool,
        striped: bool,
        scale: float | None,
        gradient: Tensor | None,
    ) -> "_Task":
        factor = q.shape[-1] ** -0.5 if scale is None else scale
        n = q.shape[-2]
        places = torch.from_numpy(ring_positions(n, devices, striped)).to(q.device)
        return cls(q.detach(), k.detach(), v.detach(), places, causal, factor, gradient)

    def part(self, rank: int) -> dict[str, Any]:
        """Return what one device holds, as its own task."""
        mine = self.places[rank]
        cut = {"q": self.q, "k": self.k, "v": self.v, "gradient": self.gradient}
        return {n: None if x is None else x[..., mine, :].clone() for n, x in cut.items()} | {
            "places": self.places,
            "causal": self.causal,
            "scale": self.scale,
        }

    def forward(self, rank: int, whole: bool = True) -> Device:
        task = _Task(**self.part(rank)) if whole else self
        return ring_forward(rank, task.plan, *grouped(task.q, task.k, task.v))

    def backward(self, rank: int, *found: Tensor, whole: bool = True) -> Device:
        task = _Task(**self.part(rank)) if whole else self
        gradient = torch.as_tensor(task.gradient).reshape(found[0].shape)
        q, k, v = grouped(task.q, task.k, task.v)
        return ring_backward(rank, task.plan, q, k, v, found, gradient)

    def joined(
        self,
        parts: Sequence[Message],
        back: Sequence[Message],
        sent: Sequence[int],
        sent_back: Sequence[int],
    ) -> RingRun:
        """Put the parts of all devices where they belong."""
        context = self._in_order([part[0] for part in parts], self.q)
        gradients: Message = ()
        if self.gradient is not None:
            like = (self.q, self.k, self.v)
            gradients = tuple(
                self._in_order([found[i] for found in back], x) for i, x in enumerate(like)
            )
        return RingRun(context, gradients, tuple(sent), tuple(sent_back))

    def _in_order(self, pieces: list[Tensor], like: Tensor) -> Tensor:
        joined = torch.cat(pieces, dim=-2)[..., self.places.flatten().argsort(), :]
        return joined.flatten(1, 2).to(like.dtype)


def _take_turns(devices: list[Device]) -> tuple[list[Message], tuple[int, ...]]:
    """Drive all devices step by step; each is sent what the one before it handed on."""
    sent = [0] * len(devices)
    found: list[Message] = []
    arriving: list[Any] = [None] * len(devices)
    while not found:
        messages = []
        for rank, device in enumerate(devices):
            try:
                messages.append(device.send(arriving[rank]))
                sent[rank] += _bytes(messages[-1])
            except StopIteration as end:
                found.append(end.value)
        arriving = [messages[rank - 1] for rank in range(len(messages))]
    return found, tuple(sent)


def _drive(device: Device, exchange: Callable[[Message], Message]) -> tuple[Message, int]:
    """Drive the one device of this process."""
    sent, arriving = 0, None
    while True:
        try:
            message = device.send(arriving)  # type: ignore[arg-type]
        except StopIteration as end:
            return end.value, sent
        sent += _bytes(message)
        arriving = exchange(message)


def _bytes(message: Message) -> int:
    return sum(x.numel() * x.element_size() for x in message)


def _run_processes(function: str, folder: str, devices: int, seconds: float) -> None:
    """Start the processes and wait until all have ended well, or end them and raise."""
    loopback = {"linux": "lo", "darwin": "lo0"}.get(sys.platform)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    if loopback:
        environment["GLOO_SOCKET_IFNAME"] = loopback
    until, started = time.monotonic() + seconds, []
    logs = [Path(folder) / f"log-{rank}.txt" for rank in range(devices)]
    try:
        for rank, log in enumerate(logs):
            command = [sys.executable, "-c", PROGRAM, folder, str(rank)]
            with log.open("w") as file:
                started.append(
                    subprocess.Popen(
                        command,
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=file,
                        stderr=file,
                    )
                )
        while any(process.poll() is None for process in started):
            if any(process.poll() for process in started) or time.monotonic() > until:
                break
            time.sleep(0.02)
        for rank, process in enumerate(started):
            code = process.poll()
            if code:
                said = logs[rank].read_text(errors="replace").strip().splitlines()
                last = said[-1] if said else "nothing"
                raise RuntimeError(
                    f"{function}: process {rank} of {devices} ended with code {code} "
                    f"and said: {last}"
                )
        if any(process.poll() is None for process in started):
            raise RuntimeError(
                f"{function}: expected {devices} processes to end within {seconds:g} seconds, "
                "got no answer; all were ended"
            )
    finally:
        for process in started:
            process.kill()
            process.wait()
