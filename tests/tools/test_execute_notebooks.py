"""A notebook is stored in one form, whatever the run, and not at all if it misbehaves."""

import json

import nbformat
import pytest
from execute_notebooks import execute, main, store
from normalise import STATE, VIEW

WIDGET = """import anywidget, traitlets
class Dial(anywidget.AnyWidget):
    _esm = "export default {}"
    angle = traitlets.Float(0.5).tag(sync=True)
    __repr__ = lambda self: "Dial"
Dial()"""
BAR = """from tqdm import tqdm
for _ in tqdm(range(3)): pass"""


def _write(path, *sources, **metadata):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata.update(metadata)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    sources = (WIDGET, BAR, "print('one')\nprint('two')")
    path = _write(tmp_path_factory.mktemp("run") / "dial.ipynb", *sources)
    store(path)
    return path


def test_two_runs_store_the_same_bytes(stored):
    before = stored.read_bytes()
    store(stored)
    assert stored.read_bytes() == before


def test_the_widget_shown_is_the_one_whose_state_is_stored(stored):
    notebook = json.loads(stored.read_text())
    model = notebook["cells"][0]["outputs"][0]["data"][VIEW]["model_id"]
    states = notebook["metadata"]["widgets"][STATE]["state"]
    assert states[model]["state"]["angle"] == 0.5
    layout = states[model]["state"]["layout"].removeprefix("IPY_MODEL_")
    assert set(states) == {model, layout}


def test_progress_bars_are_not_stored(stored):
    assert nbformat.read(stored, as_version=4).cells[1].outputs == []


def test_what_raises_is_not_stored(tmp_path, capsys):
    path = _write(tmp_path / "bad.ipynb", "1 / 0")
    before = path.read_bytes()
    assert main([str(path)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert path.read_bytes() == before


def test_an_expected_error_is_stored_without_paths(tmp_path):
    path = _write(tmp_path / "raises.ipynb", "1 / 0", tags=["raises-exception"])
    [output] = execute(path).cells[0].outputs
    assert output.traceback == ["ZeroDivisionError: division by zero"]
