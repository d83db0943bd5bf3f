"""The image looker: a trained Vision Transformer, maps of its attention, and ways to cut it."""

from typing import Any, ClassVar

import numpy as np

from attention_course.data.images import CLOTHES
from attention_course.data.packed import pack_image_model
from attention_course.widgets.image_looker.classify import (
    BLADES,
    HEADS,
    LAYERS,
    PATCHES,
    chances,
    classify,
    picture,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import Checked, choice, flag, items, whole

PICTURES, PIXELS = 10, 784


def _places(most: int, largest: int) -> Checked:
    what = f"a list of at most {most} numbers from 0 to {largest}"
    return items(whole(0, largest, 0), 0, most, [], what)


class ImageLooker(CourseWidget, folder="image_looker"):
    """A Vision Transformer names a picture; patches can be covered and swapped, heads silenced.

    The weights are fetched when the reader asks for them: from the page's folder, or from this
    object, which answers by a message.

    Args:
        loaded: whether the reader has asked for the trained model.
        picture: one of ten test pictures, from 0; 10 for the reader's drawing.
        layer: whose map is shown, 1 or 2.
        head: whose map is shown, 1 to 4; 0 for their mean.
        asks: the token whose look is shown: 0 is the class token, 1 to 49 the patches.
        press: what a press on a patch does: "move" the cover, "cover" or uncover, "swap" two,
            "ask" with it, or "draw".
        covered: patches in whose place something else is put, from 0.
        swapped: none, or two patches that change places.
        silent: heads that are silenced, from 0, layer after layer.
        blade: what replaces a covered patch or a silenced head: nothing ("zero"),
            its "mean" over the training pictures, or what the picture next in the list has
            there ("other").
        drawn: pixels of the drawing that are full of ink, from 0, row by row.
        key: names the widget in links; "image-looker" unless given.

    >>> ImageLooker(loaded=True, picture=8).readouts()["chance-8"] > 0.5
    True
    """

    _state: ClassVar[tuple[str, ...]] = (
        "loaded",
        "picture",
        "head",
        "layer",
        "asks",
        "press",
        "covered",
        "swapped",
        "silent",
        "blade",
        "drawn",
    )
    _constants: ClassVar[dict[str, Any]] = {
        "CLOTHES": list(CLOTHES),
        "HEADS": HEADS,
        "LAYERS": LAYERS,
    }

    loaded = flag(default=False)
    picture = whole(0, PICTURES, 0)
    layer = whole(1, LAYERS, LAYERS)
    head = whole(0, HEADS, 0)
    asks = whole(0, PATCHES, 0)
    press = choice(("move", "cover", "swap", "ask", "draw"), "move")
    covered = _places(PATCHES, PATCHES - 1)
    swapped = _places(2, PATCHES - 1)
    silent = _places(HEADS * LAYERS, HEADS * LAYERS - 1)
    blade = choice(BLADES, "zero")
    drawn = _places(PIXELS, PIXELS - 1)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_msg(self._answer)

    def _answer(self, widget: Any, content: Any, buffers: Any) -> None:
        """Send the weights that the browser asks for."""
        self.send({"model": content.get("model")}, [pack_image_model()])

    def readouts(self) -> dict[str, float]:
        """Return what is shown: the chance of each class, and the map of the chosen look."""
        pixels = picture(self.picture, self.drawn)
        if not (self.loaded and pixels.any()):
            return {}
        return self._numbers(pixels)

    def _numbers(self, pixels: np.ndarray) -> dict[str, float]:
        swapped = self.swapped if len(self.swapped) == 2 else ()
        other = picture((self.picture + 1) % PICTURES, [])
        logits, weights = classify(
            pixels, self.covered, swapped, self.silent, self.blade, other
        )
        heads = weights[self.layer - 1]
        rows = heads.mean(axis=0) if self.head == 0 else heads[self.head - 1]
        numbers = {f"chance-{i}": float(p) for i, p in enumerate(chances(logits))}
        return numbers | {f"weight-{j}": float(w) for j, w in enumerate(rows[self.asks])}

    def _fallback(self) -> str:
        numbers = self._numbers(picture(self.picture, self.drawn))
        shown = "a drawing" if self.picture == PICTURES else CLOTHES[self.picture]
        rows = [(name, f"{numbers[f'chance-{i}']:.2f}") for i, name in enumerate(CLOTHES)]
        caption = "What the Vision Transformer makes of it"
        return f"<p>The picture: {shown}.</p>" + table(("class", "probability"), rows, caption)
