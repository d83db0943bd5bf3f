"""Pictures of two garments, told and asked about in the small world's words: three seeds.

    python benchmarks/small_scenes.py captions     # stops after MINUTES; the same goes on
    python benchmarks/small_scenes.py questions
    python benchmarks/small_scenes.py captions --only soft-0 even-0
    python benchmarks/small_scenes.py captions --weights  # of seed 0, for the page: eight bits
    python benchmarks/small_scenes.py captions --quick    # a few steps, nothing recorded

Each run is one file, ``data/recorded/small_world/TASK-WAY-SEED.json``. Ways to look have the
same network, first weights and pictures; "even" sees the mean of the grid. The encoder learns
to name garments first, once for each seed, and then stays as it is. A run takes two to four
CPU minutes.
"""

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared import DATA, ROOT, command_line, learn, store
from small_world import data_hash, share

from attention_course.data.packed import CAPTIONERS, eight_bits
from attention_course.data.tensors import write_tensors
from attention_course.data.world.pictured import (
    QUESTIONS,
    Pictured,
    cells_of,
    draw_pictured,
    is_true,
)
from attention_course.models.cuts import BLADES
from attention_course.models.experiments.asking import answer_loss
from attention_course.models.experiments.captioning import (
    Captioner,
    GridEncoder,
    caption_loss,
)
from attention_course.models.experiments.two_garments import (
    PictureAsker,
    about_of,
    asked_of_pictures,
    cover_half,
    garment_loss,
    named_tensors,
    share_where,
    told_tensors,
    words_of_scenes,
)
from attention_course.models.translators.trained import state_arrays
from attention_course.training import fit

SEEDS, D, MINUTES = (0, 1, 2), 48, 60
WAYS = {
    "captions": ("soft", "hard", "even", "spread", "french"),
    "questions": ("two looks", "even", "one look"),
}
SETTING: dict[str, Any] = {
    "steps": {"names": 4000, "captions": 2000, "questions": 2000},
    "rates": {"names": 3e-3, "captions": 2e-3, "questions": 2e-3},
    "size": 64, "tested": 500, "written": 200,
}  # fmt: skip
SORTS = ("kind", "colour", "size")
KEPT = {"captions": CAPTIONERS, "questions": ("two looks",)}  # what the page may run


@cache
def tested(size: int) -> Pictured:
    """Return pictures of garments that no training has seen."""
    return draw_pictured(np.random.RandomState(20_000), size, "test")


def rate(stage: str) -> Callable[[int], float]:
    """Rise for 100 steps, then fall in a straight line to a twentieth."""
    steps, top = SETTING["steps"][stage], SETTING["rates"][stage]
    return lambda step: top * min(step / 100, max(0.05, 1 - step / steps))


def encoder_of(seed: int, setting: dict, folder: Path | None) -> tuple[GridEncoder, dict]:
    """Train what names garments, or take it from the folder; say how well it does."""
    rng = np.random.RandomState(seed)
    torch.manual_seed(seed)
    encoder = GridEncoder(D)
    history = fit(
        encoder, lambda rng: named_tensors(draw_pictured(rng, setting["size"])),
        garment_loss, rng,
        steps=setting["steps"]["names"], lr=rate("names"), progress=False,
        checkpoint=folder / f"named-{seed}.pt" if folder else None,
    )  # fmt: skip
    pictures, names = named_tensors(tested(setting["tested"]))
    with torch.no_grad():
        found = encoder.names(pictures)
    right = [
        (f.argmax(-1) == n).float().mean() for f, n in zip(found, names.unbind(-1), strict=True)
    ]
    named = {name: round(float(r), 4) for name, r in zip(SORTS, right, strict=True)}
    return encoder, {"named": named, "naming_losses": [round(x, 6) for x in history.losses[:3]]}


def language_of(way: str) -> str:
    """Return the language that a captioner writes."""
    return "french" if way == "french" else "english"


def new_model(task: str, way: str, seed: int, encoder: GridEncoder) -> torch.nn.Module:
    """Build a captioner or an asker around what names garments."""
    rng = np.random.RandomState(seed)
    words = len(words_of_scenes(language_of(way)))
    if task == "questions":
        return PictureAsker(way, rng, encoder, words)
    return Captioner("soft" if way == "french" else way, rng, encoder, words)


def words_written(model: Captioner, pictures: torch.Tensor, language: str) -> list[list[str]]:
    """Return what a captioner writes of each picture."""
    numbers = model(pictures).logs.argmax(-1).tolist()
    return [words_of_scenes(language).decode(row) for row in numbers]


@torch.no_grad()
def judge_captions(model: Captioner, way: str, seen: Pictured, written: int) -> dict:
    """Measure what is written against what is true, and where the model looks."""
    language, about = language_of(way), about_of(seen, language_of(way))
    pictures, captions = told_tensors(seen, language)
    said = words_written(model, pictures[:written], language)
    true = [is_true(w, language, g) for w, g in zip(said, seen.garments, strict=False)]
    done = model(pictures, captions)
    right = (done.logs.argmax(-1) == captions).numpy()
    sorts = sorts_of(about)
    looks = share_where(done.weights.double().numpy(), cells_of(seen.pictures), about)
    return {
        "true": share(true),
        "words": {sort: share(right[sorts == sort].tolist()) for sort in (*SORTS, "other")},
        "looks": {name: round(value, 4) for name, value in looks.items()},
        "lost_by_cut": {
            b: lost_words(model, pictures, captions, about, right, b) for b in BLADES
        },
    }


def sorts_of(about: np.ndarray) -> np.ndarray:
    """Say which words of captions name a kind, a colour or a size; by garment, the last two."""
    sorts = np.full(about.shape, "other", dtype=object)
    for row, garments in zip(sorts, about, strict=True):
        for side in (0, 1):
            *size, kind, colour = np.flatnonzero(garments == side)
            row[size], row[kind], row[colour] = "size", "kind", "colour"
    return sorts


@torch.no_grad()
def lost_words(
    model: Captioner,
    pictures: torch.Tensor,
    captions: torch.Tensor,
    about: np.ndarray,
    right: np.ndarray,
    blade: str,
) -> dict[str, list[float]]:
    """Return which share of the right words is lost when a garment is covered.

    Of the words about the garment that is covered, and of those about the other one. Each word
    is asked for behind the right ones.
    """
    own, other = [], []
    for side in (0, 1):
        covered = cover_half(pictures, np.full(len(pictures), side), blade)
        after = (model(covered, captions).logs.argmax(-1) == captions).numpy()
        own += (~after)[right & (about == side)].tolist()
        other += (~after)[right & (about == 1 - side)].tolist()
    return {"own": share(own), "other": share(other)}


@torch.no_grad()
def judge_questions(model: PictureAsker, seen: Pictured) -> dict:
    """Measure the answers by kind of question, where each look goes, and what a cut does."""
    pictures, questions, answers = asked_of_pictures(seen)
    done = model(pictures, questions)
    right = (done.logits.argmax(-1) == answers).numpy()
    found: dict[str, Any] = {
        "right": {
            name: share(right[seen.kinds == kind].tolist())
            for kind, name in enumerate(QUESTIONS)
        },
        "looks": {}, "lost_by_cut": {},
    }  # fmt: skip
    cells, about = cells_of(seen.pictures), seen.asked[:, None]
    for look, weights in enumerate(done.weights.double().numpy().swapaxes(0, 1), 1):
        shares = share_where(weights[:, None], cells, about)
        found["looks"][f"look {look}"] = {n: round(value, 4) for n, value in shares.items()}
    for blade in BLADES:
        lost = {}
        for name, side in (("own", seen.asked), ("other", 1 - seen.asked)):
            after = model(cover_half(pictures, side, blade), questions).logits.argmax(-1)
            lost[name] = share((after != answers).numpy()[right].tolist())
        found["lost_by_cut"][blade] = lost
    return found


def run(task: str, way: str, seed: int, setting: dict, folder: Path | None = None) -> dict:
    """Train one model, and say how it went."""
    encoder, named = encoder_of(seed, setting, folder)
    model, language = new_model(task, way, seed, encoder), language_of(way)
    tensors = told_tensors if task == "captions" else asked_of_pictures
    loss = caption_loss if task == "captions" else answer_loss
    _, taken = learn(
        model, lambda rng: tensors(draw_pictured(rng, setting["size"]), language), loss,
        np.random.RandomState(1000 + seed), {"steps": setting["steps"][task], "lr": rate(task)},
        checkpoint=folder / f"{task}-{way}-{seed}.pt" if folder else None,
    )  # fmt: skip
    seen = tested(setting["tested"])
    if task == "captions":
        judged = judge_captions(model, way, seen, setting["written"])
    else:
        judged = judge_questions(model, seen)
    return {"way": way, "seed": seed, **taken, **named, **judged}


def stem_of(task: str, way: str) -> str:
    """Return how a run's files begin."""
    return f"{task}-{way.replace(' ', '_')}"


def keep_weights(task: str, folder: Path) -> None:
    """Write the weights of seed 0, in eight bits, of the models that the page may run."""
    about = {"script": f"benchmarks/small_scenes.py {task}", "grammar": data_hash()}
    for way in KEPT[task]:
        model = new_model(task, way, 0, GridEncoder(D))
        kept = torch.load(folder / f"{task}-{way}-0.pt", weights_only=True)
        model.load_state_dict(kept["model"])
        to = DATA / f"checkpoints/small_world/{stem_of(task, way)}.safetensors"
        packed = eight_bits(state_arrays(model, np.float32))
        print(write_tensors(to, packed, **about).stat().st_size, to.name)


def main() -> None:
    """Do what is not there yet, until the CPU minutes are over."""
    parser = command_line(__doc__, [*WAYS])
    parser.add_argument("--only", nargs="*", help="runs, as soft-0")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="CPU minutes in all")
    parser.add_argument("--weights", action="store_true", help="only write those of seed 0")
    given = parser.parse_args()
    folder = ROOT / "build/small_scenes"
    if given.weights:
        return keep_weights(given.task, folder)
    less = {"steps": dict.fromkeys(SETTING["steps"], 3), "tested": 20, "written": 3}
    setting = SETTING | (less if given.quick else {})
    for seed in SEEDS[: 1 if given.quick else None]:
        for way in WAYS[given.task]:
            stem = f"{stem_of(given.task, way)}-{seed}"
            there = (DATA / f"recorded/small_world/{stem}.json").is_file() and not given.quick
            if there or (given.only and f"{way}-{seed}".replace(" ", "_") not in given.only):
                continue
            if time.process_time() > 60 * given.minutes:
                print("stopped; the same command goes on")
                return None
            result = run(given.task, way, seed, setting, None if given.quick else folder)
            print(way, seed, result, flush=True)
            if not given.quick:
                store(__file__, result, given.task, name=f"small_world/{stem}", seeds=[seed],
                      grammar=data_hash(), settings=SETTING)  # fmt: skip
    return None


if __name__ == "__main__":
    main()
