"""The examples with every choice: their numbers, and the sentence of each step."""

from typing import Any

from fixtures.as_json import as_json

from attention_course.widgets import Stepper
from attention_course.widgets.stepper.examples import EXAMPLES
from attention_course.widgets.stepper.widget import SCALES


def stepper() -> list[dict[str, Any]]:
    """Return the examples with every choice: their numbers and the sentence of each step."""
    rows = []
    for name, example in EXAMPLES.items():
        plan = Stepper(example=name).plan
        rows.append({"example": name, "plan": plan | {"drawing": ""}, "played": []})
        for word in range(len(example.words) if example.ask else 1):
            for scale in SCALES if example.scale else ("none",):
                widget = Stepper(example=name, word=word, scale=scale)
                played = {"word": word, "scale": scale, "sentences": widget.sentences()}
                numbers = widget.numbers()
                said = {
                    name: numbers.pop(name) for name in ("words", "factor") if name in numbers
                }
                rows[-1]["played"].append(played | {"numbers": as_json(numbers) | said})
    return rows


FIXTURES = {"stepper": stepper}
