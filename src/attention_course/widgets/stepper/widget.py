"""One widget that plays the drawing of a model, step by step, with its numbers."""

import html
from typing import Any

import traitlets

from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._sketch import group, look_up, where_trusted
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, whole
from attention_course.widgets.stepper.examples import EXAMPLES, Example
from attention_course.widgets.stepper.values import compute
from attention_course.widgets.stepper.words import fill

SCALES = ("none", "sqrt_d_k")


class Stepper(CourseWidget, folder="stepper"):
    """Play a model's drawing: query, scores, weights and context light up in turn.

    Args:
        example: what is played: "four-states" (the scores 15, 60, 15, 35), "self-attention"
            (six words), "causal-mask", "multi-head", "bahdanau", "luong", "tape" (LSTMN),
            "fixed-vector" or "time-grid" (GNMT's decoder).
        step: where it begins, 0 for the beginning.
        word: who asks, from 0, where the example lets one choose.
        scale: "none" or "sqrt_d_k", where it has a factor.
        key: names the widget in links; the example's name unless given.

    >>> Stepper(example="four-states").numbers()["scores"]
    [15.0, 60.0, 15.0, 35.0]
    """

    example = choice(tuple(EXAMPLES), "four-states")
    step = whole(0, max(len(e.steps) for e in EXAMPLES.values()) - 1, 0)
    word = whole(0, max(1, *(len(e.words) for e in EXAMPLES.values())) - 1, 0)
    scale = choice(SCALES, "none")
    plan = traitlets.Dict().tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        played = EXAMPLES.get(kwargs.get("example", "four-states"))
        if played:
            first = {"word": played.word, "scale": played.scale or "none"}
            kwargs = first | kwargs
        super().__init__(**kwargs)
        self.plan = self._plan()

    @traitlets.validate("step", "word")
    def _within_the_example(self, proposal: Any) -> Any:
        played, name, value = EXAMPLES[self.example], proposal["trait"].name, proposal["value"]
        words = played.words if played.ask else "-"
        last = len(played.steps if name == "step" else words) - 1
        if value > last:
            raise ValueError(
                f"Stepper: {name} must be at most {last} in {self.example}, got {value}"
            )
        return value

    def numbers(self) -> dict[str, Any]:
        """Return every number of the example by name, computed by the reference."""
        return compute(EXAMPLES[self.example], self.word, self.scale)

    def readouts(self) -> dict[str, float]:
        """Return the numbers that are shown at this step, by their place: "scores.2"."""
        values, played = self.numbers(), EXAMPLES[self.example]
        lit = {g for s in played.steps[: self.step + 1] for g in fill(s.lit, values).split()}
        shown: dict[str, float] = {}
        for node in DRAWINGS[self.example]().nodes:
            if not node.shows or group(node.name) not in lit:
                continue
            found = look_up(values, node.shows)
            if node.shape == "bars":
                shown |= {f"{node.shows}-{i}": x for i, x in enumerate(found)}
            elif node.cells:
                shown |= {f"{node.shows}.{i}": x for i, x in enumerate(found)}
            elif not isinstance(found, str):
                shown[node.shows] = found
        return shown

    def sentences(self) -> list[str]:
        """Return what is said at each step."""
        values = self.numbers()
        said = (step.says for step in EXAMPLES[self.example].steps)
        return [fill(s if isinstance(s, str) else s[self.scale], values) for s in said]

    def _default_key(self) -> str:
        return self.example

    def _plan(self) -> dict[str, Any]:
        played: Example = EXAMPLES[self.example]
        says = [s.says if isinstance(s.says, str) else dict(s.says) for s in played.steps]
        return {
            "title": played.title,
            "drawing": DRAWINGS[self.example]().svg(slots=True),
            "kind": played.kind,
            "inputs": dict(played.inputs),
            "steps": [
                {"name": step.name, "lit": step.lit, "says": said}
                for step, said in zip(played.steps, says, strict=True)
            ],
            "ask": played.ask,
            "words": list(played.words),
            "factor": f"1/√{played.width}" if played.scale else "",
        }

    def _fallback(self) -> str:
        played = EXAMPLES[self.example]
        lines = "".join(
            f"<li><strong>{html.escape(step.name)}.</strong> {html.escape(said)}</li>"
            for step, said in zip(played.steps, self.sentences(), strict=True)
        )
        still = DRAWINGS[self.example]().svg(self.numbers())
        return f"<p>{html.escape(played.title)}</p>{where_trusted(still)}<ol>{lines}</ol>"
