"""Every third cut of the lab with its numbers: all stages are among them."""

from typing import Any

from attention_course.reference.scale.occupancy import WARP, occupancy
from attention_course.widgets.kernel_lab.widget import CUT, ROWS


def shown(gpu: str, warps: int, row: dict[str, Any]) -> dict[str, float]:
    """Return the read-outs of a cut; none that is not known."""
    known = {name: row[name] for name in ("registers", "spilled", "apart", "overlapped")}
    if row["registers"] is not None:
        taken = {name: row[name] for name in ("registers", "shared")}
        found = occupancy(gpu, threads=WARP * warps, **taken)
        known |= {"occupancy": found.share}
        known |= {f"room-{what}": room for what, room in found.room.items()}
    return {name: float(value) for name, value in known.items() if value is not None}


def cuts() -> list[dict[str, Any]]:
    """Return each such cut with what the lab shows of it."""
    found = []
    for cut in [*ROWS][1::3]:
        setting = dict(zip(CUT, cut, strict=True))
        numbers = shown(setting["gpu"], setting["warps"], ROWS[cut])
        found.append({"setting": setting, "numbers": numbers})
    return found


FIXTURES = {"kernel_lab": cuts}
