"""Run nbval again where the arithmetic is done in another order.

    python tools/robust.py                                # every notebook that is not green yet
    python tools/robust.py --minutes 10 book/why/rnn-bottleneck.ipynb

Other kernels (those of an older processor, or of any) and another number of threads add sums up
in another order, so that their last digits differ. What the book prints must not. What was
green is noted in ``.make/robust``, so that a run which was interrupted goes on where it stood;
``make clean`` forgets it.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from execute_notebooks import ROOT, book_notebooks

GREEN = ROOT / ".make" / "robust"
# Whatever the caller's environment says about arithmetic is forgotten first.
FORGOTTEN = ("OPENBLAS_", "GOTO_", "MKL_", "ONEDNN_", "DNNL_", "ATEN_", "NPY_", "OMP_", "KMP_")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Two settings are there for their digits alone: no reader's machine is as slow as the plainest
# kernels, and of two threads the one that waits counts as computing.
PLAINEST, TWO = "the plainest kernels", "two threads"
# What a chapter's live cells may take, of CPU time; longer runs are recorded by a script.
CHAPTER_SECONDS, CELL_SECONDS = 60, 20
# Binder gives 2 GB, of which JupyterLab's server takes 0.2.
CHAPTER_MB = 1800


def settings() -> dict[str, dict[str, str]]:
    """Return the variables of each setting: all libraries are asked for the same at once."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    one, two = (dict.fromkeys(THREADS, count) for count in "12")
    loops = [f for f in __cpu_dispatch__ if __cpu_features__[f]]
    # PyTorch asks oneDNN, not its own setting, whether to pack for AMX; that needs AVX-512.
    older = {"OPENBLAS_CORETYPE": "Haswell", "ATEN_CPU_CAPABILITY": "avx2"}
    older |= {"ONEDNN_MAX_CPU_ISA": "AVX2"}
    plainest = {"OPENBLAS_CORETYPE": "Nehalem", "ATEN_CPU_CAPABILITY": "default"}
    plainest |= {"ONEDNN_MAX_CPU_ISA": "SSE41", "NPY_DISABLE_CPU_FEATURES": " ".join(loops)}
    # MKL heeds the first on Intel's processors only and the second on all.
    plainest |= {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "MKL_CBWR": "COMPATIBLE"}
    return {
        "this processor's own kernels": one,
        "kernels of an older processor": one | older,
        PLAINEST: one | plainest,
        TWO: two,
    }


def environment(variables: dict[str, str]) -> dict[str, str]:
    """Return the environment of a run with a setting's variables and no other of their kind."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FORGOTTEN)}
    return kept | variables


def run(variables: dict[str, str], notebook: Path, report: Path) -> list[ET.Element]:
    """Run nbval on one notebook under one setting; return what it reports of each cell."""
    options = "-q -p no:xdist --nbval --nbval-current-env --nbval-cell-timeout 600 --color=no"
    command = [sys.executable, "-m", "pytest", *options.split(), f"--junit-xml={report}"]
    report.unlink(missing_ok=True)
    how = {"cwd": ROOT, "env": environment(variables), "stdout": subprocess.DEVNULL}
    subprocess.run([*command, str(notebook)], **how, check=False)
    return list(ET.parse(report).iter("testcase")) if report.is_file() else []


def complaints(cases: list[ET.Element], *, timed: bool) -> list[str]:
    """Return what a report has against a notebook: what differs, and what takes too much."""
    found = [
        f"{case.get('name')}: {(bad.text or bad.get('message') or '').strip()}"
        for case in cases
        for bad in [*case.findall("failure"), *case.findall("error")]
    ]
    spent, held = (values(cases, name) for name in ("cpu_seconds", "peak_mb"))
    if timed and sum(spent) > CHAPTER_SECONDS:
        found.append(f"it took {sum(spent):.0f} s of CPU, more than {CHAPTER_SECONDS}")
    if timed and max(spent, default=0) > CELL_SECONDS:
        found.append(f"a cell took {max(spent):.0f} s of CPU, more than {CELL_SECONDS}")
    if max(held, default=0) > CHAPTER_MB:
        found.append(f"it held {max(held):.0f} MB, more than {CHAPTER_MB}")
    return found if cases else ["no cell was run"]


def values(cases: list[ET.Element], name: str) -> list[float]:
    """Return what a report's cells note under a name."""
    found = (p for case in cases for p in case.iter("property") if p.get("name") == name)
    return [float(p.get("value")) for p in found]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all unless given")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none later")
    options = parser.parse_args(arguments)
    if absent := [path for path in options.paths if not path.is_file()]:
        parser.error(f"expected notebooks, got no file at {', '.join(map(str, absent))}")
    end, red, left = time.monotonic() + 60 * options.minutes, 0, 0
    GREEN.mkdir(parents=True, exist_ok=True)
    for name, variables in settings().items():
        for notebook in options.paths or book_notebooks():
            noted = GREEN / f"{name}, {notebook.stem}"
            now = hashlib.sha256(notebook.read_bytes()).hexdigest()
            if noted.is_file() and noted.read_text() == now:
                continue
            if time.monotonic() > end:
                left += 1
                continue
            cases = run(variables, notebook.resolve(), GREEN / "report.xml")
            if found := complaints(cases, timed=name not in (PLAINEST, TWO)):
                red += 1
            else:
                noted.write_text(now)
            most = max(values(cases, "peak_mb"), default=0)
            verdict = f"{'RED' if found else 'green'}, {most:.0f} MB"
            print(f"{name}: {notebook.stem}: {verdict}", flush=True)
            print("".join(f"    {line[:500]}\n" for line in found), end="")
    print(f"{red} are red, {left} are left")
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
