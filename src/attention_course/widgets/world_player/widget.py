"""The player of the small world: a translator writes, and is held against the truth."""

import html
from typing import Any, ClassVar

import numpy as np

from attention_course.data.packed import pack_of_the_world, pack_world
from attention_course.data.vocabulary import END
from attention_course.data.world import read_sentence, translations
from attention_course.widgets.kit.base import TrainedWidget, table
from attention_course.widgets.kit.traits import (
    Checked,
    choice,
    flag,
    items,
    sentence_of,
    whole,
)
from attention_course.widgets.world_player.stacked import STACKED
from attention_course.widgets.world_player.translate import (
    BLADES,
    HEADS,
    LAYERS,
    LONGEST,
    OTHER,
    load,
    translate,
)
from attention_course.widgets.world_player.truth import nearest

MODELS = ("fixed", "attention", "transformer", "transformer_2", *STACKED)
CUTS = ("moves", "forbidden", "uniform", "backward", "positions", "silent", "blade")
# A sentence, and what its button says.
SENTENCES = (
    ("the animal did not cross the street because it was too tired", "It was too tired"),
    ("the animal did not cross the street because it was too wide", "It was too wide"),
    ("the girl swims to the bank", "She swims to the bank"),
    ("the woman brings the money to the bank", "Money to the bank"),
    ("the man reads a long letter", "The man reads"),
)


def _places(most: int) -> Checked:
    return items(whole(0, most - 1, 0), 0, most, [], f"a list of numbers from 0 to {most - 1}")


class SmallWorldWidget(TrainedWidget):
    """The base of what translates a sentence of the small world, and knows its grammar."""

    sentence = sentence_of("English", str.split, LONGEST, SENTENCES[0][0])

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_world() if name == "world" else pack_of_the_world(name)

    def _check(self) -> None:
        translations(self.sentence, "english", 1)

    def words(self) -> list[str]:
        """Return the words of the sentence, as the grammar writes them."""
        return [min(token or ()) for token in read_sentence(self.sentence, "english")]


class WorldPlayer(SmallWorldWidget, folder="world_player"):
    """A translator of the small world writes French, word by word; its gaze can be cut.

    The weights and the grammar are fetched when the reader first plays or types: from the
    page's folder, or from this object, which answers by a message.

    Args:
        sentence: English text of the small world, 1 to 60 words.
        model: "attention" (Bahdanau's), "transformer" (of one layer), "transformer_2" (of two),
            "fixed" (one vector), "luong" (his general score), "luong_dot",
            "luong_concat", "luong_location", "local_m", "local_p" or "gnmt".
        models: those that the reader chooses from, beside ``model``.
        step: how many French words are shown, 0 to 60; no more than there are.
        speed: of playing, 1, 2 or 4 times.
        chosen: the French word that is looked at, from 1; 0 for none.
        head: whose weights are shown, 1 to 4 in the Transformer's last layer; 0 for their mean.
        truth: whether the right translation is shown, and where each word comes from.
        moves: pairs of a French and an English word, from 0: all of the gaze of one is on the
            other.
        forbidden: English words, from 0, that no word may look at.
        uniform: the gaze rests on all words alike.
        backward: whether the reader from right to left reads (in Bahdanau's model).
        positions: whether words know their place (in a Transformer).
        silent: heads of cross-attention that are silenced, from 0, layer after layer.
        blade: what stands in place of a silenced head, or of the backward reader: nothing
            ("zero"), its "mean" over many sentences, or what it gives for another sentence at
            the same place ("other").
        compact: the small variant: one cut to tick.
        key: names the widget in links; "world-player" unless given.

    >>> WorldPlayer(sentence="The man didn't see the cat").words()
    ['the', 'man', 'did', 'not', 'see', 'the', 'cat', '.']
    """

    _state: ClassVar[tuple[str, ...]] = (
        *("sentence", "model", "step", "speed", "chosen", "head", "truth"),
        *CUTS,
    )
    _constants: ClassVar[dict[str, Any]] = {
        "LONGEST": LONGEST,
        "HEADS": HEADS,
        "SENTENCES": [[*pair] for pair in SENTENCES],
        "OTHER": OTHER,
    }

    model = choice(MODELS, "attention")
    models = items(choice(MODELS, "fixed"), 1, len(MODELS), MODELS[:3], "a list of models")
    step = whole(0, LONGEST, 0)
    speed = choice((1, 2, 4), 1)
    chosen = whole(0, LONGEST, 0)
    head = whole(0, HEADS, 0)
    truth = flag(default=False)
    moves = items(
        items(whole(0, LONGEST - 1, 0), 2, 2, [0, 0], ""),
        0,
        LONGEST,
        [],
        "a list of pairs of a French and an English word, from 0",
    )
    forbidden = _places(LONGEST)
    uniform = flag(default=False)
    backward = flag(default=True)
    positions = flag(default=True)
    silent = _places(HEADS * LAYERS)
    blade = choice(BLADES, "zero")
    compact = flag(default=False)

    def _written(self, longest: int, name: str = "") -> tuple[list[int], np.ndarray]:
        name = name or self.model
        cuts = {cut: getattr(self, cut) for cut in CUTS}
        if name == "fixed":
            cuts |= {"backward": True}
        return translate(f"world_{name}", self.words(), longest, cuts)

    def _named(self, symbols: list[int]) -> list[str]:
        french = load(f"world_{self.model}").target
        return [french[symbol] for symbol in symbols]

    def translation(self) -> list[str]:
        """Return what the model writes with the cuts as they are, the end mark included."""
        return self._named(self._written(LONGEST)[0])

    def readouts(self) -> dict[str, float]:
        """Return what is shown: words by number, and the weights of each.

        With ``truth`` also how much is wrong, and the weight that is right: "wrong" is the
        number of words that the nearest right translation does not have, "on-source" the mean
        share of the weight of the others on the words they come from.
        """
        if self.step == 0:
            return {}
        symbols, weights = self._written(self.step)
        rows, fixed = self._rows(weights), self._written(self.step, "fixed")[0]
        numbers = {f"word-{i}": float(symbol) for i, symbol in enumerate(symbols)}
        numbers |= {f"fixed-{i}": float(symbol) for i, symbol in enumerate(fixed)}
        numbers |= {
            f"weight-{i}-{j}": float(w) for i, row in enumerate(rows) for j, w in enumerate(row)
        }
        if not self.truth:
            return numbers
        found = nearest(self._named([s for s in symbols if s != END]), self.words())
        shares = [
            rows[i, sorted(own)].sum() for i, own in enumerate(found) if own and rows.size
        ]
        mean = {"on-source": float(np.mean(shares))} if shares else {}
        return numbers | {"wrong": float(found.count(None))} | mean

    def _rows(self, weights: np.ndarray) -> np.ndarray:
        """Return the weights that are shown; of a fixed vector none."""
        if not weights.shape[1]:
            return weights.reshape(len(weights), 0)
        one = self.head and self.model.startswith("transformer")
        return weights[:, self.head - 1] if one else weights.mean(axis=1)

    def _fallback(self) -> str:
        written, weights = self._written(LONGEST)
        who = {
            "attention": "The translator that looks back",
            "fixed": "The translator with a fixed vector",
            "gnmt": "Google's translator",
        }.get(self.model, "Luong's translator")
        if self.model.startswith("transformer"):
            who = "The translator without recurrence"
        told = [(who, written)]
        if self.model != "fixed":
            rival = "the one with a fixed vector and as many parameters"
            told.append((rival, self._written(LONGEST, "fixed")[0]))
        said = "; ".join(
            f"{who} writes <em>{' '.join(self._named([s for s in text if s != END]))}</em>"
            for who, text in told
        )
        sentence = f"<p>English: <em>{html.escape(self.sentence)}</em> {said}.</p>"
        if not weights.shape[1]:
            words = self._named([s for s in written if s != END])
            found = nearest(words, self.words())
            marked = zip(words, ("no" if own is None else "yes" for own in found), strict=True)
            return sentence + table(("word", "right"), [*marked], "Each word that is written")
        rows = [
            (word, *(f"{w:.2f}" for w in row))
            for word, row in zip(self._named(written), weights.mean(axis=1), strict=True)
        ]
        caption = "Attention weights: each row is a French word, and looks at the English words"
        return sentence + table(("word", *self.words()), rows, caption)
