"""Measure every benchmark of the performance chapters on this device, and record it.

    python benchmarks/gpu.py                        # all parts, on the GPU that torch finds
    python benchmarks/gpu.py --parts forward decode # some of them
    python benchmarks/gpu.py --device cpu           # on one thread of the CPU, small

Equality comes first: what is not equal to the reference in float64 (output, gradients,
causality) is not timed, and the command ends with an error. Each part is written as soon as it
is there, into src/attention_course/data/recorded/devices/DEVICE.json; a part that was recorded
from the same code with the same torch and driver is not measured again unless --again says so.
At the end stands the table of what the course aims at, with what was reached. It needs torch,
NumPy, and on a GPU Triton.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from attention_course import benchmarks  # noqa: E402
from attention_course.benchmarks.runner import describe  # noqa: E402
from attention_course.measure import Device, provenance, record, this_device  # noqa: E402
from attention_course.measure.timing import clocks  # noqa: E402

DEVICES = ROOT / "src/attention_course/data/recorded/devices"
SCRIPT = "benchmarks/gpu.py"
# What a record stands on: when one of these changes, its parts are measured anew.
CODE = ("benchmarks", "kernels", "layers", "measure")
# Seconds of timing for all parts together; preparing, comparing and compiling come on top.
SECONDS = {"cuda": 200.0, "cpu": 90.0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 1 where something differed or failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "cpu"], help="instead of what torch finds")
    parser.add_argument("--parts", nargs="+", metavar="PART", help="some of the benchmarks")
    parser.add_argument("--seconds", type=float, help="of timing, for all parts together")
    parser.add_argument("--again", action="store_true", help="measure what is recorded, too")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, nothing recorded")
    parser.add_argument("--folder", type=Path, default=DEVICES, help="where records are kept")
    options = parser.parse_args(arguments)
    known = benchmarks.names()
    parts = options.parts or known
    if unknown := sorted(set(parts) - set(known)):
        parser.error(f"expected parts among {', '.join(known)}, got {', '.join(unknown)}")
    try:
        device = this_device(options.device)
    except ValueError as error:
        parser.error(f"{error}; --device cpu measures small on the CPU")
    if device.kind == "cpu":
        torch.set_num_threads(1)
    path = options.folder / f"{file_name(device)}.json"
    print(f"{device.name}: {', '.join(parts)}")
    shares = {name: timed_sizes(name, device) for name in known}
    each = (options.seconds or SECONDS[device.kind]) / max(1, sum(shares.values()))
    kept = {} if options.quick else stored(path)
    found = {}
    for name in parts:
        if not options.again and name in kept and same_code(kept[name], device):
            print(f"{name}: recorded {kept[name]['provenance']['date']}, from the same code")
        else:
            kept[name] = measured(name, device, max(1.0, each * shares[name]), options.quick)
            if not options.quick:
                write(path, kept, device)
        result, about = kept[name]["result"], kept[name]["provenance"]
        found[name] = benchmarks.Results(result, about, live=False)
    return report(found)


def measured(name: str, device: Device, seconds: float, quick: bool) -> dict[str, Any]:
    """Measure one part; return what is kept of it, with where, when and from which code."""
    started, before = time.perf_counter(), clocks(device)
    print(f"{name}: {benchmarks.benchmark(name).question}", flush=True)
    sizes = "tiny" if quick else None
    seconds = 0.5 if quick else seconds
    # As on a page, a quick run leaves out what has to be compiled.
    found = benchmarks.run(name, device=device, sizes=sizes, seconds=seconds, live=quick)
    took = time.perf_counter() - started
    print(f"{name}: {len(found.rows)} rows, {took:.0f} s", flush=True)
    about = provenance(
        f"{SCRIPT} --device {device.kind}",
        commit=commit(),
        code=digest(),
        device=describe(device),
        driver=driver(device),
        clocks={"before": before, "after": clocks(device)} if before else {},
        seconds=round(took, 1),
    )
    return {"result": json.loads(found.json())["result"], "provenance": about}


def timed_sizes(name: str, device: Device) -> int:
    """Return at how many sizes a part takes times: each gets the same share of the seconds."""
    bench = benchmarks.benchmark(name)
    return len(bench.sizes[device.kind]) if "time" in bench.measures else 0


def stored(path: Path) -> dict[str, Any]:
    """Return the parts that a file holds; none if there is no file."""
    if not path.is_file():
        return {}
    return dict(json.loads(path.read_text(encoding="utf-8"))["result"]["parts"])


def same_code(part: dict[str, Any], device: Device) -> bool:
    """Say whether a recorded part would be measured from the same code on the same machine."""
    about, now = part["provenance"], provenance(SCRIPT)
    return (
        about["code"] == digest()
        and about["packages"] == now["packages"]
        and about["device"] == json.loads(json.dumps(describe(device)))
        and about["driver"] == driver(device)
    )


def write(path: Path, parts: dict[str, Any], device: Device) -> None:
    """Write all parts that there are, so that a run that is ended loses one at most."""
    new = path.with_suffix(".new")
    result = {"device": describe(device), "parts": parts}
    record(new, result, script=f"{SCRIPT} --device {device.kind}", commit=commit())
    new.replace(path)


def report(found: dict[str, Any]) -> int:
    """Print what failed, and each goal with what was reached; return the exit status."""
    bad = 0
    for name, results in found.items():
        for row in results.rows:
            if row.get("why_not", "").startswith("failed"):
                bad += 1
                print(f"{name}, {row['variant']} at {row['size']}: {row['why_not']}")
        for verdict in results.equivalence:
            if not verdict.get("holds"):
                bad += 1
                print(f"{name}, {verdict['variant']} is not equal at {verdict['size']}")
    print(f"\n{'goal':<11}{'what':<52}{'reached':>9}{'floor':>7}{'stretch':>9}")
    goals = [(g, r) for name, r in found.items() for g in benchmarks.benchmark(name).goals]
    for goal, results in sorted(goals, key=lambda pair: _number(pair[0].name)):
        print(goal_line(goal, results))
    return min(bad, 1)


def goal_line(goal: Any, results: Any) -> str:
    """Return a line of the table: what was reached, or that it was not measured here."""
    try:
        ratio = goal.ratio(results)
        over = goal.most is not None and ratio > goal.most
        reached = f"{ratio:.2f}{'<' if ratio < goal.floor else '>' if over else ' '}"
    except (ValueError, KeyError, IndexError, ZeroDivisionError):
        reached = "- "
    stretch = "" if goal.stretch is None else f"{goal.stretch:.2f}"
    return f"{goal.name:<11}{goal.words:<52}{reached:>9}{goal.floor:>7.2f}{stretch:>9}"


def _number(name: str) -> tuple[int, str]:
    return int((re.findall(r"\d+", name) or ["99"])[0]), name


def file_name(device: Device) -> str:
    """Return the name of the file for a device, from the name that its maker gives it."""
    return re.sub(r"[^a-z0-9]+", "-", device.name.lower()).strip("-")


@cache
def digest() -> str:
    """Return a short hash of the code that a record stands on."""
    files = [
        f for part in CODE for f in sorted((ROOT / "src/attention_course" / part).rglob("*.py"))
    ]
    text = b"".join(f.read_bytes() for f in [*files, Path(__file__)])
    return hashlib.sha256(text).hexdigest()[:12]


def commit() -> str:
    """Return the commit that is measured, with a plus if files have changed since."""
    program = shutil.which("git")
    if not program or not (ROOT / ".git").exists():
        return "not a checkout"
    commands = (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "src"])
    head, changed = (
        subprocess.run([program, *c], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        for c in commands
    )
    return f"{head}{'+' if changed else ''}"


def driver(device: Device) -> str:
    """Return the version of the GPU's driver; nothing on a CPU."""
    program = shutil.which("nvidia-smi")
    if device.kind != "cuda" or not program:
        return ""
    question = [program, "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    return subprocess.run(question, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
