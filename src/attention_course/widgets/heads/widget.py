"""Heads side by side: a trained model guesses a covered letter, and heads can be silenced."""

import base64
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import traitlets

from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.multi_head import multi_head_attention
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import Checked, choice, items, text, whole

BLADES = ("zero", "mean", "other")
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
        blade: what stands in place of such a head: nothing ("zero"), its "mean" over the
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

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows: weights, chances, losses, the cost of each head."""
        p, place = self._arrays(), min(self.place, len(self.word))
        rows = [(word, i) for word in self.words for i in range(1, len(word) + 1)]
        asked, parts, _ = _seen(p, self.n_heads, rows)
        one, own, weights = _seen(p, self.n_heads, [(self.word, place)])
        put, put_here = (np.zeros_like(each) for each in (parts, own))
        if self.blade == "mean":
            put[:], put_here[:] = (parts.mean(axis=1, keepdims=True),) * 2
        elif self.blade == "other":
            put = parts[:, [_another(rows, *row, i) for i, row in enumerate(rows)]]
            put_here = parts[:, [_another(rows, self.word, place, -1)]]
        answers = [ord(word[i - 1]) - ord("a") for word, i in rows]

        def loss(silent: list[int]) -> float:
            chances = _chances(p, asked, _cut(parts, silent, put))
            return float(-np.log(chances[np.arange(len(rows)), answers]).mean())

        whole = loss([])
        return {
            "weights": weights[0],
            "chances": _chances(p, one, _cut(own, self.silent, put_here))[0],
            "loss": whole,
            "loss_now": loss(self.silent),
            "costs": np.array([loss([h]) for h in range(self.n_heads)]) - whole,
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
        instead = {"zero": "nothing", "mean": "its mean", "other": "another word's"}[self.blade]
        cost = f"silenced ({instead} instead), the loss changes by"
        head = ("head", "looks most at", "weight", cost)
        return sentence + table(head, rows, "The heads, and what each is worth")


def _seen(
    p: dict[str, np.ndarray], n_heads: int, rows: list[tuple[str, int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what asks, what each head adds, and its weights, for words with one cover."""
    tokens = np.zeros((len(rows), LONGEST + 2), int)
    for row, (word, place) in zip(tokens, rows, strict=True):
        letters = [ord(letter) - ord("a") + FIRST for letter in word]
        letters[place - 1] = COVER
        row[: len(word) + 2] = [START, *letters, END]
    x = p["letters"][tokens] + p["places"][: tokens.shape[1]]
    asked = x[np.arange(len(rows)), [place for _, place in rows]]
    W_q, W_k, W_v, W_o = (p[name] for name in ("W_q", "W_k", "W_v", "W_o"))
    mask, parts, weights = (tokens != 0)[:, None, None, :], [], np.zeros(0)
    for keep in np.eye(n_heads, dtype=bool):
        part, weights = multi_head_attention(
            asked[:, None], x, W_q, W_k, W_v, W_o, n_heads, mask=mask, keep=keep
        )
        parts.append(part[:, 0])
    return asked, np.stack(parts), weights[:, :, 0]


def _cut(parts: np.ndarray, silent: list[int], put: np.ndarray) -> np.ndarray:
    """Return what the heads add, some of them replaced: heads, rows, width."""
    gone = np.isin(np.arange(len(parts)), silent)[:, None, None]
    return np.where(gone, put, parts)


def _chances(p: dict[str, np.ndarray], asked: np.ndarray, parts: np.ndarray) -> np.ndarray:
    hidden = np.maximum((asked + parts.sum(axis=0)) @ p["W_1"] + p["b_1"], 0.0)
    return softmax(hidden @ p["W_2"] + p["b_2"])


def _another(rows: list[tuple[str, int]], word: str, place: int, at: int) -> int:
    """Return the next row of another word behind one, of the same place if there is one."""
    after = [(at + 1 + k) % len(rows) for k in range(len(rows))]
    others = [i for i in after if rows[i][0] != word] or after
    return next((i for i in others if rows[i][1] == place), others[0])
