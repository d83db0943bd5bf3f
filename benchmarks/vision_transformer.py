"""A Vision Transformer and a convolutional network, from few pictures and from more.

Both have as many parameters, the same batches, steps and rate. Three seeds of each; a second
Vision Transformer has sinusoidal positions, a third one none. A finer one, of which the first
seed ships with the course, is also cut: patches are covered that a map ranks highest, tokens
dropped after the first layer, heads silenced. A run that is on record with these settings is
not repeated, so the script goes on where it was stopped.

    python benchmarks/vision_transformer.py           # 6 minutes on one core
    python benchmarks/vision_transformer.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, learn, means, on_record, ship, store

from attention_course.data.images import load_images
from attention_course.models.experiments.convolutional_networks import (
    answers_covered,
    cost_of_covered_pixels,
    patches_of,
)
from attention_course.models.experiments.vision_transformer import (
    FINE,
    ImageBatches,
    SmallConvNet,
    VisionTransformer,
    image_accuracy,
    image_loss,
    without_head,
)
from attention_course.reference import attention_rollout
from attention_course.training import warm_up

SEEDS = (0, 1, 2)
SIZES = (200, 1000, 4000)
SETTING = {"steps": 400, "fine_steps": 1200, "lr": 2e-3, "warm_up": 100, "batch": 50}
MODELS = {
    "learned": lambda rng: VisionTransformer(rng),
    "convolutions": SmallConvNet,
    "sinusoidal": lambda rng: VisionTransformer(rng, positions="sinusoidal"),
    "none": lambda rng: VisionTransformer(rng, positions="none"),
    "fine": lambda rng: VisionTransformer(rng, *FINE),
}
# What is trained: model, pictures, seed.
RUNS = [
    *((name, size, seed) for seed in SEEDS for size in SIZES for name in [*MODELS][:2]),
    *((name, SIZES[-1], seed) for seed in SEEDS for name in ("sinusoidal", "none")),
]
FINE_RUNS = [("fine", SIZES[-1], seed) for seed in SEEDS]
COVERED = 300  # pictures
KEPT = (49, 25, 10, 5, 0)
RANKS = {
    "most": lambda seen, drawn: seen,
    "random": lambda seen, drawn: drawn,
    "least": lambda seen, drawn: -seen,
}


@torch.no_grad()
def kept_right(model: VisionTransformer) -> dict[str, list[float]]:
    """Say how many pictures are named rightly if only so many patches leave the first layer."""
    pixels, truth = map(torch.from_numpy, load_images("test"))
    tokens, rng, found = model.tokens(pixels), np.random.RandomState(0), {}
    first = model.cls.expand(len(tokens), 1, -1)
    x, _, weights = model.blocks[0](torch.cat([first, model.E(tokens)], dim=1) + model.P)
    seen = weights.mean(1)[:, 0, 1:]
    for name, rank in RANKS.items():
        found[name] = []
        for k in KEPT:
            drawn = torch.from_numpy(rng.random_sample(seen.shape))
            top = rank(seen, drawn).topk(k).indices
            kept = torch.nn.functional.pad(top + 1, (1, 0))[..., None]
            y = x.gather(1, kept.expand(-1, -1, x.shape[-1]))
            for block in model.blocks[1:]:
                y, _, _ = block(y)
            answers = model.out(model.end(y[:, 0])).argmax(1)
            found[name].append(round(float((answers == truth).double().mean()), 4))
    return found


def covered_changes(model: VisionTransformer, size: int) -> dict[str, dict[str, float]]:
    """Say whether maps find the patch that costs most, and what covering five does."""
    pixels = torch.from_numpy(load_images("test", size).pixels)
    cost = cost_of_covered_pixels(model, pixels)
    with torch.no_grad():
        A = torch.stack(model(pixels)[1], 1).double().numpy()
    A /= A.sum(-1, keepdims=True)
    maps = {
        "last layer": torch.from_numpy(A[:, -1].mean(1)[:, 0, 1:]),
        "rollout": torch.from_numpy(np.stack([attention_rollout(a)[0, 1:] for a in A])),
        "ink": patches_of(pixels),
        "any": torch.from_numpy(np.random.RandomState(0).random_sample(cost.shape)),
        "cost": cost,
    }
    best = cost.argmax(1)
    return {
        name: {
            "finds": round(float((rank.argmax(1) == best).double().mean()), 4),
            "changes": round(answers_covered(model, pixels, rank.float()), 4),
        }
        for name, rank in maps.items()
    }


def silent_right(model: VisionTransformer) -> list[list[float]]:
    """Say how many pictures are named rightly without one head, for each layer and head."""
    heads = range(model.n_heads)
    return [
        [round(image_accuracy(without_head(model, layer, head)), 4) for head in heads]
        for layer in range(len(model.blocks))
    ]


def run(name: str, size: int, seed: int, setting: dict) -> tuple[dict, object]:
    """Train one model, and say how it went."""
    model = MODELS[name](np.random.RandomState(seed))
    steps = setting["fine_steps" if name == "fine" else "steps"]
    used = {"steps": steps, "lr": warm_up(setting["lr"], setting["warm_up"])}
    batches = ImageBatches(size, setting["batch"])
    rng = np.random.RandomState(1000 + seed)
    history, taken = learn(model, batches.draw, image_loss, rng, used)
    cuts = {}
    if name == "fine":
        cuts = {"kept": kept_right(model), "covered": covered_changes(model, COVERED)}
        cuts["silent"] = silent_right(model)
    return {
        "model": name,
        "size": size,
        "seed": seed,
        **taken,
        "losses": means(history.losses, steps // 20),
        "train": round(image_accuracy(model, "train", size), 4),
        "test": round(image_accuracy(model), 4),
        **cuts,
    }, model


def main() -> None:
    """Read the command line, run what is missing, record."""
    quick = command_line(__doc__).parse_args().quick
    less = {"steps": 3, "fine_steps": 3} if quick else {}
    setting, done = SETTING | less, [] if quick else on_record("vision_transformer", SETTING)
    for which in [RUNS[0], RUNS[1], FINE_RUNS[0]] if quick else [*FINE_RUNS, *RUNS]:
        if any((r["model"], r["size"], r["seed"]) == which for r in done):
            continue
        result, model = run(*which, setting)
        done.append(result)
        print({k: v for k, v in result.items() if k != "losses"}, flush=True)
        if quick:
            continue
        if which == FINE_RUNS[0]:
            about = {"seed": which[2], "steps": setting["fine_steps"], "test": result["test"]}
            ship("vision_transformer", model, __file__, **about)
        store(__file__, done, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
