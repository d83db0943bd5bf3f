import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import round_to
from attention_course.reference.number_formats import FORMATS

BITS = {"float32": 24, "bfloat16": 8, "float16": 11}
SMALLEST = {"float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-14}


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


def test_ties_go_to_the_even_neighbour():
    x = np.array([2049.0, 2051.0, -2049.0, 257.0, 259.0])

    assert round_to(x[:3], "float16").tolist() == [2048.0, 2052.0, -2048.0]
    assert round_to(x[3:], "bfloat16").tolist() == [256.0, 260.0]


def test_what_is_too_large_becomes_infinite():
    assert round_to(np.array([65519.0, 65520.0]), "float16").tolist() == [65504.0, np.inf]
    assert round_to(np.array([3.4e38, -1e39]), "bfloat16").tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("number_format", FORMATS)
@given(x=st.floats(min_value=-1e300, max_value=1e300))
def test_rounding_twice_changes_nothing_and_keeps_order_and_sign(number_format, x):
    pair = round_to(np.array([x, np.nextafter(x, np.inf), -x]), number_format)

    assert np.array_equal(round_to(pair, number_format), pair)
    assert pair[0] <= pair[1]
    assert pair[2] == -pair[0]


@pytest.mark.parametrize("number_format", FORMATS)
@given(x=st.floats(min_value=-60000, max_value=60000))
def test_the_error_is_at_most_half_a_unit(number_format, x):
    allowed = max(abs(x), SMALLEST[number_format]) * 2.0 ** -BITS[number_format]

    # The way over float32 may add half of its own unit.
    assert abs(round_to(np.array([x]), number_format)[0] - x) <= allowed * (1 + 2.0**-12)


def test_the_argument_is_left_as_it_was():
    x = np.array([0.1, 0.2])
    round_to(x, "bfloat16")

    assert x.tolist() == [0.1, 0.2]


def test_a_single_number_keeps_its_shape():
    assert round_to(np.array(0.1), "bfloat16").shape == ()
