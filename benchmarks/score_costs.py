"""What a score function costs: time, bytes and parameters, all measured in one run.

Queries and keys are random, as many of one as of the other. Each round times every score
function once, in a drawn order, forward and backward up to the weights; its time is divided by
that of the dot product in the same round, so that a slow moment of the machine falls on both.
Medians and quartiles over the rounds are recorded. Time is the processor's, on one thread.

Memory twice: the bytes that autograd keeps (counted), and how far the process's memory rose
above where it was during the same call (the system's high-water mark, Linux only).

    python benchmarks/score_costs.py          # 3 minutes on one core
    python benchmarks/score_costs.py --quick  # a smoke test that records nothing
"""

import re
import time
from pathlib import Path

import numpy as np
import torch
from shared import command_line, store
from torch import Tensor, nn

from attention_course.layers.recurrent.score_table import SCORE_NAMES, make_score
from attention_course.measure.saved_bytes import saved_bytes

SIZES = [(32, 64), (128, 64), (512, 64), (128, 16), (128, 256)]  # queries = keys, and d
ROUNDS, SEED = 15, 0


def prepare(n: int, d: int) -> tuple[dict[str, nn.Module], Tensor, Tensor, Tensor]:
    """Return all score functions, queries, keys, and a gradient for the weights."""
    generator = torch.Generator().manual_seed(SEED)
    scores = {name: make_score(name, d, n, generator) for name in SCORE_NAMES}
    q, k = torch.randn(2, n, d, generator=generator)
    return scores, q, k, torch.randn(n, n, generator=generator)


def once(score: nn.Module, q: Tensor, k: Tensor, pull: Tensor) -> None:
    """Scores, softmax, and the gradients by queries, keys and parameters."""
    q, k = q.clone().requires_grad_(), k.clone().requires_grad_()
    (score(q, k).softmax(-1) * pull).sum().backward()
    for parameter in score.parameters():
        parameter.grad = None


def seconds(score: nn.Module, repeats: int, *tensors: Tensor) -> float:
    """Return the processor's seconds for one call, averaged over the repeats."""
    started = time.process_time()
    for _ in range(repeats):
        once(score, *tensors)
    return (time.process_time() - started) / repeats


def status(field: str) -> int:
    """Return a size from the process's own accounting, in bytes."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1])


def rise(score: nn.Module, *tensors: Tensor) -> int:
    """Return how far the process's memory rose during one call."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forget the last peak
    before = status("VmRSS")
    once(score, *tensors)
    return status("VmHWM") - before


def compare(n: int, d: int, rounds: int) -> list[dict]:
    """Measure every score function at one size."""
    scores, *tensors = prepare(n, d)
    q, k = (x.clone().requires_grad_() for x in tensors[:2])
    rng, times = np.random.RandomState(SEED), {name: [] for name in SCORE_NAMES}
    repeats = {}
    for name, score in scores.items():
        once(score, *tensors)
        repeats[name] = max(1, int(0.02 / max(seconds(score, 1, *tensors), 1e-6)))
    for _ in range(rounds):
        for name in rng.permutation(SCORE_NAMES):
            times[name].append(seconds(scores[name], repeats[name], *tensors))
    rows = []
    for name, score in scores.items():
        ratios = np.array(times[name]) / np.array(times["dot"])
        rows.append(
            {
                "score": name,
                "n": n,
                "d": d,
                "weights": sum(p.numel() for p in score.parameters()),
                "milliseconds": round(1e3 * float(np.median(times[name])), 4),
                "times_dot": [
                    round(float(x), 3) for x in np.quantile(ratios, [0.25, 0.5, 0.75])
                ],
                "saved_bytes": saved_bytes(score, q, k, parameters=score.parameters()),
                "rise_bytes": int(np.median([rise(score, *tensors) for _ in range(3)])),
            }
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run all sizes and record them."""
    quick = command_line(__doc__, quick="one size").parse_args().quick
    rows = []
    for n, d in SIZES[:1] if quick else SIZES:
        rows += compare(n, d, 2 if quick else ROUNDS)
    if not quick:
        store(
            __file__,
            rows,
            seeds=[SEED],
            rounds=ROUNDS,
            sizes=[list(size) for size in SIZES],
        )


if __name__ == "__main__":
    main()
