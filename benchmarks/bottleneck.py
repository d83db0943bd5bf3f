"""Quality against length for several seeds and widths of the fixed vector.

    python benchmarks/bottleneck.py reversal    (random letters, backwards)
    python benchmarks/bottleneck.py longer      (the same, with four times as many steps)

Each writes ``src/attention_course/data/recorded/bottleneck_NAME.json``. One thread. The chapter
``why/rnn-bottleneck`` trains one more seed in front of the reader, with the same settings and
fewer steps. ``longer`` asks whether the strings at which the control fails are too long for its
vector or for its training: the same runs, continued, measured on the way.
"""

import time

import numpy as np
import torch
from shared import command_line, store

from attention_course.data import Batch, random_strings, reverse
from attention_course.models import FixedVectorSeq2Seq, sequence_loss
from attention_course.training import fit

SEEDS = (1, 2, 3, 4)
REVERSAL = {"steps": 2500, "lr": 4e-3, "batch": 128, "widths": [32, 64, 128], "longest": 16}
LONGER = {
    **REVERSAL,
    "steps": 10_000,
    "every": 2500,
    "runs": [[1, 32], [1, 64], [2, 32], [2, 64], [1, 128]],
}


def reversal_batch(count: int, length: int, rng: np.random.RandomState) -> Batch:
    """Return random strings of one length and the same strings backwards."""
    source = random_strings(count, length, 26, rng)
    target = np.column_stack([reverse(source), np.full(count, 2)])
    return Batch(source, np.full(count, length), target, np.full(count, length + 1))


def exact_by_length(model: FixedVectorSeq2Seq) -> dict[int, float]:
    """Return the share of 500 strings that are reversed without a mistake, by length."""
    exact = {}
    for length in range(2, REVERSAL["longest"] + 1, 2):
        batch = reversal_batch(500, length, np.random.RandomState(0))
        lengths = torch.from_numpy(batch.source_lengths)
        written = model.generate(torch.from_numpy(batch.source), lengths, length + 1)
        padded = np.zeros_like(batch.target)
        padded[:, : written.shape[1]] = written.numpy()
        exact[length] = float((padded == batch.target).all(1).mean())
    return exact


def draw_reversal(rng: np.random.RandomState) -> Batch:
    """Draw a batch of strings of one length, from one letter to the longest."""
    return reversal_batch(REVERSAL["batch"], rng.randint(1, REVERSAL["longest"] + 1), rng)


def reversal() -> list[dict]:
    """Train on reversal; measure exact matches by length."""
    results = []
    for seed in SEEDS:
        for width in REVERSAL["widths"]:
            rng = np.random.RandomState(seed)
            model = FixedVectorSeq2Seq(29, 29, width, rng)
            run = timed_fit(model, draw_reversal, rng, REVERSAL, None)
            exact = exact_by_length(model)
            results.append({**run, "seed": seed, "width": width, "exact": exact})
            print(seed, width, exact, results[-1]["cpu_seconds"])
    return results


def longer() -> list[dict]:
    """Train on reversal for longer; measure exact matches by length and by step."""
    results = []
    for seed, width in LONGER["runs"]:
        rng = np.random.RandomState(seed)
        model = FixedVectorSeq2Seq(29, 29, width, rng)
        after: list[dict[int, float]] = []

        def validate(model, after=after):
            after.append(exact_by_length(model))
            return -after[-1][8]

        run = timed_fit(model, draw_reversal, rng, LONGER, validate)
        exact = {step: found for (step, _), found in zip(run["validation"], after, strict=True)}
        results.append({**run, "seed": seed, "width": width, "exact": exact})
        print(seed, width, exact, results[-1]["cpu_seconds"], flush=True)
    return results


def timed_fit(model, draw, rng, settings, measure) -> dict:
    """Train, and say what it cost in CPU seconds without the validations."""
    measuring = [0.0]

    def validate(model):
        started = time.process_time()
        value = measure(model)
        measuring[0] += time.process_time() - started
        return value

    started = time.process_time()
    history = fit(
        model, draw, sequence_loss, rng, steps=settings["steps"], lr=settings["lr"],
        validate=validate if measure else None, every=settings.get("every", 200),
        progress=False,
    )  # fmt: skip
    return {
        "cpu_seconds": time.process_time() - started - measuring[0],
        "parameters": sum(p.numel() for p in model.parameters()),
        "validation": history.validation,
        "first_losses": history.losses[:3],
        "last_loss": float(np.mean(history.losses[-50:])),
    }


def main() -> None:
    """Read the command line, run all seeds, record."""
    tasks = {
        "reversal": (reversal, REVERSAL),
        "longer": (longer, LONGER),
    }
    task = command_line(__doc__, [*tasks], quick="").parse_args().task
    measure, settings = tasks[task]
    seeds = sorted({seed for seed, _ in settings["runs"]}) if task == "longer" else list(SEEDS)
    print(store(__file__, measure(), task, seeds=seeds, settings=settings).name)


if __name__ == "__main__":
    main()
