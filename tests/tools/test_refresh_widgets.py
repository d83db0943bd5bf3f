"""Stored modules are replaced without executing anything, and nothing else is touched."""

import copy

import nbformat
import pytest
from execute_notebooks import ROOT
from normalise import STATE, dump
from refresh_widgets import refresh, stale

from attention_course._source import source_of

NOTEBOOK = ROOT / "book" / "transformer" / "scaling.ipynb"
FIXED = {"_esm": "export default {};", "_css": "", "_anywidget_id": "attention_course.old.%s"}


def _states(notebook):
    models = notebook.metadata.widgets[STATE]["state"].values()
    return [model["state"] for model in models if "_esm" in model["state"]]


def _outdated(path, **changes):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for state in _states(notebook):
        for name, value in changes.items():
            its_class = state["_anywidget_id"].rsplit(".", 1)[-1]
            state[name] = value % its_class if "%s" in value else value
    path.write_text(dump(notebook), encoding="utf-8")
    return notebook


def test_what_is_stale_is_replaced_and_nothing_else_changes(tmp_path):
    path = tmp_path / "scaling.ipynb"
    names = list(FIXED)
    _outdated(path, **FIXED)
    old = path.read_text(encoding="utf-8").splitlines()

    found = refresh(path)

    new = path.read_text(encoding="utf-8").splitlines()
    keys = [state["key"] for state in _states(nbformat.read(NOTEBOOK, as_version=4))]
    assert len(keys) >= 2
    assert found == [f"{key}: {n}" for key in keys for n in sorted(names)]
    changed = [line for line, before in zip(new, old, strict=True) if line != before]
    assert len(changed) == len(keys) * len(names)
    assert {line.split('"')[1] for line in changed} == set(names)
    assert path.read_text(encoding="utf-8") == NOTEBOOK.read_text(encoding="utf-8")


def test_a_widget_whose_class_is_gone_is_named():
    notebook = copy.deepcopy(nbformat.read(NOTEBOOK, as_version=4))
    _states(notebook)[0]["_anywidget_id"] = "attention_course.widgets.gone.Gone"

    with pytest.raises(ValueError, match=r"must be of a class .*, got Gone: execute"):
        stale(notebook)


def _showing(path, source):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    data = {"text/plain": source, "text/markdown": f"```python\n{source}\n```"}
    cell = nbformat.v4.new_code_cell("ac.show(rounded)", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("display_data", data=data)]
    notebook.cells.append(cell)
    path.write_text(dump(notebook), encoding="utf-8")


def test_code_on_show_becomes_what_the_package_has_now(tmp_path):
    path = tmp_path / "scaling.ipynb"
    name = "attention_course.page.numbers.rounded"
    _showing(path, f"# {name}\ndef rounded(x):\n    return x")
    found = refresh(path)
    assert found == [f"show({name}): text/plain", f"show({name}): text/markdown"]
    data = nbformat.read(path, as_version=4).cells[-1].outputs[0].data
    assert data["text/plain"] == source_of(name)
    assert data["text/markdown"] == f"```python\n{source_of(name)}\n```"
    assert refresh(path) == []
