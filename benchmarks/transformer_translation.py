"""A Transformer on the corpus, the batches and the budget of the recurrent translators.

Everything but the model and its learning rate is that of ``benchmarks/translation.py``: task,
batches and their order, loss, clipping, scoring, CPU seconds on one thread, three seeds. The
weights are as many, to 0.02 %. The rate rises for 200 steps and falls again, as in the paper.
Peak and rise were set beforehand; no search was made.

    python benchmarks/transformer_translation.py train 0        # and so on for seeds 1 and 2
    python benchmarks/transformer_translation.py score          # needs all three
    # with another budget: --seconds 600 for the trainings and for score alike

An interrupted run goes on where it was. ``score`` needs sacrebleu (requirements.txt).
"""

import json
import time
from pathlib import Path

import numpy as np
import torch
from shared import DATA, ROOT, command_line
from translation import SEEDS, SIZE, score_run, start

from attention_course.data.tensors import write_tensors
from attention_course.measure import record
from attention_course.models.translators.fixed_vector import sequence_loss
from attention_course.models.translators.trained import new_translator, state_arrays
from attention_course.training import fit, warm_up

NAME, PEAK, RISE, SECONDS, CHUNK = "transformer", 3e-3, 200, 300.0, 25


def first_losses(seed: int, steps: int) -> list[float]:
    """Take the first steps of a run; a test compares them with the recorded ones."""
    _, model, batches = start(NAME, seed)
    rng = np.random.RandomState(1000 + seed)
    return fit(
        model,
        batches.draw,
        sequence_loss,
        rng,
        steps=steps,
        lr=warm_up(PEAK, RISE),
        progress=False,
    ).losses


def train(seed: int, seconds: float, work: Path) -> None:
    """Train in chunks until the CPU seconds are spent; every chunk is a checkpoint."""
    _, model, batches = start(NAME, seed)
    rng = np.random.RandomState(1000 + seed)
    folder = work / f"{NAME}_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    log_file = folder / "log.json"
    log = json.loads(log_file.read_text()) if log_file.exists() else {"cpu": []}
    while sum(log["cpu"]) < seconds:
        cpu = time.process_time()
        history = fit(
            model,
            batches.draw,
            sequence_loss,
            rng,
            steps=CHUNK * (len(log["cpu"]) + 1),
            lr=warm_up(PEAK, RISE),
            every=CHUNK,
            checkpoint=folder / "state.pt",
            progress=False,
        )
        log["cpu"].append(round(time.process_time() - cpu, 3))
        log["losses"] = [round(loss, 6) for loss in history.losses]
        log_file.write_text(json.dumps(log))
        print(seed, history.steps, f"{sum(log['cpu']):.0f} s", log["losses"][-1], flush=True)


def score(work: Path, target: Path, checkpoints: Path, seconds: float) -> None:
    """Score all runs; write the result, and the weights of seed 0."""
    import sacrebleu

    runs, result = [], {}
    for seed in SEEDS:
        task, model, _ = start(NAME, seed)
        content = torch.load(work / f"{NAME}_{seed}" / "state.pt", weights_only=True)
        model.load_state_dict(content["model"])
        log = json.loads((work / f"{NAME}_{seed}" / "log.json").read_text())
        if not seconds <= sum(log["cpu"]) < 1.1 * seconds:
            raise SystemExit(f"{seed} had {sum(log['cpu']):.0f} s, not {seconds:.0f}")
        scored, written = score_run(model.eval(), task)
        losses = np.array(log["losses"])
        runs.append(
            {
                "seed": seed,
                "cpu_seconds": round(sum(log["cpu"]), 1),
                "steps": len(losses),
                "epochs": round(len(losses) * SIZE / len(task.train), 2),
                "first_losses": log["losses"][:5],
                "losses": np.round(losses.reshape(-1, CHUNK).mean(1), 4).tolist(),
                **scored,
            }
        )
        print(seed, scored["all"], flush=True)
        if seed == 0:
            result = {"weights": sum(p.numel() for p in model.parameters())}
            result["examples"] = written[:10]
            path = checkpoints / f"translation_{NAME}.safetensors"
            script = f"benchmarks/transformer_translation.py train 0 --seconds {seconds:.0f}"
            write_tensors(path, state_arrays(model), script=script, seed="0")
    record(
        target,
        {**result, "runs": runs},
        script=f"benchmarks/transformer_translation.py score --seconds {seconds:.0f}",
        seeds=list(SEEDS),
        cpu_seconds_each=seconds,
        batch=SIZE,
        peak=PEAK,
        rise=RISE,
        sacrebleu=f"{sacrebleu.__version__}, BLEU-4 on our lower-case words, tokenize=none",
        interval="95 %, 1,000 bootstrap samples of sentences",
    )


def main() -> None:
    """Read the command line."""
    parser = command_line(__doc__, quick="")
    parser.add_argument("what", choices=["train", "score"])
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--work", type=Path, default=ROOT / ".translation")
    parser.add_argument(
        "--target", type=Path, default=DATA / f"recorded/{NAME}_translation.json"
    )
    parser.add_argument("--checkpoints", type=Path, default=DATA / "checkpoints")
    arguments = parser.parse_args()
    if arguments.what == "train":
        train(arguments.seed, arguments.seconds, arguments.work)
    else:
        score(arguments.work, arguments.target, arguments.checkpoints, arguments.seconds)


if __name__ == "__main__":
    main()
