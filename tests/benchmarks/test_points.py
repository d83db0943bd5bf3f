"""Published rows and recorded results as points of the roofline."""

import re

import pytest

from attention_course.benchmarks import Results, roofline_points
from attention_course.data import published
from attention_course.reference.scale.roofline import attention_work, device_sheets, roofline
from attention_course.widgets import Roofline

ROWS = [
    {
        "variant": variant,
        "size": {"n": 4096, "d": 128, "heads": 16, "batch": 4, "causal": True},
        "operations": 2e12,
        **({"why_not": "too long"} if variant == "flex" else {"seconds": {"value": 4e-3}}),
    }
    for variant in ("eager", "sdpa math", "chunked", "tiled", "triton", "flex")
]


def recorded(name):
    content = {"name": "forward", "question": "?", "baseline": "eager", "rows": ROWS}
    content |= {"ceilings": {}, "equivalence": []}
    return Results(content | {"device": {"name": name, "dtype": "bfloat16"}}, {}, live=False)


H200 = recorded("NVIDIA H200")


def test_published_rows_become_points_that_the_widget_takes_and_names():
    rows = published("flash3", d=128, causal=False)
    points = roofline_points(rows)
    assert len(points) == sum(len(row.n) for row in rows)
    assert {p["variant"] for p in points if p["name"] == "eager"} == {"naive"}
    assert {p["variant"] for p in points if p["name"] != "eager"} == {"tiled"}
    made = Roofline(points=points, dtype="float16")
    (best,) = [p for p in made.points if p["name"] == "FlashAttention-3" and p["n"] == 16384]
    assert best["tflops"] == 648
    assert "Shah et al., 2024, figure 5" in best["source"]


def test_published_points_lie_below_what_the_device_can_do():
    for table in ("flash3", "cudnn-forward"):
        for point in roofline_points(published(table)):
            device = device_sheets()[point["device"]]
            size = {k: point[k] for k in ("variant", "dtype", "n", "d")}
            work = attention_work(**size, heads=16, cache=device.cache)
            assert point["tflops"] < work.useful / roofline(work, device).seconds / 1e12


def test_recorded_results_become_points_of_what_was_measured():
    points = roofline_points(recorded=[H200])
    assert [p["variant"] for p in points] == ["naive"] * 2 + ["chunked"] * 2 + ["tiled"]
    assert {p["device"] for p in points} == {"H200 SXM"}
    assert [p["tflops"] for p in points] == [pytest.approx(500)] * 5
    assert Roofline(points=points).points == points


@pytest.mark.parametrize("name", ["NVIDIA H100 PCIe", "NVIDIA A100-SXM4-40GB", "NVIDIA L4"])
def test_a_device_with_other_numbers_is_left_out(name):
    assert roofline_points(recorded=[recorded(name)]) == []


def test_with_its_backward_pass_only_what_is_tiled_is_drawn():
    points = roofline_points(recorded=[H200], form="training")
    assert [(p["name"], p["variant"]) for p in points] == [("triton", "training")]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: roofline_points(form="decode"),
            "form must be tiled or training, got 'decode'",
        ),
        (lambda: roofline_points(published("flash-decoding")), "unit must be TFLOP/s"),
    ],
)
def test_what_has_no_place_there_is_refused(call, said):
    with pytest.raises(ValueError, match=f"roofline_points: {re.escape(said)}"):
        call()
