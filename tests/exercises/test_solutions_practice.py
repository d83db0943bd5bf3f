"""The solutions about pretrained models equal what the package computes, by other means."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from attention_course.exercises import exercise_named  # noqa: E402
from attention_course.exercises.runner import load  # noqa: E402
from attention_course.layers import MultiHeadAttention  # noqa: E402
from attention_course.models.pretrained.interventions import norm_weighted  # noqa: E402
from attention_course.models.pretrained.scores import induction_scores  # noqa: E402


def solved(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.mark.parametrize(("n", "d_model", "heads"), [(5, 6, 3), (4, 8, 2), (1, 6, 2)])
def test_shares_are_those_of_the_lengths(n, d_model, heads):
    attention = MultiHeadAttention(d_model, heads).double().requires_grad_(False)
    x = torch.randn(n, d_model, dtype=torch.float64)
    weights = attention(x)[1]
    lengths = norm_weighted(attention, x, weights)
    d_v = d_model // heads
    for h in range(heads):
        W_o = attention.W_o.weight[:, h * d_v : (h + 1) * d_v].T
        v = attention.W_v(x)[:, h * d_v : (h + 1) * d_v]
        came = solved("norm-weighted")(weights[h].numpy(), v.numpy(), W_o.numpy())
        wanted = lengths[h] / lengths[h].sum(-1, keepdim=True)
        np.testing.assert_allclose(came, wanted.numpy(), atol=1e-12)


@pytest.mark.parametrize("period", [3, 5, 8])
def test_induction_in_a_text_that_repeats_itself(period):
    rng = np.random.default_rng(period)
    weights = np.tril(rng.random((4, 2 * period, 2 * period)))
    tokens = np.tile(rng.permutation(period), 2)
    came = solved("induction-head")(weights, tokens)
    np.testing.assert_allclose(came, induction_scores(weights, period), atol=1e-12)


def test_p_values_by_loops():
    rng = np.random.default_rng(0)
    swings = rng.integers(-9, 10, (7, 4)) / 4 + np.array([1, 0, 0, -2])
    signs = rng.choice([-1.0, 1.0], (25, 7))
    wanted = []
    for h in range(4):
        count = 1
        for draw in signs:
            largest = max(abs(np.mean(draw * swings[:, k])) for k in range(4))
            count += largest >= abs(np.mean(swings[:, h]))
        wanted.append(count / 26)
    np.testing.assert_allclose(solved("many-heads")(swings, signs), wanted, atol=1e-12)
