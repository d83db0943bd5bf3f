"""Bytes between a slow memory and a chip: counted against what attention's formulas say."""

import pytest
import torch

from attention_course.kernels import all_at_once, tiled_forward
from attention_course.measure import traffic
from attention_course.reference import attention_work

SIZES = [(1, 8), (127, 16), (256, 64)]
FORMATS = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def attend_in_tiles(causal, block_q=128, block_k=128):
    return lambda q, k, v: tiled_forward(q, k, v, causal, 1.0, block_q, block_k)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_what_the_loops_move_is_what_attention_work_says(n, d, causal, dtype):
    x = torch.ones(2, 3, n, d, dtype=FORMATS[dtype])
    sizes = {"heads": 3, "batch": 2, "dtype": dtype, "causal": causal}
    tiles = traffic(attend_in_tiles(causal), x, x, x)
    assert sum(tiles) == attention_work("tiled", n, d, cache=0, **sizes).streamed
    plain = traffic(lambda q, k, v: all_at_once(q, k, v, causal, 1.0), x, x, x)
    assert sum(plain) == attention_work("naive", n, d, **sizes).moved


@pytest.mark.parametrize("d", [16, 64])
@pytest.mark.parametrize("block_k", [7, 96])
def test_reads_fall_with_the_chip_and_the_key_block_does_not_matter(d, block_k):
    n = 96
    x = torch.ones(n, d)
    for block_q in (12, 24, 48):
        on_chip = 4 * d * block_q
        found = traffic(attend_in_tiles(False, block_q, block_k), x, x, x)
        assert found == (4 * (n * d + 8 * n**2 * d**2 // on_chip), 4 * (n * d + n))


def test_a_loop_that_fetches_twice_is_counted_twice():
    x = torch.ones(5, 3)
    assert traffic(lambda x: x[1:3], x)[0] == 4 * 6
    assert traffic(lambda x: (x[1:3], x[1:3]), x)[0] == 2 * 4 * 6
    assert traffic(lambda x: x[1:3][:1], x)[0] == 4 * 6  # on the chip, nothing more is read

    def write(x):
        made = x.new_empty(5, 3, dtype=torch.float64)
        made[1:3] = x[:1].double()

    assert traffic(write, x) == (4 * 3, 8 * 6)


def test_the_inputs_stay_as_they_are():
    x = torch.ones(3, 2, requires_grad=True)
    traffic(lambda x: x @ x.mT, x)
    assert type(x) is torch.Tensor
    assert x.requires_grad


@pytest.mark.parametrize("inputs", [(), ([1.0],), (torch.ones(2), None)])
def test_what_is_no_tensor_is_refused(inputs):
    with pytest.raises(ValueError, match="traffic: inputs must be one or more tensors, got"):
        traffic(print, *inputs)
