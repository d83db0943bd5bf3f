"""Copying and reversing through a window: global, local-m and local-p, over three seeds.

Same model but for its attention (local-p has its predictor more), same batches, same number
of steps; local-p's accuracy jumps about in training, so every model keeps the weights that were
best on validation strings and is tested on others. Once more with other window widths, for
local-p on the reversed strings.

    python benchmarks/local_windows.py          # 2 minutes on one core
    python benchmarks/local_windows.py --quick  # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.models import sequence_loss
from attention_course.models.experiments.copying import (
    KINDS,
    LONGEST,
    SHORTEST,
    LocalAttentionCopier,
    copy_batches,
    symbol_accuracy,
    teacher_forced,
)

SEEDS = (0, 1, 2)
SETTING = {"steps": 500, "every": 25, "lr": 5e-3, "batch": 64, "strings": 1000, "D": 2}
OTHER_D = (1, 4)
SHOWN = 12  # length of the string whose centres and weights are kept


def looked(model: LocalAttentionCopier, task: str) -> tuple[list | None, list]:
    """Return the centres and the weights on one string."""
    batches = copy_batches(task, np.random.RandomState(4), 1, 1)
    batch = batches.batch([SHOWN - SHORTEST])
    with torch.no_grad():
        _, weights, p = model.follow(torch.from_numpy(batch.source), *teacher_forced(batch))
    weights = weights[0, :SHOWN].numpy().astype(float).round(3).tolist()
    return None if p is None else p[0, :SHOWN].numpy().astype(float).round(2).tolist(), weights


def run(task: str, kind: str, D: int, seed: int, setting: dict) -> dict:
    """Train one model, and say how it went."""
    batches = copy_batches(
        task, np.random.RandomState(seed), setting["strings"], setting["batch"]
    )
    valid = copy_batches(task, np.random.RandomState(5000), 60, 1)
    model = LocalAttentionCopier(kind, D, np.random.RandomState(seed))
    accuracy, centres = [], []

    def validate(trained):
        accuracy.append(round(symbol_accuracy(trained, valid), 4))
        centres.append(looked(trained, task)[0])
        return 1 - accuracy[-1]

    validate(model)
    _, taken = learn(
        model,
        batches.draw,
        sequence_loss,
        np.random.RandomState(1000 + seed),
        setting,
        validate=validate,
        every=setting["every"],
        patience=setting["steps"],  # never reached; it brings the best weights back
    )
    fresh, by_length = copy_batches(task, np.random.RandomState(6000), 60, 1), {}
    for n in range(SHORTEST, LONGEST + 1):
        only = copy_batches(task, np.random.RandomState(6000), 60, 1)
        kept = [i for i, string in enumerate(only.sources) if len(string) == n]
        only.sources = [only.sources[i] for i in kept]
        only.targets = [only.targets[i] for i in kept]
        by_length[str(n)] = round(symbol_accuracy(model, only), 4)
    return {
        "task": task,
        "kind": kind,
        "D": D,
        "seed": seed,
        "parameters": taken["weights"],
        "first_losses": taken["first_losses"],
        "accuracy": accuracy,
        "best": round(symbol_accuracy(model, fresh), 4),
        "by_length": by_length,
        "centres": centres if kind == "local-p" and seed == 0 else [],
        "weights": looked(model, task)[1] if seed == 0 else [],
        "cpu_seconds": taken["cpu_seconds"],
    }


def main() -> None:
    """Read the command line, run everything, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 25} if quick else {})
    wanted = [(task, kind, SETTING["D"]) for task in ("reverse", "copy") for kind in KINDS]
    wanted += [("reverse", "local-p", D) for D in OTHER_D]
    runs = []
    for task, kind, D in wanted:
        for seed in SEEDS[: 1 if quick else None]:
            runs.append(run(task, kind, D, seed, setting))
            hidden = ("centres", "weights")
            print({k: v for k, v in runs[-1].items() if k not in hidden}, flush=True)
    if not quick:
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
