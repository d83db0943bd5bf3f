"""The grid of cuts on record: whole, and its occupancies follow from what the cuts take."""

import itertools
import sys
from types import ModuleType, SimpleNamespace

import pytest

from attention_course.kernels.compiling import GPUS, Blocks, rates, resources
from attention_course.kernels.triton_variants import SHARED
from attention_course.measure import recorded
from attention_course.reference import device_sheets, occupancy

RESULT, ORIGIN = recorded("compiled_kernels_grid")
CUT = ("gpu", "d", "block_q", "block_k", "warps", "stages")
TAKES = {"registers", "spilled", "shared", "programs", "occupancy", "limited_by"}
KEYS = {*CUT, *TAKES, "apart", "overlapped", "why"}
SHEETS = {"sm_80": "A100 SXM", "sm_90": "H100 SXM", "sm_100": "B200"}


def disagrees(row):
    """Return what of a row does not follow from what its kernel takes."""
    found = occupancy(
        row["gpu"],
        threads=32 * row["warps"],
        registers=row["registers"],
        shared=row["shared"],
    )
    told = {
        "programs": found.programs,
        "occupancy": round(found.share, 4),
        "limited_by": found.limited_by,
    }
    wrong = [f"{name}: {value} expected" for name, value in told.items() if row[name] != value]
    fits = row["shared"] <= SHARED[GPUS[row["gpu"]]]
    if bool(found.programs) != fits or fits != (row["why"] == ""):
        wrong.append(f"why: {row['why']!r} of {row['shared']} bytes")
    return wrong


def rows():
    return [row for about in RESULT.values() for row in about["rows"]]


def test_the_grid_is_whole_and_every_cut_stands_in_it_once():
    assert ORIGIN["script"] == "benchmarks/compiled_kernels.py grid"
    for about in RESULT.values():
        cuts = [tuple(row[name] for name in CUT) for row in about["rows"]]
        sides = ((64, 128), (64, 128), (32, 64, 128), (4, 8), (1, 2, 3, 4))
        assert cuts == [*itertools.product(SHEETS, *sides)]
        assert all(set(row) == KEYS for row in about["rows"])


def test_every_occupancy_follows_from_registers_shared_memory_and_warps():
    assert {str(disagrees(row)) for row in rows()} == {"[]"}


def test_a_bound_is_below_the_peak_and_none_where_the_kernel_cannot_run():
    for row in rows():
        if row["why"]:
            assert (row["apart"], row["overlapped"]) == (None, None)
        else:
            peak = device_sheets()[SHEETS[row["gpu"]]].peak["float16"] / 1e12
            assert 0 < row["apart"] < row["overlapped"] <= peak


def test_on_hopper_the_blocks_are_chosen_by_the_shared_memory_that_they_take():
    """The compiler asks for a kilobyte more at most, which the choice leaves free."""
    for row in rows():
        if row["gpu"] == "sm_90":
            blocks = Blocks(row["block_q"], row["block_k"], row["warps"], row["stages"])
            estimate = blocks.shared(row["d"], 2, (9, 0))
            assert estimate <= row["shared"] <= estimate + 1024


def test_products_that_warps_do_again_lower_the_bound():
    counts = {"issued": 800, "exponentials": 128 * 64, "operations": 4 * 128 * 64 * 64}
    once = rates("sm_90", 64, Blocks(128, 64, 8, 1), counts)
    again = rates(
        "sm_90", 64, Blocks(128, 64, 8, 1), counts | {"operations": 4 * 128 * 64 * 128}
    )
    assert again["overlapped"] == pytest.approx(989.4 / 2)
    assert once["overlapped"] == pytest.approx(989.4)
    assert again["apart"] < once["apart"]
    assert rates("sm_120", 64, Blocks(128, 64, 8, 1), counts) == {}
    for name in ("exponentials", "operations"):
        with pytest.raises(ValueError, match="bound: expected"):
            rates("sm_90", 64, Blocks(128, 64, 8, 1), counts | {name: 100})


USUAL = {"gpu": "sm_90", "d": 64, "blocks": Blocks(128, 64, 8, 3)}
WRONG = {
    "gpu": ("sm_75", "gpu to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_120"),
    "d": (96, "d to be 64 or 128, got 96"),
    "blocks": (Blocks(96, 64, 8, 3), "blocks.q to be one of 16, 32, 64, 128, 256, got 96"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_compiled_is_refused_before_triton_is_asked(name):
    value, said = WRONG[name]
    with pytest.raises(ValueError) as error:
        resources(**USUAL | {name: value})
    assert str(error.value).startswith(f"resources: expected {said}")
    with pytest.raises(
        ValueError, match=r"expected blocks to be Blocks\(q, k, warps, stages\)"
    ):
        resources("sm_90", 64, blocks=(128, 64, 8, 3))


def triton(version="3.6.0", interpret=False):
    fake = ModuleType("triton")
    fake.__version__ = version
    fake.knobs = SimpleNamespace(runtime=SimpleNamespace(interpret=interpret))
    return fake


def test_without_a_compiler_it_says_what_brings_one_and_that_there_is_a_record(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises(ImportError, match="got none") as error:
        resources(**USUAL)
    assert "`pip install triton`" in str(error.value)
    assert 'recorded("compiled_kernels_grid")' in str(error.value)
    monkeypatch.setitem(sys.modules, "triton", triton("3.5.1"))
    with pytest.raises(ValueError, match=r"expected Triton 3\.6 or later, got 3\.5\.1"):
        resources(**USUAL)
    monkeypatch.setitem(sys.modules, "triton", triton(interpret=True))
    with pytest.raises(ValueError, match="start Python without TRITON_INTERPRET"):
        resources(**USUAL)
