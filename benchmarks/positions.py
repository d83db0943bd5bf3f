"""Five kinds of position in one small language model: trained on 32 characters, tested on more.

Same text, same batches and same first weights of everything but the positions for all kinds;
three seeds.

    python benchmarks/positions.py           # about a CPU minute
    python benchmarks/positions.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.data.characters import CharacterText, character_text
from attention_course.layers.positions import KINDS
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel
from attention_course.training import warm_up

SEEDS, STEPS, LENGTH, LONG, PEAK, RISE = (0, 1, 2), 150, 32, 128, 5e-3, 40


def trained(text: CharacterText, kind: str, seed: int, steps: int = STEPS) -> LanguageModel:
    """Train one model on short pieces."""
    model = LanguageModel(len(text.symbols), np.random.RandomState(seed), positions=kind)
    learn(
        model,
        lambda rng: text.draw(rng, length=LENGTH + 1),
        next_symbol_loss,
        np.random.RandomState(1000 + seed),
        {"steps": steps, "lr": warm_up(PEAK, RISE)},
    )
    return model


@torch.no_grad()
def losses(model: LanguageModel, text: CharacterText) -> list[float]:
    """Return the loss on held-out pieces as long as in training, and four times as long."""
    pieces = (text.held_out(480, LENGTH), text.held_out(120, LONG))  # the same text
    return [round(float(next_symbol_loss(model, rows)), 4) for rows in pieces]


def main() -> None:
    """Train and record."""
    quick = command_line(__doc__).parse_args().quick
    text = character_text()
    result = {}
    for kind in KINDS:
        seeds, steps = (SEEDS[:1], 3) if quick else (SEEDS, STEPS)
        result[kind] = [losses(trained(text, kind, seed, steps), text) for seed in seeds]
        print(kind, result[kind], flush=True)
    if quick:
        return
    store(
        __file__,
        result,
        seeds=list(SEEDS),
        steps=STEPS,
        length=LENGTH,
        tested_on=LONG,
    )


if __name__ == "__main__":
    main()
