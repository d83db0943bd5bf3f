"""The three recurrences of the bottleneck chapter, and its two readers."""

import numpy as np
import pytest
import torch

from attention_course.reference import (
    constrained_read_back,
    fit_read_out,
    input_gradients,
    last_states,
    latch,
    linear_memory,
    orthogonal_matrix,
    read_back,
    read_out_recall,
    recall_by_position,
    tanh_recurrence,
)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_an_orthogonal_matrix_keeps_every_length(d):
    Q = orthogonal_matrix(d, np.random.RandomState(0))
    assert np.abs(Q.T @ Q - np.eye(d)).max() < 1e-12


def test_reflections_and_rotations_are_both_drawn():
    rng = np.random.RandomState(0)
    signs = [np.sign(np.linalg.det(orthogonal_matrix(3, rng))) for _ in range(40)]
    assert 8 < signs.count(1.0) < 32


def test_the_linear_memory_is_a_sum_of_turned_embeddings():
    rng = np.random.RandomState(0)
    W, E = rng.standard_normal((5, 5)), rng.standard_normal((4, 5))
    x = np.array([2, 0, 3])
    by_hand = E[3] + W @ E[0] + W @ W @ E[2]
    assert np.abs(linear_memory(x[None], W, E)[0] - by_hand).max() < 1e-12


def test_the_gradient_through_an_orthogonal_memory_has_norm_one_at_every_lag():
    W = torch.from_numpy(orthogonal_matrix(6, np.random.RandomState(0)))
    inputs = torch.zeros(50, 6, dtype=torch.float64, requires_grad=True)
    h = torch.zeros(6, dtype=torch.float64)
    for x_t in inputs:
        h = W @ h + x_t
    (h @ torch.nn.functional.normalize(torch.ones(6, dtype=torch.float64), dim=0)).backward()
    assert (inputs.grad.norm(dim=1) - 1).abs().max() < 1e-12


def test_the_last_states_are_those_of_the_two_recurrences():
    rng = np.random.RandomState(0)
    W, E = rng.standard_normal((5, 5)), rng.standard_normal((4, 5))
    tokens = rng.randint(4, size=(3, 7))
    linear = last_states(tokens, W, E, np.positive)
    assert np.array_equal(linear, linear_memory(tokens, W, E))
    for row, h in zip(tokens, last_states(tokens, W, E), strict=True):
        assert np.abs(tanh_recurrence(E[row], W, np.eye(5))[-1] - h).max() < 1e-12


def test_the_recall_of_states_is_that_of_the_memory_it_takes_apart():
    rng, again = np.random.RandomState(3), np.random.RandomState(3)
    whole = recall_by_position(12, 20, rng, tested=300, count=500)
    W, E = orthogonal_matrix(20, again), again.standard_normal((10, 20)) / np.sqrt(20)
    old, new = again.randint(10, size=(500, 12)), again.randint(10, size=(300, 12))
    parts = read_out_recall(linear_memory(old, W, E), old, linear_memory(new, W, E), new)
    assert np.array_equal(whole, parts)


def test_a_state_that_contracts_forgets_its_first_token_and_keeps_its_last():
    rng = np.random.RandomState(0)
    W, E = rng.standard_normal((24, 24)), 0.4 * rng.standard_normal((10, 24))
    W *= 0.9 / np.abs(np.linalg.eigvals(W)).max()
    recalled = {}
    for n in (2, 20):
        old, new = rng.randint(10, size=(2000, n)), rng.randint(10, size=(1000, n))
        states = last_states(old, W, E), last_states(new, W, E)
        recalled[n] = read_out_recall(states[0], old, states[1], new)
    assert recalled[2].min() == 1.0
    assert abs(recalled[20][0] - 0.1) < 0.05
    assert recalled[20][-1] > 0.95


def test_recall_is_perfect_when_the_state_has_room_and_falls_when_it_has_not():
    rng = np.random.RandomState(0)
    short = recall_by_position(4, 48, rng, count=800, tested=200)
    long = recall_by_position(40, 48, rng, count=800, tested=200)
    assert short.shape == (4,)
    assert short.min() == 1.0
    assert long.mean() < 0.6


def test_the_read_out_is_the_one_with_the_least_penalised_error():
    rng = np.random.RandomState(0)
    W, E, M = fit_read_out(3, 4, rng, symbols=5, count=30)
    again = np.random.RandomState(0)
    orthogonal_matrix(4, again), again.standard_normal((5, 4))
    tokens = again.randint(5, size=(30, 3))
    H = np.column_stack([linear_memory(tokens, W, E), np.ones(30)])
    X = np.eye(5)[tokens].reshape(30, 15)

    def cost(matrix):
        return ((H @ matrix - X) ** 2).sum() + 1e-3 * (matrix**2).sum()

    best = M.reshape(5, 15)
    for _ in range(20):
        assert cost(best) < cost(best + 1e-3 * rng.standard_normal(best.shape))


def test_recall_of_a_state_of_one_number_is_close_to_guessing():
    recall = recall_by_position(30, 1, np.random.RandomState(0), count=500, tested=400)
    assert abs(recall.mean() - 0.1) < 0.05


def weights(seed=0, d=4, inputs=3):
    rng = np.random.RandomState(seed)
    return rng.standard_normal((d, d)), rng.standard_normal((d, inputs)), rng


def test_the_tanh_recurrence_is_that_of_torch():
    W, U, rng = weights()
    x = rng.standard_normal((6, 3))
    rnn = torch.nn.RNN(3, 4, bias=False, dtype=torch.float64)
    rnn.load_state_dict({"weight_hh_l0": torch.tensor(W), "weight_ih_l0": torch.tensor(U)})
    with torch.no_grad():
        theirs, _ = rnn(torch.from_numpy(x))
    assert np.abs(tanh_recurrence(x, W, U) - theirs.numpy()).max() < 1e-12


def test_gradients_by_hand_are_those_of_autograd():
    W, U, rng = weights()
    x, g = rng.standard_normal((6, 3)), rng.standard_normal((6, 4))
    inputs = torch.tensor(x, requires_grad=True)
    h, loss = torch.zeros(4, dtype=torch.float64), 0.0
    for x_t, g_t in zip(inputs, torch.from_numpy(g), strict=True):
        h = torch.tanh(torch.from_numpy(W) @ h + torch.from_numpy(U) @ x_t)
        loss = loss + g_t @ h
    loss.backward()
    ours = input_gradients(tanh_recurrence(x, W, U), g, W, U)
    assert np.abs(ours - inputs.grad.numpy()).max() < 1e-12


def noisy(count, length, seed=0):
    """The latch's task: a first number of 3 or -3, then noise."""
    rng = np.random.RandomState(seed)
    x = 0.3 * rng.standard_normal((count, length))
    x[:, 0] = 3 * rng.choice([-1, 1], count)
    return x


def test_the_latch_is_its_loop_and_its_gradient_that_of_autograd():
    x = noisy(5, 7)
    for row, h, gradient in zip(x, *latch(x), strict=True):
        first = torch.tanh(torch.tensor(row[0])).requires_grad_()
        last = first
        for number in row[1:]:
            last = torch.tanh(2 * last + number)
        last.backward()
        assert abs(last.item() - h) < 1e-12
        assert abs(first.grad.item() / gradient - 1) < 1e-9


def test_the_latch_keeps_the_sign_and_gets_no_gradient():
    x = noisy(1000, 64)
    h, gradient = latch(x)
    assert np.array_equal(np.sign(h), np.sign(x[:, 0]))
    assert gradient.max() < 1e-35
    assert np.median(latch(x[:, :4])[1]) > 1e-4


def slope_of_the_first_step_too(x):
    h, gradient = latch(x)
    return h, gradient * 2 * (1 - np.tanh(x[:, 0]) ** 2)


def slope_before_the_step(x):
    h, gradient = latch(x)
    return h, gradient / (1 - h**2) * (1 - np.tanh(x[:, 0]) ** 2)


def slope_without_the_matrix(x):
    h, gradient = latch(x)
    return h, gradient / 2 ** (x.shape[1] - 1)


@pytest.mark.parametrize(
    "wrong", [slope_of_the_first_step_too, slope_before_the_step, slope_without_the_matrix]
)
def test_a_wrong_gradient_of_the_latch_differs_from_a_small_push(wrong):
    x = noisy(3, 5)
    push = 1e-6
    pushed = x.copy()
    pushed[:, 0] = np.arctanh(np.tanh(x[:, 0]) + push)
    moved = (latch(pushed)[0] - latch(x)[0]) / push
    assert np.abs(latch(x)[1] / moved - 1).max() < 1e-3
    assert np.abs(wrong(x)[1] / moved - 1).max() > 0.1


def memory(length, d=24, count=60, symbols=10):
    rng = np.random.RandomState(2)
    W, E = orthogonal_matrix(d, rng), rng.standard_normal((symbols, d))
    tokens = rng.randint(symbols, size=(count, length))
    return tokens, linear_memory(tokens, W, E), W, E


def test_what_the_constrained_reader_finds_explains_the_state_wherever_it_finds_it_all():
    tokens, states, W, E = memory(8)
    guesses = constrained_read_back(states, W, E, 8)
    found = (guesses == tokens).all(axis=1)
    assert found.mean() > 0.9
    gaps = np.abs(linear_memory(guesses, W, E) - states).max(axis=1)
    assert gaps[found].max() < 1e-9
    assert gaps[~found].min(initial=1) > 1e-3


def test_the_constrained_reader_gets_more_than_the_best_linear_one():
    tokens, states, W, E = memory(8, count=1200)
    linear = read_out_recall(states[:1000], tokens[:1000], states[1000:], tokens[1000:])
    found = constrained_read_back(states[1000:], W, E, 8) == tokens[1000:]
    assert linear.mean() < 0.85
    assert found.mean() > 0.97


def without_the_shares(states, W, E, length):
    return constrained_read_back(states, W, E, length, steps=1)


def last_token_first(states, W, E, length):
    return constrained_read_back(states, W, E, length)[:, ::-1]


def turned_the_other_way(states, W, E, length):
    return constrained_read_back(states, W.T, E, length)


@pytest.mark.parametrize("wrong", [without_the_shares, last_token_first, turned_the_other_way])
def test_a_wrong_reader_reads_less(wrong):
    tokens, states, W, E = memory(8)
    assert (wrong(states, W, E, 8) == tokens).mean() < 0.9


def test_the_constrained_reader_reads_one_token_and_one_kind():
    tokens, states, W, E = memory(1, d=5)
    assert np.array_equal(constrained_read_back(states, W, E, 1), tokens)
    tokens, states, W, E = memory(3, d=2, symbols=1)
    assert np.array_equal(constrained_read_back(states, W, E, 3), tokens)


pytestmark = pytest.mark.usefixtures("untyped")
