"""The sentence player: a trained translator writes, and what it looks at can be cut."""

import html
import unicodedata
from typing import Any, ClassVar

import numpy as np

from attention_course.data.packed import pack_translator
from attention_course.data.parallel import split_words
from attention_course.measure.records import recorded
from attention_course.widgets.kit.base import TrainedWidget, table
from attention_course.widgets.kit.traits import Checked, choice, flag, items, sentence_of, whole
from attention_course.widgets.sentence_player.translate import (
    BLADES,
    HEADS,
    LAYERS,
    LONGEST,
    OTHER,
    load,
    translate,
)

MODELS = ("attention", "transformer")
CUTS = ("moves", "forbidden", "uniform", "backward", "positions", "silent", "blade")
# BLEU of each model with each cut, over the whole test set.
COSTS, _ORIGIN = recorded("cut_translators")
# Ten sentences, and what is worth watching in each. Both translators know every word and write
# a right translation, except where it is said that they fail.
SENTENCES = (
    ("Il vit une grande lumière dans le ciel, et il eut peur.", "a sentence like a verse"),
    ("Je vous aime.", "the pronoun stands before the verb"),
    ("Il fut rempli de l'esprit saint.", "the adjective stands behind its noun"),
    ("Es-tu le roi des juifs ?", "a question"),
    ("Pierre lui dit : je ne te connais pas.", "a negation in two pieces"),
    ("Sa maison est grande.", "“sa”: his, her or its?"),
    ("Les fils de mes fils sont mes fils.", "one word three times"),
    ("La robe rouge est belle.", "it fails, though every word is known"),
    ("Elle a mangé une pizza.", "it fails: “pizza” is unknown"),
    ("Il monta dans une barque, et ses disciples le suivirent dans le désert.", "a long one"),
)


def words_of(sentence: str) -> list[str]:
    """Return the French words of a sentence, as the browser cuts it."""
    text = unicodedata.normalize("NFC", sentence).replace("’", "'")
    return list(split_words(text, "french"))


def _places(most: int) -> Checked:
    return items(whole(0, most - 1, 0), 0, most, [], f"a list of numbers from 0 to {most - 1}")


class SentencePlayer(TrainedWidget, folder="sentence_player"):
    """A trained translator writes English word by word; its gaze can be moved and cut.

    The weights are fetched when the reader first plays: from the page's folder, or from this
    object, which answers by a message.

    Args:
        sentence: French text of 1 to 60 words.
        model: "attention" (Bahdanau's) or "transformer".
        step: how many English words are shown, 0 to 60; no more than there are.
        speed: of playing, 1, 2 or 4 times.
        chosen: the English word that is looked at, from 1; 0 for none.
        head: whose weights are shown, 1 to 4 in the Transformer's last layer; 0 for their mean.
        moves: pairs of an English and a French word, from 0: all of the gaze of one is on the
            other.
        forbidden: French words, from 0, that no word may look at.
        uniform: the gaze rests on all words alike.
        backward: whether the reader from right to left reads (in Bahdanau's model).
        positions: whether words know their place (in the Transformer).
        silent: heads of cross-attention that are silenced, from 0, layer after layer.
        blade: what stands in place of a silenced head, or of the backward reader: nothing
            ("zero"), its "mean" over many verses, or what it gives for another verse at the
            same place ("other").
        compact: the small variant: no field, one cut to tick.
        asked: the page asks below what a cut costs, so this keeps it until the answer opens.
        key: names the widget in links; "sentence-player" unless given.

    >>> SentencePlayer(sentence="Je vous aime.").translation()
    ['i', 'love', 'you', '.', '<end>']
    """

    _state: ClassVar[tuple[str, ...]] = (
        "sentence",
        "model",
        "step",
        "speed",
        "chosen",
        "head",
        *CUTS,
    )
    _constants: ClassVar[dict[str, Any]] = {
        "LONGEST": LONGEST,
        "HEADS": HEADS,
        "LAYERS": LAYERS,
        "SENTENCES": [[*pair] for pair in SENTENCES],
        "COSTS": COSTS,
        "VERSES": _ORIGIN["verses"],
        "OTHER": OTHER,
    }

    sentence = sentence_of("French", words_of, LONGEST, SENTENCES[1][0])
    model = choice(MODELS, "attention")
    step = whole(0, LONGEST, 0)
    speed = choice((1, 2, 4), 1)
    chosen = whole(0, LONGEST, 0)
    head = whole(0, HEADS, 0)
    moves = items(
        items(whole(0, LONGEST - 1, 0), 2, 2, [0, 0], ""),
        0,
        LONGEST,
        [],
        "a list of pairs of an English and a French word, from 0",
    )
    forbidden = _places(LONGEST)
    uniform = flag(default=False)
    backward = flag(default=True)
    positions = flag(default=True)
    silent = _places(HEADS * LAYERS)
    blade = choice(BLADES, "zero")
    compact = flag(default=False)
    asked = flag(default=False)
    _languages: ClassVar[tuple[str, str]] = ("French", "English")
    _file = "{}"  # of a model's weights

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_translator(name)

    def words(self) -> list[str]:
        """Return the words of the sentence, as the browser cuts it."""
        return words_of(self.sentence)

    def _written(self, longest: int, name: str = "") -> tuple[list[int], np.ndarray]:
        cuts = {cut: getattr(self, cut) for cut in CUTS}
        if "fixed" in (name or self.model):
            cuts |= {"backward": True}
        return translate(self._file.format(name or self.model), self.words(), longest, cuts)

    def _target(self) -> list[str]:
        return load(self._file.format(self.model)).target

    def translation(self) -> list[str]:
        """Return what the model writes with the cuts as they are, the end mark included."""
        symbols = self._target()
        return [symbols[symbol] for symbol in self._written(LONGEST)[0]]

    def cuts_made(self) -> list[str]:
        """Return the cuts that this sentence and this model have, as the record names them."""
        n = len(self.words())
        blade = "" if self.blade == "zero" else f" {self.blade}"
        if self.model == "transformer":
            made = ["positions"] * (not self.positions)
            made += [f"silent {h}{blade}" for h in self.silent]
        else:
            made = [f"backward{blade}"] * (not self.backward)
        return [
            *["uniform"] * self.uniform,
            *made,
            *["forbidden"] * any(j < n for j in self.forbidden),
            *["moves"] * any(j < n for _, j in self.moves),
        ]

    def readouts(self) -> dict[str, float]:
        """Return what is shown: words by number, the weights of each, and what cuts cost."""
        if self.step == 0:
            return {}
        symbols, weights = self._written(self.step)
        fixed, _ = self._written(self.step, "fixed")
        numbers = {f"word-{i}": float(symbol) for i, symbol in enumerate(symbols)}
        numbers |= {f"fixed-{i}": float(symbol) for i, symbol in enumerate(fixed)}
        costs = self._constants["COSTS"].get(self.model, {})
        made = [cut for cut in self.cuts_made() if cut in costs]
        numbers |= {f"bleu-{c.replace(' ', '-')}": costs[c]["bleu"] for c in made}
        return numbers | {
            f"weight-{i}-{j}": float(w)
            for i, row in enumerate(self._rows(weights))
            for j, w in enumerate(row)
        }

    def _rows(self, weights: np.ndarray) -> np.ndarray:
        """Return the weights that are shown; of a fixed vector none."""
        if not weights.shape[1]:
            return weights.reshape(len(weights), 0)
        return weights.mean(axis=1) if self._all_heads() else weights[:, self.head - 1]

    def _all_heads(self) -> bool:
        return self.head == 0 or self.model != "transformer"

    def _fallback(self) -> str:
        words, symbols = self.words(), self._target()
        written, weights = self._written(LONGEST)
        fixed, _ = self._written(LONGEST, "fixed")
        rival = load(self._file.format("fixed")).target
        who = {
            "attention": "The translator that looks back",
            "transformer": "The translator without recurrence",
            "fixed": "The translator with a fixed vector",
        }
        told = [
            (who.get(self.model, who["attention"]), [symbols[s] for s in written]),
            (
                "the one with a fixed vector and as many parameters",
                [rival[s] for s in fixed],
            ),
        ]
        said = "; ".join(
            f"{who} writes <em>{html.escape(' '.join(w for w in text if w != '<end>'))}</em>"
            for who, text in told[: 1 + (self.model != "fixed")]
        )
        source, target = self._languages
        sentence = f"<p>{source}: <em>{html.escape(self.sentence)}</em> {said}.</p>"
        if not weights.shape[1]:
            return sentence
        rows = [
            (symbols[symbol], *(f"{w:.2f}" for w in row))
            for symbol, row in zip(written, weights.mean(axis=1), strict=True)
        ]
        a = "an" if target == "English" else "a"
        caption = (
            f"Attention weights: each row is {a} {target} word, and looks at the {source} words"
        )
        return sentence + table(("word", *words), rows, caption)
