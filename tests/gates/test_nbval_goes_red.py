"""nbval, as this course runs it, on a notebook with one wrong number and the like.

All the broken copies are run by one nbval, whose report is then read copy by copy.
"""

import base64
import sys
import xml.etree.ElementTree as ET

import nbformat
import numpy as np
import pytest
from gate_tools import run
from normalise import STATE, write

PLOTLY = "application/vnd.plotly.v1+json"
NUMBER, FIGURE, DIAL = 4, 5, 6


def _figure(nb):
    return nb.cells[FIGURE].outputs[0].data[PLOTLY]


def _scale(nb, factor):
    y = _figure(nb)["data"][0]["y"]
    values = np.frombuffer(base64.b64decode(y["bdata"]), y["dtype"]).copy()
    values[1] *= factor
    y["bdata"] = base64.b64encode(values.tobytes()).decode()


def _state(nb, **changes):
    for model in nb.metadata.widgets[STATE]["state"].values():
        if model["model_name"] == "AnyModel":
            model["state"].update(changes)


def sound(nb):
    """Change nothing."""


def within_tolerance(nb):
    """Change a figure's number by less than the tolerance."""
    _scale(nb, 1 + 5e-6)


def as_a_list(nb):
    """Write the figure's numbers as plotly 5 does."""
    _figure(nb)["data"][0]["y"] = [0.1, 0.2, 0.3]


def number_in_text(nb):
    """Change a printed number."""
    nb.cells[NUMBER].outputs[0].text = "the sum is 0.61\n"


def number_in_figure(nb):
    """Change a figure's number by more than the tolerance."""
    _scale(nb, 1 + 2e-5)


def title_of_figure(nb):
    """Change a figure's title."""
    _figure(nb)["layout"]["title"]["text"] = "Another point"


def output_missing(nb):
    """Take an output away."""
    nb.cells[NUMBER].outputs = []


def never_run(nb):
    """Store a cell as if it had not been run."""
    nb.cells[NUMBER].outputs, nb.cells[NUMBER].execution_count = [], None


def raises(nb):
    """Let a cell raise."""
    nb.cells[NUMBER].source = "raise ValueError('bad')"


def widget_trait(nb):
    """Change a stored trait."""
    _state(nb, angle=0.6)


def widget_code(nb):
    """Leave old code in a stored widget."""
    _state(nb, _esm="export default {}")


def too_slow(nb):
    """Let a cell run past its time limit."""
    nb.cells[NUMBER].source = "import time\ntime.sleep(60)"


GREEN = [sound, within_tolerance, as_a_list]
RED = [
    pytest.param(number_in_text, "Cell outputs differ", marks=pytest.mark.gate(
        "nbval: text", "0.6 printed, 0.61 stored")),
    pytest.param(number_in_figure, "figure.data[0].y[1]", marks=pytest.mark.gate(
        "nbval: numbers of a figure", "one number off by 2e-5 of itself")),
    pytest.param(title_of_figure, "figure.layout.title.text", marks=pytest.mark.gate(
        "nbval: words of a figure", "another title")),
    pytest.param(output_missing, "Unexpected output fields", marks=pytest.mark.gate(
        "nbval: number of outputs", "an output taken away")),
    pytest.param(never_run, "without having been run", marks=pytest.mark.gate(
        "nbval: every cell was run", "a cell stored unrun")),
    pytest.param(raises, "ValueError", marks=pytest.mark.gate(
        "nbval: no error", "a cell that raises")),
    pytest.param(widget_trait, "widget.angle", marks=pytest.mark.gate(
        "nbval: traits of a widget", "0.5 computed, 0.6 stored")),
    pytest.param(widget_code, "widget._esm", marks=pytest.mark.gate(
        "nbval: code of a widget", "a notebook that keeps an old version")),
    pytest.param(too_slow, "Timeout", marks=pytest.mark.gate(
        "nbval: time limit of a cell", "a cell that sleeps for a minute")),
]  # fmt: skip


@pytest.fixture(scope="module")
def report(sound, tmp_path_factory):
    """What nbval said about each copy: the texts of its failures."""
    folder = tmp_path_factory.mktemp("nbval")
    for break_it in [*GREEN, *(seed.values[0] for seed in RED)]:
        copy = nbformat.read(sound, as_version=4)
        break_it(copy)
        write(copy, folder / f"{break_it.__name__}.ipynb")
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    options = "-p nbval_course -p no:xdist -p no:cacheprovider -q --color=no"
    nbval = "--nbval --nbval-current-env --nbval-cell-timeout 8 --junit-xml=report.xml"
    command = [sys.executable, "-m", "pytest", *options.split(), *nbval.split(), "."]
    done = run(*command, cwd=folder)
    assert (folder / "report.xml").is_file(), done.stdout
    failures = {path.stem: [] for path in folder.glob("*.ipynb")}
    for case in ET.parse(folder / "report.xml").iter("testcase"):
        name = f"{case.get('classname')} {case.get('name')}".split(".ipynb")[0].split(".")[0]
        failures[name.split()[0]] += [bad.text for bad in case.findall("failure")]
    return failures


@pytest.mark.parametrize("copy", GREEN)
def test_what_should_pass_passes(report, copy):
    assert report[copy.__name__] == []


@pytest.mark.parametrize(("break_it", "words"), RED)
def test_the_defect_is_noticed(report, break_it, words):
    assert any(words in text for text in report[break_it.__name__])
