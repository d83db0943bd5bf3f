"""The same small translator with a right, an off-by-one and no causal mask, three seeds each.

Everything but the mask is the same: first weights, batches, steps. Twice each: with the true
symbol before every step (teacher forcing), which is what training and validation losses see,
and free running, which is what the model is for.

    python benchmarks/leaking_mask.py           # 3 minutes on one core
    python benchmarks/leaking_mask.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.data import LengthBatches
from attention_course.data.batches import Batch
from attention_course.data.dates import date_vocabularies, random_dates
from attention_course.data.vocabulary import START
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.attention_only import AttentionOnlySeq2Seq

SEEDS = (0, 1, 2)
MASKS = {"causal": 0, "one too many": 1, "none": 48}  # ahead
SETTING = {"pairs": 20_000, "steps": 800, "batch": 64, "lr": 4e-3, "width": 64, "n_heads": 4}


@torch.no_grad()
def forced(model: AttentionOnlySeq2Seq, batch: Batch) -> tuple[float, float]:
    """Loss, and the share of targets right in every symbol, fed the truth before each."""
    target = torch.from_numpy(batch.target)
    fed = torch.cat([torch.full((len(target), 1), START), target[:, :-1]], 1)
    lengths = torch.from_numpy(batch.source_lengths)
    best = model(torch.from_numpy(batch.source), lengths, fed).argmax(-1)
    right = ((best == target) | (target == 0)).all(1)
    return float(sequence_loss(model, batch)), float(right.float().mean())


def run(name: str, seed: int, setting: dict, measure: bool = True) -> dict:
    """Train one model and test it both ways on dates of days never trained on."""
    letters, digits = date_vocabularies()
    train = random_dates(setting["pairs"], np.random.RandomState(seed))
    test = random_dates(300, np.random.RandomState(5000), held_out=True)
    train_pairs, test_pairs = (
        ([letters.encode(p.source) for p in part], [digits.encode(p.target) for p in part])
        for part in (train, test)
    )
    batches = LengthBatches(*train_pairs, setting["batch"])
    held_out = LengthBatches(*test_pairs, len(test)).batch(range(len(test)))
    sizes = {key: setting[key] for key in ("width", "n_heads")}
    rng = np.random.RandomState(seed)
    model = AttentionOnlySeq2Seq(len(letters), len(digits), rng, ahead=MASKS[name], **sizes)
    curve = []

    def both_ways(trained: AttentionOnlySeq2Seq) -> float:
        loss, right = forced(trained, held_out)
        written = translate(trained, test_pairs[0], digits, 12)
        free = np.mean(["".join(w) == p.target for w, p in zip(written, test, strict=True)])
        curve.append([round(loss, 5), round(right, 4), round(float(free), 4)])
        return loss

    rng = np.random.RandomState(1000 + seed)
    validate = both_ways if measure else None
    _, taken = learn(
        model, batches.draw, sequence_loss, rng, setting, validate=validate, every=100
    )
    return taken | {"mask": name, "seed": seed, "curve": curve}


def main() -> None:
    """Read the command line, run all, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 100} if quick else {})
    runs = []
    for seed in SEEDS[:1] if quick else SEEDS:
        for name in MASKS:
            runs.append(run(name, seed, setting))
            print(runs[-1], flush=True)
    if not quick:
        store(
            __file__,
            runs,
            seeds=list(SEEDS),
            settings=SETTING,
            curve="loss, share right with the truth fed in, share right free running",
        )


if __name__ == "__main__":
    main()
