"""Cut the forward kernel, and see what a multiprocessor has room for."""

from typing import Any, ClassVar

from attention_course.measure.records import recorded
from attention_course.reference.scale.occupancy import (
    MULTIPROCESSORS,
    PARTS,
    REGISTER_UNIT,
    REGISTERS,
    RESERVED,
    SHARED_UNIT,
    WARP,
)
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice

NAMES = {"sm_80": "A100", "sm_90": "H100", "sm_100": "B200"}
CUT = ("gpu", "d", "block_q", "block_k", "warps", "stages")
COUNTED = ("registers", "spilled", "shared", "apart", "overlapped", "why")


def rows() -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return what the newest Triton on record made of each cut, by the values of ``CUT``.

    >>> row = rows()["sm_90", 128, 128, 64, 8, 2]
    >>> row["gpu"], row["block_q"], row["warps"]
    ('sm_90', 128, 8)
    """
    record, _ = recorded("compiled_kernels_grid")
    newest = record[max(record)]
    return {tuple(row[name] for name in CUT): row for row in newest["rows"]}


ROWS = rows()
GPUS = {gpu: name for gpu, name in NAMES.items() if any(cut[0] == gpu for cut in ROWS)}


class KernelLab(CourseWidget, folder="kernel_lab"):
    r"""Choose how the forward kernel is cut; see what it takes, and what fits beside it.

    Args:
        gpu: a compute capability: "sm_80" (A100), "sm_90" (H100) or "sm_100" (B200).
        d: width of a head, 64 or 128.
        block_q: queries of a program, 64 or 128.
        block_k: keys of a tile, 32, 64 or 128.
        warps: of a program, 4 or 8.
        stages: tiles that are on their way or in use at once, 1 to 4.
        key: names the widget in links.

    Source:
        What Triton made of each cut: the record ``compiled_kernels_grid``.

    >>> KernelLab(warps=8)
    KernelLab(gpu='sm_90', d=128, block_q=64, block_k=32, warps=8, stages=1)
    """

    _constants: ClassVar[dict[str, Any]] = {
        "cuts": [[*cut, *(row[name] for name in COUNTED)] for cut, row in ROWS.items()],
        "multiprocessors": {gpu: MULTIPROCESSORS[gpu]._asdict() for gpu in GPUS},
        "registers": REGISTERS,
        "units": {
            "parts": PARTS,
            "warp": WARP,
            "registers": REGISTER_UNIT,
            "shared": SHARED_UNIT,
            "reserved": RESERVED,
        },
    }

    gpu = choice(tuple(GPUS), "sm_90", texts=tuple(GPUS.values()))
    d = choice((64, 128), 128)
    block_q = choice((64, 128), 64)
    block_k = choice((32, 64, 128), 32)
    warps = choice((4, 8), 4)
    stages = choice((1, 2, 3, 4), 1)
