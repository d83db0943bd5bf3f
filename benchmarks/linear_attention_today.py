"""Recurrences that overwrite and forget, and softmax that is held in check, on small tasks.

Recall, copying and text are those of ``attention_today.py``, with its stack, budget and
batches, so its "full" is beside these. Rewriting, the rare questions and the
two learning rates are new. A hybrid has two recurrent layers, and then one of softmax. Three
seeds.

    python benchmarks/linear_attention_today.py work --folder F    # what is not there yet
    python benchmarks/linear_attention_today.py record --folder F  # store what is there
    python benchmarks/linear_attention_today.py work --quick       # keeps nothing

Repeat ``work`` until it says that nothing is left: about 35 CPU minutes in all.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attention_today
import numpy as np
from shared import kept, learn, runs_of, store, work_or_record

from attention_course.data.lookup import N_DIGITS
from attention_course.models.experiments.attention_today import RULES, STEADY, TodayModel
from attention_course.models.experiments.linear_today import (
    IDLE_WORDS,
    WORDS,
    rewritten_batch,
    right_by_writing,
    seldom_batch,
    seldom_found,
    seldom_loss,
)
from attention_course.models.experiments.recall import recall_loss
from attention_course.training import warm_up

SEEDS, MINUTES, RISE, ROWS = (0, 1, 2), 5.0, 50, 16
EDGES = (1, 2, 3, 5, 99)  # how often a word has been written
# The two rates of "low" and "high" are for the same steps of the same task: text.
STEPS = {**attention_today.STEPS, "rewriting": 500, "seldom": 1000, "low": 200, "high": 200}
PEAKS = {**attention_today.PEAKS, "rewriting": 3e-3, "seldom": 3e-3, "low": 5e-3, "high": 5e-2}
LAYERS = {"seldom": 1}  # of the others two
STACKS = {"hybrid": ["gated delta", "gated delta", "full"]}  # the lowest first
# What tells most comes first, and is done for all seeds before the rest.
ORDER = (
    ("rewriting", ["full", "linear", "decay", "delta", "gated delta"]),
    ("seldom", ["plain", "output gate"]),
    ("low", ["plain", "qk-norm", "soft-cap"]),
    ("high", ["plain", "qk-norm", "soft-cap"]),
    ("recall", ["linear", "delta", "gated delta"]),
    ("copying", ["delta", "gated delta"]),
    ("text", ["delta", "gated delta"]),
    ("recall", ["hybrid"]),
    ("copying", ["hybrid"]),
    ("rewriting", ["hybrid"]),
    ("text", ["hybrid"]),
)


def setting(task: str, kind: str, seed: int) -> tuple[TodayModel, Callable, Callable]:
    """Return a new model, what draws its batches, and its loss."""
    kinds = STACKS.get(kind, [kind] * LAYERS.get(task, 2))
    rng = np.random.RandomState(seed)
    if task == "rewriting":
        model = TodayModel(kinds, [WORDS, N_DIGITS, WORDS], N_DIGITS, rng)
        return model, lambda rng: rewritten_batch(rng, ROWS), recall_loss
    if task == "seldom":
        tables = [IDLE_WORDS, N_DIGITS, IDLE_WORDS]
        model = TodayModel(kinds, tables, N_DIGITS, rng, "none")
        return model, lambda rng: seldom_batch(rng, ROWS), seldom_loss
    return attention_today.setting("text" if task in ("low", "high") else task, kinds, seed)


def measured(task: str, model: TodayModel, seed: int) -> list[float]:
    """Return what the page tells of a trained model, on fresh data."""
    rng = np.random.RandomState(2000 + seed)
    if task == "rewriting":
        found = right_by_writing(model, rng, EDGES)
    elif task == "seldom":
        found = seldom_found(model, rng)
    elif task in ("low", "high"):
        loss = attention_today.measured("text", model, seed)[0]
        found = [loss, max(float(block.attention.largest) for block in model.blocks)]
    else:
        return attention_today.measured(task, model, seed)
    return [round(x, 4) for x in found]


def run(task: str, kind: str, seed: int, steps: int | None = None) -> dict[str, Any]:
    """Train one model for one task."""
    model, draw, loss = setting(task, kind, seed)
    steps = STEPS[task] if steps is None else steps
    taken = {"steps": steps, "lr": warm_up(PEAKS[task], RISE)}
    history, took = learn(model, draw, loss, np.random.RandomState(1000 + seed), taken)
    last = float(np.mean(history.losses[-50:]))
    return {"seed": seed, "found": measured(task, model, seed), "last": round(last, 4), **took}


def record(folder: Path) -> None:
    """Store what is there."""
    found = kept(folder, runs_of(ORDER, SEEDS))
    store(
        __file__,
        {"edges": list(EDGES), "runs": found},
        "record",
        "linear_attention_today",
        seeds=list(SEEDS),
        steps=STEPS,
        peaks=PEAKS,
        rise=RISE,
        rows={**attention_today.ROWS, "rewriting": ROWS, "seldom": ROWS},
        layers=LAYERS,
        stacks=STACKS,
        rules={name: list(rule) for name, rule in RULES.items()},
        steady=STEADY,
    )


def main() -> None:
    """Work, or record."""
    every = runs_of(ORDER, SEEDS)
    work_or_record(__doc__, "linear_attention_today", MINUTES, every, run, record)


if __name__ == "__main__":
    main()
