"""The image looker: a trained Vision Transformer, maps of its attention, and ways to cut it."""

from typing import Any, ClassVar

from attention_course.data.images import CLOTHES
from attention_course.data.packed import pack_image_model
from attention_course.widgets.kit.base import TrainedWidget
from attention_course.widgets.kit.traits import Checked, choice, flag, items, whole

PICTURES, PIXELS = 10, 784
PATCHES, HEADS, LAYERS = 49, 4, 2
BLADES = ("zero", "mean", "other")


def _places(most: int, largest: int) -> Checked:
    what = f"a list of at most {most} numbers from 0 to {largest}"
    return items(whole(0, largest, 0), 0, most, [], what)


class ImageLooker(TrainedWidget, folder="image_looker"):
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

    >>> ImageLooker(picture=8).blade
    'zero'
    """

    _constants: ClassVar[dict[str, Any]] = {
        "CLOTHES": list(CLOTHES),
        "HEADS": HEADS,
        "LAYERS": LAYERS,
    }

    loaded = flag(default=False)
    picture = whole(0, PICTURES, 0)
    head = whole(0, HEADS, 0)
    layer = whole(1, LAYERS, LAYERS)
    asks = whole(0, PATCHES, 0)
    press = choice(("move", "cover", "swap", "ask", "draw"), "move")
    covered = _places(PATCHES, PATCHES - 1)
    swapped = _places(2, PATCHES - 1)
    silent = _places(HEADS * LAYERS, HEADS * LAYERS - 1)
    blade = choice(BLADES, "zero")
    drawn = _places(PIXELS, PIXELS - 1)

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_image_model()
