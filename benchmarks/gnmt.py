"""GNMT's wiring at 2, 4, 6 and 8 layers a side, 4 and 8 also with residual connections.

Dates in five languages to ISO 8601, three seeds. At one depth the two models have the same
weights to learn and the same first values; one adds each layer's input to its output from the
third layer on. Two layers have no third one, so there is nothing to add. The second task trains
the deepest plain stack at two more learning rates, so that the rate is not to blame.

    python benchmarks/gnmt.py depth   # 5 minutes on one core
    python benchmarks/gnmt.py rates   # 2
    python benchmarks/gnmt.py depth --quick   # a smoke test that records nothing
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from attention_course.data import LengthBatches
from attention_course.data.dates import DatePair, date_vocabularies, random_dates
from attention_course.measure import record
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.gnmt import GNMT
from attention_course.training import fit

SEEDS = (0, 1, 2)
BASE = {"width": 48, "pairs": 20_000, "steps": 300, "batch": 64, "lr": 3e-3}
PLANS = {
    "depth": [
        *({"depth": depth, "residual": False} for depth in (2, 4, 6, 8)),
        *({"depth": depth, "residual": True} for depth in (4, 8)),
    ],
    "rates": [{"depth": 8, "residual": False, "lr": lr} for lr in (1e-3, 1e-2)],
}
DATA = Path(__file__).parents[1] / "src/attention_course/data/recorded"


def exact(model: torch.nn.Module, pairs: list[DatePair]) -> float:
    """Share of dates that are written without any error."""
    source, target = date_vocabularies()
    written = translate(model, [source.encode(pair.source) for pair in pairs], target, 12)
    return float(np.mean(["".join(w) == p.target for w, p in zip(written, pairs, strict=True)]))


def run(setting: dict, seed: int, measure: bool = True) -> dict:
    """Train one model and, if asked to, test it on held-out days while it trains."""
    source, target = date_vocabularies()
    train = random_dates(setting["pairs"], np.random.RandomState(seed))
    test = random_dates(300, np.random.RandomState(5000), held_out=True)
    batches = LengthBatches(
        [source.encode(pair.source) for pair in train],
        [target.encode(pair.target) for pair in train],
        setting["batch"],
    )
    model = GNMT(
        len(source),
        len(target),
        np.random.RandomState(seed),
        setting["depth"],
        setting["width"],
        setting["residual"],
    )
    started = time.process_time()
    history = fit(
        model,
        batches.draw,
        sequence_loss,
        np.random.RandomState(1000 + seed),
        steps=setting["steps"],
        lr=setting["lr"],
        validate=(lambda trained: 1 - exact(trained, test)) if measure else None,
        every=100,
        progress=False,
    )
    return {
        "depth": setting["depth"],
        "residual": setting["residual"],
        "lr": setting["lr"],
        "seed": seed,
        "weights": sum(p.numel() for p in model.parameters()),
        "cpu_seconds": round(time.process_time() - started, 1),
        "first_losses": [round(loss, 6) for loss in history.losses[:3]],
        "losses": [
            round(float(np.mean(history.losses[i : i + 50])), 4)
            for i in range(0, len(history.losses), 50)
        ],
        "validation": [[step, round(value, 4)] for step, value in history.validation],
    }


def main() -> None:
    """Read the command line, run all seeds, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=[*PLANS])
    parser.add_argument("--quick", action="store_true", help="a few steps, nothing recorded")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    base = BASE | ({"steps": 50} if arguments.quick else {})
    runs = []
    for seed in SEEDS[:1] if arguments.quick else SEEDS:
        for plan in PLANS[arguments.task]:
            runs.append(run(base | plan, seed))
            print(runs[-1], flush=True)
    if not arguments.quick:
        record(
            DATA / f"gnmt_{arguments.task}.json",
            runs,
            script=f"benchmarks/gnmt.py {arguments.task}",
            seeds=list(SEEDS),
            settings=BASE,
        )


if __name__ == "__main__":
    main()
