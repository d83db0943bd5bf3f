import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import round_in_blocks, round_short, round_to
from attention_course.reference.number_formats import BLOCKS, FORMATS


def awkward() -> np.ndarray:
    """Random bits, ties, subnormals, the edge of overflow, and what is not finite."""
    draw = np.random.RandomState(11)
    bits = draw.randint(0, 2**32, 20000, dtype=np.uint64).astype(np.uint32)
    halves = np.arange(-64, 65) / 2.0
    ties = [1 + halves * 2.0**-p for p in (7, 8, 10, 11, 23, 24)]
    ties += [
        halves * 2.0**-24,
        halves * 2.0**-133,
        65504 + halves * 4,
        2.0**-14 + halves * 2.0**-25,
    ]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 3.3e38, 3.4e38, 3.5e38, -1e300, 5e-324]
    with np.errstate(invalid="ignore"):  # some of the bits are signalling NaN
        random = bits.view(np.float32).astype(np.float64)
    return np.concatenate([random, *ties, special])


@pytest.mark.parametrize("number_format", FORMATS)
def test_rounding_equals_torchs_cast(number_format):
    torch = pytest.importorskip("torch")
    x = awkward()
    there = torch.from_numpy(x).to(getattr(torch, number_format)).to(torch.float64).numpy()
    ours = round_to(x, number_format)

    assert np.array_equal(ours, there, equal_nan=True)
    number = ~np.isnan(x)  # the sign of what is not a number means nothing
    assert np.array_equal(np.signbit(ours)[number], np.signbit(there)[number])


@pytest.mark.parametrize("number_format", ["e4m3", "e5m2"])
def test_eight_bits_are_those_of_torch(number_format):
    torch = pytest.importorskip("torch")
    name = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}[number_format]
    dtype = getattr(torch, name)
    codes = torch.arange(256, dtype=torch.uint8).view(dtype).double().numpy()
    held = np.sort(codes[np.isfinite(codes)])
    ties = (held[1:] + held[:-1]) / 2
    near = np.concatenate([np.nextafter(ties.astype(np.float32), x) for x in (-9e9, 9e9)])
    past = [448.0, 464.0, 464.1, 480.0, 57344.0, 61440.0, 61441.0]
    x = np.concatenate([awkward(), codes, ties, near, past, np.negative(past)])
    there = torch.from_numpy(x).to(torch.float32).to(dtype).to(torch.float64).numpy()
    if number_format == "e4m3" and torch.tensor(1e3).to(dtype).isnan():  # before torch 2.12
        x, there = (part[~(np.abs(x) > 464)] for part in (x, there))
    ours = round_short(x, number_format)

    assert np.array_equal(ours, there, equal_nan=True)
    number = ~np.isnan(x)
    assert np.array_equal(np.signbit(ours)[number], np.signbit(there)[number])


def test_four_bits_are_these_fifteen_numbers_and_each_tie_goes_to_the_even_one():
    table = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    even = {0.25: 0.0, 0.75: 1.0, 1.25: 1.0, 1.75: 2.0, 2.5: 2.0, 3.5: 4.0, 5.0: 4.0}
    x = np.concatenate([np.linspace(-8, 8, 6401), [np.inf, -np.inf, 1e300]])
    found = round_short(x, "e2m1")
    nearest = np.array(
        [
            min(table, key=lambda y: (abs(abs(a) - y), y != even.get(abs(a), y)))
            for a in np.minimum(np.abs(x), 8)
        ]
    )

    assert np.array_equal(found, np.copysign(nearest, x))
    assert sorted(set(np.abs(found))) == table


@pytest.mark.parametrize("number_format", BLOCKS)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-6, 1.0, 1e6]))
def test_each_block_has_a_scale_of_its_own(number_format, seed, size):
    rng = np.random.RandomState(seed)
    n = BLOCKS[number_format]
    x = (
        size
        * rng.standard_normal((3, 4 * n))
        * np.exp(rng.standard_normal((3, 4)).repeat(n, 1))
    )
    x[0, :n] = 0
    found = round_in_blocks(x, number_format)
    blocks, rounded = x.reshape(3, 4, n), found.reshape(3, 4, n)
    top = np.abs(blocks).max(-1)
    # A step between numbers is at most a third of the largest, which may be cut from 8 to 6;
    # a scale of NVFP4 may be a 16th off.
    allowed = 0.25 * top
    assert (np.abs(blocks - rounded).max(-1) <= allowed).all()
    assert (rounded[0, 0] == 0).all()
    levels = [len(np.unique(np.abs(b))) for b in rounded.reshape(-1, n)]
    assert max(levels) <= 8


def test_scales_are_what_the_two_formats_say():
    x = np.full(32, 0.0)
    x[0], x[1] = 7.0, 3.0
    # 2^floor(log2 7) / 4 = 1: 7 is cut to 6, and 3 stays.
    x[16] = 0.2  # in the same block of 32, and lost there
    assert round_in_blocks(x, "mxfp4")[[0, 1, 16]].tolist() == [6.0, 3.0, 0.0]
    # One block holds the largest number of all: its scale is 448 t, and 7 stays.
    found = round_in_blocks(x, "nvfp4")
    assert found[0] == pytest.approx(7.0)
    assert found[1] == pytest.approx(7 * 3 / 6)  # 3 / (7/6) = 2.57, so 3
    x[16] = 1.0  # 1/6 over t = 7/2688 is 64: a number of e4m3
    assert round_in_blocks(x, "nvfp4")[16] == pytest.approx(1.0)
    x[16] = 1.03  # 65.92 becomes 64
    assert round_in_blocks(x, "nvfp4")[16] == pytest.approx(1.0)


def test_blocks_that_do_not_fit_are_refused():
    for bad in (np.zeros(24), np.full(32, np.nan), np.full(32, np.inf)):
        with pytest.raises(ValueError, match="in blocks of 16"):
            round_in_blocks(bad, "nvfp4")
