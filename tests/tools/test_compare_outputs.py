"""Numbers within the tolerance agree, everything else must be equal."""

import math

import pytest
from compare_outputs import (
    agree,
    difference,
    figure_difference,
    sanitise,
    text_difference,
    without_what_is_printed,
)
from hypothesis import given
from hypothesis import strategies as st


@given(st.floats(1e-3, 1e12), st.floats(-1, 1))
def test_the_tolerance_is_relative(number, share):
    assert agree(number, number * (1 + 0.9e-5 * share))
    assert not agree(number, number * (1 + 3e-5))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (0.0, 9e-9, True),
        (0.0, 2e-8, False),
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
    ],
)
def test_small_and_strange_numbers(a, b, same):
    assert agree(a, b) is same


def test_an_int_may_stand_for_a_float_but_not_for_a_truth_value():
    assert difference([1], [1.0]) is None
    assert difference([1], [True]) is not None


@pytest.mark.parametrize(
    ("stored", "fresh", "words"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, "keys differ: b"),
        ([1, 2], [1], "length 2 stored, 1 computed"),
        ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, ".a[0].b: 'x' stored, 'y' computed"),
        ("a" * 99 + "b", "a" * 99 + "c", "from character 79"),
    ],
)
def test_the_place_of_a_difference_is_named(stored, fresh, words):
    assert words in difference(stored, fresh)


def test_addresses_are_hidden_and_numbers_are_not():
    assert sanitise("<Dial at 0x7f0a12bc> 0x10") == "<Dial at 0x...> 0x10"


def test_the_versions_of_the_setup_cell_may_be_others():
    first, second = "Ready: Python 3.11, numpy 2.4.6.\n", "Ready: Python 3.13, numpy 2.1.3.\n"
    assert sanitise(first) == sanitise(second) == "Ready: ...\n"
    assert sanitise("Python 3.11 is Ready: 2") == "Python 3.11 is Ready: 2"


@pytest.mark.parametrize(
    ("stored", "fresh"),
    [
        ("loss 0.4812", "loss 0.4813"),
        ("a  9.99 b", "a 10.00 b"),
        ("[ 0.000]", "[-0.000]"),
        ("least 2.91e-20", "least 2.92e-20"),
    ],
)
def test_a_text_agrees_when_only_rounding_differs(stored, fresh):
    assert text_difference(stored, fresh) is None


@pytest.mark.parametrize(
    ("stored", "fresh"),
    [
        ("loss 0.4812", "loss 0.4814"),
        ("loss 0.48", "loss 0.49"),
        ("It is 500.", "It is 501."),
        ("#b25c40", "#b25c41"),
        ("least 2.9e-20", "least 3.1e-20"),
        ("differ by less than 1e-12", "differ by less than 1e-11"),
        ("nan", "0.0"),
        ("0.5", "-0.5"),
    ],
)
def test_a_text_differs_in_a_word_or_a_number(stored, fresh):
    assert text_difference(stored, fresh) is not None


def test_a_pattern_names_the_measured_number_and_no_other():
    table = "attention   0.99  0.41\nnone        0.51  0.40"
    measured = {"attention * #": 0.05}
    assert text_difference(table, table.replace("0.41", "0.46"), measured=measured) is None
    assert "0.41 stored" in text_difference(table, table.replace("0.41", "0.47"), 0, measured)
    assert "0.40 stored" in text_difference(table, table.replace("0.40", "0.41"), 0, measured)
    assert "0.99 stored" in text_difference(table, table.replace("0.99", "0.98"), 0, measured)


def _drawn(y, axis="y", **layout):
    alt = {"alt": f"Up: loss. From {y[0]:.3g} to {y[-1]:.3g}."}
    trace = {"x": list(range(len(y))), "y": y, "yaxis": axis}
    return {"data": [trace], "layout": {"meta": alt, **layout}}


@pytest.mark.parametrize("axis", ["y", "y2"])
def test_a_logarithmic_axis_is_compared_by_its_logarithm(axis):
    layout = {axis.replace("y", "yaxis"): {"type": "log"}}
    figures = [_drawn([1e-15, last], axis, **layout) for last in (1e-12, 2e-12)]
    assert figure_difference(_drawn([1e-15, 1e-12]), _drawn([1e-15, 2e-12])) is None
    assert "figure.data[0].y[1]" in figure_difference(*figures)
    assert figure_difference(*figures, absolute=0.31) is None
    assert figure_difference(figures[0], figures[0]) is None
    assert figures[0]["data"][0]["y"] == [1e-15, 1e-12]


def test_code_in_a_widget_is_compared_letter_by_letter():
    assert difference({"_esm": "f(0.50000)"}, {"_esm": "f(0.500001)"}) is not None
    assert difference({"text": "f(0.50000)"}, {"text": "f(0.500001)"}) is None


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        ("answer: 0.41 (within 0.05)", "answer: 0.46 (within 0.05)", True),
        ("answer: 0.41 (within 0.05)", "answer: 0.47 (within 0.05)", False),
        ("answer: 0.41 (within 0.05)", "answer: 0.41 (within 0.06)", False),
        ("answer: 492 of 7 (within 8)", "answer: 484 of 7 (within 8)", False),
        ("answer: 84% (within 10)", "answer: 94% (within 10)", True),
        ("answer: 2.1 times\n (within 10)", "answer: 3.1 times\n (within 10)", False),
        ("0.58 (0.48 to spare)", "0.2 (0.1 to spare)", True),
        ("0.58 (0.48 to spare)", "0.05 (0.05 to spare)", False),
        ("0.58 (0.48 left)", "0.2 (0.1 left)", False),
        ("3 of 5 dates (within 1)", "2 of 5 dates (within 1)", False),
    ],
)
def test_a_number_may_carry_its_own_tolerance(stored, fresh, same):
    assert (text_difference(stored, fresh) is None) is same


def test_of_a_prediction_only_what_is_not_printed_is_left_to_compare():
    state = {"_anywidget_id": "attention_course.widgets.prediction.widget.Prediction"}
    state |= {"answer": [1], "fallback": "<p>", "reveal": "1", "question": "Q?", "_esm": "x"}
    left = without_what_is_printed(state)
    assert left.keys() == state.keys() - {"answer", "fallback", "reveal"}
    other = state | {"_anywidget_id": "attention_course.widgets.plane.widget.AttentionPlane"}
    assert without_what_is_printed(other) == other


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        ("≈ 3.21 ms", "≈ 1234 ms", True),
        ("≈ 3.21 ms (5 pairs)", "≈ 3.21 ms (6 pairs)", False),
        ("≈ 3.21 ms", "3.21 ms", False),
        ("≈ 3.21 ms", "≈ 0.00 ms", False),
        ("≈ 3.21 ms", "≈ 1e999 ms", False),
        ("≈ 3.21 ms of 7.5", "≈ 4.21 ms of 7.6", False),
    ],
)
def test_a_live_number_is_finite_and_above_zero_and_its_neighbours_are_compared(
    stored, fresh, same
):
    assert (text_difference(stored, fresh) is None) is same


def live_figure(**changed):
    live = {"name": "sdpa, live", "x": [1, 2], "y": [3.0, None], "meta": {"live": True}}
    recorded = {"name": "sdpa, recorded", "x": [1, 2], "y": [5.0, 6.0]}
    meta = {"alt": "sdpa, live: from ≈ 3 to ≈ 4; recorded: from 5 to 6."}
    return {"data": [live | changed, recorded], "layout": {"meta": meta}}


@pytest.mark.parametrize("log", [False, True])
def test_the_heights_of_a_live_trace_are_free(log):
    stored, fresh = live_figure(), live_figure(y=[300.0, None])
    for figure in (stored, fresh):
        figure["layout"]["yaxis"] = {"type": "log"} if log else {}
    fresh["layout"]["meta"]["alt"] = "sdpa, live: from ≈ 300 to ≈ 7; recorded: from 5 to 6."
    assert figure_difference(stored, fresh) is None
    assert fresh["data"][0]["y"] == [300.0, None]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"y": [3.0]}, "y: 2 stored, 1 computed"),
        ({"y": [math.nan, None]}, "nan computed, live"),
        ({"y": [0.0, None]}, "0.0 computed, live"),
        ({"y": [3.0, 4.0]}, "None stored, 4.0 computed, live"),
        ({"name": "sdpa"}, "data[0].name"),
        ({"meta": {}}, "data[0]"),
    ],
)
def test_the_rest_of_a_live_trace_is_compared(changed, said):
    assert said in figure_difference(live_figure(), live_figure(**changed))


def test_a_recorded_trace_may_not_become_a_live_one():
    recorded = live_figure(meta={}, y=[5.0, None])
    said = figure_difference(recorded, live_figure(y=[9.0, None]))
    assert said is not None
    assert "5.0 stored, 9.0 computed" in said


def test_where_it_was_measured_live_is_left_out():
    said = "Measured live on: a {} (torch 2.1)\nRecorded on a T4 (torch 2.2).\n"
    long = said.format("processor with a long name,\n  two lines of it")
    assert sanitise(said.format("CPU")) == sanitise(long)
    assert sanitise(said) != sanitise(said.replace("2.2", "2.3"))
