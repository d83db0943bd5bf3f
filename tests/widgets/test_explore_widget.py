"""explore: once for every combination, then without Python; with Python, both ways."""

import json
import subprocess
import sys

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_course.widgets import Explore, explore
from attention_course.widgets.explorer.packing import unpack
from attention_course.widgets.explorer.widget import MOST_BYTES


def decay(width=32, unit="GRU", bands=True):
    x = np.arange(5)
    figure = go.Figure(go.Scatter(x=x, y=np.exp(-x / width), name=unit))
    return figure, f"{unit} with {width} numbers, bands {'on' if bands else 'off'}."


def made(**more) -> Explore:
    return explore(decay, **{"width": [16, 32, 64], "unit": ["GRU", "RNN"], **more})


def test_the_function_is_called_once_for_each_combination():
    calls = []

    def figure(a, b):
        calls.append((a, b))
        return go.Figure(go.Scatter(y=[a, 1]))

    explore(figure, a=(1, 3), b=["x", "y"])
    assert calls == [(a, b) for a in (1, 2, 3) for b in ("x", "y")]


def test_the_widget_starts_with_the_function_s_defaults_and_says_its_sentence():
    widget = made()
    assert widget.value == {"width": 32, "unit": "GRU", "bands": True}
    assert widget.sentence == "GRU with 32 numbers, bands on."
    assert repr(widget) == "explore(decay, width=32, unit='GRU', bands=True)"
    assert widget.initial == {"chosen": {"width": 32, "unit": "GRU", "bands": True}}
    assert widget.key == "decay"


def test_the_arrays_that_are_shared_are_stored_once():
    spec = made().spec
    # one x, three curves; unit and bands change names only
    assert len(spec["arrays"]) == 4
    assert len(spec["charts"]) == 12
    assert len(spec["templates"]) == 2
    x, *curves = unpack(spec)
    for width, y in zip((16, 32, 64), curves, strict=True):
        assert np.abs(y - np.exp(-x / width)).max() < 1e-3


def test_all_state_is_json():
    widget = made(live=True)
    synced = {n: getattr(widget, n) for n in widget.trait_names(sync=True) if n[0] != "_"}
    synced = {n: v for n, v in synced.items() if isinstance(v, (dict, str, list, bool))}
    assert {"spec", "chosen", "hello", "alive", "computed", "fallback"} <= set(synced)
    assert json.loads(json.dumps(synced, allow_nan=False)) == synced


def test_two_runs_store_the_same():
    assert made().spec == made().spec
    assert made().fallback == made().fallback


def test_without_scripts_there_is_the_sentence_and_a_table():
    fallback = made().fallback
    assert fallback.startswith("<p>GRU with 32 numbers, bands on.</p>")
    assert "width=32, unit=" in fallback
    assert "<td>0.969</td>" in fallback  # exp(-1/32)


def test_python_sets_some_values_and_the_browser_s_state_follows():
    widget = made()
    widget.value = {"width": 64}
    assert widget.value == {"width": 64, "unit": "GRU", "bands": True}
    assert widget.chosen == widget.value
    widget.value = {"bands": False}
    assert widget.sentence == "GRU with 64 numbers, bands off."


def test_python_observes_what_the_browser_chooses():
    widget = explore(decay, width=[16, 32, 64], unit={"gated": "GRU", "plain": "RNN"})
    seen = []
    widget.observe(lambda change: seen.append(change.new["unit"]), names="value")
    assert widget.chosen["unit"] == "gated"
    widget.set_state({"chosen": {"width": 16, "unit": "plain", "bands": True}})
    assert widget.value["unit"] == "RNN"
    assert seen == ["RNN"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"width": 63}, "width must be a stored value unless live=True, got 63; nearest is 64"),
        ({"width": 100}, "width must be one of 16, 32, 64, got 100"),
        ({"width": "wide"}, "got 'wide'"),
        ({"depth": 1}, "value must name width, unit, bands, got depth"),
        ({"unit": "LSTM"}, "unit must be one of GRU, RNN"),
        ({"bands": 1}, "bands must be one of off, on, got 1"),
    ],
)
def test_a_value_that_was_not_stored_is_refused(value, said):
    widget = made()
    with pytest.raises(ValueError, match=said):
        widget.value = value
    assert widget.value["width"] == 32


def test_a_bad_state_from_a_link_changes_nothing():
    widget = made()
    with pytest.raises(ValueError, match="unit must be one of GRU, RNN, got 'LSTM'"):
        widget.chosen = {"width": 16, "unit": "LSTM", "bands": True}
    assert widget.value == {"width": 32, "unit": "GRU", "bands": True}


def test_live_computes_between_the_stops():
    widget = made(live=True)
    widget.value = {"width": 48}
    assert widget.computed["chosen"] == {"width": 48, "unit": "GRU", "bands": True}
    (_, _, sentence, ids) = widget.computed["charts"][0]
    assert sentence == "GRU with 48 numbers, bands on."
    x, y = (unpack(widget.computed)[i] for i in ids)
    assert np.abs(y - np.exp(-x / 48)).max() < 1e-3
    assert widget.computed["templates"][0]["y"] == widget.spec["templates"][0]["y"]


def test_live_answers_the_browser_and_only_then():
    widget = made(live=True)
    assert widget.alive == ""
    widget.set_state({"hello": "abc"})
    assert widget.alive == "abc"
    quiet = made()
    quiet.set_state({"hello": "abc"})
    assert quiet.alive == ""


def test_an_error_between_the_stops_is_told_to_the_browser():
    def figure(n):
        return go.Figure(go.Scatter(y=[1 / (n - 3), 1]))

    widget = explore(figure, n=[1, 2, 4], live=True)
    widget.value = {"n": 3}
    assert "figure(n=3)" in widget.computed["error"]
    assert "ZeroDivisionError" in widget.computed["error"]


def test_a_failing_combination_is_named_and_its_cause_is_kept():
    def figure(n, unit):
        if (n, unit) == (2, "RNN"):
            raise KeyError("no such run")
        return go.Figure(go.Scatter(y=[n, n]))

    with pytest.raises(
        ValueError, match=r"figure\(n=2, unit='RNN'\) must return .*no such run"
    ) as e:
        explore(figure, n=[1, 2], unit=["GRU", "RNN"])
    assert isinstance(e.value.__cause__, KeyError)


def test_an_unsupported_trace_is_named_with_its_combination():
    with pytest.raises(ValueError, match=r"figure\(n=1\).*got a pie trace"):
        explore(lambda_named_figure, n=[1, 2])


def lambda_named_figure(n):
    return go.Figure(go.Pie(values=[n]))


lambda_named_figure.__name__ = "figure"


def test_too_many_combinations_are_refused_before_any_is_computed():
    def figure(a, b, c):
        pytest.fail("must not be called")

    with pytest.raises(ValueError, match="at most 1000 combinations, got 11 x 11 x 11 = 1331"):
        explore(figure, a=(0, 10), b=(0, 10), c=(0, 10))


def test_too_much_data_is_refused_with_its_size():
    random = np.random.RandomState(0)

    def figure(n):
        return go.Figure(go.Scatter(y=random.standard_normal(20_000)))

    with pytest.raises(
        ValueError, match=r"must fit into 400 kB, got \d{3} kB in 10 combinations"
    ):
        explore(figure, n=(1, 10))


def test_a_large_grid_of_curves_stays_within_the_limit():
    def figure(d_k, scale, seed):
        y = np.random.RandomState(seed).standard_normal(40) * d_k * scale
        return go.Figure(go.Scatter(x=np.arange(40), y=y))

    widget = explore(figure, d_k=(1, 12), scale=[0.5, 1.0, 2.0], seed=(0, 9))
    assert len(widget.spec["charts"]) == 360
    assert len(json.dumps(widget.spec)) < MOST_BYTES


@pytest.mark.parametrize("precision", [0, 1, -1e-3])
def test_a_precision_out_of_range_is_refused(precision):
    with pytest.raises(ValueError, match=r"precision must be from 1e-7 to 0\.01"):
        made(precision=precision)


def test_a_figure_without_a_sentence_is_described_by_its_alt_text():
    from attention_course.drawing import plots

    def figure(n):
        return plots.lines([1, 2], {"a": [n, 2]}, title="T", x_title="x", y_title="y")

    assert (
        explore(figure, n=[1, 5]).sentence == "Across: x, from 1 to 2. Up: y. a: from 1 to 2."
    )


def test_ipywidgets_fixed_is_passed_and_not_shown():
    import ipywidgets

    def figure(n, data):
        return go.Figure(go.Scatter(y=[n, *data]))

    widget = explore(figure, n=[1, 2], data=ipywidgets.fixed([7, 8]))
    assert list(widget.value) == ["n"]
    assert unpack(widget.spec)[1].tolist() == [1, 7, 8]


def test_what_the_browser_gets_is_one_module_without_imports():
    assert "import " not in Explore._esm.replace("important", "")
    assert Explore._esm.count("export ") == 1
    assert ".ac-chart-line" in Explore._css


def test_the_package_can_be_imported_without_explore_s_dependencies():
    code = "import sys, attention_course.reference; sys.exit('anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_slider_that_is_played_starts_at_its_beginning():
    def training(step=300):
        return go.Figure(go.Scatter(y=[step])), f"{step} steps"

    stays = explore(training, step=(0, 300, 100))
    played = explore(training, step=(0, 300, 100), play="step")
    assert (stays.sentence, played.sentence) == ("300 steps", "0 steps")
    assert played.spec["play"] == "step"
    assert "play" not in stays.spec


def test_only_a_slider_can_be_played():
    with pytest.raises(ValueError, match=r"explore: play must name a slider \(n\), got 'unit'"):
        explore(lambda n, unit: go.Figure(), n=(1, 3), unit=["a", "b"], play="unit")
