"""Captions for drawn scenes: soft, spread, hard and no attention, three seeds each.

All have the same network, first weights, pictures and number of steps. Beside the captions'
accuracy the script measures where each model looks, what happens when its eye is turned, and,
on the way, how noisy the estimate of hard attention's gradient is.

    python benchmarks/captioning.py          # 12 minutes on one core
    python benchmarks/captioning.py --quick  # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import DATA, command_line, learn, means, store

from attention_course.data.scenes import WORDS, draw_scenes
from attention_course.data.tensors import write_tensors
from attention_course.models.experiments.captioning import (
    ENTROPY,
    REWARD,
    SOFT_SHARE,
    SPREAD,
    Captioner,
    caption_loss,
    look_elsewhere,
    rewards_of,
    scene_tensors,
    share_on_named,
    tensors_of,
)
from attention_course.models.translators.trained import state_arrays

SEEDS = (0, 1, 2)
SETTING = {
    "steps": 2500,
    "every": 250,
    "lr": 3e-3,
    "scenes": 1000,
    "draws": 24,
    "noise_every": 1000,
    "spread": SPREAD,
    "reward": REWARD,
    "entropy": ENTROPY,
    "soft_share": SOFT_SHARE,
}
MEASURED = ("soft", "spread", "hard", "even")
KEPT = ("soft", "hard")  # whose weights of seed 0 ship with the course


def gradient_noise(model: Captioner, draws: int) -> dict[str, float]:
    """Compare estimates of the gradient by the scorer's weights, over draws of one batch.

    The batch stays the same, the choices are drawn anew: the variance is that of chance
    alone. "plain" takes no baseline, "moving" the mean reward of the draws, "to go" gives a
    choice the reward of its own word and the later ones, less their mean.
    """
    batch = scene_tensors(np.random.RandomState(777))
    model.train()
    kept, model.chance = model.chance, np.random.RandomState(778)
    weights = [*model.W_h.parameters(), *model.W_a.parameters(), *model.v.parameters()]
    with torch.no_grad():
        b = float(rewards_of(model(*batch), batch[1])[0].sum(1).mean())
    estimates: dict[str, list[np.ndarray]] = {"plain": [], "moving": [], "to go": []}
    for _ in range(draws):
        gained, taken, _ = rewards_of(model(*batch), batch[1])
        gained = gained.detach()
        later = gained.flip(1).cumsum(1).flip(1)
        factors = {
            "plain": gained.sum(1, keepdim=True),
            "moving": gained.sum(1, keepdim=True) - b,
            "to go": later - later.mean(0),
        }
        for name, factor in factors.items():
            target = (factor * taken).sum(1).mean()
            parts = torch.autograd.grad(target, weights, retain_graph=True)
            estimates[name].append(torch.cat([p.flatten() for p in parts]).double().numpy())
    model.chance = kept
    model.eval()
    found = {}
    for name, rows in estimates.items():
        together = np.array(rows)
        variance = together.var(0, ddof=1).sum()
        found[name] = float(f"{variance:.4g}")
        signal = (together.mean(0) ** 2).sum() - variance / draws
        found[f"{name}, signal"] = float(f"{signal:.4g}")
    return found


@torch.no_grad()
def judge(model: Captioner, size: int) -> dict[str, object]:
    """Let the model write, on scenes of known and of held-out combinations."""
    found: dict[str, object] = {}
    for name, held_out in (("known", False), ("held out", True)):
        scenes = draw_scenes(np.random.RandomState(20_000), size, held_out)
        pictures, captions = tensors_of(scenes)
        done = model(pictures)
        right = (done.logs.argmax(-1) == captions).numpy()
        shares = share_on_named(done.weights.numpy().astype(float), scenes.cells)
        free, turned = look_elsewhere(model, scenes)
        found[name] = {
            "captions": round(float(right.all(1).mean()), 4),
            "words": right.mean(0).round(4).tolist(),
            "shares": {key: np.round(value, 4).tolist() for key, value in shares.items()},
            "free": free.round(4).tolist(),
            "turned": turned.round(4).tolist(),
            "largest": done.weights.double().amax(-1).mean(0).numpy().round(4).tolist(),
        }
    return found


def run(way: str, seed: int, setting: dict) -> tuple[dict, Captioner]:
    """Train one model, and say how it went."""
    rng = np.random.RandomState(seed)
    model = Captioner(way, rng)
    accuracy, noise = [], []
    pictures, captions = scene_tensors(np.random.RandomState(10_000 + seed), 500)

    def validate(trained):
        accuracy.append(
            round(
                float((trained(pictures).logs.argmax(-1) == captions).all(1).float().mean()), 4
            )
        )
        step = setting["every"] * (len(accuracy) - 1)
        if way == "hard" and step % setting["noise_every"] == 0:
            with torch.enable_grad():
                noise.append([step, gradient_noise(trained, setting["draws"])])
        return 1 - accuracy[-1]

    model.eval()
    with torch.no_grad():
        validate(model)
    every = setting["every"]
    history, taken = learn(
        model, scene_tensors, caption_loss, rng, setting, validate=validate, every=every
    )
    result = taken | {"way": way, "seed": seed, "accuracy": accuracy, "noise": noise}
    result["losses"] = means(history.losses, every)
    return result | judge(model, setting["scenes"]), model


def main() -> None:
    """Read the command line, run everything, record."""
    quick = command_line(__doc__).parse_args().quick
    less = {"steps": 4, "every": 2, "scenes": 20, "draws": 2, "noise_every": 2}
    setting = SETTING | (less if quick else {})
    runs = []
    order = [(way, seed) for seed in SEEDS for way in MEASURED]
    for way, seed in [pair for pair in order if not quick or pair[1] == 0]:
        result, model = run(way, seed, setting)
        runs.append(result)
        print(way, seed, result["cpu_seconds"], result["accuracy"], flush=True)
        if quick:
            continue
        if seed == 0 and way in KEPT:
            write_tensors(
                DATA / f"checkpoints/captioner_{way}.safetensors",
                state_arrays(model),
                script="benchmarks/captioning.py",
                seed=str(seed),
                steps=str(setting["steps"]),
                cpu_seconds=str(result["cpu_seconds"]),
            )
        store(__file__, runs, seeds=list(SEEDS), settings=setting, words=WORDS.symbols)


if __name__ == "__main__":
    main()
