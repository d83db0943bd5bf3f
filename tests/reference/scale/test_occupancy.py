"""Occupancy: against programs placed one by one, against NVIDIA's limits, errors said."""

import pytest

from attention_course.kernels.triton_variants import SHARED
from attention_course.reference import device_sheets, occupancy
from attention_course.reference.scale.occupancy import MULTIPROCESSORS

KERNELS = [
    (32, 16, 0),
    (96, 40, 1000),
    (128, 255, 66_560),
    (256, 148, 132 * 1024),
    (256, 64, 24_577),
    (512, 128, 8),
    (1024, 32, 50_000),
    (1024, 65, 0),
    (128, 168, 232_448),
]


def placed(device, threads, registers, shared):
    """Place programs until one finds no room: each warp in the part with the most registers."""
    has = MULTIPROCESSORS[device]
    parts, left, programs = [64 * 1024 // 4] * 4, has.shared, 0
    warps, in_units = 0, 256 * ((32 * registers + 255) // 256)
    while True:
        left -= 128 * ((shared + 127) // 128) + 1024
        for _ in range((threads + 31) // 32):
            parts[parts.index(max(parts))] -= in_units
            warps += 1
        if programs == has.programs or left < 0 or min(parts) < 0 or warps > has.warps:
            return programs
        programs += 1


@pytest.mark.parametrize("device", MULTIPROCESSORS)
@pytest.mark.parametrize(("threads", "registers", "shared"), KERNELS)
def test_as_many_are_resident_as_can_be_placed_one_by_one(device, threads, registers, shared):
    found = occupancy(device, threads=threads, registers=registers, shared=shared)
    assert found.programs == placed(device, threads, registers, shared)
    assert found.programs == min(found.room.values()) == found.room[found.limited_by]
    assert found.warps == found.programs * -(-threads // 32)
    assert found.share == found.warps / MULTIPROCESSORS[device].warps <= 1


def limited_by(**changed):
    usual = {"threads": 128, "registers": 32, "shared": 0}
    found = occupancy("sm_90", **usual | changed)
    return found.programs, found.share, found.limited_by


def test_each_limit_can_be_the_one_that_binds():
    assert limited_by() == (16, 1, "warps")
    assert limited_by(threads=32) == (32, 0.5, "programs")
    assert limited_by(registers=33) == (12, 0.75, "registers")
    assert limited_by(shared=15 * 1024) == (14, 0.875, "shared memory")
    assert limited_by(registers=255, threads=512) == (0, 0, "registers")


def test_one_large_program_fills_an_h100_in_registers_and_in_shared_memory():
    """FlashAttention's usual cut: 12.5 percent of the warps, and no room for a second one."""
    found = occupancy("sm_90", threads=256, registers=148, shared=132 * 1024)
    assert (found.programs, found.warps, found.share) == (1, 8, 0.125)
    assert found.room == {"warps": 8, "programs": 32, "registers": 1, "shared memory": 1}
    fewer = occupancy("sm_90", threads=256, registers=128, shared=132 * 1024)
    assert (fewer.programs, fewer.limited_by) == (1, "shared memory")


def test_registers_and_shared_memory_are_given_in_units():
    for registers, programs in ((120, 4), (121, 4), (128, 4), (129, 3), (136, 3), (137, 3)):
        assert limited_by(registers=registers)[0] == programs
    assert limited_by(registers=40)[0] == limited_by(registers=33)[0]
    third = 228 * 1024 // 3 - 1024
    assert [limited_by(shared=third + more)[0] for more in (0, 1)] == [3, 2]


def test_the_most_that_one_program_may_have_is_what_triton_is_told():
    """The kernels' table: all that a multiprocessor has, but the kilobyte that is kept."""
    assert {f"sm_{a}{b}": most for (a, b), most in SHARED.items()} == {
        device: has.shared - 1024 for device, has in MULTIPROCESSORS.items()
    }
    for device, has in MULTIPROCESSORS.items():
        most = has.shared - 1024
        assert [
            occupancy(device, threads=32, registers=32, shared=shared).programs
            for shared in (most, most + 1)
        ] == [1, 0]


def test_the_sheets_say_the_same_of_shared_memory():
    for name, device in (("A100 SXM", "sm_80"), ("H100 SXM", "sm_90"), ("B200", "sm_100")):
        assert device_sheets()[name].on_chip == MULTIPROCESSORS[device].shared


WRONG = {
    "device": (
        "sm_75",
        "one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_120, got 'sm_75'",
    ),
    "threads": (1025, "a whole number from 1 to 1024, got 1025"),
    "registers": (256, "a whole number from 1 to 255, got 256"),
    "shared": (-1, "a whole number from 0, got -1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_kernel_can_have_is_refused_with_what_there_is(name):
    value, said = WRONG[name]
    usual = {"device": "sm_90", "threads": 128, "registers": 32, "shared": 0}
    with pytest.raises(ValueError) as error:
        occupancy(**usual | {name: value})
    assert str(error.value) == f"occupancy: {name} must be {said}"
