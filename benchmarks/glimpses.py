"""A garment hidden in a picture, found by few glimpses or by a look at everything: three seeds.

Three models of the same parameters: one learns where to look by REINFORCE, one looks anywhere,
and one weighs all places softly. Each has the same batches, steps and rate. A run that is on
record already is not made again, so the script goes on where it was stopped.

    python benchmarks/glimpses.py          # three minutes on one core
    python benchmarks/glimpses.py --quick  # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, means, on_record, ship, store

from attention_course.data.asked import garments
from attention_course.models.experiments.glimpses import (
    GLIMPSERS,
    Glimpser,
    glimpse_loss,
    hidden_tensors,
    hide_garments,
)

SEEDS = (0, 1, 2)
RUNS = [(way, seed) for seed in SEEDS for way in GLIMPSERS]
SETTING = {"steps": 3000, "every": 200, "lr": 4e-3, "size": 128, "judged": 4000}


@torch.no_grad()
def judge(model: Glimpser, size: int) -> dict[str, object]:
    """Show garments that no training has seen; say how many are named, and were looked at."""
    pictures, names, places = hide_garments(
        np.random.RandomState(30_000), size, garments("test")
    )
    done = model.eval()(torch.from_numpy(pictures))
    found = done.looked.numpy() == places[:, None]
    return {
        "right": round(float((done.logits.argmax(-1).numpy() == names).mean()), 4),
        "looked at it": [round(float(x), 4) for x in found.mean(0)],
        "in any look": round(float(found.any(1).mean()), 4),
    }


def run(way: str, seed: int, setting: dict) -> tuple[dict, Glimpser]:
    """Train one model, and say how it went."""
    rng, clothes = np.random.RandomState(seed), garments()
    model, steps = Glimpser(way, rng), setting["steps"]
    falling = setting | {"lr": lambda step: setting["lr"] * min(1, 2 - 2 * (step - 1) / steps)}
    history, taken = learn(
        model,
        lambda rng: hidden_tensors(rng, setting["size"], clothes),
        glimpse_loss,
        rng,
        falling,
        device="cpu",
    )
    result = {"way": way, "seed": seed, **taken}
    result["losses"] = means(history.losses, setting["every"])
    return result | judge(model, setting["judged"]), model


def main() -> None:
    """Read the command line, run what is missing, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 4, "every": 2, "judged": 200} if quick else {})
    runs = [] if quick else on_record("glimpses", SETTING)
    made = {(run["way"], run["seed"]) for run in runs}
    for which in [w for w in (RUNS[: len(GLIMPSERS)] if quick else RUNS) if w not in made]:
        result, model = run(*which, setting)
        runs.append(result)
        print({k: v for k, v in result.items() if k != "losses"}, flush=True)
        if quick:
            continue
        if which == RUNS[0]:
            about = {"seed": which[1], "steps": setting["steps"], "right": result["right"]}
            ship("glimpser", model, __file__, **about)
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
