"""Translate French to English with attention and with one fixed vector.

Bahdanau's figure 2 in miniature. Both models have the same number of weights, the same data,
optimiser and batches, and the same budget of CPU seconds on one thread (the model with
attention takes fewer steps in them; the steps are recorded). Three seeds each: a seed draws
the first weights and the batches; the held-out verses are the same for all.

    python benchmarks/translation.py train attention 0   # one run: 15 CPU minutes
    python benchmarks/translation.py train fixed 0       # and so on for seeds 1 and 2
    python benchmarks/translation.py score               # needs all six: BLEU, files
    # with another budget: --seconds 300 for the trainings and for score alike
    python benchmarks/translation.py train fixed 0 --seconds 20 --work /tmp/try  # smoke test

An interrupted run goes on where it was. ``score`` needs sacrebleu (requirements.txt).
"""

import hashlib
import json
import time
from pathlib import Path

import numpy as np
import torch
from shared import DATA, ROOT, command_line

from attention_course.data.batches import LengthBatches
from attention_course.data.parallel import TranslationTask, length_bins, translation_task
from attention_course.data.tensors import write_tensors
from attention_course.measure import record
from attention_course.models.translators.fixed_vector import sequence_loss, translate
from attention_course.models.translators.trained import (
    TRANSLATORS,
    new_translator,
    state_arrays,
)
from attention_course.reference.metrics.translation import bleu
from attention_course.training import fit

SEEDS, SECONDS, SIZE, LR, CHUNK = (0, 1, 2), 900.0, 64, 2e-3, 50
SNAPSHOTS = (50, 100, 200, 400, 800, 1600, 3200)
LONGEST, EVERY = 80, 5  # words written at most; the chapter translates every fifth verse


def start(name: str, seed: int) -> tuple[TranslationTask, torch.nn.Module, LengthBatches]:
    """Build the task, the model and its batches: all that a run begins with."""
    task = translation_task(np.random.RandomState(0))
    model = new_translator(name, task, np.random.RandomState(seed))
    sources = [task.source(verse) for verse in task.train]
    targets = [task.target(verse) for verse in task.train]
    return task, model, LengthBatches(sources, targets, SIZE)


def first_losses(name: str, seed: int, steps: int) -> list[float]:
    """Take the first steps of a run; a test compares them with the recorded ones."""
    _, model, batches = start(name, seed)
    rng = np.random.RandomState(1000 + seed)
    return fit(
        model, batches.draw, sequence_loss, rng, steps=steps, lr=LR, progress=False
    ).losses


def train(name: str, seed: int, seconds: float, work: Path) -> None:
    """Train in chunks until the CPU seconds are spent; every chunk is a checkpoint."""
    _, model, batches = start(name, seed)
    rng = np.random.RandomState(1000 + seed)
    folder = work / f"{name}_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    log_file = folder / "log.json"
    log = json.loads(log_file.read_text()) if log_file.exists() else {"cpu": [], "wall": []}
    while sum(log["cpu"]) < seconds:
        cpu, wall = time.process_time(), time.perf_counter()
        history = fit(
            model,
            batches.draw,
            sequence_loss,
            rng,
            steps=CHUNK * (len(log["cpu"]) + 1),
            lr=LR,
            every=CHUNK,
            checkpoint=folder / "state.pt",
            progress=False,
        )
        log["cpu"].append(round(time.process_time() - cpu, 3))
        log["wall"].append(round(time.perf_counter() - wall, 3))
        log["losses"] = [round(loss, 6) for loss in history.losses]
        log_file.write_text(json.dumps(log))
        if history.steps in SNAPSHOTS:
            write_tensors(folder / f"step_{history.steps}.safetensors", state_arrays(model))
        print(
            name, seed, history.steps, f"{sum(log['cpu']):.0f} s", log["losses"][-1], flush=True
        )


def trained(name: str, seed: int, work: Path, task: TranslationTask) -> torch.nn.Module:
    """Load the last checkpoint of a run."""
    model = new_translator(name, task, np.random.RandomState(seed))
    content = torch.load(work / f"{name}_{seed}" / "state.pt", weights_only=True)
    model.load_state_dict(content["model"])
    return model.eval()


def bleu_with_interval(written: list[str], wanted: list[str]) -> list[float]:
    """Return BLEU and its 95 % interval from 1,000 bootstrap samples of the sentences."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(written, [wanted], n_bootstrap=1000)
    low, high = score._mean - score._ci, score._mean + score._ci
    return [round(score.score, 2), round(low, 2), round(high, 2)]


def score_run(model: torch.nn.Module, task: TranslationTask) -> tuple[dict, list[str]]:
    """Translate the held-out verses and compare them with the references."""
    sources = [task.source(verse) for verse in task.test]
    written = [" ".join(w) for w in translate(model, sources, task.english, LONGEST)]
    wanted = [" ".join(verse.english) for verse in task.test]
    bins = length_bins([len(source) for source in sources])
    result = {"all": bleu_with_interval(written, wanted), "bins": {}}
    for label, chosen in bins.items():
        pairs = [written[i] for i in chosen], [wanted[i] for i in chosen]
        result["bins"][label] = bleu_with_interval(*pairs)
    lengths = [
        (len(w.split()), len(v.english)) for w, v in zip(written, task.test, strict=True)
    ]
    result["length_ratio"] = round(
        float(np.sum(lengths, axis=0)[0] / np.sum(lengths, axis=0)[1]), 4
    )
    return result, written


def score(work: Path, target: Path, checkpoints: Path, seconds: float) -> None:
    """Score all runs; write the result, the weights of seed 0 and the log of their training."""
    import sacrebleu

    task = translation_task(np.random.RandomState(0))
    counts = length_bins([len(verse.french) for verse in task.test])
    result = {"verses": {label: len(chosen) for label, chosen in counts.items()}, "models": {}}
    for name in TRANSLATORS:
        runs = []
        for seed in SEEDS:
            model = trained(name, seed, work, task)
            log = json.loads((work / f"{name}_{seed}" / "log.json").read_text())
            if not seconds <= sum(log["cpu"]) < 1.1 * seconds:
                raise SystemExit(
                    f"{name} {seed} had {sum(log['cpu']):.0f} s, not {seconds:.0f}"
                )
            scored, written = score_run(model, task)
            losses = np.array(log["losses"])
            runs.append(
                {
                    "seed": seed,
                    "cpu_seconds": round(sum(log["cpu"]), 1),
                    "wall_seconds": round(sum(log["wall"]), 1),
                    "steps": len(losses),
                    "epochs": round(len(losses) * SIZE / len(task.train), 2),
                    "first_losses": log["losses"][:5],
                    "losses": np.round(losses.reshape(-1, CHUNK).mean(1), 4).tolist(),
                    **scored,
                }
            )
            print(name, seed, scored["all"], flush=True)
            if seed == 0:
                result["models"][name] = {"weights": sum(p.numel() for p in model.parameters())}
                result["models"][name] |= ship(
                    name, model, log, checkpoints, task, written, seconds
                )
        result["models"][name]["runs"] = runs
    record(
        target,
        result,
        script=f"benchmarks/translation.py score --seconds {seconds:.0f}",
        seeds=list(SEEDS),
        cpu_seconds_each=seconds,
        batch=SIZE,
        lr=LR,
        sacrebleu=f"{sacrebleu.__version__}, BLEU-4 on our lower-case words, tokenize=none",
        interval="95 %, 1,000 bootstrap samples of sentences",
    )


def ship(name, model, log, checkpoints, task, written, seconds) -> dict:
    """Write the weights in half precision, and score once more what was written."""
    about = {
        "script": f"benchmarks/translation.py train {name} 0 --seconds {seconds:.0f}",
        "seed": "0",
        "steps": str(len(log["losses"])),
        "cpu_seconds": f"{sum(log['cpu']):.0f}",
    }
    path = write_tensors(
        checkpoints / f"translation_{name}.safetensors", state_arrays(model), **about
    )
    log_path = checkpoints / f"translation_{name}.log.json"
    log_path.write_text(json.dumps({**about, **log}) + "\n")
    half = {
        key: torch.from_numpy(a.astype(np.float32)) for key, a in state_arrays(model).items()
    }
    model.load_state_dict(half)
    scored, again = score_run(model, task)
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "bytes": path.stat().st_size,
        "half_precision_bleu": scored["all"],
        "subset_bleu": round(
            bleu(
                [words.split() for words in again[::EVERY]],
                [v.english for v in task.test[::EVERY]],
            ),
            2,
        ),
        "half_precision_same": round(
            float(np.mean([a == b for a, b in zip(written, again, strict=True)])), 4
        ),
        "examples": again[:20],
    }


def main() -> None:
    """Read the command line."""
    parser = command_line(__doc__, quick="")
    parser.add_argument("what", choices=["train", "score"])
    parser.add_argument("name", nargs="?", choices=[*TRANSLATORS])
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--work", type=Path, default=ROOT / ".translation")
    parser.add_argument("--target", type=Path, default=DATA / "recorded/translation.json")
    parser.add_argument("--checkpoints", type=Path, default=DATA / "checkpoints")
    arguments = parser.parse_args()
    if arguments.what == "train":
        train(arguments.name, arguments.seed, arguments.seconds, arguments.work)
    else:
        score(arguments.work, arguments.target, arguments.checkpoints, arguments.seconds)


if __name__ == "__main__":
    main()
