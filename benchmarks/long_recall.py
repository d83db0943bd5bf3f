"""Quality beside cost: recall over a distance with full, windowed, block and linear attention.

Each kind gets the better of two learning rates, chosen on a seed of its own, and three seeds.

    python benchmarks/long_recall.py           # about ten CPU minutes
    python benchmarks/long_recall.py --quick   # a smoke test that records nothing
"""

from typing import Any

import numpy as np
from shared import command_line, learn, store

from attention_course.models.experiments.recall import (
    BLOCK,
    WIDTH,
    RecallModel,
    recall_by_distance,
    recall_loss,
    recall_tensors,
)

SEEDS, TUNING_SEED, RATES, STEPS, BATCH = (0, 1, 2), 10, (1.5e-3, 3e-3), 1200, 8
N, D, EDGES = 128, 64, (0, 16, 32, 64, 128)
# Name: the attention of each layer, and the width of the model.
MODELS: dict[str, tuple[list[str], int]] = {
    "full": (["full"], D),
    "window": (["window"], D),
    "two windows": (["window", "window"], D),
    "blocks": (["blocks"], D),
    "linear": (["linear"], D),
    "linear, half the width": (["linear"], D // 2),
    "linear, twice the width": (["linear"], 2 * D),
    "window and linear": (["window", "linear"], D),
    "window and full": (["window", "full"], D),
}


def run(name: str, seed: int, lr: float, steps: int = STEPS) -> dict[str, Any]:
    """Train one model; return how often it was right, by distance."""
    kinds, d = MODELS[name]
    model = RecallModel(kinds, np.random.RandomState(seed), N, d)
    _, took = learn(
        model,
        lambda rng: recall_tensors(rng, BATCH, N),
        recall_loss,
        np.random.RandomState(1000 + seed),
        {"steps": steps, "lr": lr},
    )
    right = recall_by_distance(model, np.random.RandomState(2000 + seed), EDGES, 256, N)
    return {"seed": seed, "right": [round(x, 4) for x in right], **took}


def main() -> None:
    """Choose a rate for each model, train its seeds, and record."""
    quick = command_line(__doc__).parse_args().quick
    rows = {}
    for name in MODELS:
        if quick:
            print(name, run(name, 0, RATES[0], steps=2)["right"])
            continue
        tuning = {str(lr): float(np.mean(run(name, TUNING_SEED, lr)["right"])) for lr in RATES}
        lr = max(RATES, key=lambda lr: tuning[str(lr)])
        rows[name] = {
            "kinds": MODELS[name][0],
            "d": MODELS[name][1],
            "lr": lr,
            "tuning": tuning,
            "runs": [run(name, seed, lr) for seed in SEEDS],
        }
        print(name, lr, [r["right"] for r in rows[name]["runs"]], flush=True)
    if quick:
        return
    store(
        __file__,
        {"edges": list(EDGES), "models": rows},
        seeds=list(SEEDS),
        tuning_seed=TUNING_SEED,
        rates=list(RATES),
        steps=STEPS,
        batch=BATCH,
        n=N,
        window=WIDTH,
        block=BLOCK,
    )


if __name__ == "__main__":
    main()
