"""Twelve blocks, normalised after the sums or before the parts, with a warm-up and without.

The first weights are Xavier's, as in Xiong et al. (2020). For each of three seeds and both
orders: the gradient of every block before the first step, then the losses of a training on
English verses, character by character, at the same largest rate.

    python benchmarks/deep_norm.py           # about five CPU minutes
    python benchmarks/deep_norm.py --quick   # a smoke test that records nothing
"""

import numpy as np
from shared import command_line, learn, means, store

from attention_course.data.characters import CharacterText, character_text
from attention_course.models.experiments.deep_stack import deep_stack
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel

SEEDS, DEPTH, WIDTH, STEPS, RISE, RATE, ROWS, LENGTH = (0, 1, 2), 12, 32, 400, 200, 1e-3, 12, 25
ORDERS = {"after": False, "before": True}


def gradients(model: LanguageModel, text: CharacterText) -> list[float]:
    """Return the norm of the gradient of each block's last matrix, before any step."""
    next_symbol_loss(model, text.held_out(100, LENGTH)).backward()
    ends = (block.get_parameter("feed_forward.W_2.weight") for block in model.blocks)
    norms = [float(end.grad.norm()) for end in ends if end.grad is not None]
    model.zero_grad()
    return [round(norm, 4) for norm in norms]


def run(text: CharacterText, order: str, rise: int, seed: int, steps: int = STEPS) -> dict:
    """Train one stack; return what is recorded of it."""
    rng = np.random.RandomState(seed)
    model = deep_stack(len(text.symbols), rng, ORDERS[order], DEPTH, WIDTH)
    at_start = gradients(model, text)
    history, took = learn(
        model,
        lambda rng: text.draw(rng, ROWS, LENGTH),
        next_symbol_loss,
        np.random.RandomState(1000 + seed),
        {"steps": steps, "lr": lambda step: RATE * min(1.0, step / max(1, rise))},
    )
    return took | {"gradients": at_start, "losses": means(history.losses, 10)}


def main() -> None:
    """Train and record."""
    quick = command_line(__doc__).parse_args().quick
    text = character_text()
    seeds, steps = (SEEDS[:1], 3) if quick else (SEEDS, STEPS)
    result: dict = {}
    for rise in (0, RISE):
        for order in ORDERS:
            runs = [run(text, order, rise, seed, steps) for seed in seeds]
            result.setdefault(order, {})["warm-up" if rise else "none"] = runs
            print(order, rise, [r["losses"][-1] for r in runs], flush=True)
    if quick:
        return
    store(
        __file__,
        result,
        seeds=list(SEEDS),
        depth=DEPTH,
        width=WIDTH,
        steps=STEPS,
        rise=RISE,
        rate=RATE,
        rows=ROWS,
        length=LENGTH,
    )


if __name__ == "__main__":
    main()
