"""Run nbval again where the arithmetic is done in another order.

    python tools/robust.py                              # what is not green yet
    python tools/robust.py --minutes 10                 # as much of it as fits
    python tools/robust.py --setting "two threads" book/why/rnn-bottleneck.ipynb
    python tools/robust.py --left                       # only say what is left

Other kernels (those of an older processor, or of any) and another number of threads add sums up
in another order, so that their last digits differ. What the book prints must not. A part is one
setting and one notebook. A green one is recorded as soon as it is there, so that a run which
was interrupted goes on where it stood; it holds until the notebook's code or outputs change.
With other versions all are taken anew. Each machine has a record of its own.
"""

import argparse
import ast
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
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
OWN = "this processor's own kernels"
# What a chapter's live cells may take, of CPU time; longer runs are recorded by a script.
CHAPTER_SECONDS, CELL_SECONDS = 60, 20


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
        OWN: one,
        "kernels of an older processor": one | older,
        "the plainest kernels": one | plainest,
        "two threads": two,
    }


def environment(variables: dict[str, str]) -> dict[str, str]:
    """Return the environment of a run with a setting's variables and no other of their kind."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FORGOTTEN)}
    return kept | variables


def digest(path: Path) -> str:
    """Return a hash of what a verdict depends on: a notebook's code, outputs and tolerances.

    Setup cell, imports, blank lines, the states of widgets and drawings of models are left out:
    code may move, and a widget or a drawing may look different, without another number.
    """
    parts = []
    for cell in code_cells(nbformat.read(path, as_version=4)):
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


def machine() -> tuple[str, dict[str, str]]:
    """Return the processor and the versions that a verdict belongs to."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = {package: version(package) for package in PACKAGES}
    name = f"{(names or [platform.machine()])[0]}, {os.cpu_count()} cores"
    return name, {"python": platform.python_version()} | versions


def recorded() -> dict[str, dict]:
    """Return what is recorded: by machine its versions, and by setting what was green."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def write(records: dict[str, dict]) -> None:
    """Record, a notebook a line."""
    text = json.dumps(records, indent=1, sort_keys=True)
    flat = re.sub(r"\{[^{}]*\}", lambda found: " ".join(found[0].split()), text)
    RECORD.write_text(flat + "\n", encoding="utf-8")


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
            return {"complaints": [f"it took more than {LIMIT} seconds"]}
        if not report.is_file():
            return {"complaints": ["pytest wrote no report"]}
        return read(list(ET.parse(report).iter("testcase")))


def read(cases: list[ET.Element]) -> dict:
    """Return each complaint of a report, and the CPU seconds of the kernel."""
    found = [
        f"{case.get('name')}: {(bad.text or bad.get('message') or '').strip()}"
        for case in cases
        for bad in [*case.findall("failure"), *case.findall("error")]
    ]
    spent = [float(p.get("value")) for c in cases for p in c.iter("property")]
    took = {"cpu_seconds": round(sum(spent), 1), "slowest_cell": max(spent, default=0.0)}
    return took | {"complaints": found if cases else ["no cell was run"]}


def left(record: dict, names: list[str], notebooks: list[Path]) -> list[tuple[str, Path]]:
    """Return the parts that are not recorded as green for the notebook as it is now."""
    now = {path: digest(path) for path in notebooks}
    return [
        (name, path)
        for name in names
        for path in notebooks
        if record["green"].get(name, {}).get(_name(path), {}).get("digest") != now[path]
    ]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def too_costly(record: dict) -> list[str]:
    """Return the notebooks that took more CPU time, on one thread, than live cells may."""
    found = []
    for path, part in record["green"].get(OWN, {}).items():
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
    options = parser.parse_args(arguments)
    (here, versions), records = machine(), recorded()
    if records.get(here, {}).get("versions") != versions:
        records[here] = {"versions": versions, "green": {}}
    notebooks = [path.resolve() for path in options.paths] or book_notebooks()
    parts = left(records[here], options.setting or names, notebooks)
    if not options.left:
        end = time.monotonic() + 60 * options.minutes
        parts, red = work(records, here, parts, end)
        print(f"{len(parts)} parts are left, {red} of them red")
        return int(red > 0)
    for name, path in parts:
        print(f"{name}: {_name(path)}")
    return 0


def work(
    records: dict[str, dict], here: str, parts: list[tuple[str, Path]], end: float
) -> tuple[list[tuple[str, Path]], int]:
    """Run parts until ``end``, recording what is green; return what is left, how many red."""
    waiting, red = [], []
    for name, path in parts:
        if time.monotonic() > end:
            waiting.append((name, path))
            continue
        seen = digest(path)
        result = run(settings()[name], path)
        complaints = result.pop("complaints")
        if complaints:
            red.append((name, path))
        else:
            green = records[here]["green"].setdefault(name, {})
            green[_name(path)] = {"digest": seen} | result
            write(records)
        print(f"{name}: {path.stem}: {'RED' if complaints else 'green'}", flush=True)
        print("".join(f"    {line[:500]}\n" for line in complaints), end="")
    return red + waiting, len(red)


if __name__ == "__main__":
    sys.exit(main())
