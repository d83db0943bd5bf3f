"""nbval, as this course runs it, on a notebook with one wrong number and the like.

Defects of different cells share a copy. All copies are run by one nbval, whose report is then
read cell by cell.
"""

import base64
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict

import nbformat
import numpy as np
import pytest
from gate_tools import run
from normalise import STATE, write

PLOTLY = "application/vnd.plotly.v1+json"
NUMBER, FIGURE, DIAL, TINY, MEASURED = 4, 5, 6, 7, 8
HELD, PREDICTED = 9, 11
LIVE_TEXT, LIVE_FIGURE = 12, 13


def _figure(nb, cell=FIGURE):
    return nb.cells[cell].outputs[0].data[PLOTLY]


def _alt(nb, old, new):
    meta = _figure(nb, TINY)["layout"]["meta"]
    meta["alt"] = meta["alt"].replace(old, new)


def _print(nb, cell, text):
    printed = [out for out in nb.cells[cell].outputs if out.output_type == "stream"]
    printed[0].text = text + "\n"


def _scale(nb, factor, cell=FIGURE):
    y = _figure(nb, cell)["data"][0]["y"]
    values = np.frombuffer(base64.b64decode(y["bdata"]), y["dtype"]).copy()
    values[1] *= factor
    y["bdata"] = base64.b64encode(values.tobytes()).decode()


def _state(nb, **changes):
    for model in nb.metadata.widgets[STATE]["state"].values():
        if "angle" in model["state"]:
            model["state"].update(changes)


def _replace(nb, cell, old, new):
    """Replace words in every text of a cell's outputs that has them."""
    texts = [(o, key) for out in nb.cells[cell].outputs if (o := out.get("data")) for key in o]
    found = [(data, key) for data, key in texts if old in data[key]]
    assert found
    for data, key in found:
        data[key] = data[key].replace(old, new)


def _hold(nb, old, new):
    _replace(nb, HELD, old, new)


def _predict(nb, old, new):
    _replace(nb, PREDICTED, old, new)


def sound(nb):
    """Change nothing."""


def within_tolerance(nb):
    """Change a figure's number by less than the tolerance."""
    _scale(nb, 1 + 5e-6)


def as_a_list(nb):
    """Write the figure's numbers as plotly 5 does."""
    _figure(nb)["data"][0]["y"] = [0.1, 0.2, 0.3]


def rounded_the_other_way(nb):
    """Change the last of four printed digits by one."""
    _print(nb, MEASURED, "right: 492 of 500 at a loss of 0.4813")


def measured_within_its_tolerance(nb):
    """Change a measured number by as much as its cell allows."""
    _print(nb, MEASURED, "right: 484 of 500 at a loss of 0.4812")


def measured_beyond_its_tolerance(nb):
    """Change a measured number by more than its cell allows."""
    _print(nb, MEASURED, "right: 483 of 500 at a loss of 0.4812")


def number_beside_a_measured_one(nb):
    """Change a number that the tolerance of its neighbour does not cover."""
    _print(nb, MEASURED, "right: 492 of 499 at a loss of 0.4812")


def words_around_a_number(nb):
    """Change a word and leave the numbers."""
    _print(nb, NUMBER, "the total is 0.6")


def spread_within_what_it_says(nb):
    """Change a number by as much as its cell allows, beside a spread."""
    _print(nb, HELD, "accuracy 0.46 and ± half the range of two seeds")


def held_within_what_it_has_to_spare(nb):
    """Change a number that holds, so that it still holds."""
    _hold(nb, "0.6", "0.69")


def predicted_within_its_tolerance(nb):
    """Change the answer of a prediction by less than its tolerance."""
    _predict(nb, "0.6 (within 0.05)", "0.64 (within 0.05)")


def another_live_time(nb):
    """Change live numbers and the live device, in text and in a figure."""
    _print(nb, LIVE_TEXT, "Measured live on: another CPU\n≈ 1234 s in 5 rounds")
    _figure(nb, LIVE_FIGURE)["data"][0]["y"] = [123.0, 0.001]


def rounds_beside_a_live_time(nb):
    """Change a count beside a live number."""
    _print(nb, LIVE_TEXT, "Measured live on: CPU 1.2\n≈ 1.2 s in 6 rounds")


def live_time_that_is_none(nb):
    """Store a live number as not a number."""
    _print(nb, LIVE_TEXT, "Measured live on: CPU 1.2\n≈ nan s in 5 rounds")


def live_series_missing(nb):
    """Take the live series away."""
    del _figure(nb, LIVE_FIGURE)["data"][0]


def live_point_missing(nb):
    """Store a live point as if it were missing."""
    _figure(nb, LIVE_FIGURE)["data"][0]["y"][1] = None


def recorded_point_beside_a_live_one(nb):
    """Change a recorded point under a live series."""
    _figure(nb, LIVE_FIGURE)["data"][1]["y"][1] = 4.001


def spread_beyond_what_it_says(nb):
    """Change a number by more than its cell allows, beside a spread."""
    _print(nb, HELD, "accuracy 0.47 and ± half the range of two seeds")


def held_beyond_what_it_has_to_spare(nb):
    """Change a number that holds by more than it has to spare."""
    _hold(nb, "0.6", "0.71")


def claims_what_does_not_hold(nb):
    """Let a hold claim too much."""
    nb.cells[HELD].source = nb.cells[HELD].source.replace("0.5", "0.7")


def predicted_beyond_its_tolerance(nb):
    """Change the answer of a prediction by more than its tolerance."""
    _predict(nb, "0.6 (within 0.05)", "0.66 (within 0.05)")


def revealed_otherwise(nb):
    """Change what a prediction reveals."""
    _predict(nb, "three numbers", "four numbers")


def alternative_text_rounded(nb):
    """Change the last of three digits in an alternative text by one."""
    _alt(nb, "3.01e-13", "3.02e-13")


def small_number_in_alternative_text(nb):
    """Change a small number in the alternative text of a logarithmic axis."""
    _alt(nb, "3.01e-13", "3.05e-13")


def integer_in_alternative_text(nb):
    """Change an integer of an alternative text by one."""
    _alt(nb, "500", "501")


def small_number_on_a_logarithmic_axis(nb):
    """Change a number far below the absolute tolerance."""
    _scale(nb, 1 + 2e-5, TINY)


def number_in_text(nb):
    """Change a printed number."""
    _print(nb, NUMBER, "the sum is 0.61")


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


GREEN = [
    sound,
    within_tolerance,
    as_a_list,
    rounded_the_other_way,
    measured_within_its_tolerance,
    spread_within_what_it_says,
    held_within_what_it_has_to_spare,
    predicted_within_its_tolerance,
    alternative_text_rounded,
    another_live_time,
]
RED = [
    pytest.param(number_in_text, "Cell outputs differ", marks=pytest.mark.gate(
        "nbval: text", "0.6 printed, 0.61 stored")),
    pytest.param(words_around_a_number, "Cell outputs differ", marks=pytest.mark.gate(
        "nbval: words of a text", "total for sum")),
    pytest.param(measured_beyond_its_tolerance, "483 stored", marks=pytest.mark.gate(
        "nbval: measured numbers", "483 for 492, where 8 are allowed")),
    pytest.param(number_beside_a_measured_one, "499 stored", marks=pytest.mark.gate(
        "nbval: integers beside a measured number", "499 for 500")),
    pytest.param(rounds_beside_a_live_time, "6 stored", marks=pytest.mark.gate(
        "nbval: numbers beside a live one", "6 rounds for 5")),
    pytest.param(live_time_that_is_none, "nan", marks=pytest.mark.gate(
        "nbval: a live number is one", "nan for a live time")),
    pytest.param(live_series_missing, "figure", marks=pytest.mark.gate(
        "nbval: live series are there", "a live series taken away")),
    pytest.param(live_point_missing, "None stored", marks=pytest.mark.gate(
        "nbval: live points are there", "a live point taken away")),
    pytest.param(recorded_point_beside_a_live_one, "data[1].y[1]", marks=pytest.mark.gate(
        "nbval: recorded points beside live ones", "4.001 recorded for 4")),
    pytest.param(spread_beyond_what_it_says, "0.47 stored", marks=pytest.mark.gate(
        "nbval: a measured number beside a spread", "0.47 for 0.41, within 0.05")),
    pytest.param(held_beyond_what_it_has_to_spare, "0.71 stored", marks=pytest.mark.gate(
        "nbval: the numbers of a hold", "0.71 for 0.6 with 0.1 to spare")),
    pytest.param(claims_what_does_not_hold, "HoldFailed", marks=pytest.mark.gate(
        "nbval: a hold holds", "0.6 claimed to be above 0.7")),
    pytest.param(predicted_beyond_its_tolerance, "0.66 stored", marks=pytest.mark.gate(
        "nbval: the answer of a prediction", "0.66 for 0.6 (within 0.05)")),
    pytest.param(revealed_otherwise, "Cell outputs differ", marks=pytest.mark.gate(
        "nbval: what a prediction reveals", "four numbers for three")),
    pytest.param(small_number_in_alternative_text, "layout.meta.alt", marks=pytest.mark.gate(
        "nbval: numbers of an alternative text", "3.05e-13 for 3.01e-13")),
    pytest.param(integer_in_alternative_text, "layout.meta.alt", marks=pytest.mark.gate(
        "nbval: integers of an alternative text", "501 for 500")),
    pytest.param(small_number_on_a_logarithmic_axis, "data[0].y[1]", marks=pytest.mark.gate(
        "nbval: logarithmic axes", "a number of 2e-13 off by 2e-5 of itself")),
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


# What happens to these is no matter of one cell.
ALONE = (sound, never_run, raises, too_slow)


def touched(before, after):
    """Return the cells that differ; a stored widget is the dial's."""
    pairs = enumerate(zip(before.cells, after.cells, strict=True))
    cells = {number for number, (old, new) in pairs if old != new}
    return cells | ({DIAL} if before.metadata != after.metadata else set())


def shared(sound, defects):
    """Put each defect into the first copy whose other defects leave its cells alone.

    Returns:
        The copies, and for each defect the number of its copy and its cells there.
    """
    whole = nbformat.read(sound, as_version=4)
    copies, taken, places = [], [], {}
    for break_it in defects:
        broken = nbformat.read(sound, as_version=4)
        break_it(broken)
        cells = {*range(len(whole.cells))} if break_it in ALONE else touched(whole, broken)
        assert cells
        number = next((n for n, others in enumerate(taken) if not cells & others), len(taken))
        if number == len(taken):
            copies.append(nbformat.read(sound, as_version=4))
            taken.append(set())
        break_it(copies[number])
        taken[number] |= cells
        places[break_it] = number, cells
    return copies, places


@pytest.fixture(scope="module")
def report(sound, tmp_path_factory):
    """What nbval said where each defect is: the texts of its failures, and all others."""
    folder = tmp_path_factory.mktemp("nbval")
    places = {}
    for name, defects in (("green", GREEN), ("red", [seed.values[0] for seed in RED])):
        copies, found = shared(sound, defects)
        for number, copy in enumerate(copies):
            write(copy, folder / f"{name}{number}.ipynb")
        places |= {one: (f"{name}{number}", cells) for one, (number, cells) in found.items()}
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    options = "-p nbval_course -p no:xdist -p no:cacheprovider -q --color=no"
    nbval = "--nbval --nbval-current-env --nbval-cell-timeout 8 --junit-xml=report.xml"
    command = [sys.executable, "-m", "pytest", *options.split(), *nbval.split(), "."]
    done = run(*command, cwd=folder)
    assert (folder / "report.xml").is_file(), done.stdout
    cells = nbformat.read(sound, as_version=4).cells
    code = [number for number, cell in enumerate(cells) if cell.cell_type == "code"]
    failures = defaultdict(list)
    for case in ET.parse(folder / "report.xml").iter("testcase"):
        said = f"{case.get('classname')} {case.get('name')}"
        copy, number = re.search(r"((?:green|red)\d+)(?:.*Cell (\d+)$)?", said).groups()
        cell = code[int(number)] if number else DIAL  # the states of all widgets
        failures[copy, cell] += [bad.text for bad in case.findall("failure")]
    found = {
        one: [text for cell in cells for text in failures.pop((copy, cell), [])]
        for one, (copy, cells) in places.items()
    }
    return found | {None: [text for texts in failures.values() for text in texts]}


@pytest.mark.parametrize("copy", GREEN)
def test_what_should_pass_passes(report, copy):
    assert report[copy] == []


@pytest.mark.parametrize(("break_it", "words"), RED)
def test_the_defect_is_noticed(report, break_it, words):
    assert any(words in text for text in report[break_it])


def test_nothing_else_is_complained_of(report):
    assert report[None] == []
