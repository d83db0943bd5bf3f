"""What is measured on the pages of ``scale``: each question once, for any device.

A page calls ``benchmarks.run("forward")``; ``benchmarks/gpu.py`` records the same, larger. A
new question is a :class:`Question` in a file here, named in ``runner.QUESTIONS``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_course.benchmarks.base import Question, Way
    from attention_course.benchmarks.points import roofline_points
    from attention_course.benchmarks.results import Results, gpus, on_record, recorded
    from attention_course.benchmarks.runner import names, question, run

_WHERE = {
    **dict.fromkeys(("Question", "Way"), "base"),
    **dict.fromkeys(("Results", "gpus", "on_record", "recorded"), "results"),
    **dict.fromkeys(("names", "question", "run"), "runner"),
    "roofline_points": "points",
}
__all__ = ["Question", "Results", "Way", "gpus", "names", "on_record", "question", "recorded"]
__all__ += ["roofline_points", "run"]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
