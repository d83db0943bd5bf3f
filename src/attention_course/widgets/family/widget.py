"""One sentence of the small world in every recurrent translator of the course at once."""

import html
import os
from functools import cache
from typing import Any, ClassVar

import numpy as np

from attention_course.data.vocabulary import END
from attention_course.data.world import deciders
from attention_course.widgets.kit import in_node
from attention_course.widgets.kit.base import table
from attention_course.widgets.kit.traits import flag, whole
from attention_course.widgets.world_player.translate import LONGEST, UNCUT, load, translate
from attention_course.widgets.world_player.truth import closest, places, shared
from attention_course.widgets.world_player.widget import SmallWorldWidget

# Each model, and what its row is called.
MODELS = {
    "fixed": "fixed vector",
    "attention": "Bahdanau",
    "luong_dot": "Luong, dot",
    "luong": "Luong, general",
    "luong_concat": "Luong, concat",
    "luong_location": "Luong, location",
    "local_m": "local-m",
    "local_p": "local-p",
    "gnmt": "GNMT",
}
REFERENCE = "attention"  # the model whose nearest right translation the rows share
# A sentence, and what its button says.
SENTENCES = (
    ("the animal did not cross the street because it was too tired", "It was too tired"),
    ("the small black animal did not cross the wide street because it was too tired", "Longer"),
    ("the woman brings the money to the bank", "Money to the bank"),
    ("the girl swims to the bank", "She swims to the bank"),
)


@cache
def _translated(
    name: str, words: tuple[str, ...], uniform: bool
) -> tuple[list[str], np.ndarray]:
    """Return the words that a model writes, and the weights of each: the rows ask twice."""
    cuts = UNCUT | {"uniform": uniform}
    symbols, weights = translate(f"world_{name}", [*words], LONGEST, cuts)
    french = load(f"world_{name}").target
    kept = len(symbols) - (symbols[-1] == END)
    rows = weights[:kept].mean(axis=1) if weights.shape[1] else np.zeros((kept, 0))
    return [french[symbol] for symbol in symbols[:kept]], rows


class RecurrentFamily(SmallWorldWidget, folder="family"):
    """Recurrent translators of the small world write one sentence, side by side.

    A row has one model: bars say where it looks as it writes one chosen word, and its whole
    translation is held against the truth.

    Args:
        sentence: English text of the small world, 1 to 60 words.
        chosen: the word of the right translation that is compared, from 1; 0 for the last
            that another word decides.
        uniform: whether every model looks at all words alike.
        started: whether the models have been asked for; until then a recorded table is shown.
        key: names the widget in links; "recurrent-family" unless given.

    >>> RecurrentFamily(sentence="The man didn't see the cat").words()
    ['the', 'man', 'did', 'not', 'see', 'the', 'cat', '.']
    """

    _constants: ClassVar[dict[str, Any]] = {
        "LONGEST": LONGEST,
        "MODELS": [[*pair] for pair in MODELS.items()],
        "REFERENCE": REFERENCE,
        "SENTENCES": [[*pair] for pair in SENTENCES],
    }

    chosen = whole(0, LONGEST, 0)
    uniform = flag(default=False)
    started = flag(default=False)

    def _written(self, name: str) -> tuple[list[str], np.ndarray]:
        return _translated(name, tuple(self.words()), self.uniform)

    def compared(self) -> tuple[list[str], int, list[int], list[int]]:
        """Return what the rows share, and the word of it that is compared.

        Returns:
            The right translation; the place of the word in it; the positions in the sentence
            that the word comes from, and those that decide it besides.

        >>> RecurrentFamily(sentence="The girl swims to the bank").compared()
        (['la', 'fille', 'nage', 'vers', 'la', 'rive', '.'], 5, [5], [2])
        """
        right, _, pair = closest(self._written(REFERENCE)[0], self.words())
        decide = deciders(pair, "english")
        decided = [i for i, found in enumerate(decide) if found]
        at = self.chosen - 1 if 0 < self.chosen <= len(right) else (decided or [0])[-1]
        return right, at, sorted(pair.alignment("english")[at]), sorted(decide[at])

    def rows(self) -> dict[str, tuple[list[str], int, int, list[float]]]:
        """Return of each model what it writes, what is wrong, and where it looks for the word.

        Returns:
            By the models' names: the words written; how many of them the nearest right
            translation does not have, or how many of its words are missing, whichever is
            more; which word written stands where the compared one belongs, -1 if none; its
            weights (n_words,), empty for the fixed vector.
        """
        right, at, *_ = self.compared()
        words, found = self.words(), {}
        for name in MODELS:
            written, weights = self._written(name)
            nearest, run, _ = closest(written, words)
            own = places(shared(written, right), len(written), len(right))
            i = own.index(at) if at in own else -1
            looks = [] if i < 0 else weights[i].tolist()
            found[name] = written, max(len(written), len(nearest)) - len(run), i, looks
        return found

    def readouts(self) -> dict[str, float]:
        """Return what is shown: mistakes of each model, and its weights for the word."""
        numbers: dict[str, float] = {}
        for name, (_, wrong, at, weights) in self.rows().items() if self.started else ():
            numbers |= {f"{name}-wrong": float(wrong), f"{name}-at": float(at)}
            numbers |= {f"{name}-{j}": weight for j, weight in enumerate(weights)}
        return numbers

    def _fallback(self) -> str:
        if in_node.STORES not in os.environ:
            return ""  # only a notebook that is stored needs it
        right, at, source, _ = self.compared()
        rows = []
        for name, (written, wrong, i, weights) in self.rows().items():
            share = f"{sum(weights[j] for j in source):.2f}" if weights and source else "none"
            word = written[i] if i >= 0 else "no word"
            rows.append((MODELS[name], word, share, f"{' '.join(written)} ({wrong} wrong)"))
        caption = (
            f"Nine models on one sentence. Its right translation has “{right[at]}” there; "
            "“on source” is the share of the weight on the word that it comes from"
        )
        sentence = f"<p>English: <em>{html.escape(self.sentence)}</em>.</p>"
        head = ("model", "writes", "on source", "the whole")
        return sentence + table(head, rows, caption)
