"""The sentence player in the small world: what it writes can be held against the truth."""

from typing import Any, ClassVar

import numpy as np

from attention_course.data.packed import pack_of_the_world, pack_world
from attention_course.data.vocabulary import END
from attention_course.data.world import read_sentence, translations
from attention_course.widgets.kit.traits import choice, flag, items, sentence_of
from attention_course.widgets.sentence_player.translate import HEADS, LONGEST
from attention_course.widgets.sentence_player.widget import CUTS, SentencePlayer
from attention_course.widgets.world_player.stacked import STACKED, translate
from attention_course.widgets.world_player.truth import nearest

MODELS = ("fixed", "attention", "transformer", *STACKED)

# A sentence, and what its button says.
SENTENCES = (
    ("the animal did not cross the street because it was too tired", "It was too tired"),
    ("the animal did not cross the street because it was too wide", "It was too wide"),
    ("the girl swims to the bank", "She swims to the bank"),
    ("the woman brings the money to the bank", "Money to the bank"),
    ("the man reads a long letter", "The man reads"),
)


class WorldPlayer(SentencePlayer, folder="world_player"):
    """A translator of the small world writes French; what is true can be laid beside it.

    The weights and the grammar are fetched when the reader first plays or types. The arguments
    are those of :class:`SentencePlayer`, with these differences:

    Args:
        sentence: English text of the small world, 1 to 60 words.
        model: "attention" (Bahdanau's), "transformer", "fixed" (one vector), "luong" (his
            general score), "luong_dot", "local_m", "local_p" or "gnmt".
        models: those that the reader chooses from, beside ``model``.
        truth: whether the right translation is shown, and where each word comes from.

    >>> WorldPlayer(sentence="The man didn't see the cat").words()
    ['the', 'man', 'did', 'not', 'see', 'the', 'cat', '.']
    """

    _state: ClassVar[tuple[str, ...]] = (
        *("sentence", "model", "step", "speed", "chosen", "head", "truth"),
        *(cut for cut in CUTS if cut != "blade"),
    )
    _constants: ClassVar[dict[str, Any]] = {
        "LONGEST": LONGEST,
        "HEADS": HEADS,
        "LAYERS": 1,
        "SENTENCES": [[*pair] for pair in SENTENCES],
        "COSTS": {},
        "VERSES": 0,
        "OTHER": "",
        "WORLD": True,
    }
    _languages = ("English", "French")
    _file = "world_{}"

    sentence = sentence_of("English", str.split, LONGEST, SENTENCES[0][0])
    model = choice(MODELS, "attention")
    models = items(choice(MODELS, "fixed"), 1, len(MODELS), MODELS[:3], "a list of models")
    blade = choice(("zero",), "zero")
    truth = flag(default=False)

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_world() if name == "world" else pack_of_the_world(name)

    def _check(self) -> None:
        translations(self.sentence, "english", 1)

    def _written(self, longest: int, name: str = "") -> tuple[list[int], np.ndarray]:
        name = name or self.model
        cuts = {cut: getattr(self, cut) for cut in CUTS}
        cuts["backward"] |= name == "fixed"
        return translate(f"world_{name}", self.words(), longest, cuts)

    def words(self) -> list[str]:
        """Return the words of the sentence, as the grammar writes them."""
        return [min(token or ()) for token in read_sentence(self.sentence, "english")]

    def readouts(self) -> dict[str, float]:
        """Return what is shown; with ``truth`` how much is wrong, and the weight that is right.

        "wrong" is the number of words that the nearest right translation does not have,
        "on-source" the mean share of the weight of the others on the words they come from.
        """
        numbers = super().readouts()
        if not (numbers and self.truth):
            return numbers
        symbols, weights = self._written(self.step)
        written = [self._target()[s] for s in symbols if s != END]
        found = nearest(written, self.words())
        rows = self._rows(weights)
        shares = [
            rows[i, sorted(own)].sum() for i, own in enumerate(found) if own and rows.size
        ]
        mean = {"on-source": float(np.mean(shares))} if shares else {}
        return numbers | {"wrong": float(found.count(None))} | mean
