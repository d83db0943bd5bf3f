"""What people type for the language model, as Python reads it."""

from typing import Any

from attention_course.data.world import vocabulary
from attention_course.widgets.living_sentence.read import numbers_of, words_of

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
    words = [words_of(text) for text in TYPED]
    rows = [[text, w, numbers_of(w)] for text, w in zip(TYPED, words, strict=True)]
    return {"vocabulary": vocabulary("english"), "typed": rows}


FIXTURES = {"typed": typed}
