"""Guessing a covered letter with 1 to 16 heads of one width in all, over several seeds.

Every model has the same number of weights, except those that share keys and values. The same
words, the same number of steps; what differs is into how many heads the width is cut.

    python benchmarks/multi_head.py           # 4 minutes on one core
    python benchmarks/multi_head.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import DATA, command_line, curve, learn, store

from attention_course.data.covered_letters import (
    CoveredLetters,
    cover_every_letter,
    letter_words,
)
from attention_course.data.tensors import write_tensors
from attention_course.models.experiments.covered_letters import (
    CoveredLetterModel,
    covered_loss,
    loss_without,
)

SEEDS = (0, 1, 2)
# Heads, and how many of them have keys and values of their own.
DESIGNS = ((1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (8, 2), (8, 1))
SHIPPED = ((1, 1), (2, 2), (4, 4), (8, 8))
SETTING = {"steps": 1200, "lr": 5e-3, "more_steps": 400, "less_lr": 1e-3, "batch": 256}
CHECKPOINT = DATA / "checkpoints/heads/covered_letters.safetensors"


def learn_one(design: tuple[int, int], seed: int, setting: dict, train, watched) -> tuple:
    """Train one model; return it and what its training looked like."""
    model = CoveredLetterModel(design[0], np.random.RandomState(seed), design[1])
    batches, rng = CoveredLetters(train, setting["batch"]), np.random.RandomState(1000 + seed)

    def validate(trained):
        return loss_without(trained, watched)

    parts, validation, steps = [], [], 0
    for length, lr in (("steps", "lr"), ("more_steps", "less_lr")):
        part = {"steps": setting[length], "lr": setting[lr]}
        history, taken = learn(
            model, batches.draw, covered_loss, rng, part, validate=validate, every=100
        )
        parts.append(taken)
        validation += [[steps + step, value] for step, value in curve(history)]
        steps += len(history.losses)
    return model, {
        "heads": design[0],
        "kv_heads": design[1],
        "seed": seed,
        **parts[0],
        "cpu_seconds": round(sum(part["cpu_seconds"] for part in parts), 1),
        "validation": validation,
    }


def silence(model, batch) -> dict:
    """Measure what heads are worth: each silent, each left alone, one after the other."""
    heads = range(model.attention.n_heads)
    whole = loss_without(model, batch)
    gone: list[int] = []
    worth = []
    while len(gone) < len(heads):
        left = [h for h in heads if h not in gone]
        losses = {h: loss_without(model, batch, (*gone, h)) for h in left}
        gone.append(min(losses, key=losses.get))
        worth.append(round(losses[gone[-1]], 4))
    return {
        "whole": round(whole, 4),
        "without": [round(loss_without(model, batch, (h,)), 4) for h in heads],
        "only": [round(loss_without(model, batch, tuple(set(heads) - {h})), 4) for h in heads],
        "order": gone,
        "one_after_the_other": worth,
    }


@torch.no_grad()
def looks(model, batch, reach: int = 3) -> list[list[float]]:
    """Mean weight of every head on the letters around the cover, where the word has them."""
    _, weights = model(torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions))
    lengths = (batch.tokens != 0).sum(1)
    rows = []
    for off in range(-reach, reach + 1):
        place = batch.positions + off
        inside = (place >= 0) & (place < lengths)
        seen = weights[torch.from_numpy(np.flatnonzero(inside))]
        at = torch.from_numpy(place[inside])[:, None, None].expand(-1, seen.shape[1], 1)
        rows.append(seen.gather(2, at).mean(0)[:, 0].tolist())
    return [[round(rows[o][h], 4) for o in range(len(rows))] for h in range(len(rows[0]))]


@torch.no_grad()
def right(model, batch) -> float:
    """Share of covered letters that are guessed."""
    logits, _ = model(torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions))
    return float((logits.argmax(1).numpy() == batch.answers).mean())


def main() -> None:
    """Read the command line, run all seeds, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 20, "more_steps": 10} if quick else {})
    train, test = letter_words(np.random.RandomState(0))
    watched, tested = cover_every_letter(test[:300]), cover_every_letter(test)
    runs, arrays = [], {}
    for seed in SEEDS[:1] if quick else SEEDS:
        for design in DESIGNS:
            model, run = learn_one(design, seed, setting, train, watched)
            run |= {
                "loss": round(loss_without(model, tested), 4),
                "right": round(right(model, tested), 4),
                "looks": looks(model, watched),
                "silenced": silence(model, watched),
            }
            runs.append(run)
            print({k: v for k, v in run.items() if k != "validation"}, flush=True)
            if seed == 0 and design in SHIPPED and not quick:
                packed = model.arrays(np.float16)
                arrays |= {f"{design[0]}.{name}": array for name, array in packed.items()}
                write_tensors(CHECKPOINT, arrays, script="benchmarks/multi_head.py", seed="0")
    if quick:
        return
    store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
