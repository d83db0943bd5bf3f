"""Live series over recorded ones over published ones: what is marked and what is said."""

import copy

import pytest
from compare_outputs import figure_difference

from attention_course.benchmarks.results import Results
from attention_course.data import published
from attention_course.drawing import measured


def row(variant, n, milliseconds):
    found = {"variant": variant, "size": {"n": n, "causal": False}, "extra_bytes": 4 * n}
    found |= {"operations": n**2, "bytes": 8 * n}
    if milliseconds is None:
        return found | {"why_not": "cuDNN runs on NVIDIA's GPUs only"}
    seconds = 1e-3 * milliseconds
    return found | {"seconds": seconds, "iqr": 0.0}


def results(device, factor=1.0, live=False):
    rows = [row("eager", n, factor * n / 100) for n in (256, 512, 1024)]
    rows += [row("sdpa", n, factor * n / 300) for n in (256, 512, 1024)]
    rows += [row("cudnn", 256, None)]
    content = {
        "name": "forward",
        "baseline": "eager",
        "device": {"name": device, "kind": "cuda" if "NVIDIA" in device else "cpu"},
        "ceilings": {"matmul": 1e11, "copy": 1e10},
        "rows": rows,
        "equivalence": [],
    }
    about = {"date": "2026-11-22", "packages": {"torch": "2.13.0"}}
    return Results(content, about, live=live)


@pytest.fixture
def live(monkeypatch):
    """A live run on a CPU, over records of a GPU and of a CPU."""
    there = [results("NVIDIA H200", 0.01), results("AMD EPYC, one thread")]
    monkeypatch.setattr(Results, "recorded", property(lambda self: there))
    return results("this CPU", 1.3, live=True)


def draw(live, **more):
    words = {"title": "Eager is slower", "variants": ["eager", "sdpa"], "causal": False}
    return measured(live, "milliseconds", **(words | more))


def test_each_series_says_its_source_and_only_the_live_ones_are_marked(live):
    figure = draw(live)
    marked = {trace.name: trace.meta for trace in figure.data}
    assert list(marked) == [
        "eager, H200",
        "sdpa, H200",
        "eager, AMD EPYC, one thread",
        "sdpa, AMD EPYC, one thread",
        "eager, live",
        "sdpa, live",
    ]
    assert [name for name, meta in marked.items() if meta] == ["eager, live", "sdpa, live"]
    colours = {t.name.split(",")[0]: t.line.color for t in figure.data}
    assert {(t.name.split(",")[0], t.line.color) for t in figure.data} == set(colours.items())
    assert "eager, live: from ≈ 3.33 to ≈ 13.3" in figure.layout.meta["alt"]
    assert "sdpa, H200: from 0.00853 to 0.0341" in figure.layout.meta["alt"]


def test_what_is_counted_is_not_marked_as_live(live):
    figure = measured(live, "extra_bytes", title="Bytes", variants=["eager"])
    assert [trace.meta for trace in figure.data] == [None] * 3
    assert "≈" not in figure.layout.meta["alt"]


def test_without_a_record_others_numbers_stand_beside_and_are_named_as_theirs(monkeypatch):
    monkeypatch.setattr(Results, "recorded", property(lambda self: []))
    alone = results("this CPU", live=True)
    rows = published("flash3", d=64, causal=False)
    figure = measured(alone, "TFLOP/s", title="Rates", variants=["eager"], published=rows[:2])
    names = [trace.name for trace in figure.data]
    assert names[0] == "eager, H100 SXM: Shah et al., 2024"
    assert names[-1] == "eager, live"
    with pytest.raises(ValueError, match=r"expected published rows in 'milliseconds', got"):
        measured(alone, "milliseconds", title="Rates", published=rows)
    with pytest.raises(ValueError, match="expected something to draw"):
        measured(alone, "milliseconds", title="Rates", variants=["none"])


def test_another_run_on_another_machine_gives_the_same_figure_to_the_tests(live):
    stored, fresh = (
        draw(again).to_plotly_json() | {}
        for again in (live, results("another CPU", 7.7, live=True))
    )
    assert figure_difference(stored, fresh) is None
    spoiled = copy.deepcopy(fresh)
    spoiled["data"] = fresh["data"][:-1]
    assert figure_difference(stored, spoiled) is not None


def test_a_recorded_result_is_drawn_alone(live):
    figure = draw(live.recorded[0])
    assert [trace.name for trace in figure.data] == ["eager, H200", "sdpa, H200"]


def test_where_names_what_is_live_and_what_is_recorded(live, monkeypatch):
    assert live.where.splitlines() == [
        "Measured live on: this CPU (torch 2.13.0, 2026-11-22)",
        "Recorded on NVIDIA H200 (torch 2.13.0, 2026-11-22).",
        "Recorded on AMD EPYC, one thread (torch 2.13.0, 2026-11-22).",
    ]
    monkeypatch.setattr(Results, "recorded", property(lambda self: []))
    assert live.where.splitlines() == ["Measured live on: this CPU (torch 2.13.0, 2026-11-22)"]


def test_the_table_marks_live_numbers_and_says_why_not(live):
    said = str(live)
    assert "eager    ≈ 3.33" in said
    assert "≈ 3.00" in said  # eager / sdpa
    assert "cudnn: cuDNN runs on NVIDIA's GPUs only" in said
    assert max(map(len, said.splitlines())) <= 76
    assert "≈" not in str(live.recorded[0])


def test_heights_over_a_variant_are_of_its_own_source_and_size(live):
    figure = draw(live, over="eager", log_y=False)
    assert [t.name for t in figure.data] == [
        "sdpa, H200",
        "sdpa, AMD EPYC, one thread",
        "sdpa, live",
    ]
    for trace in figure.data:
        assert list(trace.x) == [256, 512, 1024]
        assert list(trace.y) == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert [trace.meta for trace in figure.data] == [None, None, {"live": True}]


def test_published_rows_are_divided_only_where_both_were_measured(monkeypatch):
    monkeypatch.setattr(Results, "recorded", property(lambda self: []))
    rows = [
        row
        for row in published("flash3", d=64, causal=False)
        if row.variant in ("eager", "cuDNN")
    ]
    figure = measured(
        results("this CPU"),
        "TFLOP/s",
        title="Fused",
        variants=["eager"],
        published=rows,
        over="eager",
    )
    eager, cudnn = (dict(zip(row.n, row.values, strict=True)) for row in rows)
    assert [trace.name for trace in figure.data] == ["cuDNN, H100 SXM: Shah et al., 2024"]
    assert list(figure.data[0].x) == sorted(eager)  # cuDNN has one length more
    assert figure.data[0].y[-1] == pytest.approx(cudnn[8192] / eager[8192], abs=1e-2)


def test_nothing_to_divide_by_is_refused(live):
    with pytest.raises(ValueError, match="got none"):
        draw(live, variants=["sdpa"], over="eager")
