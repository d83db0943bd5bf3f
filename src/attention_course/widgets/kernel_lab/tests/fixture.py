"""Every third cut of the lab with its numbers and its sentence: all stages are among them."""

from typing import Any

from attention_course.widgets import KernelLab
from attention_course.widgets.kernel_lab.widget import CUT, ROWS


def cuts() -> list[dict[str, Any]]:
    """Return each such cut with what is resident of it, and what the lab says."""
    found = []
    for cut in [*ROWS][1::3]:
        setting = dict(zip(CUT, cut, strict=True))
        made = KernelLab(**setting)
        resident = made.resident()
        there = resident and {
            "programs": resident.programs,
            "limited_by": resident.limited_by,
            "room": resident.room,
        }
        found.append({"setting": setting, "resident": there, "words": made.sentence()})
    return found


FIXTURES = {"kernel_lab": cuts}
