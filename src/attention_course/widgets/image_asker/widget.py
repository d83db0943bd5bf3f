"""The image asker: questions about a picture, both looks at it, and ways to move them."""

from typing import Any, ClassVar

from attention_course.data.asked import (
    ANSWERS,
    GARMENTS,
    PLACES,
    QUESTION_WORDS,
    RELATIONS,
    in_words,
    read_question,
)
from attention_course.data.packed import pack_asker
from attention_course.reference.softmax import softmax
from attention_course.widgets.image_asker.ask import (
    LOOKS,
    NOTHING,
    PHOTOGRAPHS,
    ask,
    lay_out,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import flag, items, text, whole

LAID_OUT = [8, 0, 7, 5, 6, 1, 8, 8, 8]
QUESTIONS = (
    "What is left of the bag?",
    "What is right of the bag?",
    "What is below the T-shirt?",
    "What is left of the trousers?",
    "What is in the centre?",
    "Is there a trainer?",
    "Is there a dress?",
)


class ImageAsker(CourseWidget, folder="image_asker"):
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

    >>> ImageAsker(loaded=True).readouts()["chance-5"] > 0.5  # left of the bag: the trainer
    True
    """

    _state: ClassVar[tuple[str, ...]] = (
        "loaded",
        "contents",
        "photograph",
        "question",
        "first",
        "second",
        "brush",
    )
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

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_msg(self._answer)

    def _answer(self, widget: Any, content: Any, buffers: Any) -> None:
        """Send the weights that the browser asks for."""
        self.send({"model": content.get("model")}, [pack_asker()])

    def readouts(self) -> dict[str, float]:
        """Return what is shown: the chance of each answer, and the weights of both looks."""
        if not self.loaded or set(self.contents) == {NOTHING}:
            return {}
        try:
            numbers = read_question(self.question)
        except ValueError:
            return {}
        cells = lay_out(self.contents, self.photograph)
        logits, looks = ask(cells, numbers, (self.first, self.second))
        shown = {f"chance-{i}": float(p) for i, p in enumerate(softmax(logits))}
        for t in range(LOOKS):
            shown |= {f"look-{t + 1}-{i}": float(w) for i, w in enumerate(looks[t])}
        return shown

    def _fallback(self) -> str:
        lying = [
            f"{PLACES[place]}: {GARMENTS[kind]}"
            for place, kind in enumerate(self.contents)
            if kind != NOTHING
        ]
        rows = [self._row(question) for question in QUESTIONS[:4]]
        for place, kind in enumerate(self.contents):
            if kind != NOTHING:
                rows.append(self._row(QUESTIONS[0], place + 1))
        head = ("question", "first look", "second look", "answer")
        caption = "What the trained model answers, and where each look goes most"
        return f"<p>The picture: {'; '.join(lying)}.</p>" + table(head, rows, caption)

    def _row(self, sentence: str, first: int = 0) -> tuple[str, ...]:
        numbers = read_question(sentence)
        logits, looks = ask(lay_out(self.contents, self.photograph), numbers, (first, 0))
        places = [f"{PLACES[look.argmax()]}, {look.max():.2f}" for look in looks]
        places[0] += " (forced)" if first else ""
        return (in_words(numbers), *places, ANSWERS[logits.argmax()])
