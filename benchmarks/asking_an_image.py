"""Questions about pictures of clothes: two looks, one look and even weights, three seeds each.

Each model begins with the same encoder of its seed, which learned to name single garments and
then stays as it is. Beside the answers the script measures where each look goes, and what is
answered when the first look is moved to another garment. A run that is on record already is
not made again.

    python benchmarks/asking_an_image.py          # 5 minutes on one core
    python benchmarks/asking_an_image.py --quick  # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import DATA, command_line, learn, means, store

from attention_course.data.asked import QUESTIONS, ask_pictures, garments
from attention_course.data.tensors import write_tensors
from attention_course.measure import recorded
from attention_course.models.experiments.asking import (
    LOOKERS,
    Asker,
    answer_loss,
    asked_tensors,
    garment_tensors,
    naming_loss,
    neighbours_elsewhere,
    share_on,
)
from attention_course.models.translators.trained import state_arrays
from attention_course.training import fit

SEEDS = (0, 1, 2)
SETTING = {
    "steps": 3000,
    "every": 500,
    "lr": 2e-3,
    "size": 128,
    "names": 1000,
    "judged": 4000,
}


@torch.no_grad()
def judge(model: Asker, size: int) -> dict[str, object]:
    """Ask about garments that no training has seen."""
    asked = ask_pictures(np.random.RandomState(20_000), size, garments("test"))
    pictures, questions, answers = asked_tensors(asked)
    done = model(pictures, questions)
    right = (done.logits.argmax(-1) == answers).numpy()
    weights = done.weights.double().numpy()
    found: dict[str, object] = {
        "right": {
            name: round(float(right[asked.kinds == kind].mean()), 4)
            for kind, name in enumerate(QUESTIONS)
        }
    }
    shares = {}
    for look in range(weights.shape[1]):
        rows = weights[:, look]
        shares[f"look {look + 1}"] = {
            name: round(share_on(rows[asked.kinds == kind], asked.target[asked.kinds == kind]), 4)
            for kind, name in enumerate(QUESTIONS)
        } | {"named": round(share_on(rows, asked.named), 4)}
    rows = neighbours_elsewhere(asked)
    moved = torch.eye(9)[rows[:, 1]]
    told = model(pictures[rows[:, 0]], questions[rows[:, 0]], {0: moved}).logits.argmax(-1)
    free = done.logits.argmax(-1).numpy()[rows[:, 0]]
    found["moved"] = {
        "pictures": len(rows),
        "free: right": round(float((free == rows[:, 3]).mean()), 4),
        "free: beside the other": round(float((free == rows[:, 2]).mean()), 4),
        "moved: right": round(float((told.numpy() == rows[:, 3]).mean()), 4),
        "moved: beside the other": round(float((told.numpy() == rows[:, 2]).mean()), 4),
    }
    return found | {"shares": shares}


def run(way: str, seed: int, setting: dict) -> tuple[dict, Asker]:
    """Train one model, and say how it went."""
    rng = np.random.RandomState(seed)
    clothes, model = garments(), Asker(way, rng)
    named = fit(
        model.encoder,
        lambda rng: garment_tensors(rng, clothes),
        naming_loss,
        rng,
        steps=setting["names"],
        lr=2e-3,
        progress=False,
        device="cpu",
    )
    history, taken = learn(
        model,
        lambda rng: asked_tensors(ask_pictures(rng, setting["size"], clothes)),
        answer_loss,
        rng,
        setting,
        device="cpu",
    )
    result = taken | {"way": way, "seed": seed, "naming_losses": named.losses[:3]}
    result["losses"] = means(history.losses, setting["every"])
    return result | judge(model, setting["judged"]), model


def on_record() -> list[dict]:
    """Return the runs that are recorded with these settings."""
    try:
        runs, source = recorded("asking_an_image")
    except (FileNotFoundError, ValueError):
        return []
    return list(runs) if source["settings"] == SETTING else []


def main() -> None:
    """Read the command line, run what is missing, record."""
    quick = command_line(__doc__).parse_args().quick
    less = {"steps": 4, "every": 2, "names": 4, "judged": 200}
    setting = SETTING | (less if quick else {})
    runs = [] if quick else on_record()
    made = {(run["way"], run["seed"]) for run in runs}
    order = [(way, seed) for seed in SEEDS for way in LOOKERS]
    for way, seed in [pair for pair in order if not quick or pair[1] == 0]:
        if (way, seed) in made:
            continue
        result, model = run(way, seed, setting)
        runs.append(result)
        print(way, seed, result["cpu_seconds"], result["right"], flush=True)
        if quick:
            continue
        if seed == 0 and way == "two looks":
            write_tensors(
                DATA / "checkpoints/asker_two_looks.safetensors",
                state_arrays(model),
                script="benchmarks/asking_an_image.py",
                seed=str(seed),
                steps=str(setting["steps"]),
                cpu_seconds=str(result["cpu_seconds"]),
            )
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
