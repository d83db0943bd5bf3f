r"""What attention asks of a device, and the least time that the device can take for it.

A device has up to four ceilings here: how fast it multiplies matrices, how fast it takes
exponentials, how fast its multiprocessors read their common cache, L2, where a source says so,
and how fast it moves bytes between its memory and its chip. Work that overlaps perfectly takes
as long as the slowest of them; work that does not overlap at all takes their sum. Real kernels
lie above the first, and good ones below the second.

How bytes are counted. What a kernel reads or writes crosses to memory once, except that a tiled
kernel reads K and V once for each tile of queries. Where K and V of one head fit into the last
cache, the tiles of a head, which run at the same time, share what the first of them fetched,
and K and V cross once. Through L2 goes whatever the tiles fetch, so K and V once for each tile
of queries: how many operations a byte of L2 is used for is set by the queries in a tile.
Limits: scores of a short sequence may stay in the cache as well, and tiles that run in step
share even what does not fit, so that real traffic is lower in both cases; masks, scaling and
type conversions of an unfused kernel, each another pass over the scores, are not counted, nor
what its products read from L2 more than once, nor the gradients of the queries that tiles of a
backward pass add up, so that real traffic is higher. Starting a kernel takes microseconds that
are not counted either: nothing here is to be believed below about 10 microseconds.
"""

import math
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from attention_course.reference._check import Call, Rule, divisor_of, one_of, whole
from attention_course.reference._checked import checked

VARIANTS = ("naive", "chunked", "tiled", "training", "decode")
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4}
#: Queries in a chunk, and in a tile.
CHUNK, TILE = 512, 128
CEILINGS = ("matmul", "exponentials", "l2", "memory")


@dataclass(frozen=True)
class DeviceSheet:
    """What a device can do at most, with the source of each number.

    Attributes:
        name: short, as in ``device_sheets()``.
        about: what it is.
        peak: operations a second of matrix products, dense, by number format.
        bandwidth: bytes a second between memory and chip.
        exponentials: exponentials a second.
        on_chip: bytes of shared memory in one multiprocessor.
        cache: bytes of the last cache.
        memory: bytes of memory.
        sources: where the numbers come from, by name.
        missing: why a format is not in ``peak``, or why ``l2`` is None.
        measured: what somebody reached with matrix products, by format.
        l2: bytes a second between the last cache and the multiprocessors; None where no source
            gives it, and then ``roofline`` leaves that ceiling out.
        power: watts that it draws at most.
        host: bytes a second to the host's memory, in one direction.
        link: bytes a second to other GPUs of the same box, in one direction.
        cycle: what a multiprocessor does in a cycle, where ``tile_pipeline`` knows the device:
            "products", operations of the matrix unit; "exponentials"; bytes from "shared"
            memory and, where a source says so, from "l2"; and how many "multiprocessors" there
            are, at which "clock", in hertz.

    Raises:
        ValueError: if ``l2`` is neither None nor a positive number.
    """

    name: str
    about: str
    peak: dict[str, float]
    bandwidth: float
    exponentials: float
    on_chip: int
    cache: int
    memory: float
    sources: dict[str, str]
    missing: dict[str, str] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=dict)
    l2: float | None = None
    power: float | None = None
    host: float | None = None
    link: float | None = None
    cycle: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise unless ``l2`` is None or positive."""
        real = isinstance(self.l2, (int, float)) and not isinstance(self.l2, bool)
        if self.l2 is not None and not (real and 0 < self.l2 < math.inf):
            raise ValueError(
                "DeviceSheet: l2 must be a positive number of bytes a second, or None, "
                f"got {self.l2!r}"
            )

    def ridge(self, dtype: str) -> float:
        """Return how many operations a byte keep matrix unit and memory equally busy."""
        return self.peak[dtype] / self.bandwidth


@dataclass(frozen=True)
class AttentionWork:
    """What one call of attention asks for.

    Attributes:
        variant: one of ``VARIANTS``.
        dtype: number format of what is stored.
        matmul: floating-point operations of the matrix products that are executed.
        useful: those that the usual count credits, which is half of all where it is causal.
        exponentials: exponentials that are executed.
        moved: bytes between memory and chip.
        streamed: bytes that the tiles fetch, from the cache or from memory.
        held: bytes of memory in use at the peak, inputs and results included.
        extra: those of them that are neither.
    """

    variant: str
    dtype: str
    matmul: float
    useful: float
    exponentials: float
    moved: float
    streamed: float
    held: float
    extra: float

    @property
    def intensity(self) -> float:
        """Operations of matrix products for each byte that is moved."""
        return self.matmul / self.moved

    @property
    def l2_intensity(self) -> float:
        """Operations of matrix products for each byte that the tiles fetch."""
        return self.matmul / self.streamed


@dataclass(frozen=True)
class RooflineTime:
    """The least time for some work on a device, in seconds.

    Attributes:
        times: what each ceiling alone would take, by ``CEILINGS``; without "l2" where the
            device has no rate for it.
        binding: the ceiling that takes longest.
        seconds: its time: everything else overlaps with it.
        summed: all of them one after the other.
        fits: whether the memory holds it.
    """

    times: dict[str, float]
    binding: str
    seconds: float
    summed: float
    fits: bool


@cache
def device_sheets() -> dict[str, DeviceSheet]:
    """Return the devices of the course: six GPUs and a laptop's CPU.

    Returns:
        What each can do at most, by its name.

    Source:
        The makers' sheets, number by number in ``devices.toml`` beside this file.

    >>> {x.split()[0]: round(d.ridge("float32")) for x, d in device_sheets().items()}
    {'T4': 25, 'A100': 10, 'H100': 20, 'H200': 14, 'B200': 9, 'B300': 9, 'Laptop': 9}
    """
    text = Path(__file__).with_name("devices.toml").read_text(encoding="utf-8")
    read: dict[str, Any] = tomllib.loads(text)
    return {name: DeviceSheet(name=name, **sheet) for name, sheet in read.items()}


def _true_or_false(call: Call, argument: str, x: Any) -> bool:
    if not isinstance(x, bool):
        raise call.fail(argument, "True or False", repr(x))
    return x


def _made_by(expected: str, kind: type) -> Rule:
    def rule(call: Call, argument: str, x: Any) -> Any:
        if not isinstance(x, kind):
            raise call.fail(argument, expected, type(x).__name__)
        return x

    return rule


def _device_has_the_format(call: Call) -> None:
    work, device = call["work"], call["device"]
    if work.dtype not in device.peak:
        why = device.missing.get(work.dtype, "its speed was not given")
        expected = f"{' or '.join(device.peak)} on a {device.name}"
        raise call.fail("dtype", expected, f"{work.dtype}: {why}")


@checked(
    variant=one_of(*VARIANTS),
    dtype=one_of(*BYTES),
    causal=_true_or_false,
    n=whole(1),
    d=whole(1),
    heads=whole(1),
    kv_heads=(whole(1), divisor_of("heads")),
    batch=whole(1),
    block=whole(1),
)
def attention_work(
    variant: str,
    n: int,
    d: int,
    *,
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
    dtype: str = "bfloat16",
    causal: bool = False,
    cache: float | None = None,
    block: int = TILE,
) -> AttentionWork:
    r"""Count what attention computes, moves and holds.

    .. math::
        \text{operations} = 4\,B H n^2 d, \qquad \text{exponentials} = B H n^2, \qquad
        \text{bytes} \ge e\,(2\,B H n d + 2\,B H_{kv} n d)

    "naive" writes its scores and weights to memory and reads each once: 4 passes over n².
    "chunked" does so for 512 queries at a time. "tiled" keeps them on the chip. "training" is
    the tiled form with its backward pass, which computes the weights again and has five matrix
    products where the forward pass has two. "decode" is one new token that looks at a cache
    of n. All but "naive" leave out the keys behind a tile's last query where it is causal.

    Args:
        variant: "naive", "chunked", "tiled", "training" or "decode".
        n: queries, and keys; of "decode" only keys.
        d: width of a head.
        heads: heads of the queries.
        kv_heads: heads of keys and values, which divide ``heads``; as many as that when None.
        batch: sequences.
        dtype: "float16", "bfloat16" or "float32".
        causal: whether a query sees no later key.
        cache: bytes of the device's last cache; None for one that holds everything.
        block: queries in a tile; of "tiled" and "training" only.

    Returns:
        The counts.

    Source:
        Dao et al. (2022), algorithms 0 and 1. Their theorem 2, reads of n²d²/M for an on-chip
        memory of M numbers, is our ``streamed`` with tiles of M/(4d) queries.

    >>> work = attention_work("tiled", 8192, 128, heads=16)
    >>> work.matmul / 1e12, attention_work("naive", 8192, 128, heads=16).moved / work.moved
    (0.549755813888, 64.74708171206225)
    """
    kv_heads = heads if kv_heads is None else kv_heads
    e, all_heads = BYTES[dtype], batch * heads
    q, k = all_heads * n * d, batch * kv_heads * n * d
    if variant == "decode":
        one = all_heads * d
        new = 2 * batch * kv_heads * d
        read = e * (2 * k + new + 2 * one)
        useful, exps = 4.0 * all_heads * n * d, float(all_heads * n)
        held = e * (2 * k + 2 * one) + 4 * all_heads
        return AttentionWork(
            variant, dtype, useful, useful, exps, read, read, held, 4 * all_heads
        )
    rows = min(n, {"naive": n, "chunked": CHUNK}.get(variant, block))
    keys = _keys_seen(n, rows, causal)
    pairs = all_heads * _pairs(n, rows, causal)
    once, stream = 2 * (q + k), 2 * (q + all_heads * keys * d)
    products, extra = 4, 4 * all_heads * n
    moved: float
    streamed: float
    if variant in ("naive", "chunked"):
        moved = e * ((once if variant == "naive" else stream) + 4 * pairs)
        streamed, extra = moved, 2 * e * all_heads * rows * n
    elif variant == "tiled":
        streamed = e * stream + extra
        moved = _through_cache(e * once + extra, streamed, 2 * e * n * d, cache)
    else:
        products, extra = 14, 8 * all_heads * n
        streamed = e * (2 * stream + 2 * q + 4 * k) + 2 * extra
        moved = _through_cache(3 * e * once + 2 * extra, streamed, 2 * e * n * d, cache)
    held = e * (2 if variant == "training" else 1) * once + extra
    return AttentionWork(
        variant=variant,
        dtype=dtype,
        matmul=float(products * pairs * d),
        useful=products * all_heads * n * n * d / (2 if causal else 1),
        exponentials=float(pairs * (2 if variant == "training" else 1)),
        moved=moved,
        streamed=streamed,
        held=held,
        extra=extra,
    )


@checked(
    _device_has_the_format,
    work=_made_by("what attention_work returns", AttentionWork),
    device=_made_by("one of device_sheets()", DeviceSheet),
)
def roofline(work: AttentionWork, device: DeviceSheet) -> RooflineTime:
    r"""Say how long a device needs for some work at least, and what holds it up.

    .. math:: t \ge \max\left(\frac{\text{operations}}{\text{peak}},\;
       \frac{\text{exponentials}}{\text{their rate}},\;
       \frac{\text{bytes that tiles fetch}}{\text{rate of L2}},\;
       \frac{\text{bytes}}{\text{bandwidth}}\right)

    Args:
        work: what is to be done.
        device: what there is to do it.

    Returns:
        The time by each ceiling, the largest of them, and their sum.

    Source:
        Williams et al. (2009), with the exponentials as in Shah et al. (2024), section 3.1, and
        a ceiling for a cache, against the bytes that pass it, as in Yang et al. (2020).

    >>> h100 = device_sheets()["H100 SXM"]
    >>> long = roofline(attention_work("tiled", 8192, 128, heads=16), h100)
    >>> long.binding, round(long.times["exponentials"] / long.times["matmul"], 2)
    ('matmul', 0.5)
    >>> roofline(attention_work("decode", 8192, 128, heads=16), h100).binding
    'memory'
    """
    times = {
        "matmul": work.matmul / device.peak[work.dtype],
        "exponentials": work.exponentials / device.exponentials,
    }
    if device.l2 is not None:
        times["l2"] = work.streamed / device.l2
    times["memory"] = work.moved / device.bandwidth
    binding = max(times, key=lambda ceiling: times[ceiling])
    return RooflineTime(
        times, binding, times[binding], sum(times.values()), work.held <= device.memory
    )


def _pairs(n: int, rows: int, causal: bool) -> int:
    """Return how many scores are computed in tiles of ``rows`` queries."""
    if not causal:
        return n * n
    full, rest = divmod(n, rows)
    return rows * rows * full * (full + 1) // 2 + rest * n


def _keys_seen(n: int, rows: int, causal: bool) -> int:
    """Return how many keys the tiles of ``rows`` queries fetch, all together."""
    full, rest = divmod(n, rows)
    last = n if rest else 0
    return (rows * full * (full + 1) // 2 if causal else full * n) + last


def _through_cache(once: float, streamed: float, head: float, cache: float | None) -> float:
    """Return what crosses to memory: each number once where one head's K and V fit."""
    return once if cache is None or head <= cache else streamed
