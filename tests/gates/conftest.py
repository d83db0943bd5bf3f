"""A small sound notebook, of which each gate gets a broken copy."""

from pathlib import Path

import nbformat
import pytest
from execute_notebooks import execute
from normalise import write
from stamp import address, course_of

from attention_course._setup_cell import setup_cell

CELLS = (
    "# Title\n\nIs it right?\n\n**By the end you can** see.",
    setup_cell(course_of(*address()), torch=False),
    "## How would I know that it is right?",
    "import plotly.graph_objects as go\nimport numpy as np\nimport anywidget, traitlets",
    'y = np.array([0.1, 0.2, 0.3])\nprint("the sum is", round(float(y.sum()), 4))',
    'go.Figure(go.Scatter(y=y), layout={"title": {"text": "The point"}})',
    "class Dial(anywidget.AnyWidget):\n"
    '    _esm = "export default {render() {}}"\n'
    "    angle = traitlets.Float(0.5).tag(sync=True)\n"
    '    __repr__ = lambda self: "Dial"\n'
    "Dial()",
    'tiny = go.Figure(go.Scatter(y=y * 1e-12), layout={"yaxis": {"type": "log"}})\n'
    'tiny.update_layout(meta={"alt": "Up: loss. From 1e-13 to 3.01e-13, 500 steps."})',
    'print("right:", 492, "of", 500, "at a loss of", 0.4812)',
    'ac.hold("the sum is more than a half", float(y.sum()), above=0.5)\n'
    'print("accuracy", 0.41, "and", ac.spread([0.1, 0.3], "two seeds").head)',
    'ac.show("attention_course.page.numbers.rounded")',
    'ac.predict("What is the sum?", y.sum(), tolerance=0.05, reveal="three numbers, 0.6")',
    "import time\n"
    "took = time.process_time()\n"
    'print(f"Measured live on: CPU {took}\\n≈ {took:.3g} s in 5 rounds")',
    'live = {"x": [1, 2], "y": [took, took], "name": "sum, live", "meta": {"live": True}}\n'
    'go.Figure([live, {"x": [1, 2], "y": [3.0, 4.0], "name": "sum, recorded"}])',
    "## What we showed\n\nA sum.\n\n## Exercises\n\nNone.\n\n## Further reading\n\nNone.",
)
PROSE = (0, 2, len(CELLS) - 1)
MEASURED, HELD = 8, 9


@pytest.fixture(scope="session")
def sound(tmp_path_factory) -> Path:
    """A notebook that obeys every rule, executed and stored by the tool."""
    path = tmp_path_factory.mktemp("sound") / "sound.ipynb"
    make = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [make[i not in PROSE](source) for i, source in enumerate(CELLS)]
    notebook.cells[1].metadata.tags = ["setup"]
    notebook.cells[MEASURED].metadata.measured = {"# of *": 8}
    notebook.cells[MEASURED].metadata.reason = "a count that a training run gives"
    notebook.cells[HELD].metadata.measured = {"accuracy #": 0.05}
    notebook.cells[HELD].metadata.reason = "an accuracy after some training"
    nbformat.write(notebook, path)
    write(execute(path), path)
    return path


@pytest.fixture
def notebook(sound):
    """A fresh copy of the sound notebook, to be broken."""
    return nbformat.read(sound, as_version=4)
