"""Starts the Python of a page in Node; measures its start, and how long a verdict takes there.

The files are those that a page is served, byte by byte: the same core, NumPy and course. What
differs is who runs them, and that they are read from disk. All seconds are of computing.

    python benchmarks/page_python.py start     # part by part, three times: half a minute
    python benchmarks/page_python.py browser   # by the clock, on the built site: a minute
    python benchmarks/page_python.py answers   # all named mistakes, here and there: 5 minutes
    python benchmarks/page_python.py answers --quick   # of one exercise; records nothing
    python benchmarks/page_python.py answers even-looks   # anew; the record keeps the others
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from shared import ROOT, command_line, store

from attention_course.exercises import Exercise, all_exercises
from attention_course.exercises.in_page import run
from attention_course.measure import recorded
from attention_course.site.tryit import VENDOR, course_files, course_zip, served

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "browser")]
from built_site import served as served_here  # noqa: E402
from headless import chromium  # noqa: E402

SCRIPT = Path(__file__).with_suffix(".mjs")


class PagePython:
    """One started Python; ``start`` has the seconds of computing that each part of it took."""

    def __init__(self, process: subprocess.Popen[str]):
        self.process = process
        self.start: dict[str, float] = self._told()
        self.asked = 0

    def _told(self):
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if line.startswith(("[", "{")):
                return json.loads(line)
        raise RuntimeError("the page's Python ended by itself")

    def check(self, slug: str, source: str) -> tuple[str, bool, float]:
        """Return what a page says of an answer, whether it ran to its end, and its seconds."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([slug, source]) + "\n")
        self.process.stdin.flush()
        self.asked += 1
        answered = 0
        while answered < self.asked:  # whoever asked before may have given up waiting
            text, whole, seconds, answered = self._told()
        return text, whole, seconds


@contextmanager
def page_python() -> Iterator[PagePython]:
    """Start the Python of a page; it is ended with the block.

    Raises:
        FileNotFoundError: without Node.
    """
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("page_python: node must be there; make environment brings it")
    with TemporaryDirectory() as place:
        folders = [Path(place, name) for name in ("served", "unpacked")]
        for folder in folders:
            folder.mkdir()
        files = served(course_zip(course_files()))
        files["pyodide-lock.json"] = (VENDOR / "pyodide" / "pyodide-lock.json").read_bytes()
        for name, content in files.items():
            (folders[0] / name).write_bytes(content)
        command = [node, str(SCRIPT), *map(str, folders)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, text=True, encoding="utf-8") as process:
            try:
                yield PagePython(process)
            finally:
                process.kill()


def start() -> None:
    """Print the median of three starts."""
    starts = []
    for _ in range(3):
        with page_python() as python:
            starts.append(python.start)
    for part in starts[0]:
        print(f"{median(start[part] for start in starts):6.2f} s  {part}")
    print(f"{median(sum(start.values()) for start in starts):6.2f} s of computing in all")


def browser() -> dict[str, dict[str, float]]:
    """Return the seconds from a press of *Run* until an answer has run, in a new Chromium.

    On the built site, five times each: from a server of this machine, and from disk.
    """
    site = ROOT / "_build" / "html"
    found = {}
    with served_here(site) as address, chromium() as started:
        for name, home in [("served", address), ("disk", f"{site.as_uri()}/")]:
            seconds = []
            for _ in range(5):
                context = started.new_context()
                page = context.new_page()
                page.goto(f"{home}book/why/attention-by-hand.html")
                page.locator(".ac-try + .ac-try-open button").first.click()
                run_button = page.get_by_role("button", name="Run", exact=True)
                run_button.wait_for()
                began = time.perf_counter()
                run_button.click()
                page.locator(".ac-try-status", has_text="Ran in").wait_for(timeout=120_000)
                seconds.append(time.perf_counter() - began)
                context.close()
            found[name] = {"median_s": median(seconds), "longest_s": max(seconds)}
            print(name, found[name], flush=True)
    return {name: {key: round(x, 2) for key, x in one.items()} for name, one in found.items()}


def waits(python: PagePython, exercise: Exercise) -> dict[str, float]:
    """Return the longest wait for the verdict on a named mistake, natively and in the page.

    The first one pays for the probes of all; it is among them.
    """
    here, there = [], []
    for source in map(exercise.source_of, exercise.wrong):
        began = time.process_time()
        run(source, exercise.slug, True, lambda text: None)
        here.append(time.process_time() - began)
        there.append(python.check(exercise.slug, source)[2])
    longest = {"answers": len(here), "native_s": max(here), "page_s": max(there)}
    print(exercise.slug, longest, flush=True)
    return {name: round(value, 2) for name, value in longest.items()}


def main() -> None:
    """Read the command line, measure, record."""
    parser = command_line(__doc__, ["start", "browser", "answers"], "one exercise")
    parser.add_argument("slugs", nargs="*", help="exercises to measure anew; all unless given")
    options = parser.parse_args()
    if options.task == "start":
        start()
        return
    if options.task == "browser":
        result = browser()
        if not options.quick:
            store(__file__, result, "browser")
        return
    numpy = [one for one in all_exercises().values() if one.uses == "numpy"]
    chosen = [one for one in numpy if one.slug in (options.slugs or [one.slug])]
    with page_python() as python:
        result = {
            one.slug: waits(python, one) for one in chosen[: 1 if options.quick else None]
        }
    if options.slugs:
        result = recorded("page_python_answers")[0] | result
    if not options.quick:
        store(__file__, result, "answers")


if __name__ == "__main__":
    main()
