r"""How many copies of a kernel live on a multiprocessor at once, and what stops one more.

A GPU hands a whole program (CUDA says a thread block) to a multiprocessor, which must have
room for all of it before it starts: registers for every thread, its shared memory, and places
for its warps of 32 threads. While one warp waits for memory or for the matrix unit, another can
issue instructions; occupancy is the share of the places for warps that are taken. It is no
rate: a program with many registers and large blocks can leave most places empty and still be
the fastest.

Two limits are not counted. Clusters of programs share multiprocessors by rules of their own.
And on the Blackwell of data centres a program may have to wait for its part of the tensor
memory, although it is resident.
"""

from dataclasses import dataclass
from typing import NamedTuple

from attention_course.reference._check import one_of, whole
from attention_course.reference._checked import checked

#: Threads in a warp, and the most that a program may have.
WARP, MOST_THREADS = 32, 1024
#: Registers of a multiprocessor; it has four parts, and a warp lives in one of them.
REGISTERS, PARTS, MOST_REGISTERS = 65_536, 4, 255
#: Registers are given to a warp, and bytes of shared memory to a program, in units of so many.
REGISTER_UNIT, SHARED_UNIT = 256, 128
#: Bytes of shared memory that the system keeps of each program's.
RESERVED = 1024


class Multiprocessor(NamedTuple):
    """What one has room for: warps, programs, and bytes of their shared memory."""

    warps: int
    programs: int
    shared: int


#: By compute capability: of an A100, RTX 30, Jetson Orin, L4, H100, B200 and RTX 50.
MULTIPROCESSORS = {
    "sm_80": Multiprocessor(64, 32, 164 * 1024),
    "sm_86": Multiprocessor(48, 16, 100 * 1024),
    "sm_87": Multiprocessor(48, 16, 164 * 1024),
    "sm_89": Multiprocessor(48, 24, 100 * 1024),
    "sm_90": Multiprocessor(64, 32, 228 * 1024),
    "sm_100": Multiprocessor(64, 32, 228 * 1024),
    "sm_120": Multiprocessor(48, 24, 100 * 1024),
}


@dataclass(frozen=True)
class Occupancy:
    """What of a kernel is resident on one multiprocessor.

    Attributes:
        programs: how many at once; 0 if there is not even room for one.
        warps: theirs, together.
        share: of the multiprocessor's places for warps, between 0 and 1.
        limited_by: what has room for the fewest programs; of several the first in ``room``.
        room: how many programs each has room for: "warps", "programs", "registers" and
            "shared memory".
    """

    programs: int
    warps: int
    share: float
    limited_by: str
    room: dict[str, int]


@checked(
    device=one_of(*MULTIPROCESSORS),
    threads=whole(1, MOST_THREADS),
    registers=whole(1, MOST_REGISTERS),
    shared=whole(0),
)
def occupancy(device: str, *, threads: int, registers: int, shared: int) -> Occupancy:
    r"""Say how many programs are resident on one multiprocessor, and what limits them.

    With w warps in a program, r registers a thread and s bytes of shared memory, and
    :math:`\lceil x \rceil_u` for x rounded up to a multiple of u, there is room for

    .. math::
        \left\lfloor \frac{W}{w} \right\rfloor, \qquad
        \left\lfloor \frac{4}{w} \left\lfloor \frac{R / 4}{\lceil 32\,r \rceil_{256}}
        \right\rfloor \right\rfloor \quad\text{and}\quad
        \left\lfloor \frac{S}{\lceil s + 1024 \rceil_{128}} \right\rfloor

    programs in its places for W warps, its R registers and its S bytes; the least of these and
    of the most programs that it takes is what is resident.

    Args:
        device: a compute capability, as Triton and CUDA's compiler write it: "sm_90".
        threads: of a program.
        registers: of a thread.
        shared: bytes of shared memory of a program.

    Returns:
        Programs, warps, their share of all places, and what limits them.

    Source:
        NVIDIA, CUDA C++ Programming Guide, technical specifications per compute capability: the
        limits. NVIDIA, ``cuda_occupancy.h`` of the CUDA Toolkit: units of 256 registers a warp
        and 128 bytes a program, four parts. NVIDIA, Ampere and Hopper Tuning Guides: the
        1,024 bytes that are kept of each program's shared memory.

    >>> found = occupancy("sm_90", threads=256, registers=148, shared=132 * 1024)
    >>> found.programs, found.warps, found.share, found.limited_by
    (1, 8, 0.125, 'registers')
    >>> found.room
    {'warps': 8, 'programs': 32, 'registers': 1, 'shared memory': 1}
    """
    has = MULTIPROCESSORS[device]
    warps = -(-threads // WARP)
    a_warp = _rounded_up(WARP * registers, REGISTER_UNIT)
    a_program = _rounded_up(shared + RESERVED, SHARED_UNIT)
    room = {
        "warps": has.warps // warps,
        "programs": has.programs,
        "registers": PARTS * (REGISTERS // PARTS // a_warp) // warps,
        "shared memory": has.shared // a_program,
    }
    limited_by = min(room, key=lambda name: room[name])
    programs = room[limited_by]
    return Occupancy(programs, programs * warps, programs * warps / has.warps, limited_by, room)


def _rounded_up(x: int, unit: int) -> int:
    return -(-x // unit) * unit
