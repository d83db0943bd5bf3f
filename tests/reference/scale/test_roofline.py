"""The roofline: counts against loops, ceilings against the makers' numbers, limits said."""

import math
import re
from dataclasses import replace

import pytest

from attention_course.reference import attention_work, device_sheets, roofline
from attention_course.reference.scale.roofline import BYTES, CEILINGS, CHUNK, TILE, VARIANTS

DEVICES = device_sheets()
SIZES = [(1, 8), (127, 64), (128, 64), (129, 128), (1000, 128), (1537, 256)]


def by_loops(variant, n, d, causal, block=TILE):
    """Walk through one head tile by tile and count what each tile does."""
    rows = {"naive": n, "chunked": CHUNK}.get(variant, block)
    found = dict.fromkeys(("matmul", "exponentials", "fetched", "scores", "tallest"), 0)
    for first in range(0, n, rows):
        last = min(first + rows, n)
        keys = last if causal else n
        found["matmul"] += 2 * 2 * (last - first) * keys * d
        found["exponentials"] += (last - first) * keys
        found["fetched"] += 2 * keys * d
        found["scores"] += (last - first) * keys
        found["tallest"] = max(found["tallest"], last - first)
    return found


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("variant", ["naive", "chunked", "tiled"])
def test_the_counts_are_those_of_a_walk_through_the_tiles(variant, n, d, causal):
    walked = by_loops(variant, n, d, causal)
    work = attention_work(
        variant, n, d, heads=6, kv_heads=6, batch=3, dtype="float16", causal=causal, cache=0
    )
    assert work.matmul == 18 * walked["matmul"]
    assert work.exponentials == 18 * walked["exponentials"]
    own = 18 * 2 * n * d  # q and the context
    fetched = 18 * walked["fetched"]
    scores = {"tiled": 0}.get(variant, 18 * 4 * walked["scores"])
    statistics = {"tiled": 18 * n * 4}.get(variant, 0)
    assert work.moved == 2 * (own + fetched + scores) + statistics
    assert work.extra == statistics + (2 * 18 * walked["tallest"] * n * 2 if scores else 0)
    assert work.held == 2 * 18 * 4 * n * d + work.extra


def test_the_usual_count_is_four_bhnnd_and_half_of_it_where_it_is_causal():
    full = attention_work("tiled", 4096, 128, heads=16, batch=4)
    half = attention_work("tiled", 4096, 128, heads=16, batch=4, causal=True)
    assert full.useful == full.matmul == 4 * 4 * 16 * 4096**2 * 128
    assert half.useful == full.useful / 2
    assert half.matmul / half.useful == 1 + TILE / 4096  # the diagonal's tiles are whole
    naive = attention_work("naive", 4096, 128, heads=16, batch=4, causal=True)
    assert naive.matmul == 2 * naive.useful  # it computes what it then masks


def test_the_backward_pass_has_five_products_and_takes_the_exponentials_again():
    forward = attention_work("tiled", 2048, 64, heads=4)
    both = attention_work("training", 2048, 64, heads=4)
    assert both.matmul == forward.matmul * (2 + 5) / 2
    assert both.exponentials == 2 * forward.exponentials
    # q, k, v, o in the forward pass; in the backward pass these, do, and three gradients.
    tensors, statistics = 2 * 4 * 2048 * 64, 4 * 4 * 2048
    assert both.moved == (4 + 8) * tensors + 4 * statistics
    assert both.held == 8 * tensors + 2 * statistics


def test_decoding_reads_the_cache_once_and_grouped_heads_make_it_smaller():
    many = attention_work("decode", 10_000, 128, heads=32, batch=2)
    few = attention_work("decode", 10_000, 128, heads=32, kv_heads=4, batch=2)
    cache = 2 * 2 * 32 * 10_000 * 128 * 2
    assert cache < many.moved < 1.001 * cache
    assert many.matmul == few.matmul == 4 * 2 * 32 * 10_000 * 128
    assert many.moved / few.moved == pytest.approx(8, rel=0.01)
    assert 0.99 < many.intensity < 1
    assert attention_work("decode", 100, 64, causal=True) == attention_work("decode", 100, 64)


def test_where_one_head_s_keys_and_values_fit_into_the_cache_they_cross_once():
    head = 2 * 4096 * 128 * 2
    inside, outside = (
        attention_work("tiled", 4096, 128, heads=8, cache=size) for size in (head, head - 1)
    )
    assert inside.moved == attention_work("tiled", 4096, 128, heads=8).moved
    assert outside.moved == outside.streamed == inside.streamed
    assert outside.streamed / inside.moved == pytest.approx((1 + 4096 / TILE) / 2, rel=0.02)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_the_time_is_the_slowest_ceiling_s_and_the_sum_is_all_of_them(device, variant):
    for dtype, peak in device.peak.items():
        work = attention_work(variant, 2000, 64, heads=4, dtype=dtype, cache=device.cache)
        time = roofline(work, device)
        missing = {"l2"} if device.l2 is None else set()
        assert tuple(time.times) == tuple(name for name in CEILINGS if name not in missing)
        assert missing or time.times["l2"] == work.streamed / device.l2
        assert time.times["matmul"] == work.matmul / peak
        assert time.seconds == max(time.times.values()) == time.times[time.binding]
        assert time.summed == pytest.approx(sum(time.times.values()), rel=1e-12)
        assert time.seconds <= time.summed <= len(time.times) * time.seconds


@pytest.mark.parametrize("rate", [0, -1.0, math.inf, math.nan, "fast", True])
def test_a_rate_of_l2_that_is_none_is_refused(rate):
    said = re.escape(
        f"DeviceSheet: l2 must be a positive number of bytes a second, or None, got {rate!r}"
    )
    with pytest.raises(ValueError, match=said):
        replace(DEVICES["T4"], l2=rate)


def test_published_kernels_lie_between_the_sum_and_the_slowest_ceiling_or_a_little_below():
    """cuDNN and FlashAttention-3 on an H100 (Shah et al., 2024), in TFLOP/s at n = 16k."""
    for d, published in ((64, (413, 497)), (128, (595, 648))):
        work = attention_work("tiled", 16_384, d, heads=2048 // d, dtype="float16")
        time = roofline(work, DEVICES["H100 SXM"])
        most, apart = (work.useful / t / 1e12 for t in (time.seconds, time.summed))
        assert all(0.8 * apart < reached < most for reached in published)
    # What writes its scores to memory stays below its bandwidth: 73 and 139 at 8k.
    for d, reached in ((64, 73), (128, 139)):
        work = attention_work("naive", 8192, d, heads=2048 // d, batch=2, dtype="float16")
        time = roofline(work, DEVICES["H100 SXM"])
        assert time.binding == "memory"
        assert 0.5 < reached / (work.useful / time.seconds / 1e12) < 1


def test_every_number_of_a_device_has_its_source():
    for device in DEVICES.values():
        assert {"peak", "bandwidth", "exponentials", "on_chip"} <= set(device.sources)
        assert device.measured.keys() <= device.peak.keys()
        assert all(x < device.peak[dtype] for dtype, x in device.measured.items())
        assert bool(device.measured) == ("measured" in device.sources)
        assert bool(device.l2) == ("l2" in device.sources) != ("l2" in device.missing)
        assert device.l2 is None or device.bandwidth < device.l2 < math.inf
        assert set(device.peak) | set(device.missing) - {"l2"} == set(BYTES)
        assert not set(device.peak) & set(device.missing)
        for numbers in (device.bandwidth, device.exponentials, device.cache, device.memory):
            assert 0 < numbers < math.inf


def test_the_exponentials_are_what_their_source_multiplies():
    for device in DEVICES.values():
        said = device.sources["exponentials"]
        if found := re.match(r"(\d+) multi.* x (16|32) .* x ([\d.]+) GHz", said):
            units, each, clock = int(found[1]), int(found[2]), float(found[3]) * 1e9
            assert device.exponentials == pytest.approx(units * each * clock, rel=1e-3)
    assert DEVICES["A100 SXM"].l2 == pytest.approx(5120 * 1.41e9, rel=1e-3)
    h100, h200 = DEVICES["H100 SXM"], DEVICES["H200 SXM"]
    assert h100.l2 == h200.l2
    assert (h100.peak, h100.exponentials) == (h200.peak, h200.exponentials)
    cpu = DEVICES["Laptop CPU"]
    assert cpu.peak["float32"] == pytest.approx(8 * 3.3e9 * 2 * 2 * 8)
    assert cpu.bandwidth == pytest.approx(2 * 8 * 5.6e9)
    assert cpu.exponentials == pytest.approx(8 * 3.3e9 * 8 * 2 / 16)


def test_what_does_not_fit_is_said():
    t4 = DEVICES["T4"]
    small, large = (
        attention_work("naive", n, 64, heads=32, batch=2, dtype="float16", cache=t4.cache)
        for n in (4096, 8192)
    )
    assert [roofline(work, t4).fits for work in (small, large)] == [True, False]
