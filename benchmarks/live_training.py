"""The training that a page runs for its reader, once more in torch, over three seeds.

Two small models, one with attention and one with a fixed context, learn to translate short
sentences of the small world into French. They have about the same number of parameters, the
same batches and the same number of steps. Numbers are in double precision and come from NumPy's
generator, as in the page, which therefore repeats a run up to rounding.

    python benchmarks/live_training.py           # some minutes on one core
    python benchmarks/live_training.py --quick   # a smoke test that records nothing
"""

from itertools import product
from typing import Any

import numpy as np
import torch
from shared import command_line, learn, means, store
from torch import nn

from attention_course.data import Batch, pad
from attention_course.data.vocabulary import END
from attention_course.data.world.sentences import (
    Sentence,
    part_vocabularies,
    random_sentences,
    right_translations,
)
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, FixedContextSeq2Seq

SEEDS = (0, 1, 2)
SHARED = {"embedding": 16, "encoder": 24, "maxout": 24}
SETTING: dict[str, Any] = {
    "models": {
        "attention": SHARED | {"decoder": 40, "alignment": 24},
        "fixed": SHARED | {"decoder": 44, "alignment": 0},
    },
    "steps": 1250,
    "batch": 16,
    "lr": 1e-2,
    "slowest": 0.02,  # the share of the rate that is left at the last step, reached in a line
    "every": 50,
    "tested": 200,
    "longest": 16,
}
ENGLISH, FRENCH = part_vocabularies()


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


def build(name: str, seed: int) -> nn.Module:
    """Return a model in double precision."""
    sizes = dict(SETTING["models"][name])
    if name == "fixed":
        del sizes["alignment"]
    kind = {"attention": BahdanauSeq2Seq, "fixed": FixedContextSeq2Seq}[name]
    model = kind(len(ENGLISH), len(FRENCH), np.random.RandomState(0), **sizes).double()
    draw_parameters(model, seed)
    return model


def batch_of(pairs: list[Sentence]) -> Batch:
    """Return pairs as numbers."""
    sources = pad([ENGLISH.encode(pair.source.split()) for pair in pairs])
    targets = pad([[*FRENCH.encode(pair.target.split()), END] for pair in pairs])
    return Batch(*sources, *targets)


def held_out() -> list[Sentence]:
    """Return the pairs that both models are tested on."""
    return random_sentences(SETTING["tested"], np.random.RandomState(5000), held_out=True)


def exact(model: nn.Module, pairs: list[Sentence]) -> float:
    """Share of sentences that are translated without any error."""
    sources = [ENGLISH.encode(pair.source.split()) for pair in pairs]
    written = translate(model, sources, FRENCH, SETTING["longest"])
    both = zip(written, pairs, strict=True)
    return float(np.mean([" ".join(w) in right_translations(p.source) for w, p in both]))


def run(
    name: str,
    setting: dict,
    seed: int,
    measure: bool = True,
    losses: list | None = None,
) -> dict:
    """Train one model, and look at the held-out pairs as often as the page does.

    Every loss goes to ``losses``, if there is a list.
    """
    model, pairs = build(name, seed), held_out()
    lr, steps, slowest = (SETTING[name] for name in ("lr", "steps", "slowest"))
    history, taken = learn(
        model,
        lambda rng: batch_of(random_sentences(setting["batch"], rng)),
        sequence_loss,
        np.random.RandomState(1000 + seed),
        setting | {"lr": lambda step: lr * (1 - (1 - slowest) * (step / steps))},
        validate=(lambda trained: exact(trained, pairs)) if measure else None,
        every=setting["every"],
    )
    if losses is not None:
        losses += history.losses
    return (
        {"model": name, "seed": seed}
        | taken
        | {
            "losses": means(history.losses, setting["every"]),
            "exact": [share for _, share in history.validation],
        }
    )


def main() -> None:
    """Read the command line, run all seeds, record."""
    arguments = command_line(__doc__).parse_args()
    seeds = SEEDS[:1] if arguments.quick else SEEDS
    setting = SETTING | ({"steps": 5} if arguments.quick else {})
    runs = []
    for seed, name in product(seeds, SETTING["models"]):
        runs.append(run(name, setting, seed))
        print(runs[-1], flush=True)
    if not arguments.quick:
        store(__file__, runs, seeds=list(SEEDS), settings=SETTING)


if __name__ == "__main__":
    main()
