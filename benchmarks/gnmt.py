"""GNMT's wiring at 2, 4, 6 and 8 layers a side, 4 and 8 also with residual connections.

Dates in five languages to ISO 8601, three seeds. At one depth the two models have the same
weights to learn and the same first values; one adds each layer's input to its output from the
third layer on. Two layers have no third one, so there is nothing to add. The second task trains
the deepest plain stack at two more learning rates, so that the rate is not to blame.

    python benchmarks/gnmt.py depth   # 5 minutes on one core
    python benchmarks/gnmt.py rates   # 2
    python benchmarks/gnmt.py depth --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, curve, learn, means, store

from attention_course.data import LengthBatches
from attention_course.data.dates import DatePair, date_vocabularies, random_dates
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.gnmt import GNMT

SEEDS = (0, 1, 2)
BASE = {"width": 48, "pairs": 20_000, "steps": 300, "batch": 64, "lr": 3e-3}
PLANS = {
    "depth": [
        *({"depth": depth, "residual": False} for depth in (2, 4, 6, 8)),
        *({"depth": depth, "residual": True} for depth in (4, 8)),
    ],
    "rates": [{"depth": 8, "residual": False, "lr": lr} for lr in (1e-3, 1e-2)],
}


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
    history, taken = learn(
        model,
        batches.draw,
        sequence_loss,
        np.random.RandomState(1000 + seed),
        setting,
        validate=(lambda trained: 1 - exact(trained, test)) if measure else None,
        every=100,
    )
    return taken | {
        "depth": setting["depth"],
        "residual": setting["residual"],
        "lr": setting["lr"],
        "seed": seed,
        "losses": means(history.losses, 50),
        "validation": curve(history),
    }


def main() -> None:
    """Read the command line, run all seeds, record."""
    arguments = command_line(__doc__, PLANS).parse_args()
    base = BASE | ({"steps": 50} if arguments.quick else {})
    runs = []
    for seed in SEEDS[:1] if arguments.quick else SEEDS:
        for plan in PLANS[arguments.task]:
            runs.append(run(base | plan, seed))
            print(runs[-1], flush=True)
    if not arguments.quick:
        store(__file__, runs, arguments.task, seeds=list(SEEDS), settings=BASE)


if __name__ == "__main__":
    main()
