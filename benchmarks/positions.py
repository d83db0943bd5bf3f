"""Five kinds of position in one small language model: trained on 32 characters, tested on 128.

Same text, same batches and same first weights of everything but the positions for all kinds;
three seeds. The loss is kept by place in the text, early in training and at its end: what is
learned about positions shows only after a few hundred steps.

    python benchmarks/positions.py           # about five CPU minutes
    python benchmarks/positions.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, store
from torch import nn

from attention_course.data.characters import CharacterText, character_text
from attention_course.layers.positions import KINDS
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel
from attention_course.training import warm_up

SEEDS, MARKS, LENGTH, LONG, ROWS, PEAK, RISE = (0, 1, 2), (150, 900), 32, 128, 16, 5e-3, 40
PLACES = 8  # characters whose losses are averaged


@torch.no_grad()
def by_place(model: nn.Module, text: CharacterText) -> list[float]:
    """Return the loss on long held-out pieces, by place in the piece."""
    losses = [
        nn.functional.cross_entropy(
            model(rows[:, :-1]).transpose(1, 2), rows[:, 1:], reduction="none"
        )
        for rows in torch.from_numpy(text.held_out(120, LONG + 1)).split(40)
    ]
    mean = torch.cat(losses).mean(0).reshape(-1, PLACES).mean(1)
    return [round(float(value), 4) for value in mean]


def trained(text: CharacterText, kind: str, seed: int, steps: int) -> dict:
    """Train one model on short pieces; return what is recorded of it."""
    model = LanguageModel(len(text.symbols), np.random.RandomState(seed), positions=kind)
    found: dict[int, list[float]] = {}

    def validate(model: nn.Module) -> float:
        taken = 50 * (len(seen) + 1)
        seen.append(taken)
        if taken in MARKS:
            found[taken] = by_place(model, text)
        return 0.0

    seen: list[int] = []
    _, took = learn(
        model,
        lambda rng: text.draw(rng, ROWS, LENGTH + 1),
        next_symbol_loss,
        np.random.RandomState(1000 + seed),
        {"steps": steps, "lr": warm_up(PEAK, RISE)},
        validate=validate,
        every=50,
    )
    return took | {"by_place": {str(mark): losses for mark, losses in found.items()}}


def main() -> None:
    """Train and record."""
    quick = command_line(__doc__).parse_args().quick
    text = character_text()
    result = {}
    for kind in KINDS:
        seeds, steps = (SEEDS[:1], 3) if quick else (SEEDS, MARKS[-1])
        result[kind] = [trained(text, kind, seed, steps) for seed in seeds]
        print(kind, result[kind], flush=True)
    if quick:
        return
    store(
        __file__,
        result,
        seeds=list(SEEDS),
        steps=list(MARKS),
        rows=ROWS,
        length=LENGTH,
        tested_on=LONG,
        places=PLACES,
        peak=PEAK,
        rise=RISE,
    )


if __name__ == "__main__":
    main()
