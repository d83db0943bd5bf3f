"""What people type for the model of the small world, and the words that Python reads."""

from typing import Any

from attention_course.data.world import vocabulary
from attention_course.widgets.living_sentence.read import words_of

# With no mark at the end, in short forms, and as no sentence.
TYPED = (
    "the animal did not cross the street because it was too",
    "The animal didn’t cross the street, because IT'S too",
    "They didnt see the neighbor; who’s he?",
    "The T-shirt that's red!",
    "the the . does",
)


def typed() -> dict[str, Any]:
    """Return the words of the small world, and those of each text."""
    rows = [[text, words_of(text, "world")] for text in TYPED]
    return {"vocabulary": vocabulary("english"), "typed": rows}


FIXTURES = {"typed": typed}
