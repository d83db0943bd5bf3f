"""Measure every question of the performance chapters on this device, and record it.

    python benchmarks/gpu.py                        # all, on the GPU that torch finds
    python benchmarks/gpu.py --parts forward decode # some of them
    python benchmarks/gpu.py --device cpu           # on one thread of the CPU, small

Equality comes first: what is not equal to the reference in float64 (output, gradients,
causality) is not timed, and the command ends with an error. Each question is written as soon as
it is answered, into src/attention_course/data/recorded/devices/DEVICE.json, and is not measured
again while code and packages are the same: a run that was ended goes on, and to measure all
anew, delete the file. Where something hangs or ends the process, ``--parts`` records the other
questions. It needs torch, NumPy, and on a GPU Triton.
"""

import argparse
import hashlib
import re
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from attention_course import benchmarks  # noqa: E402
from attention_course.benchmarks.results import parts  # noqa: E402
from attention_course.benchmarks.runner import describe  # noqa: E402
from attention_course.measure import Device, provenance, record, this_device  # noqa: E402

DEVICES = ROOT / "src/attention_course/data/recorded/devices"
# What a record depends on, but for what only displays it.
CODE = ("benchmarks", "kernels", "layers", "measure")
DISPLAY = ("results.py", "points.py")
SECONDS = 3.0  # of timing at each size; preparing, comparing and compiling come on top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 only where all was measured and nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "cpu"], help="instead of what torch finds")
    parser.add_argument("--parts", nargs="+", choices=benchmarks.names(), help="some questions")
    options = parser.parse_args(arguments)
    try:
        device = this_device(options.device)
    except ValueError as error:
        parser.error(f"{error}; --device cpu measures small on the CPU")
    path = DEVICES / f"{file_name(device)}.json"
    kept = parts(path) if path.is_file() else {}
    wanted = options.parts or benchmarks.names()
    todo = [name for name in wanted if not same_code(kept.get(name), device)]
    print(f"{device.name}: {', '.join(todo) or 'all is recorded'}", flush=True)
    for name in todo:
        began = time.monotonic()
        seconds = SECONDS * len(benchmarks.question(name).sizes[device.kind])
        found = benchmarks.run(name, device=device, seconds=seconds, live=False)
        took = round(time.monotonic() - began, 1)
        print(f"{name}: {len(found.rows)} rows, {took:.0f} s", flush=True)
        more = {"code": digest(), "seconds": took}
        kept[name] = {"content": found.content, "about": found.about | more}
        write(path, kept, device)
    said = [f"{name}: {line}" for name in wanted for line in failures(kept[name])]
    print("\n".join(said))
    return int(bool(said))


def write(path: Path, kept: Mapping[str, Any], device: Device) -> None:
    """Write all that there is, so that a run that is ended loses one question at most."""
    new = path.with_suffix(".new")
    result = {"device": describe(device), "parts": kept}
    record(new, result, script=f"benchmarks/gpu.py --device {device.kind}")
    new.replace(path)


def same_code(part: Mapping[str, Any] | None, device: Device) -> bool:
    """Say whether a question was recorded from the same code on the same machine."""
    if part is None:
        return False
    about, now = part["about"], provenance("benchmarks/gpu.py")
    return (
        about["code"] == digest()
        and about["packages"] == now["packages"]
        and part["content"]["device"] == describe(device)
    )


def failures(part: Mapping[str, Any]) -> list[str]:
    """Return what failed."""
    rows = part["content"]["rows"]
    rows = [row for row in rows if row.get("why_not", "").startswith("failed")]
    return [f"{row['variant']} at {row['size']}: {row['why_not']}" for row in rows]


def file_name(device: Device) -> str:
    """Return the name of the file for a device, from the name that its maker gives it."""
    return re.sub(r"[^a-z0-9]+", "-", device.name.lower()).strip("-")


@cache
def digest() -> str:
    """Return a short hash of the code that a record depends on."""
    source = ROOT / "src/attention_course"
    files = [f for part in CODE for f in sorted((source / part).rglob("*.py"))]
    text = b"".join(f.read_bytes() for f in files if f.name not in DISPLAY)
    return hashlib.sha256(text).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
