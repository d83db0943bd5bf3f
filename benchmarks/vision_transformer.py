"""A Vision Transformer and a convolutional network, from few pictures and from more.

Both have as many parameters, the same batches, steps and rate. Three seeds of each; a second
Vision Transformer has sinusoidal positions, a third one none. Last comes the finer one whose
weights ship with the course. A run that is on record with these settings is not repeated, so
the script goes on where it was stopped.

    python benchmarks/vision_transformer.py           # 4 minutes on one core
    python benchmarks/vision_transformer.py --quick   # a smoke test that records nothing
"""

import numpy as np
from shared import DATA, command_line, learn, means, store

from attention_course.data.tensors import write_tensors
from attention_course.measure import recorded
from attention_course.models.experiments.vision_transformer import (
    FINE,
    ImageBatches,
    SmallConvNet,
    VisionTransformer,
    image_accuracy,
    image_loss,
)
from attention_course.models.translators.trained import state_arrays
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
FINE_RUN = ("fine", SIZES[-1], 0)


def run(name: str, size: int, seed: int, setting: dict) -> tuple[dict, object]:
    """Train one model, and say how it went."""
    model = MODELS[name](np.random.RandomState(seed))
    steps = setting["fine_steps" if name == "fine" else "steps"]
    used = {"steps": steps, "lr": warm_up(setting["lr"], setting["warm_up"])}
    batches = ImageBatches(size, setting["batch"])
    rng = np.random.RandomState(1000 + seed)
    history, taken = learn(model, batches.draw, image_loss, rng, used)
    return {
        "model": name,
        "size": size,
        "seed": seed,
        **taken,
        "losses": means(history.losses, steps // 20),
        "train": round(image_accuracy(model, "train", size), 4),
        "test": round(image_accuracy(model), 4),
    }, model


def on_record() -> list[dict]:
    """Return the runs that were made with these settings."""
    try:
        runs, source = recorded("vision_transformer")
    except ValueError:
        return []
    return runs if source["settings"] == SETTING else []


def main() -> None:
    """Read the command line, run what is missing, record."""
    quick = command_line(__doc__).parse_args().quick
    less = {"steps": 3, "fine_steps": 3} if quick else {}
    setting, done = SETTING | less, [] if quick else on_record()
    for which in [RUNS[0], RUNS[1], FINE_RUN] if quick else [FINE_RUN, *RUNS]:
        if any((r["model"], r["size"], r["seed"]) == which for r in done):
            continue
        result, model = run(*which, setting)
        done.append(result)
        print({k: v for k, v in result.items() if k != "losses"}, flush=True)
        if quick:
            continue
        if which == FINE_RUN:
            write_tensors(
                DATA / "checkpoints/vision_transformer.safetensors",
                state_arrays(model),
                script="benchmarks/vision_transformer.py",
                seed=str(which[2]),
                steps=str(setting["fine_steps"]),
                test=str(result["test"]),
            )
        store(__file__, done, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
