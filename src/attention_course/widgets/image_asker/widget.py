"""The image asker: questions about a picture, both looks at it, and ways to move them."""

from typing import Any, ClassVar

from attention_course.data.asked import ANSWERS, GARMENTS, PLACES, QUESTION_WORDS, RELATIONS
from attention_course.data.packed import pack_asker
from attention_course.widgets.kit.base import TrainedWidget
from attention_course.widgets.kit.traits import flag, items, text, whole

NOTHING, PHOTOGRAPHS = len(GARMENTS), 4
LAID_OUT = [8, 0, 7, 5, 6, 1, 8, 8, 8]
QUESTIONS = (
    "What is left of the bag?",
    "What is right of the bag?",
    "What is below the t-shirt?",
    "What is left of the trousers?",
    "What is in the centre?",
    "Is there a sneaker?",
    "Is there a dress?",
)


class ImageAsker(TrainedWidget, folder="image_asker"):
    """A model answers questions about a picture; each of its two looks can be forced elsewhere.

    The weights are fetched when the reader asks for them: from the page's folder, or from this
    object, which answers by a message.

    Args:
        loaded: whether the reader has asked for the trained model.
        contents: what lies at each of the nine places: a garment from 0, or 8 for nothing.
        photograph: which of four photographs of each garment is shown.
        question: what is asked, as a sentence.
        first: 0, or the place from 1 that the first look is forced to.
        second: the same for the second look.
        brush: what a press on the picture lays down.
        key: names the widget in links; "image-asker" unless given.

    >>> ImageAsker().question
    'What is left of the bag?'
    """

    _constants: ClassVar[dict[str, Any]] = {
        "ANSWERS": list(ANSWERS),
        "GARMENTS": list(GARMENTS),
        "PLACES": list(PLACES),
        "QUESTIONS": list(QUESTIONS),
        "QUESTION_WORDS": list(QUESTION_WORDS),
        "RELATIONS": [list(step) for step in RELATIONS.values()],
    }

    loaded = flag(default=False)
    contents = items(
        whole(0, NOTHING, NOTHING),
        len(PLACES),
        len(PLACES),
        LAID_OUT,
        "a list of nine numbers from 0 to 8",
    )
    photograph = whole(1, PHOTOGRAPHS, PHOTOGRAPHS)
    question = text("a question of at most 60 characters", 0, 60, QUESTIONS[0])
    first = whole(0, len(PLACES), 0)
    second = whole(0, len(PLACES), 0)
    brush = whole(0, NOTHING, NOTHING)

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_asker()
