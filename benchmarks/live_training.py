"""The training that a page runs for its reader, once more in torch, over three seeds.

Two small models, one with attention and one with a fixed context, learn to write dates in ISO
8601, to reverse strings, or to translate short sentences of the small world into French. They
have about the same number of parameters, the same batches and the same number of steps. Numbers
are in double precision and come from NumPy's generator, as in the page, which therefore repeats
a run up to rounding.

    python benchmarks/live_training.py           # some minutes on one core
    python benchmarks/live_training.py --only sentences
    python benchmarks/live_training.py --quick   # a smoke test that records nothing
"""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import torch
from shared import command_line, learn, means, store
from torch import nn

from attention_course.data import Batch, pad
from attention_course.data.dates import DatePair, date_vocabularies, random_dates
from attention_course.data.tasks import REVERSED, StringPair, random_reversals
from attention_course.data.vocabulary import END, Vocabulary
from attention_course.data.world.sentences import (
    Sentence,
    part_vocabularies,
    random_sentences,
    right_translations,
)
from attention_course.measure import recorded
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, FixedContextSeq2Seq

SEEDS = (0, 1, 2)
SHARED = {"embedding": 16, "encoder": 12, "maxout": 16}
WIDER = {"embedding": 16, "encoder": 24, "maxout": 24}
SETTING: dict[str, Any] = {
    "models": {
        "attention": SHARED | {"decoder": 24, "alignment": 24},
        "fixed": SHARED | {"decoder": 28, "alignment": 0},
    },
    "steps": 250,
    "batch": 16,
    "lr": 1e-2,
    "slowest": 1,  # the share of the rate that is left at the last step, reached in a line
    "every": 25,
    "tested": 100,
    "longest": 12,
    "of": {
        "sentences": {
            "models": {
                "attention": WIDER | {"decoder": 40, "alignment": 24},
                "fixed": WIDER | {"decoder": 44, "alignment": 0},
            },
            "steps": 1250,
            "slowest": 0.02,
            "every": 50,
            "tested": 200,
            "longest": 16,
        }
    },
}


class Task(NamedTuple):
    """What is drawn, by ``draw(count, rng, held_out)``, and the symbols of both sides.

    Attributes:
        gap: what stands between two symbols.
        right: returns all that is right for a source; the drawn target alone unless given.
    """

    draw: Callable
    source: Vocabulary
    target: Vocabulary
    gap: str = ""
    right: Callable | None = None

    def symbols(self, text: str) -> list[str]:
        """Return the symbols of a text."""
        return text.split(self.gap) if self.gap else [*text]


TASKS = {
    "dates": Task(random_dates, *date_vocabularies()),
    "reversal": Task(random_reversals, Vocabulary(REVERSED), Vocabulary(REVERSED)),
    "sentences": Task(random_sentences, *part_vocabularies(), " ", right_translations),
}
Pairs = list[DatePair] | list[StringPair] | list[Sentence]


def setting_of(task: str) -> dict[str, Any]:
    """Return the setting of a task."""
    return SETTING | SETTING["of"].get(task, {})


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
    sizes = dict(setting_of(task)["models"][name])
    if name == "fixed":
        del sizes["alignment"]
    kind = {"attention": BahdanauSeq2Seq, "fixed": FixedContextSeq2Seq}[name]
    source, target = TASKS[task].source, TASKS[task].target
    model = kind(len(source), len(target), np.random.RandomState(0), **sizes).double()
    draw_parameters(model, seed)
    return model


def batch_of(pairs: Pairs, task: str = "dates") -> Batch:
    """Return pairs as numbers."""
    how = TASKS[task]
    sources = pad([how.source.encode(how.symbols(pair.source)) for pair in pairs])
    targets = pad([[*how.target.encode(how.symbols(pair.target)), END] for pair in pairs])
    return Batch(*sources, *targets)


def held_out(task: str = "dates") -> Pairs:
    """Return the pairs that both models are tested on."""
    return TASKS[task].draw(
        setting_of(task)["tested"], np.random.RandomState(5000), held_out=True
    )


def exact(model: nn.Module, pairs: Pairs, task: str = "dates") -> float:
    """Share of pairs that are written without any error."""
    how, longest = TASKS[task], setting_of(task)["longest"]
    sources = [how.source.encode(how.symbols(p.source)) for p in pairs]
    written = [how.gap.join(w) for w in translate(model, sources, how.target, longest)]
    right = [how.right(p.source) if how.right else [p.target] for p in pairs]
    return float(np.mean([w in all_of_it for w, all_of_it in zip(written, right, strict=True)]))


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
    lr, steps, slowest = (setting_of(task)[name] for name in ("lr", "steps", "slowest"))
    history, taken = learn(
        model,
        lambda rng: batch_of(TASKS[task].draw(setting["batch"], rng), task),
        sequence_loss,
        np.random.RandomState(1000 + seed),
        setting | {"lr": lambda step: lr * (1 - (1 - slowest) * (step / steps))},
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
    parser = command_line(__doc__)
    parser.add_argument("--only", choices=TASKS, help="one task; the others' runs are kept")
    arguments = parser.parse_args()
    seeds = SEEDS[:1] if arguments.quick else SEEDS
    tasks = [arguments.only] if arguments.only else [*TASKS]
    runs = [one for one in recorded("live_training")[0] if one["task"] not in tasks]
    for task, seed, name in product(tasks, seeds, SETTING["models"]):
        setting = setting_of(task) | ({"steps": 5} if arguments.quick else {})
        runs.append(run(name, setting, seed, task=task))
        print(runs[-1], flush=True)
    if not arguments.quick:
        store(__file__, runs, seeds=list(SEEDS), settings=SETTING)


if __name__ == "__main__":
    main()
