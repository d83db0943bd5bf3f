"""Every named mistake, handed in in the page's Python, is told what a notebook tells it.

It runs in Node: the core, NumPy and the course are those that a page is served, byte by byte.
That a browser runs them alike is asked of a few in ``tests/browser/test_site_tryit.py``.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.in_page import run
from attention_course.site.tryit import VENDOR, course_files, course_zip, served

SCRIPT = Path(__file__).with_name("page_python.mjs")
pytestmark = pytest.mark.inputs(
    "src/attention_course/reference",
    "src/attention_course/site",
    "tests/exercises/page_python.mjs",
)
NUMPY = {slug: one for slug, one in all_exercises().items() if one.uses == "numpy"}
# In one part of so many, a mistake is handed in by ``make test``; all are by ``make thorough``.
PART = 10
# What should be zero is some rounding, another on another processor.
NOISE = re.compile(r"-?\d\.\d+e-1[0-9]\b")


class PagePython:
    """The Python of a page, started in Node."""

    def __init__(self, process: subprocess.Popen[str]):
        self.process, self.asked = process, 0

    def _told(self):
        while line := self.process.stdout.readline():
            if line.startswith("["):
                return json.loads(line)
        raise RuntimeError("the page's Python ended by itself")

    def check(self, slug: str, source: str) -> tuple[str, bool]:
        """Return what a page says of an answer, and whether it ran to its end."""
        self.process.stdin.write(json.dumps([slug, source]) + "\n")
        self.process.stdin.flush()
        self.asked += 1
        answered = 0
        while answered < self.asked:  # whoever asked before may have given up waiting
            text, whole, answered = self._told()
        return text, whole


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folders = [tmp_path_factory.mktemp(name) for name in ("served", "unpacked")]
    files = served(course_zip(course_files()))
    files["pyodide-lock.json"] = (VENDOR / "pyodide" / "pyodide-lock.json").read_bytes()
    for name, content in files.items():
        (folders[0] / name).write_bytes(content)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = ["node", str(SCRIPT), *map(str, folders)]
    with subprocess.Popen(command, **pipes, text=True, encoding="utf-8") as process:
        yield PagePython(process)
        process.kill()


def natively(slug: str, source: str) -> tuple[str, bool]:
    """What the same module says in a Python of its own."""
    said: list[str] = []
    whole = run(source, slug, True, said.append)
    return "".join(said), whole


def told(python: PagePython, slug: str, sources: list[str]) -> dict[str, tuple[str, bool]]:
    """What the page's Python says of answers."""
    return {source: python.check(slug, source) for source in sources}


def differing(slug: str, verdicts: dict[str, tuple[str, bool]]) -> list[str]:
    """Of a page's verdicts, those that differ from what a notebook says."""
    complaints = []
    for source, (text, whole) in verdicts.items():
        here = natively(slug, source)
        if NOISE.sub("0", text) != NOISE.sub("0", here[0]) or whole != here[1]:
            complaints.append(f"{slug}:\n{source}\nthe page: {text}\na notebook: {here[0]}")
    return complaints


def mistakes(slug: str) -> list[str]:
    """The sources of named mistakes; of a loop's, a clock decides what is told."""
    wrong = [one for one in NUMPY[slug].wrong if one.family not in {"loops", "slow"}]
    return [NUMPY[slug].source_of(one) for one in wrong]


@pytest.mark.parametrize("slug", NUMPY)
def test_its_solution_and_a_tenth_of_its_mistakes_get_the_verdict_of_a_notebook(python, slug):
    first = sorted(NUMPY).index(slug) % PART
    solution = NUMPY[slug].solution
    verdicts = told(python, slug, [solution, *mistakes(slug)[first::PART]])
    assert differing(slug, verdicts) == []
    assert "right. All" in verdicts[solution][0]


@pytest.mark.thorough
@pytest.mark.parametrize("slug", NUMPY)
def test_each_of_its_mistakes_gets_the_verdict_of_a_notebook(python, slug):
    assert differing(slug, told(python, slug, mistakes(slug))) == []


def test_a_loop_over_a_large_input_stops_itself_where_no_thread_stops_it(python):
    endless = """
    while weights.shape[1] > 1000:
        try:
            weights.sum()
        except BaseException:
            pass
"""
    head, colon, body = NUMPY["even-looks"].solution.partition("lengths):\n")
    text, whole = python.check("even-looks", head + colon + endless + body)
    failed = [line.strip(" ×") for line in text.splitlines() if line.startswith("  ×")]
    assert (whole, failed) == (True, ["many words without a loop"]), text
    assert "is there a loop?" in text
    assert "right. All" in python.check("even-looks", NUMPY["even-looks"].solution)[0]


def test_a_machine_that_stalls_once_is_not_taken_for_a_loop(python):
    stalls = """
    while weights.shape[1] > 1000 and stalls:
        time.sleep(stalls.pop())
"""
    head, colon, body = NUMPY["even-looks"].solution.partition("lengths):\n")
    source = "import time\nstalls = [1]\n" + head + colon + stalls + body
    assert "right. All" in python.check("even-looks", source)[0]
    text = python.check("even-looks", source.replace("= [1]", "= [1] * 4"))[0]
    assert text.count("×") == 1
    assert "is there a loop?" in text


@pytest.mark.gate("the page's verdicts", "what differs in the page from a notebook")
def test_what_the_page_says_otherwise_is_found(python, monkeypatch):
    verdicts = told(python, "four-steps", mistakes("four-steps")[:1])
    assert differing("four-steps", verdicts) == []
    monkeypatch.setattr(sys.modules["attention_course.exercises.check"], "FAILED", "fails")
    assert len(differing("four-steps", verdicts)) == 1
