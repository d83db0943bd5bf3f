"""Measure every question of the performance chapters on this device, and record it.

    python benchmarks/gpu.py                        # all, on the GPU that torch finds
    python benchmarks/gpu.py --parts forward decode # some of them
    python benchmarks/gpu.py --minutes 9            # what there is time for; again for the rest
    python benchmarks/gpu.py --device cpu           # on one thread of the CPU, small

Equality comes first: what is not equal to the reference in float64 (output, gradients,
causality) is not timed, and the command ends with an error. Each question is written as soon as
it is answered, into src/attention_course/data/recorded/devices/DEVICE.json, and is not measured
again while code, packages and driver are the same: to measure all anew, delete the file. A
question is begun while minutes are left, and goes on to its end. Where something hangs or ends
the process, ``--parts`` records the other questions. It needs torch, NumPy, and on a GPU
Triton.
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

STARTED = time.monotonic()  # importing torch takes its time, too
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from torch.utils import collect_env  # noqa: E402

from attention_course import benchmarks  # noqa: E402
from attention_course.benchmarks.results import SCHEMA, parts  # noqa: E402
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
    parser.add_argument("--minutes", type=float, default=1e5, help="at most")
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
        if began - STARTED + seconds > 60 * options.minutes:
            print(f"{name}: left for the next run", flush=True)
            break
        found = benchmarks.run(name, device=device, seconds=seconds, live=False)
        took = round(time.monotonic() - began, 1)
        print(f"{name}: {len(found.rows)} rows, {took:.0f} s", flush=True)
        more = {"code": digest(), "seconds": took, "driver": driver(device)}
        kept[name] = {"content": found.content, "about": found.about | more}
        write(path, kept, device)
    said = [f"{name}: {line}" for name in wanted for line in failures(kept.get(name))]
    print("\n".join(said))
    return int(bool(said))


def write(path: Path, kept: Mapping[str, Any], device: Device) -> None:
    """Write all that there is, so that a run that is ended loses one question at most."""
    new = path.with_suffix(".new")
    result = {"schema": SCHEMA, "device": describe(device), "parts": kept}
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
        and about["driver"] == driver(device)
    )


def failures(part: Mapping[str, Any] | None) -> list[str]:
    """Return what failed; of a question that is not there, that it is left."""
    if part is None:
        return ["not recorded"]
    rows = part["content"]["rows"]
    rows = [row for row in rows if row.get("why_not", "").startswith("failed")]
    return [f"{row['variant']} at {row['size']}: {row['why_not']}" for row in rows]


def file_name(device: Device) -> str:
    """Return the name of the file for a device, from the name that its maker gives it."""
    return re.sub(r"[^a-z0-9]+", "-", device.name.lower()).strip("-")


@cache
def driver(device: Device) -> str:
    """Return the version of a GPU's driver; empty on a CPU or where no driver answers."""
    if device.kind == "cpu":
        return ""
    return collect_env.get_nvidia_driver_version(collect_env.run) or ""


@cache
def digest() -> str:
    """Return a short hash of the code that a record depends on."""
    source = ROOT / "src/attention_course"
    files = [f for part in CODE for f in sorted((source / part).rglob("*.py"))]
    text = b"".join(f.read_bytes() for f in files if f.name not in DISPLAY)
    return hashlib.sha256(text).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
