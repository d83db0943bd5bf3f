"""Two small models, one with attention, trained in the reader's browser."""

import json
from functools import cache
from importlib import resources
from typing import Any, ClassVar

import traitlets

from attention_course.data.world import for_the_page
from attention_course.data.world.sentences import (
    LENGTHS,
    part_of_the_world,
    part_vocabularies,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.compose import compose
from attention_course.widgets.kit.traits import text, whole

ROWS = 5  # of the recorded run that its table has
LONGEST = 80  # characters of a sentence of the reader's


@cache
def _record() -> dict[str, Any]:
    file = resources.files("attention_course") / "data" / "recorded" / "live_training.json"
    return json.loads(file.read_text(encoding="utf-8"))


SETTING: dict[str, Any] = _record()["provenance"]["settings"]
STEPS: int = SETTING["steps"]


@cache
def record_table() -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """Return head, rows and caption of the recorded runs, all seeds in each cell."""
    source, runs = _record()["provenance"], _record()["result"]
    every = SETTING["every"]
    head, columns = ["after steps"], []
    for model, name in (("attention", "attention"), ("fixed", "one fixed context")):
        for measure, label in (("losses", "loss"), ("exact", "exact sentences")):
            head.append(f"{name}: {label}")
            columns.append([run[measure] for run in runs if run["model"] == model])
    rows = [
        (str(step), *("  ".join(f"{run[step // every - 1]:.2f}" for run in c) for c in columns))
        for step in range(STEPS // ROWS, STEPS + 1, STEPS // ROWS)
    ]
    seeds = ", ".join(map(str, source["seeds"]))
    caption = (
        f"The same training in torch, recorded: in each cell seeds {seeds}. The loss is the "
        f"mean of the last {every} steps, in nats a word; exact sentences are the share of "
        f"{SETTING['tested']} held-out sentences without an error."
    )
    return tuple(head), rows, caption


@cache
def _packed() -> str:
    """Return the grammar of the sentences as one text: a notebook stores it on one line."""
    grammar = for_the_page(part_of_the_world())
    return json.dumps(grammar, separators=(",", ":"), ensure_ascii=False)


@cache
def training() -> dict[str, Any]:
    """Return what the browser needs to train: the worker's code, sizes, words, the record."""
    english, french = (words.symbols[3:] for words in part_vocabularies())
    head, rows, caption = record_table()
    return {
        "worker": compose("live_training/worker").replace(
            "export default serve;", "serve(self);"
        ),
        "setting": SETTING,
        "words": {
            "source": english,
            "target": french,
            "lengths": [*LENGTHS],
            "packed": _packed(),
        },
        "recorded": {"head": [*head], "rows": [[*r] for r in rows], "caption": caption},
    }


class LiveTraining(CourseWidget, folder="live_training"):
    """Two small models learn in the page, side by side, on the same batches.

    They translate short English sentences of the small world. Nothing is trained before the
    reader presses Play. Seed and step say all: the page computes what belongs to them.

    Args:
        seed: of the first parameters and of the batches, 0 to 999.
        step: how many training steps are taken, 0 to 1,250.
        sentence: English that is shown in place of a held-out sentence, at most 80 characters.
        key: names the widget in links; "live-training" unless given.

    >>> LiveTraining(seed=1)
    LiveTraining(seed=1, step=0, sentence='')
    """

    _state: ClassVar[tuple[str, ...]] = ("seed", "step", "sentence")

    seed = whole(0, 999, 0)
    step = whole(0, STEPS, 0)
    sentence = text(f"English text of at most {LONGEST} characters", 0, LONGEST, "")
    training = traitlets.Dict().tag(sync=True)

    @traitlets.default("training")
    def _given(self) -> dict[str, Any]:
        return training()

    @classmethod
    def fixed(cls) -> dict[str, Any]:
        """Return what every widget of the class stores alike."""
        return super().fixed() | {"training": training()}

    def _fallback(self) -> str:
        return table(*record_table())
