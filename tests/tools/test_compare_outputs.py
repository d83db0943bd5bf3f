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


def test_small_and_strange_numbers():
    for a, b in ((0.0, 9e-9), (math.nan, math.nan), (math.inf, math.inf)):
        assert agree(a, b)
    for a, b in ((0.0, 2e-8), (math.nan, 0.0), (math.inf, -math.inf)):
        assert not agree(a, b)


@pytest.mark.parametrize(
    ("stored", "fresh", "words"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, "keys differ: b"),
        ([1, 2], [1], "length 2 stored, 1 computed"),
        ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, ".a[0].b: 'x' stored, 'y' computed"),
        ("a" * 99 + "b", "a" * 99 + "c", "from character 79"),
        ([1], [True], "1 stored, true computed"),
        ([1], [1.0], ""),
        ({"_esm": "f(0.50000)"}, {"_esm": "f(0.500001)"}, "._esm"),  # code: letter by letter
        ({"text": "f(0.50000)"}, {"text": "f(0.500001)"}, ""),
    ],
)
def test_the_place_of_a_difference_is_named(stored, fresh, words):
    assert words in (difference(stored, fresh) or "")
    assert bool(words) == bool(difference(stored, fresh))


def test_addresses_versions_and_live_devices_are_hidden_and_numbers_are_not():
    assert sanitise("<Dial at 0x7f0a12bc> 0x10") == "<Dial at 0x...> 0x10"
    first, second = "Ready: Python 3.11, numpy 2.4.6.\n", "Ready: Python 3.13, numpy 2.1.3.\n"
    assert sanitise(first) == sanitise(second) == "Ready: ...\n"
    assert sanitise("Python 3.11 is Ready: 2") == "Python 3.11 is Ready: 2"
    said = "Measured live on: a {} (torch 2.1)\nRecorded on a T4 (torch 2.2).\n"
    long = said.format("processor with a long name,\n  two lines of it")
    assert sanitise(said.format("CPU")) == sanitise(long)
    assert sanitise(said) != sanitise(said.replace("2.2", "2.3"))


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        # rounded when they were written
        ("loss 0.4812", "loss 0.4813", True),
        ("a  9.99 b", "a 10.00 b", True),
        ("[ 0.000]", "[-0.000]", True),
        ("least 2.91e-20", "least 2.92e-20", True),
        ("loss 0.4812", "loss 0.4814", False),
        ("loss 0.48", "loss 0.49", False),
        ("It is 500.", "It is 501.", False),
        ("#b25c40", "#b25c41", False),
        ("least 2.9e-20", "least 3.1e-20", False),
        ("differ by less than 1e-12", "differ by less than 1e-11", False),
        ("nan", "0.0", False),
        ("0.5", "-0.5", False),
        # with a tolerance of their own
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
        # live: finite and above zero, and their neighbours as ever
        ("≈ 3.21 ms", "≈ 1234 ms", True),
        ("≈ 3.21 ms (5 pairs)", "≈ 3.21 ms (6 pairs)", False),
        ("≈ 3.21 ms", "3.21 ms", False),
        ("≈ 3.21 ms", "≈ 0.00 ms", False),
        ("≈ 3.21 ms", "≈ 1e999 ms", False),
        ("≈ 3.21 ms of 7.5", "≈ 4.21 ms of 7.6", False),
    ],
)
def test_two_texts_agree_in_words_and_numbers(stored, fresh, same):
    assert (text_difference(stored, fresh) is None) is same


def test_a_pattern_names_the_measured_number_and_no_other():
    table = "attention   0.99  0.41\nnone        0.51  0.40"
    measured = {"attention * #": 0.05}
    assert text_difference(table, table.replace("0.41", "0.46"), measured=measured) is None
    for old, new in (("0.41", "0.47"), ("0.40", "0.41"), ("0.99", "0.98")):
        assert f"{old} stored" in text_difference(table, table.replace(old, new), 0, measured)


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


def test_of_a_prediction_only_what_is_not_printed_is_left_to_compare():
    state = {"_anywidget_id": "attention_course.widgets.prediction.widget.Prediction"}
    state |= {"answer": [1], "fallback": "<p>", "reveal": "1", "question": "Q?", "_esm": "x"}
    left = without_what_is_printed(state)
    assert left.keys() == state.keys() - {"answer", "fallback", "reveal"}
    other = state | {"_anywidget_id": "attention_course.widgets.plane.widget.AttentionPlane"}
    assert without_what_is_printed(other) == other


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
    recorded, live = live_figure(meta={}, y=[5.0, None]), live_figure(y=[9.0, None])
    assert "5.0 stored, 9.0 computed" in figure_difference(recorded, live)
