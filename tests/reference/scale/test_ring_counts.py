"""What a ring holds, computes and sends: counted against loops."""

import numpy as np
import pytest

from attention_course import reference as right

STEPS = {"blocks": [1, 1, 1], "striped": [3, 3, 3], "zigzag": [1, 9, 1]}  # of the first device


@pytest.mark.parametrize("order", STEPS)
def test_every_place_is_held_once_and_no_device_holds_more(order):
    places = right.ring_positions(12, 3, order)
    assert places.shape == (3, 4)
    assert sorted(places.ravel().tolist()) == list(range(12))
    assert np.diff(places)[0].tolist() == STEPS[order]


@pytest.mark.parametrize("order", STEPS)
def test_work_is_the_causal_mask_cut_up(order):
    n, devices = 24, 4
    places, mask = right.ring_positions(n, devices, order), right.causal_mask(n)
    work = right.ring_work(n, devices, order)
    for step in range(devices):
        for rank in range(devices):
            part = mask[np.ix_(places[rank], places[(rank - step) % devices])]
            assert work[step, rank] == part.sum()
    assert work.sum() == mask.sum()


@pytest.mark.parametrize("order", ["striped", "zigzag"])
def test_either_order_nearly_halves_the_time_of_the_slowest(order):
    n, devices = 1024, 8
    slowest = [right.ring_work(n, devices, o).max(axis=1).sum() for o in ("blocks", order)]
    assert 1.7 < slowest[0] / slowest[1] < 2
    if order == "zigzag":  # all keys at once, as in a gather: exactly even
        assert len(set(right.ring_work(n, devices, order).sum(axis=0))) == 1
    loads = right.ring_work(n, devices).sum(axis=0)
    assert loads[-1] == loads.max() > 1.8 * loads.mean()


def test_bytes_are_those_of_the_arrays_that_travel():
    n, devices, heads, d, number = 60, 5, 3, 7, 4
    block = n // devices * heads * d * number
    assert right.ring_bytes(n, devices, heads, d, number) == 4 * 2 * block
    assert right.ring_bytes(n, devices, heads, d, number, backward=True) == (4 * 4 + 2) * block
    assert right.ring_bytes(n, 1, heads, d, number) == 0


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("group", [1, 8])
def test_at_that_block_computing_and_sending_take_as_long(group, backward):
    F, B, d, number = 989e12, 50e9, 128, 2
    c = right.block_that_hides(F, B, number, group, backward)
    products, arrays = (5, 4) if backward else (2, 2)
    computing = products * 2 * c * c * d * group / F
    sending = arrays * c * d * number / B
    assert 0 <= computing / sending - 1 < 2 / c
