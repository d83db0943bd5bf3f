"""Compare score functions on the look-up task while the width d_k grows.

Britz et al. (2017) in miniature. Every method gets the same task, optimiser (Adam), number of
steps and grid of learning rates. The rate is chosen for each method and each width on two
seeds that are not used again, by the accuracy on fresh rows (ties by the loss there). What is
recorded is the accuracy on fresh rows, over five other seeds.

    python benchmarks/britz_replica.py          # about 8 minutes on one core
    python benchmarks/britz_replica.py --quick  # a smoke test that records nothing
"""

import time

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.models.experiments.lookup import (
    METHODS,
    LookupModel,
    lookup_accuracy,
    lookup_loss,
    lookup_tensors,
)

WIDTHS = (16, 64, 256, 1024)
RATES = (3e-4, 1e-3, 3e-3, 1e-2)
TUNING_SEEDS, SEEDS = (100, 101), (0, 1, 2, 3, 4)
STEPS = 400


def train_and_test(method: str, d_k: int, seed: int, lr: float, steps: int) -> tuple:
    """Train one model; return accuracy and minus the loss on rows that no training run sees."""
    rng = np.random.RandomState(seed)
    model = LookupModel(method, d_k, rng)
    learn(model, lookup_tensors, lookup_loss, rng, {"steps": steps, "lr": lr})
    with torch.no_grad():
        loss = lookup_loss(model, lookup_tensors(np.random.RandomState(20_000 + seed), 2000))
    return lookup_accuracy(model, np.random.RandomState(10_000 + seed)), -float(loss)


def compare(method: str, d_k: int, quick: bool) -> dict:
    """Choose the learning rate (by accuracy, ties by loss), then measure."""
    rates, tuning, seeds, steps = RATES, TUNING_SEEDS, SEEDS, STEPS
    if quick:
        rates, tuning, seeds, steps = RATES[1:2], TUNING_SEEDS[:1], SEEDS[:1], 3
    tuned = {
        lr: np.mean([train_and_test(method, d_k, s, lr, steps) for s in tuning], axis=0)
        for lr in rates
    }
    lr = max(tuned, key=lambda rate: tuple(tuned[rate]))
    accuracies = [train_and_test(method, d_k, s, lr, steps)[0] for s in seeds]
    return {
        "method": method,
        "d_k": d_k,
        "lr": lr,
        "tuning": {f"{rate:g}": [round(v, 4) for v in pair] for rate, pair in tuned.items()},
        "accuracy": [round(a, 4) for a in accuracies],
    }


def main() -> None:
    """Run the grid and record it."""
    quick = command_line(__doc__, quick="three steps").parse_args().quick
    started, rows = time.perf_counter(), []
    for d_k in WIDTHS[:1] if quick else WIDTHS:
        for method in METHODS:
            rows.append(compare(method, d_k, quick))
            print(rows[-1], flush=True)
    if not quick:
        store(
            __file__,
            {"steps": STEPS, "rates": list(RATES), "rows": rows},
            seeds=list(SEEDS),
            tuning_seeds=list(TUNING_SEEDS),
            seconds=round(time.perf_counter() - started),
        )


if __name__ == "__main__":
    main()
