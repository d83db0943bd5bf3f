"""The training that a page runs for its reader, once more in torch, over three seeds.

Two small models, one with attention and one with a fixed context, learn to write dates in ISO
8601, or to reverse strings. They have about the same number of parameters (1 % more for the
latter), the same batches and the same number of steps. Numbers are in double precision and come
from NumPy's generator, as in the page, which therefore repeats a run up to rounding.

    python benchmarks/live_training.py           # a minute on one core
    python benchmarks/live_training.py --quick   # a smoke test that records nothing
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import torch
from shared import command_line, learn, means, store
from torch import nn

from attention_course.data import Batch, pad
from attention_course.data.dates import DatePair, date_vocabularies, random_dates
from attention_course.data.tasks import REVERSED, StringPair, random_reversals
from attention_course.data.vocabulary import END, Vocabulary
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, FixedContextSeq2Seq

SEEDS = (0, 1, 2)
SHARED = {"embedding": 16, "encoder": 12, "maxout": 16}
SETTING = {
    "models": {
        "attention": SHARED | {"decoder": 24, "alignment": 24},
        "fixed": SHARED | {"decoder": 28, "alignment": 0},
    },
    "steps": 250,
    "batch": 16,
    "lr": 1e-2,
    "every": 25,
    "tested": 100,
}


class Task(NamedTuple):
    """What is drawn, by ``draw(count, rng, held_out)``, and the symbols of both sides."""

    draw: Callable
    source: Vocabulary
    target: Vocabulary


TASKS = {
    "dates": Task(random_dates, *date_vocabularies()),
    "reversal": Task(random_reversals, Vocabulary(REVERSED), Vocabulary(REVERSED)),
}
Pairs = list[DatePair] | list[StringPair]


def draw_parameters(model: nn.Module, seed: int) -> None:
    """Replace the first parameters by draws that any language can repeat."""
    rng = np.random.RandomState(seed)
    with torch.no_grad():
        for one in model.parameters():
            if one.ndim == 1:
                one.zero_()
            else:
                draws = rng.standard_normal(tuple(one.shape)) / np.sqrt(one.shape[1])
                one.copy_(torch.from_numpy(draws))


def build(name: str, seed: int, task: str = "dates") -> nn.Module:
    """Return a model of a task in double precision."""
    sizes = dict(SETTING["models"][name])
    if name == "fixed":
        del sizes["alignment"]
    kind = {"attention": BahdanauSeq2Seq, "fixed": FixedContextSeq2Seq}[name]
    _, source, target = TASKS[task]
    model = kind(len(source), len(target), np.random.RandomState(0), **sizes).double()
    draw_parameters(model, seed)
    return model


def batch_of(pairs: Pairs, task: str = "dates") -> Batch:
    """Return pairs as numbers."""
    _, source, target = TASKS[task]
    sources = pad([source.encode(pair.source) for pair in pairs])
    targets = pad([[*target.encode(pair.target), END] for pair in pairs])
    return Batch(*sources, *targets)


def held_out(task: str = "dates") -> Pairs:
    """Return the pairs that both models are tested on."""
    return TASKS[task].draw(SETTING["tested"], np.random.RandomState(5000), held_out=True)


def exact(model: nn.Module, pairs: Pairs, task: str = "dates") -> float:
    """Share of pairs that are written without any error."""
    _, source, target = TASKS[task]
    written = translate(model, [source.encode(p.source) for p in pairs], target, 12)
    return float(np.mean(["".join(w) == p.target for w, p in zip(written, pairs, strict=True)]))


def run(
    name: str,
    setting: dict,
    seed: int,
    measure: bool = True,
    losses: list | None = None,
    task: str = "dates",
) -> dict:
    """Train one model, and look at the held-out pairs as often as the page does.

    Every loss goes to ``losses``, if there is a list.
    """
    model, pairs = build(name, seed, task), held_out(task)
    history, taken = learn(
        model,
        lambda rng: batch_of(TASKS[task].draw(setting["batch"], rng), task),
        sequence_loss,
        np.random.RandomState(1000 + seed),
        setting,
        validate=(lambda trained: exact(trained, pairs, task)) if measure else None,
        every=setting["every"],
    )
    if losses is not None:
        losses += history.losses
    return (
        {"task": task, "model": name, "seed": seed}
        | taken
        | {
            "losses": means(history.losses, setting["every"]),
            "exact": [share for _, share in history.validation],
        }
    )


def main() -> None:
    """Read the command line, run all seeds, record."""
    arguments = command_line(__doc__).parse_args()
    setting = SETTING | ({"steps": 5} if arguments.quick else {})
    seeds = SEEDS[:1] if arguments.quick else SEEDS
    runs = []
    for task, seed, name in product(TASKS, seeds, setting["models"]):
        runs.append(run(name, setting, seed, task=task))
        print(runs[-1], flush=True)
    if not arguments.quick:
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
