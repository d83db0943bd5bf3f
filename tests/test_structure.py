"""Which way imports go, what they load, and what every public function says."""

import subprocess
import sys

import pytest
from source_rules import (
    ROOT,
    import_complaints,
    modules,
    part_of,
    public_definitions,
    taught_complaint,
)

MODULES = {str(path.relative_to(ROOT)): path for path in modules()}
PUBLIC = dict(public_definitions())


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_in_one_direction(module):
    path = MODULES[module]
    assert import_complaints(part_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("part", "heavy"),
    [
        ("attention_course", ["torch", "plotly", "ipywidgets", "anywidget"]),
        ("attention_course.reference", ["torch", "plotly", "ipywidgets", "anywidget"]),
        ("attention_course.site", ["torch", "plotly", "ipywidgets", "anywidget"]),
    ],
)
def test_importing_it_loads_nothing_heavy(part, heavy):
    code = f"import sys, {part}; print(sorted(set(sys.modules) & set({heavy!r})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_says_where_it_is_taught_and_the_chapter_names_it(name):
    assert taught_complaint(PUBLIC[name]) is None


@pytest.mark.parametrize("module", MODULES)
def test_annotations_stay_live_so_that_shapes_can_be_checked(module):
    assert "from __future__ import annotations" not in MODULES[module].read_text()


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_left_for_later(module):
    text = MODULES[module].read_text(encoding="utf-8")
    words = ["TODO", "FIXME", "XXX"]
    # A student's stub raises NotImplementedError: that part is left for them.
    if part_of(MODULES[module]) not in ("exercises", "grading"):
        words.append("NotImplementedError")
    assert not [word for word in words if word in text]
