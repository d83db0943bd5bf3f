"""The long short-term memory as a loop, against torch and against what must hold."""

import numpy as np
import pytest
import torch

from attention_course.reference.recurrent.lstm import lstm_gates, lstm_step

D, INPUTS = 3, 5


def arrays(*shapes, seed=0):
    rng = np.random.RandomState(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def lstm(seed=0):
    return arrays((4 * D, INPUTS), (4 * D, D), (4 * D,), (4 * D,), seed=seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_that_of_torch(seed):
    cell = torch.nn.LSTMCell(INPUTS, D, dtype=torch.float64)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weights = lstm(seed)
    cell.load_state_dict({n: torch.from_numpy(w) for n, w in zip(names, weights, strict=True)})
    x, h, c = arrays(INPUTS, D, D, seed=seed + 50)
    with torch.no_grad():
        theirs = cell(torch.from_numpy(x)[None], _pair(h, c))
    ours = lstm_step(x, h, c, *weights)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.abs(mine - other[0].numpy()).max() < 1e-12


def _pair(h, c):
    return torch.from_numpy(h)[None], torch.from_numpy(c)[None]


@pytest.mark.parametrize("gates", [(1, 0, 2, 3), (0, 1, 3, 2), (0, 3, 2, 1)])
def test_another_order_of_the_gates_is_not_that_of_torch(gates):
    x, h, c = arrays(INPUTS, D, D, seed=9)
    weights = lstm()
    other = [np.concatenate([w[g * D : (g + 1) * D] for g in gates]) for w in weights]
    assert np.abs(lstm_step(x, h, c, *weights)[0] - lstm_step(x, h, c, *other)[0]).max() > 1e-3


def test_a_closed_input_gate_and_an_open_forget_gate_keep_the_cell():
    x, h, c = arrays(INPUTS, D, D)
    W_x, W_h, b_x, b_h = lstm()
    b_x[:D], b_x[D : 2 * D] = -1e3, 1e3
    with np.errstate(over="ignore"):
        assert np.array_equal(lstm_step(x, h, c, W_x, W_h, b_x, b_h)[1], c)


def test_a_step_does_not_change_its_arguments():
    x, h, c = arrays(INPUTS, D, D)
    kept = h.copy(), c.copy()
    lstm_step(x, h, c, *lstm())
    assert np.array_equal(h, kept[0])
    assert np.array_equal(c, kept[1])
