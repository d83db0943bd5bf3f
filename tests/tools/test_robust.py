"""make robust: other arithmetic is asked for, and what differs or takes too long is said."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
import robust

PROBE = """
import hashlib, json
import numpy as np, torch
a = np.random.RandomState(0).standard_normal((257, 300))
x = torch.tensor(a).float()
digits = {"numpy": np.exp(a) @ a.T, "torch": (x @ x.T).numpy()}
found = {name: hashlib.sha256(value.tobytes()).hexdigest() for name, value in digits.items()}
print(json.dumps(found | {"threads": torch.get_num_threads()}))
"""


def test_a_number_that_moves_is_said_and_the_notebook_run_until_it_is_green(
    tmp_path, monkeypatch, capsys
):
    source = "import os\nprint(os.environ['ATEN_CPU_CAPABILITY'])"
    output = nbformat.v4.new_output("stream", text="avx2\n")
    cell = nbformat.v4.new_code_cell(source, outputs=[output], execution_count=1)
    path = tmp_path / "one.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    tools = Path(robust.__file__).parent
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(tools)!r})\npytest_plugins = ['nbval_course']\n"
    )
    monkeypatch.setattr(robust, "ROOT", tmp_path)
    monkeypatch.setattr(robust, "GREEN", tmp_path / "green")
    both = {name: {"ATEN_CPU_CAPABILITY": name} for name in ("avx2", "default")}
    monkeypatch.setattr(robust, "settings", lambda: both)
    assert robust.main([str(path), "--minutes", "-1"]) == 0
    assert "0 are red, 2 are left" in capsys.readouterr().out
    for _ in range(2):  # what is green is not run again, what is red is
        assert robust.main([str(path)]) == 1
    said = capsys.readouterr().out
    [held] = re.findall(r"avx2: one: green, (\d+) MB\n", said)
    assert 20 < int(held) < 400  # a kernel that has imported nothing
    assert len(re.findall(r"default: one: RED, \d+ MB\n    Cell 0: ", said)) == 2


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("cpu_seconds", [20, 20, 20], 0),
        ("cpu_seconds", [21], 1),
        ("cpu_seconds", [15, 15, 15, 16], 1),
        ("cpu_seconds", [], 1),
        ("peak_mb", [1800, 1700], 0),
        ("peak_mb", [300, 1801], 1),
    ],
)
def test_a_costly_notebook_is_noticed(name, values, said):
    case = f'<testcase><property name="{name}" value="{{}}"/></testcase>'
    cases = ET.fromstring(f"<suite>{''.join(map(case.format, values))}</suite>")
    assert len(robust.complaints(list(cases), timed=True)) == said
    unhurried = 0 if values and name == "cpu_seconds" else said
    assert len(robust.complaints(list(cases), timed=False)) == unhurried


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
