"""The page of an assignment: enough to run and check its answers, and nothing else of it."""

import base64
import io
import json
import re
import tomllib
import zipfile
from dataclasses import replace

import pytest

from attention_course.exercises import all_exercises, examine_source, exercise_named
from attention_course.exercises.examples import _exercise
from attention_course.site.offline import course_of, offline_page, public_examples
from attention_course.site.tryit import PACKAGE, course_files

ROOT = PACKAGE.parents[1]
ITEMS = [
    item
    for path in sorted(ROOT.glob("assignments/*/assignment.toml"))
    for item in tomllib.loads(path.read_text("utf-8"))["items"]
]
# Of an exercise whose answers the course's own data read, a page without them has no examples.
NUMPY = {
    slug: one
    for slug, one in all_exercises().items()
    if one.uses == "numpy" and not all(probe.read for probe in one.probes)
}
QUICK = ("four-steps:context-first", "kv-cache", "self-attention", "paged-cache")


def notebook(*names, **more):
    """The notebook of an assignment with these exercises, as short as it can be."""
    found = [exercise_named(name) for name in names]
    sources = [
        source
        for one in found
        for source in (f"{one.marker}\n{one.stub}", f'check({one.target}, "{one.name}")')
    ]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"cells": cells, **more})


def inside(page):
    """The files that a page holds: its text, and what its Python has, unpacked."""
    held = dict(re.findall(r'acPythonData \?\?= \{\}\)\["(.+?)"\] = "(.*?)";', page))
    text = re.sub(r'= "[A-Za-z0-9+/=]{1000,}"', "", page)
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(held["course.zip"]))) as file:
        course = {name: file.read(name).decode() for name in file.namelist()}
    return {"page": text} | course


def told(files, texts):
    """Which of some secret texts are in files: long enough lines of them, word by word."""
    said = {name: " ".join(re.findall(r"\w+", content)) for name, content in files.items()}
    lines = {" ".join(re.findall(r"\w+", line)) for text in texts for line in text.splitlines()}
    return [
        f"{name}: {line}"
        for line in lines
        for name in said
        if len(line) > 24 and line in said[name]
    ]


def secrets(names):
    """What must not be in a page: model answers, solutions less what a student may read."""
    given = {
        line
        for one in map(exercise_named, names)
        for text in (one.stub, one.statement, *one.contract, *one.imports)
        for line in text.splitlines()
    }
    solutions = [
        "\n".join(line for line in one.solution.splitlines() if line not in given)
        for one in map(exercise_named, names)
    ]
    return solutions + [item["model_answer"] for item in ITEMS if "written" in item]


def test_it_holds_python_check_and_examples_and_no_answer():
    page = offline_page(notebook(*QUICK), "work.ipynb")
    files = inside(page)
    assert told(files, secrets(QUICK)) == []
    assert len(page.encode()) < 15_000_000
    folders = {name.split("/")[1] for name in files if name.count("/") > 1}
    assert folders == {"exercises"}
    handed_out = [name for name in files if "/handed_out/" in name]
    assert [name.rpartition("/")[2] for name in handed_out] == [
        f"{slug}.{number}.json"
        for slug in sorted(name.partition(":")[0] for name in QUICK)
        for number in range(3)
    ]
    public = course_files()
    unlike = {n for n in files if n in public and public[n].decode() != files[n]}
    assert unlike == set()
    assert {*files} - {*public} == {"page", *handed_out}
    assert "mistakes" not in " ".join(files)


def test_a_defence_is_said_to_be_asked_in_the_notebook():
    cells = json.loads(notebook("four-steps"))["cells"]
    cells.append({"cell_type": "code", "source": "# DEFEND four-steps\ndefend(four_steps)"})
    cells.append(
        {"cell_type": "code", "source": "'</SCRIPT><!--'"}
    )  # ends no script of the page
    page = offline_page(json.dumps({"cells": cells}), "work.ipynb")
    assert page.count("This page cannot ask that") == 1
    assert "<pre># DEFEND" not in page
    assert r"\x3c/SCRIPT>\x3c!--" in page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "must be a notebook"),
        ('{"cells": [{"source": 3}]}', "must be a notebook"),
        ('{"cells": []}', "no cell checks"),
        (notebook("multi-head-attention"), "no cell checks"),
    ],
)
def test_what_is_no_assignment_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        offline_page(text, "work.ipynb")


def verdicts(exercise, source):
    """What holds of an answer, by property; what is timed or counted is not there."""
    report = examine_source(exercise, source)
    return {one.probe.name: one.complaint for one in report.findings if not one.probe.alone}


@pytest.mark.parametrize("slug", NUMPY)
def test_stored_examples_find_what_check_finds(slug):
    exercise = NUMPY[slug]
    stored = _exercise(json.loads(public_examples(exercise)))
    assert stored.wrong == ()
    assert {probe.part for probe in stored.probes} >= {
        probe.part for probe in exercise.probes if not probe.large
    }
    small = replace(exercise, wrong=(), probes=tuple(p for p in exercise.probes if not p.alone))
    for source in (exercise.solution, *map(exercise.source_of, exercise.wrong[:2])):
        assert verdicts(stored, source) == verdicts(small, source)
