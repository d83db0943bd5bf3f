"""Which way imports go and what they load."""

import subprocess
import sys

import pytest
from rules.source import (
    ROOT,
    import_complaints,
    modules,
    part_of,
)

MODULES = {str(path.relative_to(ROOT)): path for path in modules()}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}


def test_imports_go_in_one_direction():
    found = {
        name: complaints
        for name, path in MODULES.items()
        if (complaints := import_complaints(part_of(path), TEXTS[name]))
    }
    assert found == {}
    assert len(MODULES) >= 340


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


def test_annotations_stay_live_so_that_shapes_can_be_checked():
    late = "from __future__ import annotations"
    assert [name for name, text in TEXTS.items() if late in text] == []


def test_nothing_is_left_for_later():
    words = ("TODO", "FIXME", "XXX", "NotImplementedError")
    # A student's stub raises NotImplementedError: that part is left for them.
    found = [
        f"{name}: {word}"
        for name, text in TEXTS.items()
        for word in words[: 3 if part_of(MODULES[name]) in ("exercises", "grader") else 4]
        if word in text
    ]
    assert found == []
