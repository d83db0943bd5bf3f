"""Measure every question of the performance chapters on this device, and record it.

    python benchmarks/gpu.py                        # all, on the GPU that torch finds
    python benchmarks/gpu.py --parts forward decode # some of them
    python benchmarks/gpu.py --minutes 9            # what there is time for; again for the rest
    python benchmarks/gpu.py --device cpu           # on one thread of the CPU, small

Equality comes first: what is not equal to the reference in float64 (output, gradients,
causality) is not timed, and the command ends with an error. Each question is written as soon as
it is answered, into src/attention_course/data/recorded/devices/DEVICE.json, and is not measured
again, unless --again says so, while code, torch and driver are the same. On a GPU another
process measures: what hangs or ends it is left out, and the rest goes on. It needs torch,
NumPy, and on a GPU Triton.
"""

import argparse
import hashlib
import json
import math
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

STARTED = time.monotonic()  # importing torch takes its time, too
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import torch  # noqa: E402

from attention_course import benchmarks  # noqa: E402
from attention_course.benchmarks.results import SCHEMA, parts  # noqa: E402
from attention_course.benchmarks.runner import describe  # noqa: E402
from attention_course.measure import Device, provenance, record, this_device  # noqa: E402
from attention_course.measure.timing import ask_driver  # noqa: E402

DEVICES = ROOT / "src/attention_course/data/recorded/devices"
# What a record depends on, but for what only displays it.
CODE = ("benchmarks", "kernels", "layers", "measure")
DISPLAY = ("results.py", "points.py")
SECONDS = 3.0  # of timing at each size; preparing, comparing and compiling come on top
# After so many seconds without a word a process is ended: nothing takes so long to compile.
SILENCE = 150.0
FAILED = 3  # the exit status of a run that went to its end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 only where all was measured and nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "cpu"], help="instead of what torch finds")
    parser.add_argument("--parts", nargs="+", choices=benchmarks.names(), help="some questions")
    parser.add_argument("--minutes", type=float, default=math.inf, help="at most")
    parser.add_argument("--again", action="store_true", help="measure what is recorded, too")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, nothing recorded")
    parser.add_argument("--folder", type=Path, default=DEVICES, help="where records are kept")
    parser.add_argument("--without", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    until = STARTED + 60 * options.minutes
    try:
        device = this_device(options.device)
    except ValueError as error:
        parser.error(f"{error}; --device cpu measures small on the CPU")
    path = options.folder / f"{file_name(device)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {}
    if path.is_file() and not options.quick:
        try:
            kept = parts(path.name, path.read_text(encoding="utf-8"))
        except ValueError as error:
            if not options.again:
                parser.error(str(error))
    wanted = options.parts or benchmarks.names()
    if options.again and not options.quick:
        kept = {name: part for name, part in kept.items() if name not in wanted}
        write(path, kept, device)
    todo = [name for name in wanted if not same_code(kept.get(name), device)]
    if device.kind == "cuda" and options.without is None:
        given = [x for x in arguments or sys.argv[1:] if x != "--again"]
        return supervised([sys.executable, __file__, *given], path.with_suffix(".at"), until)
    print(f"{device.name}: {', '.join(todo) or 'all is recorded'}", flush=True)
    for name in todo:
        if not measured(name, device, path, kept, until, options):
            print(f"{name}: left for the next run", flush=True)
    said = [f"{name}: {line}" for name in wanted for line in failures(kept.get(name))]
    print("\n".join(said))
    return FAILED if said else 0


def measured(
    name: str,
    device: Device,
    path: Path,
    kept: dict[str, Any],
    until: float,
    options: argparse.Namespace,
) -> bool:
    """Answer one question and write it down; return False where there is no time for it."""
    sizes = benchmarks.question(name).sizes["tiny" if options.quick else device.kind]
    seconds = 0.1 if options.quick else SECONDS * len(sizes)
    if time.monotonic() + seconds > until:
        return False
    at = path.with_suffix(".at")
    started = time.monotonic()

    def told(way: str) -> None:
        if device.kind == "cuda":
            torch.cuda.synchronize()  # what the way before did wrong ends the process here
            at.write_text(json.dumps([name, way]), encoding="utf-8")

    found = benchmarks.run(
        name,
        device=device,
        sizes="tiny" if options.quick else device.kind,
        seconds=seconds,
        live=options.quick,
        told=told,
        without=(options.without or {}).get(name),
    )
    took = time.monotonic() - started
    print(f"{name}: {len(found.rows)} rows, {took:.0f} s", flush=True)
    about = provenance(script(device), code=digest(), commit=commit(), seconds=round(took, 1))
    about |= {"device": describe(device), "driver": ask_driver(device, "driver_version")}
    about["clocks"] = ask_driver(device, "clocks.sm,power.draw,temperature.gpu")
    kept[name] = {"content": found.content, "about": about}
    if not options.quick:
        write(path, kept, device)
    return True


def write(path: Path, kept: Mapping[str, Any], device: Device) -> None:
    """Write all that there is, so that a run that is ended loses one question at most."""
    new = path.with_suffix(".new")
    result = {"schema": SCHEMA, "device": describe(device), "parts": kept}
    record(new, result, script=script(device))
    new.replace(path)


def script(device: Device) -> str:
    """Return the command, as a record names it."""
    return f"benchmarks/gpu.py --device {device.kind}"


def supervised(command: Sequence[str], at: Path, until: float) -> int:
    """Measure in another process, and in a new one without whatever stopped it.

    Args:
        command: what starts the process; it writes the question and way that it touches.
        at: where it writes them.
        until: when all of it ends, by ``time.monotonic``.

    Returns:
        The exit status: that of the process, or 1 where it was stopped.
    """
    without: dict[str, dict[str, str]] = {}
    while (left := until - time.monotonic()) > 0:
        at.write_text('["", ""]', encoding="utf-8")
        more = ["--minutes", str(left / 60), "--without", json.dumps(without)]
        process = subprocess.Popen([*command, *more])
        silent = False
        while process.poll() is None and time.monotonic() < until and not silent:
            time.sleep(0.05)
            silent = time.time() - at.stat().st_mtime > SILENCE
        ended = process.poll()
        process.kill()
        process.wait()
        name, way = json.loads(at.read_text(encoding="utf-8"))
        at.unlink()
        if ended in (0, FAILED):
            return int(ended)
        why = "stopped: no answer" if silent else f"stopped: it ended the process ({ended})"
        print(f"{name or 'between questions'}, {way}: {why}", flush=True)
        if not way or way in without.get(name, {}):
            break
        without.setdefault(name, {})[way] = why
    return 1


def same_code(part: Mapping[str, Any] | None, device: Device) -> bool:
    """Say whether a question was recorded from the same code on the same machine."""
    if part is None:
        return False
    about, now = part["about"], provenance(script(device))
    return (
        about["code"] == digest()
        and about["packages"] == now["packages"]
        and about["device"] == json.loads(json.dumps(describe(device)))
        and about["driver"] == ask_driver(device, "driver_version")
    )


def failures(part: Mapping[str, Any] | None) -> list[str]:
    """Return what failed or was stopped; of a question that is not there, that it is left."""
    if part is None:
        return ["not recorded"]
    bad = ("failed", "stopped")
    rows = (row for row in part["content"]["rows"] if row.get("why_not", "").startswith(bad))
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


def commit() -> str:
    """Return the commit that is measured, with a plus if files have changed since."""
    program = shutil.which("git")
    if not program or not (ROOT / ".git").exists():
        return "not a checkout"
    command = [program, "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
