"""One sequence on several devices: by a ring, by gathering keys and values, or by heads.

A device is a generator, which yields what it sends and is sent what arrives.
:func:`simulate_parallel` drives all devices in one process; :func:`parallel_attention` starts a
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
from attention_course.kernels.ring import Message, RingPlan, ring_backward, ring_forward
from attention_course.kernels.tiled import GROUPED, grouped
from attention_course.kernels.ulysses import (
    Parts,
    gather_backward,
    gather_forward,
    ulysses_backward,
    ulysses_forward,
)
from attention_course.reference._check import Call, finite, multiple_of, one_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.scale.ring import ORDERS, ring_positions

Device = Generator[Any, Any, Message]
SECONDS = 120.0
# What a process runs. Its own program, not a fork or a copy of the notebook: that works from a
# notebook, a script and a test alike, on every system.
PROGRAM = (
    "import sys; from attention_course.kernels import parallel; parallel.work(*sys.argv[1:])"
)
#: How devices may share a sequence: what each does forwards, and backwards.
WAYS: dict[str, tuple[Callable[..., Device], Callable[..., Device]]] = {
    "ring": (ring_forward, ring_backward),
    "gather": (gather_forward, gather_backward),
    "ulysses": (ulysses_forward, ulysses_backward),
}


@dataclass(frozen=True)
class ParallelRun:
    """What the devices found together, and what it took.

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


def _full_precision(call: Call) -> None:
    if call.given["q"].dtype not in (torch.float32, torch.float64):
        raise call.fail("q", "in float32 or float64", call.given["q"].dtype)


def _divided(call: Call) -> None:
    blocks = call["devices"] * (2 if call["order"] == "zigzag" else 1)
    if call["n"] % blocks:
        each = ", two blocks each" if blocks > call["devices"] else ""
        raise call.fail("q", f"of a length that {call['devices']} devices share{each}")


def _shared_out(call: Call) -> None:
    heads, kv_heads, devices = call["heads"], call["kv_heads"], call["devices"]
    if call.given["way"] == "ulysses" and (
        heads % devices or max(kv_heads, devices) % min(kv_heads, devices)
    ):
        raise call.fail(
            "q",
            f"of heads that {devices} devices share, as they share {kv_heads} of keys",
            heads,
        )


#: What both functions ask of their arguments.
ASKED = *GROUPED, _full_precision, _divided, _shared_out


@checked(*ASKED, way=one_of(*WAYS), devices=whole(), order=one_of(*ORDERS), scale=finite)
def simulate_parallel(
    q: Float[Tensor, "batch heads n d_k"],
    k: Float[Tensor, "batch kv_heads n d_k"],
    v: Float[Tensor, "batch kv_heads n d_v"],
    *,
    devices: int,
    way: str = "ring",
    causal: bool = False,
    order: str = "blocks",
    scale: float | None = None,
    gradient: Float[Tensor, "batch heads n d_v"] | None = None,
) -> ParallelRun:
    """Let all devices take turns in this process.

    Args:
        q: queries of the whole sequence.
        k: keys; they may have fewer heads than the queries.
        v: values.
        devices: how many share the sequence; divides its length.
        way: "ring", "gather" or "ulysses", which needs heads that the devices can share.
        causal: whether queries see no later key.
        order: who holds which places: "blocks", "striped" or "zigzag".
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        gradient: of a loss by the contexts, if the backward pass is wanted.

    Returns:
        Contexts, gradients, and the bytes that were handed on.

    Raises:
        ValueError: if the shapes do not fit, or the devices cannot share length or heads.

    Source:
        Liu et al. (2023), algorithm 1; Grattafiori et al. (2024), section 3.3.2, for "gather"
        and "zigzag"; Jacobs et al. (2023) for "ulysses"; Brandon et al. (2023) for "striped".

    >>> x = torch.ones(1, 2, 6, 4)
    >>> simulate_parallel(x, x, x, devices=3).sent_forward
    (256, 256, 256)
    """
    task = _Task.of(q, k, v, devices, way, causal, order, scale, gradient)
    ranks = range(devices)
    parts, sent = _take_turns([task.forward(rank) for rank in ranks])
    if gradient is None:
        return task.joined(parts, [], sent, ())
    back, sent_back = _take_turns([task.backward(rank, *parts[rank]) for rank in ranks])
    return task.joined(parts, back, sent, sent_back)


@checked(*ASKED, way=one_of(*WAYS), devices=whole(2), order=one_of(*ORDERS), scale=finite)
def parallel_attention(
    q: Float[Tensor, "batch heads n d_k"],
    k: Float[Tensor, "batch kv_heads n d_k"],
    v: Float[Tensor, "batch kv_heads n d_v"],
    *,
    devices: int,
    way: str = "ring",
    causal: bool = False,
    order: str = "blocks",
    scale: float | None = None,
    gradient: Float[Tensor, "batch heads n d_v"] | None = None,
    seconds: float = SECONDS,
) -> ParallelRun:
    """Start a process for each device, which know nothing but their own part.

    They meet at a file and talk by gloo, torch's library for CPUs. Whatever happens, all of
    them have ended when this returns or raises.

    Args:
        q: queries of the whole sequence.
        k: keys; they may have fewer heads than the queries.
        v: values.
        devices: how many processes share the sequence; from 2, divides its length.
        way: "ring", "gather" or "ulysses", which needs heads that the devices can share.
        causal: whether queries see no later key.
        order: who holds which places: "blocks", "striped" or "zigzag".
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.
        gradient: of a loss by the contexts, if the backward pass is wanted.
        seconds: after which the processes are ended.

    Returns:
        Contexts, gradients, and the bytes that each process sent.

    Raises:
        ValueError: if the shapes do not fit, or the devices cannot share length or heads.
        RuntimeError: if this torch has no gloo, a process fails, or the time is up.

    Source:
        Liu et al. (2023), algorithm 1; Grattafiori et al. (2024), section 3.3.2, for "gather"
        and "zigzag"; Jacobs et al. (2023) for "ulysses"; Brandon et al. (2023) for "striped".
    """
    name = "parallel_attention"
    task = _Task.of(q, k, v, devices, way, causal, order, scale, gradient)
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
    """Be one process: read a part, compute with the others, write the result."""
    torch.set_num_threads(1)
    me = int(rank)
    task = _Task(**torch.load(Path(folder) / f"in-{rank}.pt", weights_only=True))
    devices = len(task.places)
    store = distributed.FileStore(str(Path(folder) / "rendezvous"), devices)  # type: ignore[attr-defined]
    distributed.init_process_group(
        "gloo", store=store, rank=me, world_size=devices, timeout=timedelta(seconds=SECONDS)
    )

    def exchange(message: Message | Parts) -> Message | Parts:
        if isinstance(message, list):
            return list(zip(*map(_all_to_all, zip(*message, strict=True)), strict=True))
        arriving = tuple(torch.empty_like(x) for x in message)
        # All are begun before any is awaited: blocking sends around a ring would never end.
        going = [distributed.isend(x.contiguous(), (me + 1) % devices) for x in message]
        going += [distributed.irecv(x, (me - 1) % devices) for x in arriving]
        for one in going:
            if one is not None:
                one.wait()
        return arriving

    part, sent = _drive(me, task.forward(me, whole=False), exchange)
    back: Message = ()
    sent_back = 0
    if task.gradient is not None:
        back, sent_back = _drive(me, task.backward(me, *part, whole=False), exchange)
    torch.save((part, back, sent, sent_back), Path(folder) / f"out-{rank}.pt")
    distributed.destroy_process_group()


@dataclass
class _Task:
    """What is to be computed: of the whole sequence, or of one device's part."""

    q: Tensor
    k: Tensor
    v: Tensor
    places: Tensor
    way: str
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
        way: str,
        causal: bool,
        order: str,
        scale: float | None,
        gradient: Tensor | None,
    ) -> "_Task":
        factor = q.shape[-1] ** -0.5 if scale is None else scale
        n = q.shape[-2]
        places = torch.from_numpy(ring_positions(n, devices, order)).to(q.device)
        return cls(q.detach(), k.detach(), v.detach(), places, way, causal, factor, gradient)

    def part(self, rank: int) -> dict[str, Any]:
        """Return what one device holds, as its own task."""
        mine = self.places[rank]
        cut = {"q": self.q, "k": self.k, "v": self.v, "gradient": self.gradient}
        return {n: None if x is None else x[..., mine, :].clone() for n, x in cut.items()} | {
            "places": self.places,
            "way": self.way,
            "causal": self.causal,
            "scale": self.scale,
        }

    def forward(self, rank: int, whole: bool = True) -> Device:
        task = _Task(**self.part(rank)) if whole else self
        return WAYS[task.way][0](rank, task.plan, *grouped(task.q, task.k, task.v))

    def backward(self, rank: int, *found: Tensor, whole: bool = True) -> Device:
        task = _Task(**self.part(rank)) if whole else self
        gradient = torch.as_tensor(task.gradient).reshape(found[0].shape)
        q, k, v = grouped(task.q, task.k, task.v)
        return WAYS[task.way][1](rank, task.plan, q, k, v, found, gradient)

    def joined(
        self,
        parts: Sequence[Message],
        back: Sequence[Message],
        sent: Sequence[int],
        sent_back: Sequence[int],
    ) -> ParallelRun:
        """Put the parts of all devices where they belong."""
        context = self._in_order([part[0] for part in parts], self.q)
        gradients: Message = ()
        if self.gradient is not None:
            like = (self.q, self.k, self.v)
            gradients = tuple(
                self._in_order([found[i] for found in back], x) for i, x in enumerate(like)
            )
        return ParallelRun(context, gradients, tuple(sent), tuple(sent_back))

    def _in_order(self, pieces: list[Tensor], like: Tensor) -> Tensor:
        joined = torch.cat(pieces, dim=-2)[..., self.places.flatten().argsort(), :]
        return joined.flatten(1, 2).to(like.dtype)


def _take_turns(devices: list[Device]) -> tuple[list[Message], tuple[int, ...]]:
    """Drive all devices step by step; each is sent what others hand to it."""
    sent = [0] * len(devices)
    found: list[Message] = []
    arriving: list[Any] = [None] * len(devices)
    while not found:
        messages: list[Any] = []
        for rank, device in enumerate(devices):
            try:
                messages.append(device.send(arriving[rank]))
                sent[rank] += _bytes(messages[-1], rank)
            except StopIteration as end:
                found.append(end.value)
        if messages and isinstance(messages[0], list):  # a part for each
            arriving = [list(parts) for parts in zip(*messages, strict=True)]
        else:  # to the neighbour
            arriving = [messages[rank - 1] for rank in range(len(messages))]
    return found, tuple(sent)


def _drive(rank: int, device: Device, exchange: Callable[[Any], Any]) -> tuple[Message, int]:
    """Drive the one device of this process."""
    sent, arriving = 0, None
    while True:
        try:
            message = device.send(arriving)
        except StopIteration as end:
            return end.value, sent
        sent += _bytes(message, rank)
        arriving = exchange(message)


def _bytes(message: Message | Parts, rank: int) -> int:
    """Count what goes to others: of parts for each, one is the device's own."""
    if isinstance(message, list):
        return sum(_bytes(part, rank) for to, part in enumerate(message) if to != rank)
    return sum(x.numel() * x.element_size() for x in message)


def _all_to_all(parts: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Send a part to each process, and return those that they sent."""
    going = torch.stack(list(parts))
    arriving = torch.empty_like(going)
    distributed.all_to_all_single(arriving, going)
    return arriving.unbind()


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
