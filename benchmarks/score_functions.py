"""Compare all score functions: the same two tasks, the same budget, several seeds.

Only the score changes. The learning rate is chosen for each score (and each width) from the
same rates, on a seed that is not used again.

    python benchmarks/score_functions.py lookup          # 3 minutes on one core
    python benchmarks/score_functions.py dates           # 3
    python benchmarks/score_functions.py dates --quick   # a smoke test that records nothing
"""

import json
import time
from pathlib import Path

import numpy as np
import torch
from shared import command_line, store

from attention_course.data import LengthBatches
from attention_course.data.dates import date_vocabularies, random_dates
from attention_course.layers.recurrent.score_table import SCORE_NAMES
from attention_course.models import sequence_loss, translate
from attention_course.models.experiments.lookup import (
    lookup_accuracy,
    lookup_loss,
    lookup_tensors,
)
from attention_course.models.experiments.score_comparison import (
    LookupWithScore,
    Seq2SeqWithScore,
)
from attention_course.training import fit

LOOKUP = {"widths": [16, 256], "rates": [1e-3, 3e-3, 1e-2, 3e-2], "steps": 400}
LOOKUP |= {"tuning_seeds": [100], "seeds": [0, 1, 2]}
DATES = {
    "scores": [name for name in SCORE_NAMES if name != "cosine, strength 1"],
    "sizes": {"embedding": 32, "encoder": 32, "decoder": 64, "maxout": 32},
    "pairs": 20_000,
    "rates": [3e-3, 1e-2],
    "steps": 150,
    "tuning_seeds": [100],
    "seeds": [0, 1, 2],
}
QUICK = {"widths": [16], "rates": [1e-2], "steps": 3, "tuning_seeds": [100], "seeds": [0]}


def learn_lookup(name: str, d: int, seed: int, lr: float, steps: int) -> tuple:
    """Train one look-up model; return it and its history."""
    rng = np.random.RandomState(seed)
    model = LookupWithScore(name, d, rng)
    budget = {"steps": steps, "lr": lr, "progress": False}
    return model, fit(model, lookup_tensors, lookup_loss, rng, **budget)


def test_lookup(model: LookupWithScore, seed: int) -> tuple[float, float]:
    """Return accuracy and minus the loss on rows that no training run sees."""
    with torch.no_grad():
        loss = lookup_loss(model, lookup_tensors(np.random.RandomState(20_000 + seed), 2000))
    return lookup_accuracy(model, np.random.RandomState(10_000 + seed)), -float(loss)


def learn_dates(name: str, seed: int, lr: float, setting: dict) -> tuple:
    """Train one translator of dates, tested on the way; return it and its history."""
    source, target = date_vocabularies()
    pairs = random_dates(setting["pairs"], np.random.RandomState(seed))
    batches = LengthBatches(
        [source.encode(p.source) for p in pairs], [target.encode(p.target) for p in pairs], 64
    )
    model = Seq2SeqWithScore(
        name, len(source), len(target), np.random.RandomState(seed), **setting["sizes"]
    )
    budget = {"steps": setting["steps"], "lr": lr, "progress": False, "every": 50}
    return model, fit(
        model,
        batches.draw,
        sequence_loss,
        np.random.RandomState(1000 + seed),
        validate=lambda trained: 1 - test_dates(trained, seed)[0],
        **budget,
    )


def test_dates(model: Seq2SeqWithScore, seed: int) -> tuple[float, float]:
    """Return the share of held-out dates without an error, and minus the loss on them."""
    source, target = date_vocabularies()
    pairs = random_dates(500, np.random.RandomState(5000 + seed), held_out=True)
    sources = [source.encode(p.source) for p in pairs]
    written = translate(model, sources, target, 12)
    right = ["".join(w) == p.target for w, p in zip(written, pairs, strict=True)]
    draw = LengthBatches(sources, [target.encode(p.target) for p in pairs], 64).draw
    with torch.no_grad():
        loss = sequence_loss(model, draw(np.random.RandomState(0)))
    return float(np.mean(right)), -float(loss)


def compare(label: dict, learn, test, setting: dict) -> dict:
    """Choose the rate (by the share of right answers, ties by the loss), then measure."""
    tuned = {
        lr: np.mean([test(learn(s, lr)[0], s) for s in setting["tuning_seeds"]], axis=0)
        for lr in setting["rates"]
    }
    lr = max(tuned, key=lambda rate: tuple(tuned[rate]))
    row = label | {"lr": lr, "accuracy": [], "first_losses": [], "cpu_seconds": []}
    row["tuning"] = {f"{r:g}": [round(float(x), 4) for x in v] for r, v in tuned.items()}
    for seed in setting["seeds"]:
        started = time.process_time()
        model, history = learn(seed, lr)
        row["cpu_seconds"].append(round(time.process_time() - started, 2))
        row["accuracy"].append(round(test(model, seed)[0], 4))
        row["first_losses"].append([round(loss, 6) for loss in history.losses[:3]])
        curve = [[step, round(1 - error, 4)] for step, error in history.validation]
        row.setdefault("curves", []).append(curve)
    row["weights"] = sum(p.numel() for p in model.attention.parameters())
    print(row, flush=True)
    return row


def run_lookup(setting: dict) -> list[dict]:
    """Every score at every width."""
    rows = []
    for d in setting["widths"]:
        for name in SCORE_NAMES:

            def learn(seed, lr, name=name, d=d):
                return learn_lookup(name, d, seed, lr, setting["steps"])

            rows.append(compare({"score": name, "d": d}, learn, test_lookup, setting))
    return rows


def run_dates(setting: dict, kept: Path | None = None) -> list[dict]:
    """Every score inside the translator of dates; what ``kept`` holds is not done again."""
    rows = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else []
    done = {row["score"] for row in rows}
    for name in (name for name in setting["scores"] if name not in done):

        def learn(seed, lr, name=name):
            return learn_dates(name, seed, lr, setting)

        rows.append(compare({"score": name}, learn, test_dates, setting))
        if kept:
            kept.write_text(json.dumps(rows), encoding="utf-8")
    return rows


def main() -> None:
    """Read the command line, run, record."""
    parser = command_line(__doc__, ["lookup", "dates"])
    parser.add_argument("--kept", type=Path, help="a file for finished rows (dates only)")
    arguments = parser.parse_args()
    setting = LOOKUP if arguments.task == "lookup" else DATES
    if arguments.quick:
        setting = setting | QUICK
    if arguments.task == "lookup":
        rows = run_lookup(setting)
    else:
        rows = run_dates(setting, None if arguments.quick else arguments.kept)
    if not arguments.quick:
        store(__file__, rows, arguments.task, seeds=setting["seeds"], settings=setting)


if __name__ == "__main__":
    main()
