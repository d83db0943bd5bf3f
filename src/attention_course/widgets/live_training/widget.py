"""Two small models, one with attention, trained in the reader's browser."""

import json
from functools import cache
from importlib import resources
from typing import Any, ClassVar

import traitlets

from attention_course.data.dates import date_formats, date_vocabularies
from attention_course.data.tasks import REVERSED, REVERSED_LENGTHS
from attention_course.data.world import for_the_page
from attention_course.data.world.sentences import (
    LENGTHS,
    part_of_the_world,
    part_vocabularies,
)
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.compose import compose
from attention_course.widgets.kit.traits import choice, text, whole

# and what is written in each
TASKS = {"dates": "dates", "reversal": "strings", "sentences": "sentences"}
LANGUAGES = ("en", "fr", "de", "es", "it")
ROWS = 5  # of the recorded run that its table has
LONGEST = 80  # characters of a sentence of the reader's


@cache
def _record() -> dict[str, Any]:
    file = resources.files("attention_course") / "data" / "recorded" / "live_training.json"
    return json.loads(file.read_text(encoding="utf-8"))


def setting_of(task: str) -> dict[str, Any]:
    """Return the recorded setting of a task."""
    settings: dict[str, Any] = _record()["provenance"]["settings"]
    return settings | settings["of"].get(task, {})


STEPS: int = max(setting_of(task)["steps"] for task in TASKS)


@cache
def record_table(task: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """Return head, rows and caption of a task's recorded runs, all seeds in each cell."""
    source = _record()["provenance"]
    runs = [run for run in _record()["result"] if run["task"] == task]
    many = TASKS[task]
    setting = setting_of(task)
    every, steps = setting["every"], setting["steps"]
    head, columns = ["after steps"], []
    for model, name in (("attention", "attention"), ("fixed", "one fixed context")):
        for measure, label in (("losses", "loss"), ("exact", f"exact {many}")):
            head.append(f"{name}: {label}")
            columns.append([run[measure] for run in runs if run["model"] == model])
    rows = [
        (str(step), *("  ".join(f"{run[step // every - 1]:.2f}" for run in c) for c in columns))
        for step in range(steps // ROWS, steps + 1, steps // ROWS)
    ]
    seeds = ", ".join(map(str, source["seeds"]))
    caption = (
        f"The same training in torch, recorded ({task}): in each cell seeds {seeds}. The loss "
        f"is the mean of the last {every} steps, in nats a symbol; exact {many} are the share "
        f"of {setting['tested']} held-out {many} without an error."
    )
    return tuple(head), rows, caption


@cache
def _packed() -> str:
    """Return the grammar of the sentences as one text: a notebook stores it on one line."""
    grammar = for_the_page(part_of_the_world())
    return json.dumps(grammar, separators=(",", ":"), ensure_ascii=False)


@cache
def training() -> dict[str, Any]:
    """Return what the browser needs to train: the worker's code, sizes, tasks, the record."""
    formats = date_formats()
    letters, digits = (vocabulary.symbols[3:] for vocabulary in date_vocabularies())
    english, french = (words.symbols[3:] for words in part_vocabularies())
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
            "sentences": {
                "source": english,
                "target": french,
                "lengths": [*LENGTHS],
                "packed": _packed(),
            },
        },
        "recorded": recorded,
    }


class LiveTraining(CourseWidget, folder="live_training"):
    """Two small models learn in the page, side by side, on the same batches.

    Nothing is trained before the reader presses Play. Task, seed and step say all: the page
    computes what belongs to them.

    Args:
        task: "dates" (in words, to be written in ISO 8601), "reversal" (of strings) or
            "sentences" (English ones of the small world, to be written in French).
        seed: of the first parameters and of the batches, 0 to 999.
        step: how many training steps are taken, 0 to 1,250; at most 250 unless sentences are
            learned.
        sentence: English that is shown in place of a held-out sentence, at most 80 characters.
        key: names the widget in links; "live-training" unless given.

    >>> LiveTraining(seed=1)
    LiveTraining(task='dates', seed=1, step=0, sentence='')
    """

    _state: ClassVar[tuple[str, ...]] = ("task", "seed", "step", "sentence")

    task = choice((*TASKS,), "dates")
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
        return "".join(table(*record_table(task)) for task in TASKS)
