r"""When each unit of a multiprocessor works on a tile: a fused kernel as a timeline.

A program of a fused kernel holds a tile of 128 queries and takes in its keys in blocks of 128.
For each block four units of the multiprocessor have work, counted here in cycles from the size
of the tile and from what each unit does in a cycle:

- *loads*: the keys and the values come from L2;
- *tensor*: the two products, each no faster than shared memory hands over what it reads;
- *exponentials*: one for each score, less those that a polynomial replaces;
- *arithmetic*: every other instruction. How many there are is counted in the machine code that
  Triton makes of this course's kernel; a rescaling is one multiplication for each number of
  the sums.

A step begins as soon as what it needs is there and its unit is free; a unit that is free takes
the step that can begin first, and of several the one of the earliest block. No step is
interrupted. Left out: latencies, barriers, the first and the last block, a clock that drops
under load, and everything that a real unit shares with another. So a kernel that does these
steps cannot pass the rate given here by more than its better code allows, and most stay below.
"""

from dataclasses import dataclass

from attention_course.reference._check import Call, finite, one_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.scale.roofline import (
    DeviceSheet,
    _true_or_false,
    device_sheets,
)

UNITS = ("loads", "tensor", "exponentials", "arithmetic")
#: Queries in a tile, and keys in a block; bytes of a number; threads of a warp.
QUERIES, KEYS, BYTES, WARP = 128, 128, 2, 32
#: Warps' instructions that a multiprocessor issues in a cycle, one from each scheduler.
SCHEDULERS = 4
#: Instructions of warps for 128 queries and 128 keys, without the products, the exponentials
#: and the rescaling, at width 128: counted in the record ``compiled_kernels_bounds``, on an
#: A100 in two tiles of 64 keys. A B300 is counted as a B200.
INSTRUCTIONS = {"A100 SXM": 4992, "H100 SXM": 3056, "B200": 2056, "B300": 2056}
#: Of them, the search for the largest score; it comes before the exponentials.
SEARCH = QUERIES * KEYS // WARP
#: Instructions that stand for one exponential: a limit, the two steps that split the exponent
#: off, its rest, three multiply-adds of a cubic, and the exponent put back.
POLYNOMIAL = 8
#: Bytes a cycle from L2 where no source has a device's: those of an H100.
FROM_L2 = 40
#: Blocks that are played, and the two between whose ends the rate is taken: at the beginning
#: the pipeline fills, and at the end it drains. Of the steps that are left, in the order of
#: their blocks, only the first can be ready: none begins more than three blocks early.
BLOCKS, FIRST, LAST, WAITING = 36, 7, 31, 64


@dataclass(frozen=True)
class UnitStep:
    """One step of one tile: which unit, for which block, from when to when, in cycles."""

    unit: str
    what: str
    tile: int
    block: int
    start: int
    end: int


@dataclass(frozen=True)
class Pipeline:
    """What the units of a multiprocessor did.

    Attributes:
        steps: of all blocks, in the order in which they were chosen.
        cycles: from block to block, once the pipeline is full; every tile takes in one.
        rate: operations a second of the products, on all multiprocessors.
        busy: share of its time that each unit works.
    """

    steps: tuple[UnitStep, ...]
    cycles: float
    rate: float
    busy: dict[str, float]


def _share(call: Call, argument: str, x: object) -> float:
    found = finite(call, argument, x)
    if not 0 <= found <= 1:
        raise call.fail(argument, "a number from 0 to 1", repr(x))
    return found


def _durations(
    device: str, sheet: DeviceSheet, d: int, polynomial: float, rescaled: float
) -> dict[str, int]:
    """Return the cycles of each step of a tile and a block, rounded up."""
    cycle, scores = sheet.cycle, QUERIES * KEYS
    product = 2 * scores * d / cycle["products"]
    moved = BYTES * KEYS * d
    fetched = {"scores": moved + BYTES * QUERIES * d, "contexts": moved}
    other = INSTRUCTIONS[device] - SEARCH + POLYNOMIAL * polynomial * scores / WARP
    exact = {
        "keys": moved / cycle.get("l2", FROM_L2),
        "values": moved / cycle.get("l2", FROM_L2),
        "scores": max(product, fetched["scores"] / cycle["shared"]),
        "contexts": max(product, fetched["contexts"] / cycle["shared"]),
        "exponentials": (1 - polynomial) * scores / cycle["exponentials"],
        "search": SEARCH / SCHEDULERS,
        "rest": other / SCHEDULERS,
        "rescale": rescaled * QUERIES * d / WARP / SCHEDULERS,
    }
    return {name: -int(-x // 1) for name, x in exact.items()}


def _needs(tiles: int, ahead: bool) -> dict[tuple[str, int, int], list[tuple[str, int, int]]]:
    """Return every step (what, tile, block) with those that must have ended before it."""
    needs = {}
    for j in range(BLOCKS):
        for part, user in (("keys", "scores"), ("values", "contexts")):
            # Shared memory has room for two blocks.
            needs[part, 0, j] = [(user, t, j - 2) for t in range(tiles) if j > 1]
        for t in range(tiles):
            # A tile of scores lies where the products put it until its contexts are added.
            room = j - 2 if ahead else j - 1
            waits = [("contexts", t, room)] if room >= 0 else []
            needs["scores", t, j] = [("keys", 0, j), *waits]
            needs["search", t, j] = [("scores", t, j)]
            needs["exponentials", t, j] = needs["rest", t, j] = [("search", t, j)]
            before = [("contexts", t, j - 1)] if j else []
            needs["rescale", t, j] = [("search", t, j), *before]
            made = [(what, t, j) for what in ("exponentials", "rest", "rescale")]
            needs["contexts", t, j] = [("values", 0, j), *made]
    return needs


_UNIT = {
    "keys": "loads",
    "values": "loads",
    "scores": "tensor",
    "contexts": "tensor",
    "exponentials": "exponentials",
    "search": "arithmetic",
    "rest": "arithmetic",
    "rescale": "arithmetic",
}


def _played(
    needs: dict[tuple[str, int, int], list[tuple[str, int, int]]], lasts: dict[str, int]
) -> list[UnitStep]:
    """Let each step begin as soon as it can, the earliest first."""
    ended: dict[tuple[str, int, int], int] = {}
    free = dict.fromkeys(UNITS, 0)
    waiting, steps = list(needs), []
    while waiting:
        can = [
            (max([free[_UNIT[one[0]]], *(ended[other] for other in needs[one])]), one[2], i)
            for i, one in enumerate(waiting[:WAITING])
            if all(other in ended for other in needs[one])
        ]
        start, block, i = min(can)
        what, tile, _ = one = waiting.pop(i)
        end = ended[one] = free[_UNIT[what]] = start + lasts[what]
        steps.append(UnitStep(_UNIT[what], what, tile, block, start, end))
    return steps


@checked(
    device=one_of(*INSTRUCTIONS),
    d=whole(16, 256),
    tiles=whole(1, 2),
    ahead=_true_or_false,
    polynomial=_share,
    rescaled=_share,
)
def tile_pipeline(
    device: str,
    d: int = 128,
    *,
    tiles: int = 1,
    ahead: bool = False,
    polynomial: float = 0.0,
    rescaled: float = 1.0,
) -> Pipeline:
    r"""Play a fused forward kernel on the units of one multiprocessor, in whole cycles.

    .. math:: \text{rate} = \text{multiprocessors} \cdot \text{clock} \cdot
       \frac{4 \cdot 128 \cdot 128\, d \cdot \text{tiles}}{\text{cycles}}

    Args:
        device: one of ``INSTRUCTIONS``.
        d: width of a head, 16 to 256.
        tiles: of queries in flight. With two, the exponentials of one can be taken while the
            matrix unit works for the other: FlashAttention-3 calls it ping-pong.
        ahead: whether the scores of the next block are computed before the contexts of this
            one, which takes room for a second tile of scores.
        polynomial: share of the exponentials that the arithmetic units compute.
        rescaled: share of the blocks after which the sums are rescaled.

    Returns:
        The steps, the work of each unit, and the rate.

    Source:
        The pipelines: Shah et al. (2024), section 3; Zadouri et al. (2026), on Blackwell. The
        rates: ``devices.toml``, beside this file.

    >>> one, two = (tile_pipeline("B200", tiles=n) for n in (1, 2))
    >>> one.cycles, two.cycles  # the second tile is free
    (2176.0, 2176.0)
    """
    sheet = device_sheets()[device]
    lasts = _durations(device, sheet, d, polynomial, rescaled)
    steps = _played(_needs(tiles, ahead), lasts)
    ends = {step.block: step.end for step in steps if step.what == "contexts"}
    begin, end = ends[FIRST], ends[LAST]
    worked = dict.fromkeys(UNITS, 0)
    for step in steps:
        worked[step.unit] += max(0, min(step.end, end) - max(step.start, begin))
    cycles = (end - begin) / (LAST - FIRST)
    a_second = sheet.cycle["multiprocessors"] * sheet.cycle["clock"]
    return Pipeline(
        steps=tuple(steps),
        cycles=cycles,
        rate=4 * QUERIES * KEYS * d * tiles / cycles * a_second,
        busy={unit: n / (end - begin) for unit, n in worked.items()},
    )
