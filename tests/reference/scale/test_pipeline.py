"""The pipeline of a tile: counts from the record, a rival that ticks, and published kernels."""

import pytest

from attention_course.data.published import published
from attention_course.measure.records import recorded
from attention_course.reference import device_sheets, tile_pipeline
from attention_course.reference.scale.pipeline import (
    BLOCKS,
    INSTRUCTIONS,
    KEYS,
    QUERIES,
    UNITS,
    WARP,
    _needs,
)

TRICKS = {"tiles": 2, "polynomial": 0.1, "rescaled": 0.1}


@pytest.mark.parametrize("device", INSTRUCTIONS)
def test_a_multiprocessor_s_cycle_makes_the_whole_device(device):
    sheet = device_sheets()[device]
    ticks = sheet.cycle["multiprocessors"] * sheet.cycle["clock"]
    assert sheet.cycle["products"] * ticks == pytest.approx(sheet.peak["float16"], rel=0.005)
    assert sheet.cycle["exponentials"] * ticks == pytest.approx(sheet.exponentials, rel=1e-3)
    assert sheet.l2 is None or sheet.cycle["l2"] * ticks == pytest.approx(sheet.l2, rel=0.02)


def test_the_instructions_are_those_of_the_machine_code_on_record():
    rows = recorded("compiled_kernels_bounds")[0]["3.9.0"]["rows"]
    for gpu, device in (("sm_80", "A100 SXM"), ("sm_90", "H100 SXM"), ("sm_100", "B200")):
        counted = {}
        for row in rows:
            if row["gpu"] != gpu or row["size"] != 128:
                continue
            queries, keys = row["blocks"]
            apart = row["exponentials"] // WARP + queries * 128 // WARP
            if gpu == "sm_80":  # one instruction a warp for 16 x 8 x 16 products
                apart += row["operations"] // (2 * 16 * 8 * 16)
            a_tile = (row["issued"] - apart) * QUERIES * KEYS // (queries * keys)
            counted.setdefault((queries, keys), []).append(a_tile)
        tiles = (QUERIES, KEYS) if gpu != "sm_80" else (128, 64)
        assert INSTRUCTIONS[device] == min(counted[tiles])
    assert INSTRUCTIONS["B300"] == INSTRUCTIONS["B200"]


def ticked(device, found, tiles, ahead):
    """Walk from cycle to cycle: a unit that is free takes the earliest step that is ready."""
    lasts = {(s.what, s.tile, s.block): s.end - s.start for s in found.steps}
    unit_of = {(s.what, s.tile, s.block): s.unit for s in found.steps}
    needs, waiting = _needs(tiles, ahead), [*_needs(tiles, ahead)]
    done, runs, began, now = set(), dict.fromkeys(UNITS), {}, 0
    while len(done) < len(lasts):
        for unit, one in runs.items():
            if one and began[one] + lasts[one] == now:
                done.add(one)
                runs[unit] = None
        for one in sorted(waiting[:64], key=lambda step: step[2]):
            if not runs[unit_of[one]] and done.issuperset(needs[one]):
                runs[unit_of[one]] = one
                began[one] = now
                waiting.remove(one)
        now += 1
    return began


@pytest.mark.parametrize(
    ("device", "how"),
    [
        ("B300", {"tiles": 2, "polynomial": 0.25}),
        ("B200", {"tiles": 1, "ahead": True}),
        ("H100 SXM", {"tiles": 2, "ahead": True, "rescaled": 0.1}),
    ],
)
def test_a_rival_that_walks_from_cycle_to_cycle_begins_every_step_alike(device, how):
    found = tile_pipeline(device, 64, **how)
    began = ticked(device, found, how["tiles"], how.get("ahead", False))
    assert began == {(s.what, s.tile, s.block): s.start for s in found.steps}
    assert len(began) == BLOCKS * (2 + 6 * how["tiles"])
    assert all(0 < share <= 1 for share in found.busy.values())


def test_one_tile_is_a_chain_and_two_share_the_units():
    """On a B200, by hand: 512 + 128 + 1,024 + 512 cycles, and the second tile for nothing."""
    one, two = (tile_pipeline("B200", tiles=n) for n in (1, 2))
    assert one.cycles == two.cycles == 512 + 128 + 1024 + 512
    assert two.rate == 2 * one.rate
    assert two.busy["tensor"] == two.busy["exponentials"] == 2048 / 2176
    helped, hurt = (tile_pipeline("B200", 64, tiles=2, polynomial=x) for x in (0.25, 0.5))
    assert helped.rate > 1.2 * tile_pipeline("B200", 64, tiles=2).rate > 1.2 * hurt.rate


def test_of_published_kernels_only_flashattention_3_passes_one_tile_and_none_two():
    """FlashAttention-2 on an A100: 73 % of the peak (Dao, 2023); 4 on a B200: 1,613 T."""
    for d in (64, 128):
        one, two = (tile_pipeline("H100 SXM", d, tiles=n).rate / 1e12 for n in (1, 2))
        rows = published("flash3", d=d, causal=False)
        reached = {row.variant: max(row.values) for row in rows}
        assert {name for name, x in reached.items() if x > one} == {"FlashAttention-3"}
        assert 0.5 * two < reached["FlashAttention-3"] < two
        assert 0.5 * one < reached["FlashAttention-2"] < one
    assert 0.7 < 0.73 * 312e12 / tile_pipeline("A100 SXM", tiles=2).rate < 1
    assert 0.7 < 1613e12 / tile_pipeline("B200", **TRICKS).rate < 1
