"""What was decided about one answer."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from course_grader.verdicts import Verdict


@dataclass(frozen=True)
class AnswerGrade:
    """What was decided about one answer, without a trace of the hidden inputs.

    Args:
        slug: the exercise.
        verdict: OK if every property holds, else the first thing that went wrong.
        points: what was reached; None if the grader failed, because then nothing is known.
        max_points: what could be reached.
        parts: for each part its ``points``, its ``max`` and whether it ``holds``.
        findings: for each property its ``probe``, ``part``, ``verdict`` and ``complaint``.
        message: what the student reads.
        misconception: the name of the known mistake that did the same, or an empty text.
        hint: what to think about.
    """

    slug: str
    verdict: Verdict
    points: int | None
    max_points: int
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    findings: list[dict[str, str]] = field(default_factory=list)
    message: str = ""
    misconception: str = ""
    hint: str = ""

    def to_json(self) -> str:
        """Return the grade as text: sorted, ASCII, the same on every run."""
        return json.dumps(asdict(self), indent=1, sort_keys=True)
