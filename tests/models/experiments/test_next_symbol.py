"""The tape and the other readers in torch: loops, gradients, causality, padding."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.layers.recurrent.lstmn import LSTMN
from attention_course.models.experiments.next_symbol import KINDS


def test_each_key_is_computed_once():
    module, calls, x = LSTMN(3, 4, 6), [], torch.ones(2, 5, 3)
    module.W_h.register_forward_hook(lambda *_: calls.append("W_h"))
    module(x)
    assert len(calls) == x.shape[1]


@pytest.mark.parametrize("kind", KINDS)
def test_padding_at_the_end_costs_nothing(kind):
    reader = m.NextSymbolModel(kind, 9, np.random.RandomState(0), width=6).double()
    short, longer = np.array([[1, 3, 2]]), np.array([[1, 3, 2, 0, 0]])
    a, b = m.next_symbol_loss(reader, short), m.next_symbol_loss(reader, longer)
    assert abs(a.item() - b.item()) < 1e-12
