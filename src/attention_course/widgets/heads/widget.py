"""Heads side by side: a trained model guesses a covered letter, and heads can be silenced."""

import base64
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import traitlets

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import Checked, choice, items, text, whole

BLADES = ("zero", "mean", "other")
SHORTEST, LONGEST, MOST_HEADS = 4, 12, 16


_LETTERS = f"a word of {SHORTEST} to {LONGEST} letters a to z"
_HEADS = items(whole(0, MOST_HEADS - 1, 0), 0, MOST_HEADS, [], "")


def _silent(value: Any) -> list[int]:
    return sorted(set(_HEADS.convert(value)))


def pack_heads(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Write trained models of several numbers of heads as a widget can carry them.

    Args:
        arrays: ``"4.W_q"`` is the matrix W_q of the model with four heads, and so on; the
            models differ in nothing else.

    Returns:
        The names and shapes of the arrays, and for each number of heads all of them in half
        precision, one after the other.

    Raises:
        ValueError: if a name has no number of heads, or the models differ in shape.

    >>> pack_heads({"1.b_1": np.ones(2), "2.b_1": np.zeros(2)})
    {'layout': [['b_1', 2]], 'weights': {'1': 'ADwAPA==', '2': 'AAAAAA=='}}
    """
    models: dict[int, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        heads, dot, name = name.partition(".")
        if not dot or not heads.isdigit():
            raise ValueError(
                f"pack_heads: arrays must have names such as '4.W_q', got {heads!r}"
            )
        models.setdefault(int(heads), {})[name] = np.asarray(array, np.float16)
    layouts = [sorted([name, *a.shape] for name, a in m.items()) for m in models.values()]
    if any(layout != layouts[0] for layout in layouts):
        raise ValueError("pack_heads: arrays must have the same shapes in every model, got two")
    weights = {
        str(heads): base64.b64encode(b"".join(m[n].tobytes() for n, *_ in layouts[0])).decode()
        for heads, m in sorted(models.items())
    }
    return {"layout": layouts[0], "weights": weights}


class HeadsSideBySide(CourseWidget, folder="heads"):
    """A covered letter, where each head looks for it, and what it costs to silence a head.

    Attributes:
        word: 4 to 12 letters a to z.
        place: which letter is covered, from 1; the last one where the word is shorter.
        n_heads: how many heads the model has, one of those in ``models``.
        silent: heads that are switched off, counted from 0.
        blade: what replaces such a head: nothing ("zero"), its "mean" over the
            held-out words, or what it gives for another of them ("other"), at the same place
            if there is one.
        models: the trained weights, from :func:`pack_heads`.
        words: held-out words on which the loss is measured.
    """

    _state: ClassVar[tuple[str, ...]] = ("word", "place", "n_heads", "silent", "blade")

    word = text(_LETTERS, SHORTEST, LONGEST, "attention", pattern="[a-z]*")
    place = whole(1, LONGEST, 4)
    n_heads = whole(1, MOST_HEADS, 4)
    silent = Checked(
        f"a list of heads from 0 to {MOST_HEADS - 1}", _silent, [], **_HEADS.limits
    )
    blade = choice(BLADES, "zero")
    models = traitlets.Dict().tag(sync=True)
    words: "traitlets.List[Any]" = traitlets.List().tag(sync=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for word in self.words:
            type(self).word.validate(self, word)

    @traitlets.validate("n_heads")
    def _known(self, proposal: dict[str, Any]) -> int:
        known = self.models.get("weights", {})
        if known and str(proposal["value"]) not in known:
            raise ValueError(
                f"HeadsSideBySide: n_heads must be one of {', '.join(known)}, "
                f"got {proposal['value']}"
            )
        return proposal["value"]

    @classmethod
    def fallback_of(cls, state: Mapping[str, Any]) -> str:
        """Return nothing without models or words: then nothing can be shown."""
        return super().fallback_of(state) if state["models"] and state["words"] else ""
