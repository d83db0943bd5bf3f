"""A verdict under other arithmetic is recorded with what it belongs to, and goes stale."""

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
import robust
from rules.notebooks import ROOT

SETUP = "import attention_course"


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """One notebook in a book of its own."""
    monkeypatch.setattr(robust, "ROOT", tmp_path)
    monkeypatch.setattr(robust, "RECORD", tmp_path / "robust.json")
    path = tmp_path / "one.ipynb"
    write(path)
    return path


def write(path, setup=SETUP, source="import a\nprint(1 / 3)", text="0.33", **metadata):
    output = nbformat.v4.new_output("stream", text=text)
    cells = [
        nbformat.v4.new_code_cell(setup, metadata={"tags": ["setup"]}),
        nbformat.v4.new_code_cell(source, outputs=[output], metadata=metadata),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def record_of(path, green=True):
    part = {"green": green, "digest": robust.digest(path), "date": "2026-01-02"}
    seen = {"digits": {"NumPy's exp": "1"}, "threads": [1, 1]}
    own = {"variables": dict.fromkeys(robust.THREADS, "1"), "seen": seen, "as": None}
    own |= {"notebooks": {"one.ipynb": part}}
    there = {"machine": "Abacus", "python": "3", "packages": {"numpy": "2"}}
    other = {"variables": {}, "seen": seen, "as": robust.OWN, "notebooks": {}}
    return there | {"settings": {robust.OWN: own, "same": other}}


@pytest.mark.parametrize(
    "change",
    [
        {"source": "import a\nprint(1 / 4)"},
        {"text": "0.34"},
        {"tolerance": 0.1},
        {"measured": {"#": 0.1}},
        {"tags": ["nbval-ignore-output"]},
    ],
)
@pytest.mark.gate("verdicts under other arithmetic", "a cell changed after its verdict")
def test_a_changed_notebook_is_left(notebook, change):
    record = record_of(notebook)
    assert robust.left(record, [robust.OWN], [notebook]) == []
    write(notebook, **change)
    assert robust.left(record, [robust.OWN], [notebook]) == [(robust.OWN, notebook)]


def test_moved_code_and_the_setup_cell_change_no_verdict(notebook):
    write(notebook, source="from a import f, g\nprint(g(f(1 / 3)))")
    before = robust.digest(notebook)
    moved = "from b import (\n    f,\n    g,\n)\n\nprint({}(f(1 / 3)))"
    write(notebook, setup="%pip install x", source=moved.format("g"))
    assert robust.digest(notebook) == before
    write(notebook, source=moved.format("f"))
    assert robust.digest(notebook) != before


def test_a_model_may_be_drawn_anew_but_not_said_otherwise():
    def drawn(svg, said):
        html = f'<figure><div class="ac-drawing">{svg}</div></figure>'
        return robust._compared({"text/html": html, "text/plain": said})

    assert drawn("<svg/>", "a block") == drawn("<svg></svg>", "a block")
    assert drawn("<svg/>", "a block") != drawn("<svg/>", "two blocks")


def test_a_cell_is_taken_as_it_stands_not_as_one_python_writes_its_tree():
    source = "import a\n\nprint(f'{x:.2f}', {'b' :1})  \n"
    assert robust._without_imports(source) == ["print(f'{x:.2f}', {'b' :1})"]


def test_a_red_part_is_left_and_the_same_arithmetic_is_not(notebook):
    red = record_of(notebook, green=False)
    assert robust.left(red, [robust.OWN, "same"], [notebook]) == [(robust.OWN, notebook)]
    assert robust.left({"settings": {}}, [robust.OWN], [notebook]) == [(robust.OWN, notebook)]


def test_what_the_caller_says_about_arithmetic_is_forgotten(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    given = robust.environment({"OMP_NUM_THREADS": "2"})
    assert given["OMP_NUM_THREADS"] == "2"
    assert not any(name.startswith(("OPENBLAS_", "MKL_")) for name in given)
    assert given["PATH"] == os.environ["PATH"]


def test_a_report_is_read_with_its_complaints():
    spent = '<properties><property name="cpu_seconds" value="1.5"/></properties>'
    bad = f'<testcase name="Cell 1">{spent}<failure>0.1 stored</failure></testcase>'
    good = f'<testcase name="Cell 0">{spent}</testcase>'
    cases = list(ET.fromstring(f"<suite>{good}{bad}</suite>"))
    found = {"green": False, "cells": 2, "cpu_seconds": 3.0, "slowest_cell": 1.5}
    assert robust.read(cases) == found | {"complaints": ["Cell 1: 0.1 stored"]}
    assert robust.read(cases[:1])["green"]
    assert not robust.read([])["green"]


def test_each_part_is_recorded_as_it_ends_and_the_rest_is_left(notebook, monkeypatch):
    monkeypatch.setattr(robust, "run", lambda *_: {"green": True, "complaints": []})
    record, other = record_of(notebook, green=False), {"machine": "Bombe", "settings": {}}
    records = {"Abacus": record, "Bombe": other}
    robust.work(records, record, [(robust.OWN, notebook)], end=float("-inf"))
    assert not robust.RECORD.exists()
    robust.work(records, record, [(robust.OWN, notebook)], end=float("inf"))
    assert robust.left(record, [robust.OWN], [notebook]) == []
    kept = robust.recorded(robust.RECORD)
    assert kept["Bombe"] == other
    [part] = kept["Abacus"]["settings"][robust.OWN]["notebooks"].values()
    assert part["green"]
    assert part["digest"] == robust.digest(notebook)


@pytest.mark.parametrize("numpy", ["2", "3"])
def test_a_machine_keeps_its_record_while_versions_stay_and_those_of_others(
    notebook, monkeypatch, numpy
):
    here, other = record_of(notebook), {"machine": "Bombe", "settings": {}}
    robust.RECORD.write_text(json.dumps({"Abacus": here, "Bombe": other}))
    monkeypatch.setattr(robust.recorded, "__defaults__", (robust.RECORD,))
    now = {key: here[key] for key in ("machine", "python")} | {"packages": {"numpy": numpy}}
    monkeypatch.setattr(robust, "machine", lambda: now)
    monkeypatch.setattr(
        robust, "settings", lambda: {robust.OWN: dict.fromkeys(robust.THREADS, "1")}
    )
    seen = here["settings"][robust.OWN]["seen"]
    monkeypatch.setattr(robust, "probe", lambda variables: seen)
    monkeypatch.setattr(robust, "run", lambda *_: {"green": True, "complaints": []})
    before = robust.RECORD.read_text()
    assert robust.main([str(notebook)]) == 0
    assert (robust.RECORD.read_text() == before) == (numpy == "2")
    kept = robust.recorded(robust.RECORD)
    assert kept["Bombe"] == other
    assert kept["Abacus"]["packages"] == {"numpy": numpy}


def test_the_record_of_one_machine_is_read_as_before(notebook):
    robust.RECORD.write_text(json.dumps(record_of(notebook)))
    assert robust.recorded(robust.RECORD) == {"Abacus": record_of(notebook)}


def test_what_was_recorded_under_other_variables_is_dropped(notebook, monkeypatch):
    record = record_of(notebook, green=True)
    monkeypatch.setattr(robust, "probe", dict)
    monkeypatch.setattr(robust, "settings", lambda: {robust.OWN: {"OMP_NUM_THREADS": "2"}})
    robust.probe_all(record)
    two = {"OMP_NUM_THREADS": "2"}
    own = {"variables": two, "seen": two, "as": None, "notebooks": {}}
    assert record["settings"] == {robust.OWN: own}


def test_nbval_runs_under_the_setting(notebook):
    source = "import os\nprint(os.environ['ATEN_CPU_CAPABILITY'])"
    write(notebook, "1", source, "avx2\n")
    nb = nbformat.read(notebook, as_version=4)
    for count, cell in enumerate(nb.cells, start=1):
        cell.execution_count = count
    nb.cells[0].outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1"})]
    nbformat.write(nb, notebook)
    tools = Path(robust.__file__).parent
    (notebook.parent / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(tools)!r})\npytest_plugins = ['nbval_course']\n"
    )
    found = robust.run({"ATEN_CPU_CAPABILITY": "default"}, notebook)
    assert found["cells"] == 2
    assert found["cpu_seconds"] >= 0
    [complaint] = found["complaints"]  # it says what was stored and what came
    assert "avx2" in complaint
    assert "default" in complaint


@pytest.mark.thorough
def test_the_probe_sees_what_a_setting_changes():
    pytest.importorskip("torch")
    one = dict.fromkeys(robust.THREADS, "1")
    own, other = (
        robust.probe(one | more) for more in ({}, robust.settings()["MKL at its lowest"])
    )
    assert own["threads"] == [1, 1]
    product = "PyTorch's matrix product"
    assert other["digits"][product] != own["digits"][product]
    assert other["digits"]["NumPy's exp"] == own["digits"]["NumPy's exp"]


def test_a_verdict_is_that_of_the_notebook_as_it_was(notebook):
    record, name = record_of(notebook), robust.OWN
    assert robust.verdict(record, name, notebook) == "green"
    record = record_of(notebook, green=False)
    assert robust.verdict(record, name, notebook) == "red"
    write(notebook, text="0.34")
    assert robust.verdict(record, name, notebook) == "changed since"
    record["settings"][name]["notebooks"] = {"other.ipynb": {"date": "2026-01-02"}}
    assert robust.verdict(record, name, notebook) == "not run"


def test_live_cells_take_little_and_their_limit_is_ten_times_that():
    [limit] = re.findall(r"--nbval-cell-timeout (\d+)", (ROOT / "Makefile").read_text())
    records = robust.recorded().values()
    own = [record["settings"][robust.OWN]["notebooks"].values() for record in records]
    # Another machine may have begun with other settings.
    assert max(map(len, own)) >= len(robust.book_notebooks())
    assert [robust.too_costly(record) for record in records] == [[]] * len(records)
    slowest = max(part["slowest_cell"] for parts in own for part in parts)
    assert int(limit) >= 10 * slowest


@pytest.mark.parametrize("taken", [{"cpu_seconds": 61}, {"slowest_cell": 21}])
@pytest.mark.gate("what live cells take", "a chapter of 61 CPU-s, a cell of 21")
def test_a_costly_notebook_is_noticed(notebook, taken):
    record = record_of(notebook)
    [part] = record["settings"][robust.OWN]["notebooks"].values()
    part |= {"cpu_seconds": 60, "slowest_cell": 20}
    assert robust.too_costly(record) == []
    part |= taken
    assert len(robust.too_costly(record)) == 1
