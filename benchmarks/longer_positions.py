"""Rotary positions on texts four times as long as in training: four ways, before and after.

The chapter's model with rotary positions, trained on 32 characters, three seeds. Then its
clocks are slowed in each way, and it reads 128 characters: as it is, and after 100 further
steps on pieces of that length, which plain rotary positions get as well.

    python benchmarks/longer_positions.py           # about three CPU minutes
    python benchmarks/longer_positions.py --quick   # a smoke test that records nothing
"""

import copy

import numpy as np
import torch
from positions import LENGTH, LONG, MARKS, PEAK, PLACES, RISE, ROWS, SEEDS, by_place
from shared import command_line, learn, store

from attention_course.data.characters import CharacterText, character_text
from attention_course.models.experiments.longer_positions import WAYS, slow_down
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel
from attention_course.training import warm_up

MORE, RATE = 100, 1e-3  # further steps, on long pieces


def trained(text: CharacterText, seed: int, steps: int) -> tuple[LanguageModel, dict]:
    """Train the model of ``benchmarks/positions.py`` with rotary positions."""
    model = LanguageModel(len(text.symbols), np.random.RandomState(seed), positions="rotary")
    _, took = learn(
        model,
        lambda rng: text.draw(rng, ROWS, LENGTH + 1),
        next_symbol_loss,
        np.random.RandomState(1000 + seed),
        {"steps": steps, "lr": warm_up(PEAK, RISE)},
    )
    return model, took


def read_longer(
    model: LanguageModel, text: CharacterText, way: str, seed: int, steps: int
) -> dict:
    """Slow a copy of the model down; return its losses before and after further steps."""
    model = copy.deepcopy(model)
    slow_down(model, way, LONG / LENGTH, LENGTH)
    before = by_place(model, text)
    _, took = learn(
        model,
        lambda rng: text.draw(rng, ROWS, LONG + 1),
        next_symbol_loss,
        np.random.RandomState(2000 + seed),
        {"steps": steps, "lr": RATE},
    )
    return {"before": before, "after": by_place(model, text), "took": took}


def main() -> None:
    """Train, slow down, read, train on, and record."""
    quick = command_line(__doc__).parse_args().quick
    text = character_text()
    seeds, steps, more = (SEEDS[:1], 3, 2) if quick else (SEEDS, MARKS[-1], MORE)
    runs = []
    for seed in seeds:
        model, took = trained(text, seed, steps)
        ways = {way: read_longer(model, text, way, seed, more) for way in WAYS}
        runs.append({"seed": seed, "trained": took, "ways": ways})
        print(seed, took, ways, flush=True)
    if quick:
        return
    store(
        __file__,
        runs,
        seeds=list(SEEDS),
        steps=MARKS[-1],
        more=MORE,
        rate=RATE,
        rows=ROWS,
        length=LENGTH,
        tested_on=LONG,
        places=PLACES,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
