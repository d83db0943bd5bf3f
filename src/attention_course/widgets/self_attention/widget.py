"""Self-attention step by step, on the reader's own sentence."""

import html
from typing import Any, ClassVar

import numpy as np

from attention_course.reference.labs.sentence import (
    D_MODEL,
    MASKS,
    MAX_WIDTH,
    MAX_WORDS,
    sentence_attention,
    split_words,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import Checked, choice, flag, whole

STEPS = ("Words", "Query", "Keys", "Scores", "Scale", "Mask", "Softmax", "Values", "Context")
LONGEST = 200
# The matrix beside the table at each step.
_MATRICES = ("x", "W_q", "W_k", "scores", "scaled", "masked", "weights", "W_v", "context")


def _sentence(value: Any) -> str:
    split_words(value)
    if len(value) > LONGEST:
        raise ValueError
    return value


class SelfAttentionSteps(CourseWidget, folder="self_attention"):
    """Type a sentence, choose who asks, and follow the numbers to the context.

    The layer is untrained: embeddings and matrices are drawn from generators that word and
    seed name, so that Python and the browser compute the same: :meth:`readouts` returns what
    is shown.

    Args:
        text: the sentence; its first eight words are used.
        token: the word that asks, 0 to 7 (the last one if there are fewer).
        other: the word that is looked at, likewise.
        step: how far the computation has come, 0 (words) to 8 (context).
        d_k: width of queries and keys, 1 to 8.
        d_v: width of values, 1 to 8.
        seed: of embeddings and matrices.
        mask: "none"; "causal", no word sees a later one; "others", no word sees itself.
        positions: add sinusoidal positions to the embeddings.
        key: names the widget in links; "self-attention-steps" unless given.

    Raises:
        ValueError: if a value is outside its range.

    >>> SelfAttentionSteps(text="Life is short", step=6).readouts()["weight"].round(2)
    array([0.33, 0.19, 0.48])
    """

    _state: ClassVar[tuple[str, ...]] = (
        "text",
        "token",
        "other",
        "step",
        "d_k",
        "d_v",
        "seed",
        "mask",
        "positions",
    )

    _constants: ClassVar[dict[str, Any]] = {
        "D_MODEL": D_MODEL,
        "MAX_WIDTH": MAX_WIDTH,
        "MAX_WORDS": MAX_WORDS,
        "STEPS": [*STEPS],
    }

    text = Checked(
        f"text with at least one word and at most {LONGEST} characters",
        _sentence,
        "the money bank near the river bank",
        kind="text",
        fewest=1,
        most=LONGEST,
    )
    token = whole(0, MAX_WORDS - 1, 2)
    other = whole(0, MAX_WORDS - 1, 5)
    step = whole(0, len(STEPS) - 1, 0)
    d_k = whole(1, MAX_WIDTH, 4)
    d_v = whole(1, MAX_WIDTH, 4)
    # The first seed there is: none was looked for that makes a telling picture.
    seed = whole(0, 2**32 - 1, 0)
    mask = choice(MASKS, "none")
    positions = flag(default=False)

    def stages(self) -> dict[str, Any]:
        """Return the whole computation, as ``sentence_attention`` does."""
        return sentence_attention(
            self.text, self.d_k, self.d_v, self.seed, self.mask, self.positions
        )

    def readouts(self) -> dict[str, Any]:
        """Return what is shown at this step: vectors, the row of the asking word, a matrix."""
        stages = self.stages()
        i = min(self.token, len(stages["words"]) - 1)
        shown = {"x": stages["x"], "cell": stages[_MATRICES[self.step]]}
        later = {
            1: {"q": stages["q"][i]},
            2: {"k": stages["k"]},
            3: {"score": stages["scores"][i]},
            4: {"score": stages["scaled"][i]},
            5: {"score": stages["masked"][i]},
            6: {"weight": stages["weights"][i]},
            7: {"v": stages["v"]},
            8: {"v": stages["weights"][i][:, None] * stages["v"], "c": stages["context"][i]},
        }
        for step in range(1, self.step + 1):
            shown |= later[step]
        return shown

    def _fallback(self) -> str:
        stages = self.stages()
        words, weights = stages["words"], stages["weights"]
        i = min(self.token, len(words) - 1)
        top = int(weights[i].argmax())
        sentence = (
            f"An untrained layer, drawn from seed {self.seed}. In “{' '.join(words)}”, "
            f"word {i + 1}, “{words[i]}”, gives its largest weight, "
            f"{weights[i, top]:.2f}, to word {top + 1}, “{words[top]}”."
        )
        names = [f"{j + 1} {word}" for j, word in enumerate(words)]
        rows = [
            (name, *(f"{w:.2f}" for w in row)) for name, row in zip(names, weights, strict=True)
        ]
        caption = "Weights: each row asks, each column is looked at"
        return f"<p>{html.escape(sentence)}</p>" + table(("word", *names), rows, caption)


def flat_readouts(readouts: dict[str, Any]) -> dict[str, float]:
    """Give each number of :meth:`SelfAttentionSteps.readouts` a name of its own.

    Args:
        readouts: what the method returned.

    Returns:
        ``cell-2-3``, ``score-1`` and so on, to the number.

    >>> flat_readouts({"score": np.array([2.0])})
    {'score-0': 2.0}
    """
    return {
        "-".join(map(str, (name, *place))): float(value)
        for name, array in readouts.items()
        for place, value in np.ndenumerate(array)
    }
