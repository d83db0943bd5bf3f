"""Two small models, one with attention, trained in the reader's browser."""

import json
from functools import cache
from importlib import resources
from typing import Any, ClassVar

import traitlets

from attention_course.data.dates import date_formats, date_vocabularies
from attention_course.data.tasks import REVERSED, REVERSED_LENGTHS
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.compose import compose
from attention_course.widgets.kit.traits import choice, whole

TASKS = {"dates": "dates", "reversal": "strings"}  # and what is written in each
LANGUAGES = ("en", "fr", "de", "es", "it")
SHOWN = (50, 100, 150, 200, 250)  # steps of the recorded run that its table has


@cache
def _record() -> dict[str, Any]:
    file = resources.files("attention_course") / "data" / "recorded" / "live_training.json"
    return json.loads(file.read_text(encoding="utf-8"))


STEPS: int = _record()["provenance"]["settings"]["steps"]


@cache
def record_table(task: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """Return head, rows and caption of a task's recorded runs, all seeds in each cell."""
    source = _record()["provenance"]
    runs = [run for run in _record()["result"] if run["task"] == task]
    many = TASKS[task]
    every = source["settings"]["every"]
    head, columns = ["after steps"], []
    for model, name in (("attention", "attention"), ("fixed", "one fixed context")):
        for measure, label in (("losses", "loss"), ("exact", f"exact {many}")):
            head.append(f"{name}: {label}")
            columns.append([run[measure] for run in runs if run["model"] == model])
    rows = [
        (str(step), *("  ".join(f"{run[step // every - 1]:.2f}" for run in c) for c in columns))
        for step in SHOWN
    ]
    seeds = ", ".join(map(str, source["seeds"]))
    tested = source["settings"]["tested"]
    caption = (
        f"The same training in torch, recorded ({task}): in each cell seeds {seeds}. The loss "
        f"is the mean of the last {every} steps, in nats a symbol; exact {many} are the share "
        f"of {tested} held-out {many} without an error."
    )
    return tuple(head), rows, caption


@cache
def training() -> dict[str, Any]:
    """Return what the browser needs to train: the worker's code, sizes, tasks, the record."""
    formats = date_formats()
    letters, digits = (vocabulary.symbols[3:] for vocabulary in date_vocabularies())
    languages = [formats[code] for code in LANGUAGES]  # a notebook would sort a dictionary
    recorded = {}
    for task in TASKS:
        head, rows, caption = record_table(task)
        recorded[task] = {"head": [*head], "rows": [[*r] for r in rows], "caption": caption}
    return {
        "worker": compose("live_training/worker").replace(
            "export default serve;", "serve(self);"
        ),
        "setting": _record()["provenance"]["settings"],
        "tasks": {
            "dates": {"source": letters, "target": digits, "languages": languages},
            "reversal": {
                "source": [*REVERSED],
                "target": [*REVERSED],
                "lengths": [*REVERSED_LENGTHS],
            },
        },
        "recorded": recorded,
    }


class LiveTraining(CourseWidget, folder="live_training"):
    """Two small models learn in the page, side by side, on the same batches.

    Nothing is trained before the reader presses Play. Task, seed and step say all: the page
    computes what belongs to them.

    Args:
        task: "dates" (in words, to be written in ISO 8601) or "reversal" (of strings).
        seed: of the first parameters and of the batches, 0 to 999.
        step: how many training steps are taken, 0 to 250.
        key: names the widget in links; "live-training" unless given.

    >>> LiveTraining(seed=1)
    LiveTraining(task='dates', seed=1, step=0)
    """

    _state: ClassVar[tuple[str, ...]] = ("task", "seed", "step")

    task = choice((*TASKS,), "dates")
    seed = whole(0, 999, 0)
    step = whole(0, STEPS, 0)
    training = traitlets.Dict().tag(sync=True)

    @traitlets.default("training")
    def _given(self) -> dict[str, Any]:
        return training()

    @classmethod
    def fixed(cls) -> dict[str, Any]:
        """Return what every widget of the class stores alike."""
        return super().fixed() | {"training": training()}

    def _fallback(self) -> str:
        return "".join(table(*record_table(task)) for task in TASKS)
