"""The bounds on record: their arithmetic, their rates, and what others published below them."""

import re

import pytest

from attention_course import data
from attention_course.measure import recorded
from attention_course.reference import device_sheets

RESULT, ORIGIN = recorded("compiled_kernels_bounds")
# Whose loop the published kernels share: base 2, and tiles without a mask.
SAME = ("split", "descriptors", "tuned blocks")


def passed(rows, published):
    """Return each published rate above the largest bound of a kernel with the same loop."""
    top = {
        size: max(
            row["apart"]
            for row in rows
            if (row["gpu"], row["size"]) == ("sm_90", size) and row["step"] in SAME
        )
        for size in (64, 128)
    }
    return [
        (row.variant, value)
        for row in published
        for value in row.values
        if value > top[row.size["d"]]
    ]


def of_triton(names=("Triton", "Triton's tutorial")):
    tables = ("flash3", "triton-tutorial")
    return [row for name in tables for row in data.published(name) if row.variant in names]


def miscalculated(row, rates, units):
    """Return what is wrong with the bounds of a row, worked out anew in cycles."""
    name = rates[row["gpu"]]["device"]
    if not name:
        return "" if "apart" not in row else "a bound without a sourced rate"
    sheet = device_sheets()[name]
    peak = sheet.peak["float16"] / 1e12
    tile = 4 * row["blocks"][0] * row["blocks"][1] * row["size"]
    cycles = tile / rates[row["gpu"]]["operations_a_cycle"]
    taken = row["exponentials"] / units["exponentials_a_cycle"]
    issued = row["issued"] / units["instructions_a_cycle"]
    share = sheet.measured.get("bfloat16", sheet.peak["bfloat16"]) / sheet.peak["bfloat16"]
    apart = peak / (1 / share + max(taken, issued) / cycles)
    overlapped = peak / max(1, taken / cycles, issued / cycles)
    if abs(row["apart"] - apart) > 0.06 or abs(row["overlapped"] - overlapped) > 0.06:
        return f"{apart:.1f} and {overlapped:.1f} expected, got {row}"
    return ""


@pytest.mark.parametrize("version", RESULT)
def test_the_bounds_follow_from_the_counts(version):
    about = RESULT[version]
    assert {(row["gpu"], row["size"]) for row in about["rows"]} == {
        (gpu, size) for gpu in ("sm_80", "sm_90", "sm_100", "sm_120") for size in (64, 128)
    }
    for row in about["rows"]:
        assert miscalculated(row, about["rates"], about["units"]) == ""


def test_the_rates_a_cycle_are_those_of_the_sheets():
    """Operations a cycle, times multiprocessors and clock, are the sheet's rate."""
    for about in RESULT.values():
        for gpu, rate in about["rates"].items():
            assert rate["source"], gpu
            if rate["device"]:
                sheet = device_sheets()[rate["device"]]
                said = re.match(
                    r"(\d+) multiprocessors x (\d+) a clock x ([\d.]+) GHz",
                    sheet.sources["exponentials"],
                )
                units, taken, clock = (float(x) for x in said.groups())
                peak = units * clock * 1e9 * rate["operations_a_cycle"]
                assert peak == pytest.approx(sheet.peak["bfloat16"], rel=0.01)
                assert taken == about["units"]["exponentials_a_cycle"]


def test_no_published_kernel_passes_the_bound_of_the_same_loop():
    found = of_triton()
    assert len(found) == 5
    for about in RESULT.values():
        assert passed(about["rows"], found) == []


@pytest.mark.gate("kernels", "a bound that a published kernel of the same loop has passed")
def test_a_bound_that_is_passed_is_noticed():
    """FlashAttention-3 overlaps, so it passes; and so would all if the bound were lower."""
    rows = next(iter(RESULT.values()))["rows"]
    assert passed(rows, of_triton(("FlashAttention-3",)))
    low = [{**row, "apart": row.get("apart", 0) * 0.8} for row in rows]
    assert passed(low, of_triton())
