"""Measure every benchmark of the performance chapters on this device, and record it.

    python benchmarks/gpu.py                        # all parts, on the GPU that torch finds
    python benchmarks/gpu.py --parts forward decode # some of them
    python benchmarks/gpu.py --minutes 9            # what there is time for; again for the rest
    python benchmarks/gpu.py --device cpu           # on one thread of the CPU, small

Equality comes first: what is not equal to the reference in float64 (output, gradients,
causality) is not timed, and the command ends with an error. Each part is written as soon as it
is there, into src/attention_course/data/recorded/devices/DEVICE.json; a part that was recorded
from the same code with the same torch and driver is not measured again unless --again says so,
whatever failed in it. A part whose timing alone would take longer than --minutes leaves is for
the next run. On a GPU the parts run in a process of their own: what hangs or breaks it is
named and left out, and the others are measured. At the end stand the goals of the course, with
what was reached. It needs torch, NumPy, and on a GPU Triton.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

STARTED = time.monotonic()  # importing torch takes its time, too
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import torch  # noqa: E402

from attention_course import benchmarks  # noqa: E402
from attention_course.benchmarks.goals import Reached, goals  # noqa: E402
from attention_course.benchmarks.runner import describe  # noqa: E402
from attention_course.measure import Device, provenance, record, this_device  # noqa: E402
from attention_course.measure.timing import ask_driver, clocks  # noqa: E402

DEVICES = ROOT / "src/attention_course/data/recorded/devices"
SCRIPT = "benchmarks/gpu.py"
# What a record stands on: when one of these changes, its parts are measured anew.
CODE = ("benchmarks", "kernels", "layers", "measure")
TRAINING = (*CODE, "data", "models", "training.py")
# What only displays a record.
DISPLAY = {f"benchmarks/{name}.py" for name in ("results", "recordings", "goals", "points")}
# Seconds of timing for all parts together; preparing, comparing and compiling come on top.
SECONDS = {"cuda": 240.0, "cpu": 90.0}
# What is most wanted stands first, and last what is likeliest to break.
FIRST, LAST = ("forward", "decode", "backward", "memory"), ("training", "ladder")
# After so many seconds without a word a process is ended: nothing takes so long to compile.
SILENCE = 150.0
MOST_LEFT_OUT = 4  # of a part, before it is given up
STOPPED = "stopped"


class Job(NamedTuple):
    """A part that is to be measured.

    Attributes:
        name: the benchmark's.
        seconds: about how long its timing may take.
        quick: tiny sizes.
        commit: what is measured.
        without: variants that are left out, and why.
    """

    name: str
    seconds: float
    quick: bool
    commit: str
    without: Mapping[str, str] = {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 1 where something failed or is left."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "cpu"], help="instead of what torch finds")
    parser.add_argument("--parts", nargs="+", metavar="PART", help="some of the benchmarks")
    parser.add_argument("--seconds", type=float, help="of timing, for all parts together")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="of the wall's clock, at most"
    )
    parser.add_argument("--again", action="store_true", help="measure what is recorded, too")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, nothing recorded")
    parser.add_argument("--folder", type=Path, default=DEVICES, help="where records are kept")
    parser.add_argument("--commit", help="what is measured, where git cannot be asked")
    options = parser.parse_args(arguments)
    until = STARTED + 60 * options.minutes
    known = sorted(benchmarks.names(), key=turn)
    if unknown := sorted({*(options.parts or ())} - {*known}):
        parser.error(f"expected parts among {', '.join(known)}, got {', '.join(unknown)}")
    parts = [name for name in known if name in (options.parts or known)]
    try:
        device = this_device(options.device)
    except ValueError as error:
        parser.error(f"{error}; --device cpu measures small on the CPU")
    if device.kind == "cpu":
        torch.set_num_threads(1)
    path = options.folder / f"{file_name(device)}.json"
    print(f"{device.name}: {', '.join(parts)}")
    kept = {} if options.quick else stored(path) or stored(DEVICES / path.name)
    done = [
        name
        for name in parts
        if name in kept and same_code(kept[name], device) and not options.again
    ]
    for name in done:
        print(f"{name}: recorded {kept[name]['provenance']['date']}, from the same code")
        if failures(kept[name]):
            print(f"{name}: --parts {name} --again tries again what failed")
    todo = [name for name in parts if name not in done]
    shares = {name: share_of(name, device) for name in known}
    each = (options.seconds or SECONDS[device.kind]) / max(1, sum(shares.values()))
    how = {"quick": options.quick, "commit": options.commit or commit()}
    jobs = [
        Job(name, 0.5 if options.quick else max(1.0, each * shares[name]), **how)
        for name in todo
    ]
    found = {name: kept[name] for name in done}
    for name, part in (apart if device.kind == "cuda" else here)(jobs, device, until):
        found[name] = kept[name] = part
        if not options.quick:
            write(path, kept, device, how["commit"])
    return report({name: found.get(name) for name in parts})


def turn(name: str) -> tuple[int, str]:
    """Return by what the parts are put in order."""
    if name in FIRST:
        return FIRST.index(name) - len(FIRST), name
    return LAST.index(name) + 1 if name in LAST else 0, name


def here(jobs: Sequence[Job], device: Device, until: float) -> Iterator[tuple[str, Any]]:
    """Measure in this process; yield each part's name and what is kept of it."""
    for job in jobs:
        if fits(job, until):
            yield job.name, measured(job, device)


def fits(job: Job, until: float) -> bool:
    """Say whether there is time for a part: for its timing, at least."""
    return time.monotonic() + job.seconds < until


def apart(
    jobs: Sequence[Job],
    device: Device,
    until: float,
    begin: Callable[..., tuple[Any, Any]] | None = None,
) -> Iterator[tuple[str, Any]]:
    """Measure in a process of its own, and in a new one without whatever stopped it.

    Args:
        jobs: what is measured.
        device: on which.
        until: when all of it ends, by ``time.monotonic``.
        begin: starts the process, and returns it with a connection to it.

    Yields:
        Each part's name and what is kept of it.
    """
    todo = list(jobs)
    while todo and time.monotonic() < until:
        mine, process = (begin or another_process)(todo, device, until)
        at = ""
        why = f"{STOPPED}: it ended the process"
        try:
            while todo:
                if not mine.poll(max(0.0, min(SILENCE, until - time.monotonic()))):
                    why = f"{STOPPED}: no answer within {SILENCE:.0f} s"
                    break
                said = mine.recv()
                if isinstance(said, str):
                    at = said
                else:
                    at, todo = "", [job for job in todo if job.name != said[0]]
                    if said[1] is not None:
                        yield said
        except EOFError:
            pass
        finally:
            process.kill()
            process.join(30)
        if todo and time.monotonic() < until:
            todo = without(todo, at, why)


def without(jobs: Sequence[Job], at: str, why: str) -> list[Job]:
    """Return what is left to measure when a variant has stopped the first of the jobs."""
    job, *rest = jobs
    print(f"{job.name}, {at or 'between variants'}: {why}", flush=True)
    if not at or at in job.without or len(job.without) >= MOST_LEFT_OUT:
        print(f"{job.name}: given up", flush=True)
        return rest
    return [job._replace(without={**job.without, at: why}), *rest]


def another_process(jobs: Sequence[Job], device: Device, until: float) -> tuple[Any, Any]:
    """Start a process that measures; return the connection to it, and the process."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe(duplex=False)
    process = context.Process(target=one_by_one, args=(its, jobs, device, until))
    process.start()
    its.close()
    return mine, process


def one_by_one(pipe: Any, jobs: Sequence[Job], device: Device, until: float) -> None:
    """Measure, and say what is being touched: the other end of :func:`apart`.

    None stands for a part for which there is no time.
    """

    def told(variant: str) -> None:
        torch.cuda.synchronize()  # what the variant before did wrong ends the process here
        pipe.send(variant)

    for job in jobs:
        pipe.send((job.name, measured(job, device, told) if fits(job, until) else None))


def measured(job: Job, device: Device, told: Callable[[str], object] = str) -> dict[str, Any]:
    """Measure one part; return what is kept of it, with where, when and from which code."""
    started, before = time.perf_counter(), clocks(device)
    print(f"{job.name}: {benchmarks.benchmark(job.name).question}", flush=True)
    # As on a page, a quick run leaves out what has to be compiled.
    found = benchmarks.run(
        job.name,
        device=device,
        sizes="tiny" if job.quick else None,
        seconds=job.seconds,
        live=job.quick,
        told=told,
        without=job.without,
    )
    took = time.perf_counter() - started
    print(f"{job.name}: {len(found.rows)} rows, {took:.0f} s", flush=True)
    about = provenance(
        f"{SCRIPT} --device {device.kind}",
        commit=job.commit,
        code=digest(job.name),
        device=describe(device),
        driver=ask_driver(device, "driver_version"),
        clocks={"before": before, "after": clocks(device)} if before else {},
        seconds=round(took, 1),
    )
    return {"result": json.loads(found.json())["result"], "provenance": about}


def share_of(name: str, device: Device) -> float:
    """Return a part's share of the seconds: by its sizes, if times are taken there."""
    bench = benchmarks.benchmark(name)
    return bench.weight * len(bench.sizes[device.kind]) if "time" in bench.measures else 0


def stored(path: Path) -> dict[str, Any]:
    """Return the parts that a file holds; none if there is no file."""
    if not path.is_file():
        return {}
    return dict(json.loads(path.read_text(encoding="utf-8"))["result"]["parts"])


def same_code(part: dict[str, Any], device: Device) -> bool:
    """Say whether a recorded part would be measured from the same code on the same machine."""
    about, now = part["provenance"], provenance(SCRIPT)
    return (
        about["code"] == digest(part["result"]["name"])
        and about["packages"] == now["packages"]
        and about["device"] == json.loads(json.dumps(describe(device)))
        and about["driver"] == ask_driver(device, "driver_version")
    )


def failures(part: dict[str, Any]) -> list[str]:
    """Return what failed in a part, and what is not equal."""
    said = [
        f"{v['variant']} could not be compared at {v['size']}: {v['failed']}"
        if "failed" in v
        else f"{v['variant']} is not equal at {v['size']}"
        for v in part["result"]["equivalence"]
        if not v.get("holds")
    ]
    return reasons(part, "failed") + said


def reasons(part: dict[str, Any], how: str) -> list[str]:
    """Return the rows that were not measured for a reason that begins so."""
    return [
        f"{row['variant']} at {row['size']}: {row['why_not']}"
        for row in part["result"]["rows"]
        if row.get("why_not", "").startswith(how)
    ]


def write(path: Path, parts: dict[str, Any], device: Device, commit: str) -> None:
    """Write all parts that there are, so that a run that is ended loses one at most."""
    new = path.with_suffix(".new")
    result = {"device": describe(device), "parts": parts}
    record(new, result, script=f"{SCRIPT} --device {device.kind}", commit=commit)
    new.replace(path)


def report(found: Mapping[str, Any]) -> int:
    """Print what failed or is left, and each goal with what was reached; return the status."""
    bad = 0
    for name, part in found.items():
        lines = failures(part) + reasons(part, STOPPED) if part else ["left for the next run"]
        bad += len(lines)
        for line in lines:
            print(f"{name}: {line}")
    there = (part for part in found.values() if part)
    results = [benchmarks.Results(p["result"], p["provenance"], live=False) for p in there]
    print(f"\n{'goal':<6}{'what':<48}{'reached':>10}{'floor':>7}{'stretch':>9}")
    for row in goals(results):
        print(goal_line(row))
    return min(bad, 1)


def goal_line(row: Reached) -> str:
    """Return a line of the table: what was reached, or that it was not measured here."""
    reached = "-" if row.reached is None else f"{row.reached:.2f}"
    mark = " " if row.met is not False else "<" if row.reached < row.floor else ">"
    floor, stretch = ("" if x is None else f"{x:.2f}" for x in (row.floor, row.stretch))
    return f"{row.name:<6}{row.words:<48}{reached + mark:>10}{floor:>7}{stretch:>9}"


def file_name(device: Device) -> str:
    """Return the name of the file for a device, from the name that its maker gives it."""
    return re.sub(r"[^a-z0-9]+", "-", device.name.lower()).strip("-")


@cache
def digest(name: str) -> str:
    """Return a short hash of the code that a part's record stands on."""
    where = [
        ROOT / "src/attention_course" / x for x in (TRAINING if name == "training" else CODE)
    ]
    files = [f for x in where for f in ([x] if x.is_file() else sorted(x.rglob("*.py")))]
    display = {ROOT / "src/attention_course" / x for x in DISPLAY}
    text = b"".join(f.read_bytes() for f in [*files, Path(__file__)] if f not in display)
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


if __name__ == "__main__":
    sys.exit(main())
