"""Causal and padding masks."""

import numpy as np
import pytest
import torch
from checks_attention import CAUSAL, PADDING

from attention_course.reference import causal_mask, padding_mask


@pytest.mark.parametrize("check", CAUSAL.values(), ids=CAUSAL)
def test_causal_mask(check):
    check(causal_mask)


@pytest.mark.parametrize("check", PADDING.values(), ids=PADDING)
def test_padding_mask(check):
    check(padding_mask)


def test_torch_has_the_same_bottom_right_mask():
    from torch.nn.attention.bias import causal_lower_right

    wanted = causal_lower_right(2, 5)._materialize(torch.device("cpu"))
    np.testing.assert_array_equal(causal_mask(2, 5), wanted.numpy())


@pytest.mark.usefixtures("untyped")
def test_numpy_integers_count():
    assert causal_mask(np.int64(2), np.int32(3)).shape == (2, 3)
    assert padding_mask(np.array([1], dtype=np.uint8), np.int64(2)).tolist() == [[True, False]]


def test_one_length_without_a_batch_is_one_row():
    assert padding_mask(np.array(2), 3).tolist() == [True, True, False]
