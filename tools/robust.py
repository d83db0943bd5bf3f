"""Run nbval again where the arithmetic is done in another order.

    python tools/robust.py                              # what is not recorded yet
    python tools/robust.py --minutes 10                 # as much of it as fits
    python tools/robust.py --setting "two threads" book/why/rnn-bottleneck.ipynb
    python tools/robust.py --left                       # only say what is left

One factor at a time, and then all at their lowest: the kernels of OpenBLAS for each processor
that this one can play, those of PyTorch, MKL, oneDNN and NumPy, and the number of threads. Sums
are then added up in another order and differ in their last digits. What the book prints must
not. A part is one setting and one notebook; the verdict is recorded as soon as it is there, so
that a run which was interrupted goes on where it stood. A recorded verdict holds until the
notebook's code or outputs change; with other versions all are taken anew. Each machine has a
record of its own, and leaves those of the others.
"""

import argparse
import ast
import ctypes
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from execute_notebooks import book_notebooks
from normalise import VIEW
from rules.notebooks import ROOT, code_cells, tags
from rules.taught_code import parse

RECORD = ROOT / "tests" / "robust.json"
PACKAGES = ("numpy", "torch", "plotly", "nbval")
# Whatever the caller's environment says about arithmetic is forgotten first.
FORGOTTEN = ("OPENBLAS_", "GOTO_", "MKL_", "ONEDNN_", "DNNL_", "ATEN_", "NPY_", "OMP_", "KMP_")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
LIMIT = 900  # seconds for one part, on a busy machine
OWN = "this processor's own kernels, one thread"
# What a chapter's live cells may take, of CPU time; longer runs are recorded by a script.
CHAPTER_SECONDS, CELL_SECONDS = 60, 20


def settings() -> dict[str, dict[str, str]]:
    """Return the variables of each setting that this processor can play."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    one, two = (dict.fromkeys(THREADS, count) for count in "12")
    # MKL heeds the first on Intel's processors only and the second on all.
    mkl = {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "MKL_CBWR": "COMPATIBLE"}
    onednn = {"ONEDNN_MAX_CPU_ISA": "SSE41"}
    # PyTorch asks oneDNN, not its own setting, whether to pack for AMX; that needs AVX-512.
    no_amx = {"ONEDNN_MAX_CPU_ISA": "AVX2"}
    loops = [f for f in __cpu_dispatch__ if __cpu_features__[f]]
    numpy = {"NPY_DISABLE_CPU_FEATURES": " ".join(loops)}
    needs = {"SkylakeX": "AVX512_SKX", "Haswell": "AVX2", "Zen": "AVX2", "Nehalem": "SSE42"}
    cores = [core for core, need in needs.items() if __cpu_features__.get(need)]
    found = {OWN: one}
    found |= {f"OpenBLAS for {core}": one | {"OPENBLAS_CORETYPE": core} for core in cores}
    found |= {
        "PyTorch's default kernels": one | {"ATEN_CPU_CAPABILITY": "default"} | no_amx,
        "PyTorch's AVX2 kernels": one | {"ATEN_CPU_CAPABILITY": "avx2"} | no_amx,
        "MKL at its lowest": one | mkl,
        "oneDNN at its lowest": one | onednn,
        "NumPy's plain loops": one | numpy,
        "two threads": two,
    }
    lowest = {"OPENBLAS_CORETYPE": "Nehalem", "ATEN_CPU_CAPABILITY": "default"}
    lowest |= mkl | onednn | numpy
    found["all at their lowest, one thread"] = one | lowest
    found["all at their lowest, two threads"] = two | lowest
    return found


def environment(variables: dict[str, str]) -> dict[str, str]:
    """Return the environment of a run with a setting's variables and no other of their kind."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FORGOTTEN)}
    return kept | variables


def probe(variables: dict[str, str]) -> dict:
    """Return what a fresh Python computes with under a setting, as it says itself."""
    command = [sys.executable, __file__, "--probe"]
    done = subprocess.run(
        command, env=environment(variables), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def _probe() -> dict:
    """Ask the libraries for their kernels; compute what shows in which digits they differ."""
    import numpy as np
    import torch
    from torch.nn import LSTM
    from torch.nn.functional import conv1d

    random = np.random.RandomState(0)
    a, b = random.standard_normal((257, 300)), random.standard_normal((300, 129))
    x, y = torch.tensor(a).float(), torch.tensor(b).float()
    torch.manual_seed(0)
    lstm = LSTM(32, 32)
    digits = {
        "NumPy's matrix product": a @ b,
        "NumPy's dot product": a.ravel() @ a.ravel(),
        "NumPy's least squares": np.linalg.lstsq(a.T, b, rcond=None)[0],
        "NumPy's exp": np.exp(a),
        "PyTorch's matrix product": x @ y,
        "PyTorch's softmax": x.softmax(-1),
        "PyTorch's LSTM": lstm(x[:20, None, :32])[0].detach(),
        "PyTorch's convolution": conv1d(x.T, y[:, :3].T.reshape(1, 300, 3)),
        "PyTorch's normal draws": torch.randn(100),
    }
    [library] = Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*")
    blas = ctypes.CDLL(str(library))
    blas.scipy_openblas_get_corename64_.restype = ctypes.c_char_p
    return {
        "OpenBLAS": blas.scipy_openblas_get_corename64_().decode(),
        "PyTorch": torch.backends.cpu.get_cpu_capability(),
        "threads": [blas.scipy_openblas_get_num_threads64_(), torch.get_num_threads()],
        "digits": {
            what: hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest()[:12]
            for what, result in digits.items()
        },
    }


def digest(path: Path) -> str:
    """Return a hash of what a verdict depends on: a notebook's code, outputs and tolerances.

    Setup cell, imports, blank lines, the states of widgets and drawings of models are left out:
    code may move, and a widget or a drawing may look different, without another number.
    """
    return _digest(path.read_text(encoding="utf-8"))


@cache
def _digest(text: str) -> str:
    """A notebook has a verdict for each setting; it is read once."""
    parts = []
    for cell in code_cells(nbformat.reads(text, as_version=4)):
        if "setup" not in tags(cell):
            shown = [o.get("text") or _compared(o.get("data", {})) for o in cell.outputs]
            rules = {k: cell.metadata.get(k) for k in ("tags", "tolerance", "measured")}
            parts.append([_without_imports(cell.source), shown, rules])
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _without_imports(source: str) -> list[str]:
    """Return the lines of a cell as they stand; each Python writes a tree differently."""
    imported = {
        number
        for node in ast.walk(parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(source.splitlines(), start=1)
    return [line.rstrip() for number, line in lines if line.strip() and number not in imported]


def _compared(data: dict) -> dict:
    drawn = VIEW in data or '<div class="ac-drawing"' in data.get("text/html", "")
    shown = {"text/plain"} if drawn else data.keys()
    return {mime: value for mime, value in data.items() if mime in shown}


def machine() -> dict:
    """Return the processor and the versions that a verdict belongs to."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "machine": f"{(names or [platform.machine()])[0]}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "packages": {package: version(package) for package in PACKAGES},
    }


def recorded(path: Path = RECORD) -> dict[str, dict]:
    """Return what is recorded, by machine."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {found["machine"]: found} if "machine" in found else found  # when there was but one


def run(variables: dict[str, str], notebook: Path) -> dict:
    """Run nbval on one notebook under one setting; return the verdict and what it took."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = "-q -p no:xdist --nbval --nbval-current-env --nbval-cell-timeout 600"
        command = [sys.executable, "-m", "pytest", *options.split(), "--color=no"]
        try:
            subprocess.run(
                [*command, f"--junit-xml={report}", str(notebook)],
                cwd=ROOT,
                env=environment(variables),
                stdout=subprocess.DEVNULL,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"green": False, "complaints": [f"it took more than {LIMIT} seconds"]}
        if not report.is_file():
            return {"green": False, "complaints": ["pytest wrote no report"]}
        cases = list(ET.parse(report).iter("testcase"))
    return read(cases)


def read(cases: list[ET.Element]) -> dict:
    """Return the verdict of a report, each complaint, and the CPU seconds of the kernel."""
    found = [
        f"{case.get('name')}: {(bad.text or bad.get('message') or '').strip()}"
        for case in cases
        for bad in [*case.findall("failure"), *case.findall("error")]
    ]
    spent = [float(p.get("value")) for c in cases for p in c.iter("property")]
    verdict = {"green": bool(cases) and not found, "cells": len(cases)}
    verdict |= {"cpu_seconds": round(sum(spent), 1), "slowest_cell": max(spent, default=0.0)}
    return verdict | {"complaints": found}


def verdict(record: dict, name: str, path: Path) -> str:
    """Return what is recorded for a part: green, red, changed since, or not run."""
    entry = record["settings"].get(name, {"notebooks": {}})
    part = entry["notebooks"].get(path.relative_to(ROOT).as_posix())
    if part is None:
        return "not run"
    if part["digest"] != digest(path):
        return "changed since"
    return "green" if part["green"] else "red"


def left(record: dict, names: list[str], notebooks: list[Path]) -> list[tuple[str, Path]]:
    """Return the parts that are not recorded as green for the notebook as it is now."""
    found = []
    for name in names:
        same = record["settings"].get(name, {}).get("as")
        for path in [] if same else notebooks:
            if verdict(record, name, path) != "green":
                found.append((name, path))
    return found


def probe_all(record: dict) -> None:
    """Record what each setting computes with, and which is the same as one before it.

    OpenBLAS may have no kernels of its own for a processor, and the own ones of this processor
    come first: a setting that answers every question as an earlier one did is not run. What was
    recorded under other variables is dropped.
    """
    now, before = settings(), record["settings"]
    stale = {name for name, entry in before.items() if now.get(name) != entry["variables"]}
    kept = {n: e for n, e in before.items() if n not in stale and e["as"] not in stale}
    record["settings"] = kept
    for name, variables in now.items():
        if name not in kept:
            seen = probe(variables)
            same = next((other for other, entry in kept.items() if entry["seen"] == seen), None)
            kept[name] = {"variables": variables, "seen": seen, "as": same, "notebooks": {}}


def too_costly(record: dict) -> list[str]:
    """Return the notebooks that took more CPU time, on one thread, than live cells may."""
    found = []
    for path, part in record["settings"][OWN]["notebooks"].items():
        if part["cpu_seconds"] > CHAPTER_SECONDS:
            found.append(f"{path} took {part['cpu_seconds']} s of CPU, not {CHAPTER_SECONDS}")
        if part["slowest_cell"] > CELL_SECONDS:
            found.append(f"a cell of {path} took {part['slowest_cell']} s, not {CELL_SECONDS}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    names = [*settings()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all unless given")
    parser.add_argument("--setting", action="append", choices=names)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none later")
    parser.add_argument("--left", action="store_true", help="run nothing, list what is left")
    parser.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.probe:
        print(json.dumps(_probe()))
        return 0
    here, records = machine(), recorded()
    record = records.get(here["machine"], {})
    if {key: record.get(key) for key in here} != here:
        record = here | {"settings": {}}
    records[here["machine"]] = record
    probe_all(record)
    notebooks = [path.resolve() for path in options.paths] or book_notebooks()
    chosen = options.setting or names
    if not options.left:
        end = time.monotonic() + 60 * options.minutes
        work(records, record, left(record, chosen, notebooks), end)
    parts = left(record, chosen, notebooks)
    red = [(name, path) for name, path in parts if verdict(record, name, path) == "red"]
    print(f"{len(parts)} parts are left, {len(red)} of them red")
    for name, path in parts if options.left else red:
        print(f"  {name}: {path.relative_to(ROOT)}")
    return int(bool(red))


def work(
    records: dict[str, dict], record: dict, parts: list[tuple[str, Path]], end: float
) -> None:
    """Run parts until ``end``, recording each in this machine's record among all."""
    for name, path in parts:
        if time.monotonic() > end:
            return
        setting = record["settings"][name]
        seen = {"digest": digest(path), "date": date.today().isoformat()}
        result = run(setting["variables"], path)
        setting["notebooks"][path.relative_to(ROOT).as_posix()] = seen | result
        RECORD.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {path.stem}: {'green' if result['green'] else 'RED'}", flush=True)
        print("".join(f"    {line[:500]}\n" for line in result["complaints"]), end="")


if __name__ == "__main__":
    sys.exit(main())
