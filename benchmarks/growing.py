"""A language model of words that grows part by part: what is the next part worth?

Each stage has one part more than the one before, or another; three lack one of the largest. All
see the same batches in the same order, for the same number of steps; three seeds. The loss is
that of the last twentieth of the text, read in pieces of 48 words, over all places. Then the
largest model again, with four blocks and with two, dropout and more steps: the best of them
by that loss is what the pages run. It is stored as a checkpoint.

    python benchmarks/growing.py work --folder F      # train what is not there yet
    python benchmarks/growing.py ship --folder F      # store the weights of the best long run
    python benchmarks/growing.py record --folder F    # store what is there; the rest stays
    python benchmarks/growing.py work --quick         # a smoke test that keeps nothing

A run that was interrupted goes on from its last checkpoint in the folder.
"""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from shared import DATA, command_line, store
from torch import nn

from attention_course.data.characters import CharacterText
from attention_course.data.tensors import read_tensors, write_tensors
from attention_course.data.words import word_text
from attention_course.measure import recorded
from attention_course.models.experiments.growing import STAGES, Stage, growing_model
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel, sample
from attention_course.models.translators.regularised import drop_out
from attention_course.models.translators.trained import state_arrays
from attention_course.training import fit, warm_up

SEEDS, LENGTH, ROWS, PEAK, RISE = (0, 1, 2), 48, 32, 2e-3, 200
STEPS, LONGER, EVERY = 2400, 5000, 200
DEPTHS, DROPOUT = (4, 2), 0.1
PROMPT = "the king said"


def held_out_loss(model: nn.Module, text: CharacterText, most: int) -> float:
    """Return the mean loss on the part put aside (at most so many pieces), in nats a word."""
    whole = (len(text.test) - 1) // (LENGTH + 1)
    pieces = torch.from_numpy(text.held_out(min(whole, most), LENGTH + 1))
    with torch.no_grad():
        losses = [
            nn.functional.cross_entropy(
                model(rows[:, :-1]).transpose(1, 2), rows[:, 1:], reduction="none"
            ).flatten()
            for rows in pieces.split(64)
        ]
    return float(torch.cat(losses).mean())


def run(
    folder: Path,
    name: str,
    stage: Stage,
    seed: int,
    steps: int,
    dropout: float = 0.0,
    most: int = 10_000,
) -> None:
    """Train one model, unless its result is there; keep weights and result in the folder."""
    result = folder / f"{name} {seed}.json"
    if result.is_file():
        return
    text = _text()
    model = growing_model(stage, len(text.symbols), np.random.RandomState(seed))
    if dropout:
        torch.manual_seed(2000 + seed)
        drop_out(model, dropout)
    half = folder / f"{name} {seed}.pt"
    taken = json.loads(half.with_suffix(".cpu").read_text()) if half.is_file() else 0.0
    done = 0
    while done < steps:
        started = time.process_time()
        done = min(steps, (done if done else _steps_in(half)) + EVERY)
        history = fit(
            model,
            lambda rng: text.draw(rng, ROWS, LENGTH + 1),
            next_symbol_loss,
            np.random.RandomState(1000 + seed),
            steps=done,
            lr=warm_up(PEAK, RISE),
            every=min(EVERY, steps),
            validate=lambda m: held_out_loss(m, text, most),
            checkpoint=half,
            progress=False,
        )
        taken += time.process_time() - started
        half.with_suffix(".cpu").write_text(json.dumps(taken))
    best = min(value for _, value in history.validation)
    words = sample(
        model,
        text.symbols.encode(PROMPT.split()),
        LENGTH - len(PROMPT.split()),
        np.random.RandomState(0),
        0.8,
    )
    if dropout:
        model.load_state_dict(torch.load(half, weights_only=True)["best_weights"])
        write_tensors(folder / f"{name} {seed}.safetensors", state_arrays(model, np.float16))
    found = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "cpu_seconds": round(taken, 1),
        "steps": steps,
        "first_losses": [round(value, 6) for value in history.losses[:3]],
        "curve": [[step, round(value, 4)] for step, value in history.validation],
        "loss": round(history.validation[-1][1], 4),
        "best": round(best, 4),
        "sample": " ".join(text.symbols.decode(words)),
    }
    result.write_text(json.dumps(found, indent=1))
    half.unlink()
    half.with_suffix(".cpu").unlink()
    print(f"{name}, seed {seed}: {found['loss']} ({taken:.0f} s)", flush=True)


def _steps_in(half: Path) -> int:
    if not half.is_file():
        return 0
    return len(torch.load(half, weights_only=True)["history"]["losses"])


_TEXTS: list[CharacterText] = []


def _text() -> CharacterText:
    if not _TEXTS:
        _TEXTS.append(word_text())
    return _TEXTS[0]


def work(folder: Path, quick: bool) -> None:
    """Train what is not there: the long runs, then every stage with one seed after another."""
    folder.mkdir(parents=True, exist_ok=True)
    less = {"steps": 2, "most": 4} if quick else {}
    for blocks in DEPTHS:
        settings = {"steps": LONGER, "dropout": DROPOUT} | less
        run(folder, f"{blocks} blocks", Stage(blocks=blocks), 0, **settings)
    for seed in SEEDS[:1] if quick else SEEDS:
        for name, stage in STAGES.items():
            run(folder, name, stage, seed, **({"steps": STEPS} | less))


def longer_runs(folder: Path) -> tuple[dict, str]:
    """Return what the long runs found, and the name of the best."""
    longer = {
        f"{blocks} blocks": json.loads((folder / f"{blocks} blocks 0.json").read_text())
        for blocks in DEPTHS
    }
    return longer, min(longer, key=lambda name: longer[name]["best"])


def ship(folder: Path) -> None:
    """Store the weights of the best long run; all blocks share one table of positions."""
    longer, best = longer_runs(folder)
    arrays, _ = read_tensors((folder / f"{best} 0.safetensors").read_bytes())
    once = {
        k: array for k, array in arrays.items() if not k.endswith("attention.positions.table")
    }
    about = {key: str(longer[best][key]) for key in ("steps", "cpu_seconds")}
    path = DATA / "checkpoints/words.safetensors"
    write_tensors(path, once, script="benchmarks/growing.py ship", seed="0", **about)


def record(folder: Path) -> None:
    """Store all stages with the seeds that are done, and the long runs.

    What the folder does not hold stays as it was recorded.
    """
    before = recorded("growing")[0]
    here = [name for name in STAGES if (folder / f"{name} {SEEDS[0]}.json").is_file()]
    done = [
        seed
        for seed in SEEDS
        if all((folder / f"{name} {seed}.json").is_file() for name in here)
    ]
    stages = {
        name: [
            {"seed": seed} | json.loads((folder / f"{name} {seed}.json").read_text())
            for seed in done
        ]
        if name in here
        else before["stages"][name]
        for name in STAGES
    }
    longer, best = before["longer"], before["best"]
    if (folder / f"{DEPTHS[0]} blocks 0.json").is_file():
        longer, best = longer_runs(folder)
        ship(folder)
    store(
        __file__,
        {"stages": stages, "longer": longer, "best": best},
        task="record",
        name="growing",
        trained=here,
        seeds=done,
        steps=STEPS,
        longer_steps=LONGER,
        rows=ROWS,
        length=LENGTH,
        peak=PEAK,
        rise=RISE,
        dropout=DROPOUT,
        prompt=PROMPT,
    )


def main() -> None:
    """Train, or record."""
    parser = command_line(__doc__, ("work", "ship", "record"))
    parser.add_argument("--folder", type=Path, default=Path("growing"))
    options = parser.parse_args()
    if options.quick:
        with TemporaryDirectory() as folder:
            work(Path(folder), quick=True)
    elif options.task == "work":
        work(options.folder, quick=False)
    else:
        {"ship": ship, "record": record}[options.task](options.folder)


if __name__ == "__main__":
    main()
