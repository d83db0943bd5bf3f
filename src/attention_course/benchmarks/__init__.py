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
    "Question": "base",
    "Results": "results",
    "Way": "base",
    "gpus": "results",
    "names": "runner",
    "on_record": "results",
    "question": "runner",
    "recorded": "results",
    "roofline_points": "points",
    "run": "runner",
}

__all__ = [
    "Question", "Results", "Way", "gpus", "names", "on_record", "question", "recorded",
    "roofline_points", "run",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
