"""The picture teller: two garments, told or asked about, and looks that can be turned."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, ClassVar

from attention_course.data.packed import CAPTIONERS, pack_pictured
from attention_course.data.world.pictured import (
    ACROSS,
    ANSWERS,
    DOWN,
    LONGEST,
    PHOTOGRAPHS,
    SIZES,
    TINTS,
    WORN,
    scene_words,
)
from attention_course.widgets.kit import in_node
from attention_course.widgets.kit.base import TrainedWidget
from attention_course.widgets.kit.traits import Checked, choice, flag, items, text, whole

CELLS = DOWN * ACROSS
TASKS = ("captions", "questions")


def _garment(default: str) -> Checked:
    sorts = (SIZES, tuple(TINTS), WORN)
    pattern = " ".join(f"({'|'.join(names)})" for names in sorts)
    expected = (
        f"size, colour and garment, as {default!r}, of {'; '.join(map(', '.join, sorts))}"
    )
    return text(expected, 1, 30, default, pattern)


class PictureTeller(TrainedWidget, folder="picture_teller"):
    """A captioner tells what two garments are, or an asker answers; each look can be turned.

    The weights are fetched when the reader asks for them: from the page's folder, or from this
    object, which answers by a message.

    Args:
        task: "captions", or "questions": a model that looks twice answers about the garments.
        loaded: whether the reader has asked for the trained models.
        left: the left garment: a size, a colour and a kind of ``SIZES``, ``TINTS`` and ``WORN``
            in :mod:`attention_course.data.world.pictured`.
        right: the right one.
        photograph: which of four photographs of each kind is shown.
        way: "soft", "hard" or "even": three captioners, trained alike.
        question: what is asked, in words of the small world.
        word: which word's look is shown, or which of the asker's two, from 1.
        turned: for each word 0, or the cell from 1 to which its look is turned: evenly onto the
            garment that covers it, or onto that cell alone where none does. Words that the
            list does not reach look where they want.
        key: names the widget in links; "picture-teller" unless given.

    >>> PictureTeller().way
    'soft'
    """

    _constants: ClassVar[dict[str, Any]] = {
        "WORN": list(WORN),
        "TINTS": {name: list(tint) for name, tint in TINTS.items()},
        "SIZES": list(SIZES),
        "WORDS": list(scene_words("english")),
        "ANSWERS": list(ANSWERS),
        "PHOTOGRAPHS": PHOTOGRAPHS,
        "LONGEST": LONGEST,
    }

    task = choice(TASKS, TASKS[0])
    loaded = flag(default=False)
    left = _garment("big red pullover")
    right = _garment("small blue bag")
    photograph = whole(1, PHOTOGRAPHS, 2)
    way = choice(CAPTIONERS, CAPTIONERS[0])
    question = text("a question of at most 60 characters", 0, 60, "is the small coat red ?")
    word = whole(1, LONGEST, 5)
    turned = items(
        whole(0, CELLS, 0), 0, LONGEST, [], f"at most {LONGEST} numbers from 0 to {CELLS}"
    )

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_pictured(name)

    @classmethod
    def described(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the script says of a stored state, with the weights of its way."""
        asks = state["task"] == "questions"
        name = "questions_two_looks" if asks else f"captions_{state['way']}"
        weights = b64encode(pack_pictured(name)).decode()
        return in_node.describe(cls._folder, {**state, "weights": weights})
