"""Cut the forward kernel, and see what a multiprocessor has room for."""

import html
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
    Occupancy,
    occupancy,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import choice

NAMES = {"sm_80": "A100", "sm_90": "H100", "sm_100": "B200"}
_WITH_ARTICLE = {"sm_80": "an A100", "sm_90": "an H100", "sm_100": "a B200"}
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

    >>> KernelLab(gpu="sm_90", block_q=128, warps=8).readouts()["room-warps"]
    8.0
    """

    _state: ClassVar[tuple[str, ...]] = CUT
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

    def row(self, **other: Any) -> dict[str, Any]:
        """Return what is on record of this cut, or of one that differs in what is given."""
        return ROWS[tuple(other.get(name, getattr(self, name)) for name in CUT)]

    def highest(self) -> float:
        """Return the highest bound *apart* of the cuts of this GPU and width."""
        found = [row["apart"] for cut, row in ROWS.items() if cut[:2] == (self.gpu, self.d)]
        return max(apart for apart in found if apart is not None)

    def resident(self) -> Occupancy | None:
        """Return what is resident on a multiprocessor; None if the cut does not compile."""
        row = self.row()
        if row["registers"] is None:
            return None
        taken = {name: row[name] for name in ("registers", "shared")}
        return occupancy(self.gpu, threads=WARP * self.warps, **taken)

    def readouts(self) -> dict[str, float]:
        """Return the numbers that the widget shows; none that is not known."""
        row, found = self.row(), self.resident()
        shown = {name: row[name] for name in ("registers", "spilled", "apart", "overlapped")}
        if found:
            shown |= {"occupancy": found.share}
            shown |= {f"room-{what}": room for what, room in found.room.items()}
        return {name: float(value) for name, value in shown.items() if value is not None}

    def sentence(self) -> str:
        """Return what the widget says, as ``tell`` in ``maths.js`` does."""
        row, found = self.row(), self.resident()
        text = f"{self.block_q} queries, {self.block_k} keys, {_plural(self.warps, 'warp')}, "
        gpu = _WITH_ARTICLE[self.gpu]
        text += f"{_plural(self.stages, 'stage')} on {gpu}, width {self.d}: "
        if row["why"] or found is None:
            return f"{text}this cut cannot run, {row['why']}."
        spilled = f"{row['spilled']} bytes" if row["spilled"] else "nothing"
        text += f"{row['registers']} registers a thread, {spilled} spilled. "
        text += f"{_plural(found.programs, 'program')} a multiprocessor, limited by "
        text += f"{found.limited_by}: {100 * found.share:g} % occupancy. At most "
        text += (
            f"{_rounded(row['apart'])} TFLOP/s apart, {_rounded(row['overlapped'])} at once."
        )
        if row["apart"] == self.highest():
            text += " No cut of this GPU and width has a higher bound apart."
        return text

    def _fallback(self) -> str:
        head = ["stages", "registers", "bytes spilled", "shared bytes", "programs"]
        head += ["occupancy", "TFLOP/s apart", "at once"]
        lines = []
        for stages in (1, 2, 3, 4):
            row = self.row(stages=stages)
            counts = [row[name] for name in ("registers", "spilled", "shared", "programs")]
            share = None if row["occupancy"] is None else f"{100 * row['occupancy']:g} %"
            bounds = [row["apart"], row["overlapped"]]
            written = (_or_dash(x) for x in (*counts, share, *bounds))
            lines.append((str(stages), *written))
        caption = f"This cut in one to four stages, {GPUS[self.gpu]}, width {self.d}"
        return f"<p>{html.escape(self.sentence())}</p>" + table(head, lines, caption)


def _plural(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _rounded(x: float) -> int:
    return int(x + 0.5)  # as the script does


def _or_dash(x: Any) -> str:
    return "–" if x is None else f"{x}"
