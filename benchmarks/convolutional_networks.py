"""A small convolutional network with attention by place, by channel, by pair, and with none.

Another without attention doubles its maps, as a mask that is 1 everywhere does. All six have
about as many parameters, the same batches, steps and rate, which was tuned for none of them.
Three seeds of each. After training, the attention is cut in several ways, and patches of
pictures are covered that its mask ranks highest. Last, the same masks of networks that were
never trained.

    python benchmarks/convolutional_networks.py work --folder F     # 9 minutes on one core
    python benchmarks/convolutional_networks.py record --folder F   # store what is there
    python benchmarks/convolutional_networks.py work --quick        # a smoke test

A run whose result is in the folder is not repeated, so the script goes on where it was stopped.
"""

import json
from pathlib import Path

import numpy as np
import torch
from shared import DATA, command_line, learn, means, store

from attention_course.data.images import load_images
from attention_course.data.tensors import read_tensors, write_tensors
from attention_course.models.experiments.convolutional_networks import (
    ATTENTIVE,
    LAST,
    AttentiveConvNet,
    answers_covered,
    cost_of_covered_pixels,
    cut_attention,
    patches_of,
)
from attention_course.models.experiments.vision_transformer import (
    ImageBatches,
    image_accuracy,
    image_loss,
)
from attention_course.models.translators.trained import state_arrays
from attention_course.training import warm_up

SEEDS = (0, 1, 2)
SETTING = {"steps": 2000, "lr": 3e-3, "warm_up": 100, "batch": 50, "covered": 300}
RUNS = [(kind, seed) for seed in SEEDS for kind in LAST]


def masks_against_covering(model: AttentiveConvNet, size: int) -> dict[str, float]:
    """Say how the mask goes with the ink, and how many answers five covered patches change."""
    pixels = torch.from_numpy(load_images("test", size).pixels)
    with torch.no_grad():
        mask, ink = patches_of(model(pixels)[1]), patches_of(pixels)
    drawn = torch.from_numpy(np.random.RandomState(0).random_sample(ink.shape)).float()
    cost = cost_of_covered_pixels(model, pixels)
    ranks = {"mask": mask, "lowest mask": -mask, "ink": ink, "any": drawn, "cost": cost}
    both = np.corrcoef(mask.flatten().double(), ink.flatten().double())
    found = {k: answers_covered(model, pixels, rank) for k, rank in ranks.items()}
    return {"with ink": float(both[0, 1])} | found


def rounded(found: dict[str, float]) -> dict[str, float]:
    """Return the numbers with four decimals."""
    return {name: round(value, 4) for name, value in found.items()}


def run(kind: str, seed: int, setting: dict) -> tuple[dict, AttentiveConvNet]:
    """Train one network, cut its attention, and say how it went."""
    model = AttentiveConvNet(kind, np.random.RandomState(seed))
    size, found = setting["covered"], {}
    if kind == "spatial":
        found["untrained"] = rounded(masks_against_covering(model, size))
    used = {"steps": setting["steps"], "lr": warm_up(setting["lr"], setting["warm_up"])}
    batches = ImageBatches(4000, setting["batch"])
    rng = np.random.RandomState(1000 + seed)
    history, taken = learn(model, batches.draw, image_loss, rng, used)
    if kind in ATTENTIVE:
        found["cut"] = rounded(cut_attention(model))
    if kind == "spatial":
        found["trained"] = rounded(masks_against_covering(model, size))
    return {
        "kind": kind,
        "seed": seed,
        **taken,
        "losses": means(history.losses, setting["steps"] // 20),
        "train": round(image_accuracy(model, "train"), 4),
        "test": round(image_accuracy(model), 4),
        **found,
    }, model


def work(folder: Path) -> None:
    """Train what is not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, seed in RUNS:
        path = folder / f"{kind} {seed}.json"
        if path.is_file():
            continue
        result, model = run(kind, seed, SETTING)
        write_tensors(path.with_suffix(".safetensors"), state_arrays(model))
        path.write_text(json.dumps(result, indent=1))
        print({k: v for k, v in result.items() if k != "losses"}, flush=True)


def record(folder: Path) -> None:
    """Store all results, and the networks with attention of the first seed."""
    runs = [json.loads((folder / f"{kind} {seed}.json").read_text()) for kind, seed in RUNS]
    arrays = {}
    for kind in ATTENTIVE:
        path = folder / f"{kind} {SEEDS[0]}.safetensors"
        found, _ = read_tensors(path.read_bytes())
        arrays |= {f"{kind}/{name}": array for name, array in found.items()}
    write_tensors(
        DATA / "checkpoints/convolutional_networks.safetensors",
        arrays,
        script="benchmarks/convolutional_networks.py record",
        seed=str(SEEDS[0]),
        steps=str(SETTING["steps"]),
    )
    store(
        __file__,
        runs,
        task="record",
        name="convolutional_networks",
        seeds=list(SEEDS),
        settings=SETTING,
    )


def main() -> None:
    """Train, or record."""
    parser = command_line(__doc__, ("work", "record"))
    parser.add_argument("--folder", type=Path, default=Path("convolutional_networks"))
    options = parser.parse_args()
    if options.quick:
        for kind in LAST:
            run(kind, 0, SETTING | {"steps": 3, "covered": 20})
    else:
        {"work": work, "record": record}[options.task](options.folder)


if __name__ == "__main__":
    main()
