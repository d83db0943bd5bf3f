"""The goals, by a recording that was never made: each ratio is what its words say."""

import pytest

from attention_course.benchmarks import Results, names
from attention_course.benchmarks.goals import GOALS, everything_on, goals
from attention_course.measure import records

H200 = {"kind": "cuda", "name": "NVIDIA H200", "dtype": "bfloat16"}
CEILINGS = {"matmul": 800e12, "copy": 4e12}


def results(name, rows):
    """Rows of a variant, a size, milliseconds and what else there is."""
    made = [
        {
            "variant": variant,
            "size": size,
            "operations": 4e9,
            "bytes": 2e9,
            "seconds": {"value": ms / 1e3},
            "samples": [ms / 1e3] * 5,
            **more,
        }
        for variant, size, ms, more in rows
    ]
    content = {"name": name, "question": "?", "baseline": "eager", "device": H200}
    content |= {"ceilings": CEILINGS, "rows": made, "equivalence": []}
    return Results(content, {"date": "2026-01-01"}, live=False)


def attention(variant, ms, n=8192, d=128, causal=False, **more):
    return variant, {"n": n, "d": d, "causal": causal}, ms, more


FORWARD = results(
    "forward",
    [
        *(
            attention("eager", 8.0 if c else 4.0, d=d, causal=c)
            for d in (64, 128)
            for c in (0, 1)
        ),
        *(attention("triton", 2.0, d=d, causal=c) for d in (64, 128) for c in (False, True)),
        attention("sdpa cudnn", 1.0),
        attention("sdpa cudnn", 1.5, causal=True),
        attention("sdpa cudnn", 1.9, d=64),
        attention("sdpa flash", 2.4),
        attention("sdpa efficient", 2.0, d=64, causal=True),
        attention("eager", 9.0, n=16384, d=64, causal=True),
    ],
)
DECODE = results(
    "decode",
    [
        (name, {"n": 65536, "kv_heads": kv}, ms, {})
        for kv, times in {64: (9, 8, 4), 8: (9, 1, 2), 1: (1, 1, 25)}.items()
        for name, ms in zip(("repeated", "grouped", "triton"), times, strict=True)
    ],
)
MEMORY = results(
    "memory",
    [
        attention(name, 1.0, n=n, extra_bytes=factor * n**power)
        for name, factor, power in (("eager", 1, 2), ("sdpa cudnn", 256, 1))
        for n in (4096, 8192)
    ],
)
LAYERS = results(
    "layers",
    [
        (name, {"n": n}, ms, {})
        for name, times in {"fused": (1, 4, 16), "linear": (2, 3, 4)}.items()
        for n, ms in zip((4096, 8192, 16384), times, strict=True)
    ],
)
WINDOW = results(
    "window",
    [("flex", {"n": 1}, 8.0, {}), ("flex, window", {"n": 1}, 2.0, {"operations": 0.5e9})],
)
SCAN = results(
    "scan", [("GRU, in a loop", {}, 90, {}), ("GRU", {}, 3, {}), ("minGRU, scanned", {}, 1, {})]
)
BACKWARD = results("backward", [attention("triton", 4.0), attention("sdpa cudnn", 2.0)])
ALL = [FORWARD, DECODE, MEMORY, LAYERS, WINDOW, SCAN, BACKWARD]
WANTED = {
    "G1": [0.5],
    "G2": [0.75],
    "G3": [0.95],
    "G4": [1.2],
    "G5": [4e9 / 2e-3 / 800e12],
    "G6": [4.0, 8.0 / 1.5],
    "G7": [2.0, 4.0],
    "G8": [0.5],
    "G9": [4.0, 2.0, 16.0],
    "G11": [2e9 / 1e-3 / 4e12],
    "G12": [25.0],
    "G13": [4.0],
    "G14": [4 / 8],
    "G15": [4.0, 8192],
    "G16": [90.0, 3.0],
    "G17": [4.0],
}


def test_each_goal_is_what_its_words_say():
    found = {}
    for row in goals(ALL):
        found.setdefault(row.name, []).append(row.reached)
    assert found == {name: pytest.approx(ratios) for name, ratios in WANTED.items()}
    assert [*found] == [*WANTED]
    met = {row.words: row.met for row in goals(ALL)}
    assert met["Triton / cuDNN, d = 128, full"] is False
    assert met["length from which linear is faster"] is None


def test_what_was_compiled_for_one_number_of_heads_says_nothing_of_sharing():
    flex = [
        {"variant": "flex", "size": {"n": 65536, "kv_heads": kv}, "operations": 4e9, **more}
        for kv, more in {64: {"why_not": "x"}, 8: {"seconds": {"value": 1e-4}}}.items()
    ]
    content = {**DECODE._content, "rows": [*DECODE.rows, *flex]}
    with_flex = Results(content, DECODE.about, live=False)
    found = {row.name: row.reached for row in goals(with_flex)}
    assert (found["G11"], found["G13"]) == (pytest.approx(2e9 / 1e-4 / 4e12), 4.0)


def test_what_was_not_measured_is_not_reached_and_what_is_not_there_is_no_row():
    assert {row.name for row in goals(DECODE)} == {"G11", "G12", "G13"}
    assert {row.reached for row in goals(results("forward", []))} == {None}
    assert {goal.part for goal in GOALS} <= {*names()}


def test_a_device_has_all_of_its_parts(monkeypatch):
    monkeypatch.setattr(
        records,
        "recorded_devices",
        lambda part: [(one._content, one.about) for one in ALL if one.name == part],
    )
    assert sorted(one.name for one in everything_on(DECODE)) == sorted(one.name for one in ALL)
    monkeypatch.setitem(FORWARD.device, "name", "another")
    assert everything_on(FORWARD) == []
