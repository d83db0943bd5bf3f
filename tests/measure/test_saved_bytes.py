"""Bytes kept for the backward pass: counted against what the formulas say."""

import pytest
import torch

from attention_course.layers.recurrent.score_table import SCORE_NAMES, make_score
from attention_course.measure.saved_bytes import saved_bytes

N, M, D = 11, 13, 17


def kept(name: str) -> int:
    """Numbers (not bytes) that one score function keeps."""
    q, k = torch.ones(N, D, requires_grad=True), torch.ones(M, D, requires_grad=True)
    score = make_score(name, D, 40)
    count, rest = divmod(saved_bytes(score, q, k, parameters=score.parameters()), 4)
    assert rest == 0
    return count


def test_scores_keep_what_their_formulas_say_and_two_of_them_a_vector_a_pair():
    assert kept("dot") == kept("location") == 0
    assert kept("scaled dot") == kept("general") == N * D
    assert kept("additive") == N * M * D
    assert kept("concat") == N * M * 3 * D
    others = [name for name in SCORE_NAMES if name not in ("additive", "concat")]
    assert max(kept(name) for name in others) < 5 * (N * M + (N + M) * D)


def test_bytes_follow_the_dtype_one_store_counts_once_and_parameters_do_not():
    for dtype, size in ((torch.float32, 24), (torch.float64, 48)):
        assert saved_bytes(torch.tanh, torch.ones(6, dtype=dtype, requires_grad=True)) == size
    x, w = torch.ones(3, 2, requires_grad=True), torch.ones(2, 5, requires_grad=True)
    assert saved_bytes(lambda x: x @ w, x) == 40
    assert saved_bytes(lambda x: x @ w, x, parameters=[w]) == 0
    assert saved_bytes(lambda x: torch.tanh(x) * torch.tanh(x).sum(), x) > 24
    once = torch.tanh
    assert saved_bytes(lambda x: (y := once(x)) * y, x) == 24


def test_without_a_graph_nothing_can_be_counted():
    with pytest.raises(ValueError, match="saved_bytes: compute must build a graph"):
        saved_bytes(torch.tanh, torch.ones(3))
