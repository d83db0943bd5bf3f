"""Questions about pictures of clothes, answered after two looks and by two rivals: three seeds.

The rivals look once, or give every place the same weight. Each model begins with an encoder
that learned to name single garments; while questions are learned, it stays as it is. Beside the
answers the script measures where each look goes, and what the model with two looks answers when
a look is moved. A run that is on record already is not made again.

    python benchmarks/asking_an_image.py          # four minutes on one core
    python benchmarks/asking_an_image.py --quick  # a smoke test that records nothing
"""

from collections.abc import Sequence

import numpy as np
import torch
from shared import command_line, learn, means, on_record, ship, store

from attention_course.data.asked import (
    GARMENTS,
    QUESTIONS,
    AskedPictures,
    ask_pictures,
    garments,
)
from attention_course.models.experiments.asking import (
    LOOKERS,
    Answered,
    Asker,
    answer_loss,
    asked_tensors,
    garment_tensors,
    naming_loss,
    neighbours_elsewhere,
    share_on_place,
)
from attention_course.training import fit

SEEDS = (0, 1, 2)
# What is trained: the way of looking, and the seed.
RUNS = [(way, seed) for way in LOOKERS for seed in SEEDS]
SHIPS = ("two looks", 0)
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
    shares, asked_for = {}, {name: asked.kinds == n for n, name in enumerate(QUESTIONS)}
    for look in range(weights.shape[1]):
        rows = weights[:, look]
        shares[f"look {look + 1}"] = {
            name: round(share_on_place(rows[of], asked.target[of]), 4)
            for name, of in asked_for.items()
        } | {"named": round(share_on_place(rows, asked.named), 4)}
    found["shares"] = shares
    return found | ({"moved": moved(model, asked)} if model.way == "two looks" else {})


def moved(model: Asker, asked: AskedPictures) -> dict[str, object]:
    """Put all weight of a look elsewhere, and count what is answered."""
    pictures, questions, answers = asked_tensors(asked)
    answered = answers.numpy()

    def ask(rows: np.ndarray, places: np.ndarray, looks: Sequence[int]) -> Answered:
        there = torch.eye(9)[places]
        return model(pictures[rows], questions[rows], dict.fromkeys(looks, there))

    def share(done: Answered, wanted: np.ndarray) -> float:
        return round(float((done.logits.argmax(-1).numpy() == wanted).mean()), 4)

    rows, other, beside, beside_at = neighbours_elsewhere(asked).T
    first = ask(rows, other, [0])
    last = first.weights[:, -1].double().numpy()
    found = {
        "first look": {
            "pictures": len(rows),
            "right": share(first, answered[rows]),
            "beside the other": share(first, beside),
            "the other itself": share(first, asked.contents[rows, other]),
            "next look beside the other": round(share_on_place(last, beside_at), 4),
            "next look on the right place": round(share_on_place(last, asked.target[rows]), 4),
        }
    }
    rng, filled = np.random.RandomState(20_001), asked.contents < len(GARMENTS)
    rows = np.flatnonzero(asked.kinds == 1)
    free = filled[rows].copy()
    free[np.arange(len(rows)), asked.target[rows]] = False
    places = (free * rng.random_sample(free.shape)).argmax(1)
    last_moved = ask(rows, places, [len(model.g) - 1])
    found["last look"] = {
        "right": share(last_moved, answered[rows]),
        "what lies there": share(last_moved, asked.contents[rows, places]),
    }
    rows = np.flatnonzero((asked.kinds == 2) & (asked.target >= 0))
    nowhere = ask(rows, (~filled[rows]).argmax(1), range(len(model.g)))
    found["is there, looks at nothing"] = {"yes": share(nowhere, answered[rows])}
    return found


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
    result = taken | {
        "way": way,
        "seed": seed,
        "naming_losses": [round(x, 6) for x in named.losses[:3]],
    }
    result["losses"] = means(history.losses, setting["every"])
    return result | judge(model, setting["judged"]), model


def main() -> None:
    """Read the command line, run what is missing, record."""
    quick = command_line(__doc__).parse_args().quick
    less = {"steps": 4, "every": 2, "names": 4, "judged": 200}
    setting = SETTING | (less if quick else {})
    runs = [] if quick else on_record("asking_an_image", SETTING)
    made = {(run["way"], run["seed"]) for run in runs}
    for which in [w for w in (RUNS[:: len(SEEDS)] if quick else RUNS) if w not in made]:
        result, model = run(*which, setting)
        runs.append(result)
        print(*which, result["cpu_seconds"], result["losses"], flush=True)
        if quick:
            continue
        if which == SHIPS:
            about = {"seed": which[1], "steps": setting["steps"]}
            about["cpu_seconds"] = result["cpu_seconds"]
            ship("asker_two_looks", model, __file__, **about)
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
