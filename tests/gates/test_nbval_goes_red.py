"""nbval, as this course runs it, on a notebook with one wrong number and the like.

What numbers and words agree is tested in ``tests/tools/test_compare_outputs.py``; here, that
nbval asks for it. All copies are run by one nbval.
"""

import base64
import re
import sys
import xml.etree.ElementTree as ET
from unittest.mock import Mock

import nbformat
import numpy as np
import pytest
from gate_tools import run
from normalise import STATE, write

PLOTLY = "application/vnd.plotly.v1+json"
NUMBER, FIGURE, MEASURED = 4, 5, 8
LIVE_TEXT, LIVE_FIGURE = 12, 13


def _figure(nb, cell=FIGURE):
    return nb.cells[cell].outputs[0].data[PLOTLY]


def _print(nb, cell, text):
    printed = [out for out in nb.cells[cell].outputs if out.output_type == "stream"]
    printed[0].text = text + "\n"


def _scale(nb, factor):
    y = _figure(nb)["data"][0]["y"]
    values = np.frombuffer(base64.b64decode(y["bdata"]), y["dtype"]).copy()
    values[1] *= factor
    y["bdata"] = base64.b64encode(values.tobytes()).decode()


def _state(nb, **changes):
    for model in nb.metadata.widgets[STATE]["state"].values():
        if "angle" in model["state"]:
            model["state"].update(changes)


def sound(nb):
    """Change nothing."""


def within_tolerance(nb):
    _scale(nb, 1 + 5e-6)


def measured_within_its_tolerance(nb):
    _print(nb, MEASURED, "right: 484 of 500 at a loss of 0.4812")


def measured_beyond_its_tolerance(nb):
    _print(nb, MEASURED, "right: 483 of 500 at a loss of 0.4812")


def another_live_time(nb):
    """Change live numbers and the live device, in text and in a figure."""
    _print(nb, LIVE_TEXT, "Measured live on: another CPU\n≈ 1234 s in 5 rounds")
    _figure(nb, LIVE_FIGURE)["data"][0]["y"] = [123.0, 0.001]


def number_in_text(nb):
    _print(nb, NUMBER, "the sum is 0.61")


def number_in_figure(nb):
    _scale(nb, 1 + 2e-5)


def never_run(nb):
    nb.cells[LIVE_FIGURE].outputs, nb.cells[LIVE_FIGURE].execution_count = [], None


def widget_trait(nb):
    _state(nb, angle=0.6)


def widget_code(nb):
    _state(nb, _esm="export default {}")


GREEN = [(sound,), (within_tolerance, measured_within_its_tolerance, another_live_time)]
RED = [
    (number_in_text, "0.61 stored"),
    (measured_beyond_its_tolerance, "483 stored"),
    (number_in_figure, "figure.data[0].y[1]"),
    (never_run, "without having been run"),
    (widget_trait, "widget.angle"),
    (widget_code, "widget._esm"),
]


# These would change a cell of another; all the others share a copy.
APART = (widget_code, never_run)


@pytest.fixture(scope="module")
def report(sound, tmp_path_factory):
    """What nbval complained of, by the copy and its defects."""
    folder = tmp_path_factory.mktemp("nbval")
    shared = tuple(one for one, _ in RED if one not in APART)
    copies = (*GREEN, APART, shared)
    for number, defects in enumerate(copies):
        copy = nbformat.read(sound, as_version=4)
        for break_it in defects:
            break_it(copy)
        write(copy, folder / f"copy{number}.ipynb")
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    options = "-p nbval_course -p no:xdist -p no:cacheprovider -q --color=no"
    nbval = "--nbval --nbval-current-env --junit-xml=report.xml"
    command = [sys.executable, "-m", "pytest", *options.split(), *nbval.split(), "."]
    done = run(*command, cwd=folder)
    assert (folder / "report.xml").is_file(), done.stdout
    failures = {defects: [] for defects in copies}
    for case in ET.parse(folder / "report.xml").iter("testcase"):
        said = f"{case.get('classname')} {case.get('name')}"
        number = int(re.search(r"copy(\d)", said)[1])
        failures[copies[number]] += [bad.text for bad in case.findall("failure")]
    return failures


@pytest.mark.parametrize("copy", GREEN)
def test_what_should_pass_passes(report, copy):
    assert report[copy] == []


@pytest.mark.parametrize(("break_it", "words"), RED)
def test_the_defect_is_noticed_and_nothing_else(report, break_it, words):
    (defects,) = (defects for defects in report if break_it in defects)
    assert sum(words in text for text in report[defects]) == 1
    assert len(report[defects]) == len(defects)


def test_a_kernel_that_does_not_answer_is_started_once_more(monkeypatch):
    from nbval.plugin import IPyNbFile
    from nbval_course import CourseFile

    silent = RuntimeError("Kernel didn't respond in 60 seconds")
    start = Mock(side_effect=[silent, None, silent, silent])
    monkeypatch.setattr(IPyNbFile, "setup", start)
    file = object.__new__(CourseFile)
    file.setup()
    with pytest.raises(RuntimeError, match="didn't respond"):
        file.setup()
    assert start.call_count == 4
