"""A language model grows part by part: guess what the next part is worth, then see."""

from typing import Any, ClassVar

import traitlets

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import items, number, whole

LOWEST, HIGHEST, MOST = 3.5, 6.0, 20.0  # of the slider, and of a guess that is typed
# Name, what is done to get there, and what the model then is: as in models.experiments.growing.
_FIELDS = (
    "name",
    "act",
    "look",
    "heads",
    "feed_forward",
    "blocks",
    "positions",
    "residual",
    "norm",
)
_ROWS: tuple[tuple[str, str, str, int, bool, int, bool, bool, bool], ...] = (
    ("one word", "start", "nothing", 1, False, 1, False, True, True),
    ("two matrices", "add two matrices", "itself", 1, False, 1, False, True, True),
    ("mean of the past", "take the mean of the past, and add positions",
     "mean", 1, False, 1, True, True, True),
    ("itself and the mean", "give the last word a head of its own, and take the positions out",
     "itself and mean", 2, False, 1, False, True, True),
    ("four fixed places", "add a head for each of the two words before",
     "four places", 4, False, 1, False, True, True),
    ("one head", "let one head compute its weights instead, with positions",
     "weights", 1, False, 1, True, True, True),
    ("four heads", "split it into four heads", "weights", 4, False, 1, True, True, True),
    ("feed-forward", "add a feed-forward part", "weights", 4, True, 1, True, True, True),
    ("second block", "add a second block", "weights", 4, True, 2, True, True, True),
    ("no positions", "take the positions out", "weights", 4, True, 2, False, True, True),
    ("no normalisation", "take the normalisations out instead",
     "weights", 4, True, 2, True, True, False),
    ("no residual", "take the residuals out instead", "weights", 4, True, 2, True, False, True),
)  # fmt: skip
STAGES = tuple(dict(zip(_FIELDS, row, strict=True)) for row in _ROWS)
WHOLE = 8  # what the last three lack something of


class Grow(CourseWidget, folder="grow"):
    """Twelve models, each with a part more or less, and what was recorded of each.

    Args:
        losses: for each of the twelve models the loss of each run, in nats a word.
        samples: for each of them some text that it wrote.
        prompt: what the texts begin with.
        stage: the last model that is shown, 0 to 11.
        guess: the reader's guess of the next loss, 0 to 20.
        guesses: those made before, one for each model but the first; 0 where none was made.
        key: names the widget in links; "grow" unless given.

    Raises:
        ValueError: if a value is outside its range, or a model has no run or no text.

    >>> Grow(losses=[[4.9, 4.8]] + 11 * [[4.5, 4.6]], samples=12 * ["of him"], stage=1)
    Grow(stage=1, guess=5.0, guesses=[])
    """

    _state: ClassVar[tuple[str, ...]] = ("stage", "guess", "guesses")
    _constants: ClassVar[dict[str, Any]] = {
        "STAGES": [*STAGES],
        "WHOLE": WHOLE,
    }

    losses = traitlets.List([[0.0] for _ in STAGES]).tag(sync=True)
    samples = traitlets.List([""] * len(STAGES)).tag(sync=True)
    prompt = traitlets.Unicode("").tag(sync=True)
    stage = whole(0, len(STAGES) - 1, 0)
    guess = number(0.0, MOST, 5.0, slider=(LOWEST, HIGHEST))
    guesses = items(
        number(0.0, MOST, 0.0),
        0,
        len(STAGES) - 1,
        [],
        f"at most {len(STAGES) - 1} numbers from 0 to {MOST:g}",
    )

    @traitlets.validate("losses")
    def _some_runs_each(self, proposal: Any) -> Any:
        rows = proposal["value"]
        if len(rows) != len(STAGES) or not all(rows):
            raise ValueError(
                f"Grow: losses must be one or more for each of {len(STAGES)} models, "
                f"got {[len(row) for row in rows]}"
            )
        return [[float(loss) for loss in row] for row in rows]

    @traitlets.validate("samples")
    def _one_text_each(self, proposal: Any) -> Any:
        if len(proposal["value"]) != len(STAGES):
            raise ValueError(
                f"Grow: samples must be {len(STAGES)} texts, got {len(proposal['value'])}"
            )
        return proposal["value"]
