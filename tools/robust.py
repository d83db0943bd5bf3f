"""Run nbval again where the arithmetic is done in another order.

    python tools/robust.py [notebook or folder ...]

With one and with two threads, with PyTorch's kernels at their plainest and at AVX2, and with
the level of every BLAS lowered: sums are then added up in another order and differ in their
last digits. What the book prints must not. (About three times the length of nbval in the gate.)
"""

import os
import subprocess
import sys
import time

from notebook_rules import ROOT
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
TWO_THREADS = dict.fromkeys(ONE_THREAD, "2")
LOWER_BLAS = {
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": " ".join(f for f in __cpu_dispatch__ if __cpu_features__[f]),
}
# Two processes of two threads on two cores are slow, so those runs have one worker.
RUNS = {
    "one thread": (2, ONE_THREAD),
    "two threads": (1, TWO_THREADS),
    "PyTorch's plain kernels": (2, ONE_THREAD | {"ATEN_CPU_CAPABILITY": "default"}),
    "PyTorch's AVX2 kernels": (2, ONE_THREAD | {"ATEN_CPU_CAPABILITY": "avx2"}),
    "a lesser BLAS": (2, ONE_THREAD | LOWER_BLAS),
    "all of it": (1, TWO_THREADS | LOWER_BLAS | {"ATEN_CPU_CAPABILITY": "default"}),
}


def main(targets: list[str]) -> int:
    """Run nbval on ``targets`` once for each setting; return the exit status."""
    outcomes = {}
    for name, (workers, variables) in RUNS.items():
        print(f"\n== {name}: {' '.join(f'{k}={v}' for k, v in variables.items())}", flush=True)
        started = time.perf_counter()
        done = subprocess.run(_command(workers, targets), cwd=ROOT, env=os.environ | variables)
        seconds = time.perf_counter() - started
        outcomes[name] = f"{'green' if done.returncode == 0 else 'RED'}, {seconds:.0f} s"
    print("\n" + "\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()))
    return int(any(outcome.startswith("RED") for outcome in outcomes.values()))


def _command(workers: int, targets: list[str]) -> list[str]:
    options = "-q --nbval --nbval-current-env --nbval-cell-timeout 400 --dist loadfile"
    command = [sys.executable, "-m", "pytest", *options.split(), "-n", str(workers)]
    return [*command, *(targets or ["book"])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
