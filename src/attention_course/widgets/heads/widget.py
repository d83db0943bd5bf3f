"""Heads side by side: a trained model guesses a covered letter, and heads can be silenced."""

import base64
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import traitlets

from attention_course.reference.labs.covered_letters import guess_covered
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import Checked, items, text, whole

SHORTEST, LONGEST, MOST_HEADS = 4, 12, 16
START, END, COVER, FIRST = 1, 2, 3, 4  # marks and the letter a, as the models number them


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

    Source:
        Written for this course.

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
        models: the trained weights, from :func:`pack_heads`.
        words: held-out words on which the loss is measured.
    """

    _state: ClassVar[tuple[str, ...]] = ("word", "place", "n_heads", "silent")

    word = text(_LETTERS, SHORTEST, LONGEST, "attention", pattern="[a-z]*")
    place = whole(1, LONGEST, 4)
    n_heads = whole(1, MOST_HEADS, 4)
    silent = Checked(
        f"a list of heads from 0 to {MOST_HEADS - 1}", _silent, [], **_HEADS.limits
    )
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

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows: weights, chances, losses, the cost of each head."""
        p, keep = self._arrays(), self._keep(self.silent)
        place = min(self.place, len(self.word))
        tokens, places, _ = _covered([self.word])
        chances, weights = guess_covered(
            tokens[place - 1 : place], places[place - 1 : place], p, self.n_heads, keep=keep
        )
        loss = self._loss(p, self._keep([]))
        alone = [self._loss(p, self._keep([h])) for h in range(self.n_heads)]
        return {
            "weights": weights[0],
            "chances": chances[0],
            "loss": loss,
            "loss_now": self._loss(p, keep),
            "costs": np.array(alone) - loss,
        }

    def _arrays(self) -> dict[str, np.ndarray]:
        numbers = np.frombuffer(
            base64.b64decode(self.models["weights"][str(self.n_heads)]), np.float16
        ).astype(float)
        arrays, at = {}, 0
        for name, *shape in self.models["layout"]:
            size = int(np.prod(shape))
            arrays[name] = numbers[at : at + size].reshape(shape)
            at += size
        return arrays

    def _keep(self, silent: list[int]) -> np.ndarray:
        return ~np.isin(np.arange(self.n_heads), silent)

    def _loss(self, p: dict[str, np.ndarray], keep: np.ndarray) -> float:
        tokens, places, answers = _covered(self.words)
        chances, _ = guess_covered(tokens, places, p, self.n_heads, keep=keep)
        return float(-np.log(chances[np.arange(len(answers)), answers]).mean())

    def _fallback(self) -> str:
        if not self.models or not self.words:
            return ""
        numbers, place = self.readouts(), min(self.place, len(self.word))
        shown = f"{self.word[: place - 1]}_{self.word[place:]}"
        right = ord(self.word[place - 1]) - ord("a")
        signs = ["start", *shown, "end"]
        rows = []
        for h, row in enumerate(numbers["weights"]):
            top = int(row.argmax())
            cost = f"{numbers['costs'][h]:+.3f}"
            rows.append((f"{h + 1}", f"{signs[top]} ({top})", f"{row[top]:.2f}", cost))
        many = "1 head" if self.n_heads == 1 else f"{self.n_heads} heads"
        sentence = (
            f"<p>In <em>{shown}</em> the model with {many} gives "
            f"{self.word[place - 1]} a chance of {numbers['chances'][right]:.3f}. Its loss on "
            f"{len(self.words)} words that it has never seen is {numbers['loss']:.3f} nats a "
            "letter.</p>"
        )
        head = ("head", "looks most at", "weight", "silenced, the loss changes by")
        return sentence + table(head, rows, "The heads, and what each is worth")


def _covered(words: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every word with each of its letters covered once: tokens, places, answers."""
    rows, places, answers = [], [], []
    for word in words:
        letters = [ord(letter) - ord("a") + FIRST for letter in word]
        for i, letter in enumerate(letters):
            row = [START, *letters[:i], COVER, *letters[i + 1 :], END]
            rows.append(row + [0] * (LONGEST + 2 - len(row)))
            places.append(i + 1)
            answers.append(letter - FIRST)
    return np.array(rows), np.array(places), np.array(answers)
