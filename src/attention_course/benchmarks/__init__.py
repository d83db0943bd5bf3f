"""What is measured on the pages of ``scale``: each question once, for any device.

A page calls ``benchmarks.run("forward")``; ``benchmarks/gpu.py`` records the same, larger. A
new question is a :class:`Question` in a file here, named in ``runner.QUESTIONS``.
"""

from attention_course.benchmarks.base import Question, Way
from attention_course.benchmarks.points import roofline_points
from attention_course.benchmarks.results import Results, gpus, on_record, recorded
from attention_course.benchmarks.runner import names, question, run

__all__ = [
    "Question", "Results", "Way", "gpus", "names", "on_record", "question", "recorded",
    "roofline_points", "run",
]  # fmt: skip
