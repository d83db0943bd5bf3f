"""The count of memory against cases that can be counted by hand."""

import pytest
import torch

from attention_course.measure import peak_extra_bytes, this_device

CPU = this_device("cpu")
N, D = 48, 16


def extra(call):
    return peak_extra_bytes(call, CPU)


@pytest.fixture
def x():
    return torch.randn(N, D)


def test_what_is_freed_before_does_not_add_up(x):
    def chain():
        y = x + 1  # one
        y = y * 2  # two at a time: the old one is freed when the new one has its name
        return y.exp()

    assert extra(chain) == 2 * 4 * N * D


def test_what_is_kept_adds_up(x):
    assert extra(lambda: [x + i for i in range(5)]) == 5 * 4 * N * D
    kept = []
    assert extra(lambda: kept.extend(x + i for i in range(3))) == 3 * 4 * N * D


def test_nothing_new_costs_nothing_and_a_views_storage_is_counted_whole(x):
    assert extra(lambda: x.T.reshape(D, N)[:3].add_(1)) == 0
    assert extra(lambda: torch.add(x, 1, out=x)) == 0
    assert extra(lambda: (x + 1)[:1]) == 4 * N * D
    assert extra(lambda: (x + 1).T.reshape(-1, 2).T) == 2 * 4 * N * D  # reshape has to copy
    assert extra(lambda: x.half()) == 2 * N * D
    assert extra(lambda: x.double()) == 8 * N * D
    assert extra(lambda: x > 0) == N * D


def test_attention_with_all_scores_at_once():
    q, k, v = (torch.randn(1, 1, N, D) for _ in range(3))

    def attend():
        return (q @ k.mT).softmax(dim=-1) @ v

    with torch.no_grad():
        # The scores live until the weights are there; then weights and context.
        assert extra(attend) == 4 * 2 * N * N


def test_what_autograd_keeps_is_counted_to_the_end_of_the_backward_pass():
    w = torch.randn(N, D, requires_grad=True)

    def passes():
        return torch.autograd.grad(w.exp().sum(), w)

    # exp is kept for its gradient: at the peak beside the pull, spread out to its size.
    fixed = 4 * N * D
    assert fixed * 2 <= extra(passes) <= fixed * 3


def test_what_cannot_be_called_is_refused():
    with pytest.raises(ValueError, match="peak_extra_bytes: expected something to call, got 3"):
        peak_extra_bytes(3, CPU)
