"""What the large models of today change in attention, on three small tasks, one budget for all.

A stack of two layers, four heads, 64 wide. Its attention is full, shared (one key and value for
all heads), latent, a window below or above a full layer, two windows, or sparse. All get the
same first vectors, batches, steps and learning rates; three seeds.

    python benchmarks/attention_today.py work --folder F      # what is not there yet, 5 minutes
    python benchmarks/attention_today.py record --folder F    # store what is there
    python benchmarks/attention_today.py work --quick         # a smoke test that keeps nothing

Repeat ``work`` until it says that nothing is left: about 25 CPU minutes in all.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared import kept, learn, runs_of, store, work_or_record

from attention_course.data.characters import CharacterText, character_text
from attention_course.data.lookup import N_DIGITS
from attention_course.models.experiments.attention_today import (
    CHOSEN,
    LATENT,
    SIZE,
    SYMBOLS,
    TURNED,
    WIDTH,
    WORDS,
    TodayModel,
    copied_right,
    copy_loss,
    copy_rows,
)
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.experiments.recall import (
    recall_by_distance,
    recall_loss,
    recall_tensors,
)
from attention_course.training import warm_up

SEEDS, MINUTES, RISE = (0, 1, 2), 5.0, 50
EDGES, LENGTH, ROWS = (0, 16, 32, 64, 128), 128, {"recall": 8, "copying": 16, "text": 8}
STEPS = {"recall": 800, "copying": 1000, "text": 500}
PEAKS = {"recall": 3e-3, "copying": 3e-3, "text": 5e-3}
# Name: the attention of each layer, the lowest first.
MODELS = {
    "full": ["full", "full"],
    "shared": ["shared", "shared"],
    "latent": ["latent", "latent"],
    "window, full": ["window", "full"],
    "full, window": ["full", "window"],
    "windows": ["window", "window"],
    "sparse": ["sparse", "sparse"],
}
# What each task is for; what tells most comes first, and is done for all seeds before the rest.
ORDER = (
    ("copying", ["full", "latent", "window, full", "full, window"]),
    ("recall", ["window, full", "full", "sparse"]),
    ("text", ["window, full", "full", "latent", "sparse"]),
    ("copying", ["shared", "sparse"]),
    ("recall", ["latent", "full, window", "shared"]),
    ("text", ["shared", "windows"]),
)


def by_place(model: TodayModel, text: CharacterText) -> list[float]:
    """Return nats a character on held-out pieces: mean, and of the last quarter."""
    rows = torch.from_numpy(text.held_out(120, LENGTH + 1))
    with torch.no_grad():
        losses = torch.nn.functional.cross_entropy(
            model(rows[:, :-1]).transpose(1, 2), rows[:, 1:], reduction="none"
        )
    return [float(losses.mean()), float(losses[:, -LENGTH // 4 :].mean())]


def setting(task: str, kinds: list[str], seed: int) -> tuple[TodayModel, Callable, Callable]:
    """Return a new model, what draws its batches, and its loss."""
    rng, rows = np.random.RandomState(seed), ROWS[task]
    if task == "recall":
        # No positions: the task is about content alone.
        model = TodayModel(kinds, [WORDS, N_DIGITS, WORDS], N_DIGITS, rng, "none")
        return model, lambda rng: recall_tensors(rng, rows, WORDS), recall_loss
    if task == "copying":
        model = TodayModel(kinds, [SYMBOLS + 1], SYMBOLS + 1, rng)
        return model, lambda rng: copy_rows(rng, rows), copy_loss
    text = character_text()
    model = TodayModel(kinds, [len(text.symbols)], len(text.symbols), rng)
    return model, lambda rng: text.draw(rng, rows, LENGTH + 1), next_symbol_loss


def measured(task: str, model: TodayModel, seed: int) -> list[float]:
    """Return shares of right answers, by distance for the recall; for the text, losses."""
    rng = np.random.RandomState(2000 + seed)
    if task == "recall":
        found = recall_by_distance(model, rng, EDGES, 128, WORDS)
    elif task == "copying":
        found = [copied_right(model, rng)]
    else:
        found = by_place(model, character_text())
    return [round(x, 4) for x in found]


def run(task: str, name: str, seed: int, steps: int | None = None) -> dict[str, Any]:
    """Train one model for one task."""
    model, draw, loss = setting(task, MODELS[name], seed)
    steps = STEPS[task] if steps is None else steps
    taken = {"steps": steps, "lr": warm_up(PEAKS[task], RISE)}
    history, took = learn(model, draw, loss, np.random.RandomState(1000 + seed), taken)
    last = float(np.mean(history.losses[-50:]))
    return {"seed": seed, "found": measured(task, model, seed), "last": round(last, 4), **took}


def record(folder: Path) -> None:
    """Store what is there: a chapter shows each run of a model that has not all its seeds."""
    found = kept(folder, runs_of(ORDER, SEEDS))
    store(
        __file__,
        {"edges": list(EDGES), "runs": found},
        "record",
        "attention_today",
        seeds=list(SEEDS),
        steps=STEPS,
        peaks=PEAKS,
        rise=RISE,
        rows=ROWS,
        length=LENGTH,
        models=MODELS,
        sizes=[WIDTH, SIZE, CHOSEN, LATENT, TURNED],
    )


def main() -> None:
    """Work, or record."""
    work_or_record(__doc__, "attention_today", MINUTES, runs_of(ORDER, SEEDS), run, record)


if __name__ == "__main__":
    main()
