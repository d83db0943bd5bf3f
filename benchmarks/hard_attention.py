"""Seven ways to train one decision, on the same task with the same budget, over four seeds.

The task is the dictionary look-up of 16 words; every method has the same model, first weights,
batches, steps and learning rate, and is tested in the same way (the heaviest position is
taken). On the way the gradient by the scores is measured against the exact one.

    python benchmarks/hard_attention.py          # 1 minute on one core
    python benchmarks/hard_attention.py --quick  # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.models.experiments.hard_lookup import (
    METHODS,
    HardLookup,
    hard_accuracy,
    hard_loss,
)
from attention_course.models.experiments.lookup import lookup_tensors
from attention_course.reference.recurrent.gumbel import gumbel_noise, straight_through_gradient
from attention_course.reference.recurrent.hard import (
    best_baseline,
    expected_reward_gradient,
    reinforce_variance,
)

SEEDS = (0, 1, 2, 3)
SETTING = {"steps": 600, "every": 30, "lr": 3e-3, "d_k": 16, "rows": 200, "draws": 40}
MEASURED = ("baseline", "plain", "straight-through")


@torch.no_grad()
def gradient_noise(model: HardLookup, setting: dict) -> dict[str, float]:
    """Compare estimates of the gradient by the scores with the exact one, over some rows.

    All are means over the rows of squared lengths: of the exact gradient, of REINFORCE's
    deviations (exactly, from its formula), and of the straight-through estimate's deviations
    (from draws), split into bias and variance.
    """
    batch = lookup_tensors(np.random.RandomState(777), setting["rows"])
    q, k, v, wanted = (part.numpy().astype(float) for part in model.parts(batch))
    read_out, wanted = model.read_out.numpy().astype(float), wanted.astype(int)
    rows = np.arange(len(wanted))
    scores = (q @ k.swapaxes(1, 2))[:, 0] / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    logits = v @ read_out
    logs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    rewards = logs[rows, :, wanted]
    exact = expected_reward_gradient(scores, rewards)
    moving = float((weights * rewards).sum(1).mean())  # what a moving average settles at
    best = best_baseline(weights, rewards)

    noise = gumbel_noise((setting["draws"], *scores.shape), np.random.RandomState(778))
    choices = (scores + noise).argmax(-1)
    # d ln p / d context, at the chosen value; then its product with every value.
    up = read_out.T[wanted] - np.exp(logs[rows, choices]) @ read_out.T
    slopes = np.einsum("ndv,dkv->ndk", up, v)
    estimates = straight_through_gradient(scores, noise, 1.0, slopes)
    spread = estimates.var(0, ddof=1).sum(-1).mean()
    off = ((estimates.mean(0) - exact) ** 2).sum(-1).mean() - spread / setting["draws"]
    found = {
        "signal": (exact**2).sum(-1).mean(),
        "plain": reinforce_variance(weights, rewards).mean(),
        "moving": reinforce_variance(weights, rewards, moving).mean(),
        "best": np.mean(
            [
                reinforce_variance(w, r, b)
                for w, r, b in zip(weights, rewards, best, strict=True)
            ]
        ),
        "straight-through": spread,
        "straight-through bias": max(off, 0.0),
    }
    return {name: float(f"{value:.5g}") for name, value in found.items()}


def run(method: str, seed: int, setting: dict) -> dict:
    """Train one model, and say how it went."""
    rng = np.random.RandomState(seed)
    model = HardLookup(method, setting["d_k"], rng)
    noise, accuracy = [], []

    def validate(trained):
        accuracy.append(round(hard_accuracy(trained, np.random.RandomState(10_000 + seed)), 4))
        if method in MEASURED:
            noise.append(gradient_noise(trained, setting))
        return 1 - accuracy[-1]

    validate(model)
    every = setting["every"]
    _, taken = learn(
        model, lookup_tensors, hard_loss, rng, setting, validate=validate, every=every
    )
    return taken | {"method": method, "seed": seed, "accuracy": accuracy, "noise": noise}


def main() -> None:
    """Read the command line, run everything, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 30} if quick else {})
    runs = []
    for method in METHODS:
        for seed in SEEDS[: 1 if quick else None]:
            runs.append(run(method, seed, setting))
            print({k: v for k, v in runs[-1].items() if k != "noise"}, flush=True)
    if not quick:
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
