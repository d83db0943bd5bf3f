"""The benchmark of decoding: its ways agree, and its bytes are counted, not guessed."""

import pytest

from attention_course import benchmarks
from attention_course.benchmarks.decode import Decode, decode_sizes, fastest
from attention_course.measure import Device, this_device


@pytest.fixture(scope="module")
def results():
    return benchmarks.run("decode", device=this_device("cpu"), sizes="tiny", seconds=0.5)


def test_every_way_agrees_before_it_is_timed(results):
    assert {v["variant"] for v in results.equivalence} >= {"repeated", "grouped", "split 16"}
    assert all(v["holds"] for v in results.equivalence)
    for row in results.rows:
        assert ("seconds" in row) != ("why_not" in row), row


def test_copies_are_bytes():
    bench, size = Decode(), {"batch": 2, "heads": 6, "kv_heads": 2, "n": 48, "d": 16}
    size["number_bytes"] = 4
    once = 2 * 2 * 2 * 48 * 16 * 4
    assert bench.bytes(size, "grouped") == bench.least_bytes(size) == once
    assert bench.bytes(size, "repeated") == once + 2 * 3 * once  # written, and read again
    assert bench.bytes({**size, "kv_heads": 6}, "repeated") == 3 * once
    assert bench.operations(size, "grouped") == 2 * 2 * 2 * 6 * 48 * 16


def test_a_goal_is_met_by_the_fastest_that_copies_nothing(results):
    size = {"n": 48, "kv_heads": 2}
    others = [n for n in results.variants if n != "repeated"]
    times = [
        r["seconds"]["value"] for n in others if "seconds" in (r := results.row(n, **size))
    ]
    assert fastest(results, **size) == min(times)
    with pytest.raises(ValueError, match="expected one row"):
        fastest(results, n=49)


def test_on_a_gpu_each_backend_is_forced_and_triton_reads_it_twice():
    more = {
        "sdpa flash",
        "sdpa efficient",
        "sdpa cudnn",
        "sdpa math",
        "triton",
        "triton, split",
    }
    gpu, cpu = (Decode().variants(d) for d in (Device("cuda", "H200"), this_device("cpu")))
    assert gpu.keys() - cpu.keys() == more
    assert gpu["sdpa flash"].needs == ("flash",)


def test_the_bytes_of_sdpa_count_its_copies_where_it_has_no_kernel_for_shared_keys(monkeypatch):
    monkeypatch.setattr("attention_course.measure.device._has_cudnn", lambda: True)
    bench, size = Decode(), {**Decode.sizes["live cuda"][1]}
    moved = {}
    for about in (("Tesla T4", (7, 5)), ("NVIDIA H200", (9, 0))):
        bench.device = Device("cuda", *about)
        moved[about[0]] = bench.bytes(size, "sdpa")
    bench.device = this_device("cpu")
    once = bench.least_bytes(size)
    assert moved == {"Tesla T4": bench.bytes(size, "repeated"), "NVIDIA H200": once}
    assert bench.bytes(size, "sdpa") == once < bench.bytes(size, "sdpa math")


def test_the_tiny_size_is_one_that_the_triton_kernel_takes():
    assert {size["d"] for size in Decode.sizes["tiny"]} <= {64, 128}


def test_the_goals_are_about_sizes_that_a_gpu_measures():
    sizes = Decode.sizes["cuda"]
    assert len(sizes) == 9
    assert {(s["n"], s["kv_heads"]) for s in sizes} >= {(65536, 64), (65536, 8)}
    gpu = Device("cuda", "NVIDIA H200", (9, 0))
    for name in ("flex", "grouped, compiled"):  # each compiled for one shape
        only = Decode().variants(gpu)[name].only
        assert sum(all(s[key] in only[key] for key in only) for s in sizes) == 1
    assert decode_sizes([8], [2, 1])[1] == {"n": 8, "kv_heads": 1}
