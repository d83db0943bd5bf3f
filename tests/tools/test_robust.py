"""A verdict under other arithmetic is recorded with what it belongs to, and goes stale."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
import robust
from rules.notebooks import ROOT

SETUP = "import attention_course"
PROBE = """
import hashlib, json
import numpy as np, torch
a = np.random.RandomState(0).standard_normal((257, 300))
x = torch.tensor(a).float()
digits = {"numpy": np.exp(a) @ a.T, "torch": (x @ x.T).numpy()}
found = {name: hashlib.sha256(value.tobytes()).hexdigest() for name, value in digits.items()}
print(json.dumps(found | {"threads": torch.get_num_threads()}))
"""


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


def record_of(path, **took):
    part = {"digest": robust.digest(path), "cpu_seconds": 60, "slowest_cell": 20} | took
    return {"versions": {"numpy": "2"}, "green": {robust.OWN: {"one.ipynb": part}}}


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
    took = {"cpu_seconds": 3.0, "slowest_cell": 1.5}
    assert robust.read(cases) == took | {"complaints": ["Cell 1: 0.1 stored"]}
    assert robust.read(cases[:1])["complaints"] == []
    assert robust.read([])["complaints"]


@pytest.mark.parametrize("numpy", ["2", "3"])
def test_green_parts_are_recorded_as_they_end_and_hold_while_versions_stay(
    notebook, monkeypatch, numpy, capsys
):
    other = {"versions": {}, "green": {}}
    robust.write({"Abacus": record_of(notebook), "Bombe": other})
    monkeypatch.setattr(robust, "machine", lambda: ("Abacus", {"numpy": numpy}))
    monkeypatch.setattr(robust, "settings", lambda: {robust.OWN: {}, "two": {}})
    came = {"cpu_seconds": 1.0, "slowest_cell": 1.0}
    monkeypatch.setattr(robust, "run", lambda *_: came | {"complaints": []})
    assert robust.main([str(notebook), "--minutes", "-1"]) == 0
    assert f"{1 if numpy == '2' else 2} parts are left, 0" in capsys.readouterr().out
    assert robust.main([str(notebook)]) == 0
    kept = robust.recorded()
    assert kept["Bombe"] == other
    assert kept["Abacus"]["versions"] == {"numpy": numpy}
    assert kept["Abacus"]["green"].keys() == {robust.OWN, "two"}
    assert "0 parts are left" in capsys.readouterr().out
    assert len(robust.RECORD.read_text().splitlines()) < 20  # a notebook a line


def test_a_red_part_is_said_and_not_recorded(notebook, monkeypatch, capsys):
    monkeypatch.setattr(robust, "machine", lambda: ("Abacus", {}))
    monkeypatch.setattr(robust, "run", lambda *_: {"complaints": ["0.1 stored, 0.2 now"]})
    assert robust.main([str(notebook), "--setting", "two threads"]) == 1
    assert "0.1 stored, 0.2 now" in capsys.readouterr().out
    assert robust.recorded() == {}


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
    assert found["cpu_seconds"] >= 0
    [complaint] = found["complaints"]  # it says what was stored and what came
    assert "avx2" in complaint
    assert "default" in complaint


@pytest.mark.thorough
def test_each_setting_changes_what_it_says():
    pytest.importorskip("torch")
    own, *others = (probed(variables) for variables in robust.settings().values())
    assert own["threads"] == 1
    assert any(other["threads"] == 2 for other in others)
    assert any(other["torch"] != own["torch"] for other in others)
    assert any(other["numpy"] != own["numpy"] for other in others)


def probed(variables):
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(
        command, env=robust.environment(variables), capture_output=True, check=True
    )
    return json.loads(done.stdout)


def test_live_cells_take_little_and_their_limit_is_ten_times_that():
    [limit] = re.findall(r"--nbval-cell-timeout (\d+)", (ROOT / "Makefile").read_text())
    records = robust.recorded().values()
    own = [record["green"].get(robust.OWN, {}).values() for record in records]
    assert max(map(len, own)) >= len(robust.book_notebooks())
    assert [robust.too_costly(record) for record in records] == [[]] * len(records)
    assert int(limit) >= 10 * max(part["slowest_cell"] for parts in own for part in parts)


@pytest.mark.parametrize("taken", [{"cpu_seconds": 61}, {"slowest_cell": 21}])
@pytest.mark.gate("what live cells take", "a chapter of 61 CPU-s, a cell of 21")
def test_a_costly_notebook_is_noticed(notebook, taken):
    assert robust.too_costly(record_of(notebook)) == []
    assert len(robust.too_costly(record_of(notebook, **taken))) == 1
