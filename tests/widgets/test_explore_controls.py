"""Controls are written as interact's."""

import ipywidgets
import numpy as np
import pytest

from attention_course.widgets.explorer.controls import read_control, read_controls
from attention_course.widgets.explorer.tables import spoken


@pytest.mark.parametrize(
    ("given", "kind", "values", "start"),
    [
        (True, "checkbox", (False, True), 1),
        (3, "slider", tuple(range(-3, 10)), 6),
        (0, "slider", (0, 1), 0),
        (-2, "slider", tuple(range(-6, 3)), 4),
        ((1, 4), "slider", (1, 2, 3, 4), 1),
        ((0, 10, 5), "slider", (0, 5, 10), 1),
        ((0.0, 0.3), "slider", (0.0, 0.1, 0.2, 0.3), 1),
        ((0.0, 1.0, 0.25), "slider", (0.0, 0.25, 0.5, 0.75, 1.0), 2),
        (["GRU", "RNN"], "select", ("GRU", "RNN"), 0),
        ([1, 4, 16], "slider", (1, 4, 16), 0),
        ([4, 1, 16], "select", (4, 1, 16), 0),
        ([True, False], "select", (True, False), 0),
        (np.array([1.0, 2.0, 4.0]), "slider", (1.0, 2.0, 4.0), 0),
        ({"two": 2, "one": 1}, "select", (2, 1), 0),
        ([("two", 2), ("one", 1)], "select", (2, 1), 0),
    ],
)
def test_an_abbreviation_gives_the_control_of_interact(given, kind, values, start):
    control = read_control("x", given)
    assert (control.kind, control.values, control.start) == (kind, values, start)


@pytest.mark.parametrize("given", [7, 2.5, (1, 9), (1, 9, 2), (0.0, 2.0), True])
def test_range_and_start_are_those_that_ipywidgets_chooses(given):
    theirs = ipywidgets.interactive(lambda x: None, x=given).children[0]
    ours = read_control("x", given)
    # interact starts a slider in the middle of the range, we at the stop below it.
    step = getattr(theirs, "step", 1)
    assert abs(ours.values[ours.start] - theirs.value) < step
    if hasattr(theirs, "min"):
        assert (ours.values[0], ours.values[-1]) == pytest.approx((theirs.min, theirs.max))
        assert ours.values[1] - ours.values[0] == pytest.approx(theirs.step)


@pytest.mark.parametrize(
    ("widget", "kind", "values", "start"),
    [
        (ipywidgets.IntSlider(value=3, min=1, max=5), "slider", (1, 2, 3, 4, 5), 2),
        (ipywidgets.Dropdown(options=["a", "b"], value="b"), "select", ("a", "b"), 1),
        (
            ipywidgets.FloatLogSlider(value=10, base=10, min=0, max=2, step=1),
            "slider",
            (1.0, 10.0, 100.0),
            1,
        ),
        (ipywidgets.Checkbox(value=False), "checkbox", (False, True), 0),
        (ipywidgets.fixed("a"), "fixed", ("a",), 0),
    ],
)
def test_a_control_of_ipywidgets_stands_for_its_range(widget, kind, values, start):
    control = read_control("x", widget)
    assert (control.kind, control.values, control.start) == (kind, values, start)


def test_a_default_of_the_function_is_the_start():
    def figure(width=64, unit="GRU", n=(1, 3)):
        pass

    width, unit, n = read_controls(figure, {"width": [16, 64, 256], "unit": ["RNN", "GRU"]})
    assert (width.start, unit.start, n.values) == (1, 1, (1, 2, 3))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"wdith": [1, 2]}, "controls must be arguments of figure .width."),
        ({}, "width must have values to choose from, got none"),
        ({"width": "a b"}, "width must be a list, a dict of labels"),
        ({"width": []}, "width must have at least one value"),
        ({"width": (3, 1)}, r"width must be \(min, max, step\) with min < max"),
        ({"width": (0, 1, 0)}, "step > 0"),
        ({"width": ["1", 1]}, "different labels, got 1, 1"),
        ({"width": (0.0, 1e6, 0.1)}, "at most 10000 steps"),
        ({"width": ipywidgets.fixed(3)}, "at least one to move"),
        ({"key": [1, 2]}, "must not have arguments named initial, key, live, play, precision"),
    ],
)
def test_a_bad_control_is_named_with_what_is_expected(given, said):
    def figure(width):
        pass

    with pytest.raises(ValueError, match=said):
        read_controls(figure, given)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(ValueError, match="figure_function must be a function, got 3"):
        read_controls(3, {})


def test_values_and_places_belong_together_also_between_stops():
    control = read_control("x", [1, 2, 4, 8])
    assert [control.value(control.index(v)) for v in (1, 2, 3, 6, 8)] == [1, 2, 3, 6, 8]
    floats = read_control("x", (0.0, 1.0, 0.25))
    assert floats.value(floats.index(0.3)) == pytest.approx(0.3)


def test_true_is_not_one():
    with pytest.raises(ValueError, match="x must be one of 1, 2, 3, got True"):
        read_control("x", [1, 2, 3]).index(True)


def test_a_symbol_keeps_its_underscore():
    assert [spoken(n) for n in ("d_k", "n_keys", "hidden_width")] == [
        "d_k",
        "n_keys",
        "hidden width",
    ]
