"""What is on record: read or refused with words, told as a table, drawn as points."""

import json

import gpu
import pytest

from attention_course import benchmarks
from attention_course.benchmarks import Results, gpus, on_record, results, roofline_points
from attention_course.data import published
from attention_course.measure import Device
from attention_course.widgets import Roofline

ABOUT = {"date": "2031-02-03", "packages": {"torch": "2.11.0", "triton": "3.6.0"}}
SIZES = [{"n": n, "d": 128, "heads": 16, "batch": 4, "causal": False} for n in (2048, 4096)]


def content(name="NVIDIA H200", kind="cuda"):
    """Return what a run would record, with times that nobody measured."""
    rows = [
        {"variant": way, "size": size, "operations": 2e12, "bytes": 1, "seconds": s, "iqr": 0}
        for size in SIZES
        for way, s in {"eager": 8e-3, "sdpa math": 4e-3, "tiled": 5e-3, "triton": 4e-3}.items()
    ]
    rows += [
        {"variant": "flex", "size": size, "why_not": "it takes too long"} for size in SIZES
    ]
    device = {"kind": kind, "name": name, "dtype": "bfloat16"}
    proofs = [{"variant": "eager", "output": [1, 4], "gradient": None, "causal": True}]
    proofs += [{"variant": "triton", "output": [3, 4], "gradient": [None, 1], "causal": False}]
    made = {"name": "forward", "baseline": "eager", "device": device, "ceilings": {}}
    return made | {"rows": rows, "equivalence": proofs}


H200 = Results(content(), ABOUT, live=False)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder in place of the one that ships with the course, and what writes into it."""
    monkeypatch.setattr(results, "_FOLDER", tmp_path)

    def write(file, **result):
        (tmp_path / file).write_text(json.dumps({"result": result}))
        return tmp_path / file

    return write


def test_gpus_stand_first_and_without_one_it_says_how_to_record(shipped):
    own = {"forward": {"content": content("a CPU", "cpu"), "about": ABOUT}}
    shipped("a.json", parts=own)
    assert gpus("forward") == []
    assert "yet recorded on a GPU" in on_record("forward")
    shipped("b.json", parts={"forward": {"content": content(), "about": ABOUT}})
    names = [one.device["name"] for one in benchmarks.recorded("forward")]
    assert names == ["NVIDIA H200", "a CPU"]
    assert benchmarks.recorded("decode") == []
    said = on_record("forward", "decode")
    assert said.startswith("Recorded on NVIDIA H200 (torch 2.11.0, triton 3.6.0, 2031-02-03).")
    assert "n 2048  triton     4.00  2.00" in said
    assert said.endswith("flex: it takes too long")


def test_numbers_are_those_of_the_rows():
    assert H200.ratio("eager", "triton", n=2048) == 2
    assert H200.series("triton", "n", "TFLOP/s") == ([2048, 4096], [500, 500])
    assert H200.errors == {"eager": (0.25, None), "triton": (0.75, float("inf"))}
    assert H200.looks_ahead == ["triton"]
    assert H200.only(n=4096).variants == H200.variants
    live = Results(content(), ABOUT, live=True)
    assert "triton     ≈ 4.00  ≈ 2.00" in str(live)
    for call, said in (
        (
            lambda: H200.only(n=300),
            "expected one of its sizes, n 2048, d 128, .*; got {'n': 300",
        ),
        (lambda: H200.row("triton"), "expected one row of 'triton' at {}, got 2"),
        (lambda: H200.series("triton", "n", "speed"), "series: expected one of"),
        (lambda: H200.exponent("triton", "n", "seconds"), "three or more sizes"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


def test_every_recorded_device_is_of_the_command_and_can_be_read():
    for path in gpu.DEVICES.glob("*.json"):
        device = json.loads(path.read_text(encoding="utf-8"))["result"]["device"]
        assert path.stem == gpu.file_name(Device(device["kind"], device["name"]))
        for name, part in results.parts(path).items():
            found, asked = Results(**part, live=False), benchmarks.question(name)
            assert {"code", "packages"} <= found.about.keys()
            assert str(found)
            held = {(v["variant"], str(v["size"])) for v in found.equivalence if v["holds"]}
            for row in (row for row in found.rows if row.keys() & {"seconds", "extra_bytes"}):
                checked = {
                    key: asked.equality_check_size(row["size"])[key]
                    for key in sorted(row["size"])
                }
                assert (row["variant"], str(checked)) in held


def test_published_rows_and_recorded_results_become_points_of_the_roofline():
    rows = published("flash3", d=128, causal=False)
    points = roofline_points(rows, [H200])
    assert len(points) == sum(len(row.n) for row in rows) + 8
    ours = [p for p in points if p["device"] == "H200 SXM"]
    assert [p["variant"] for p in ours[:4]] == ["naive", "naive", "chunked", "tiled"]
    assert {p["tflops"] for p in ours} == {250, 500, 400}
    made = Roofline(points=points, dtype="float16")
    (best,) = [p for p in made.points if p["name"] == "FlashAttention-3" and p["n"] == 16384]
    assert best["tflops"] == 648
    assert "Shah et al., 2024, figure 5" in best["source"]
    with pytest.raises(ValueError, match="roofline_points: unit must be TFLOP/s"):
        roofline_points(published("flash-decoding"))


@pytest.mark.parametrize("name", ["NVIDIA H100 PCIe", "NVIDIA A100-SXM4-40GB", "NVIDIA L4"])
def test_a_device_with_other_numbers_is_no_point(name):
    assert roofline_points(recorded=[Results(content(name), {}, live=False)]) == []
