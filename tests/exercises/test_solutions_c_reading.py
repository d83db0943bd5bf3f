"""The solutions about local, hard, recurrent and self-attention agree with the package."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named, runner
from attention_course.reference.local import local_weights_by_loops, predicted_centres
from attention_course.reference.self_attention import self_attention_by_loops


def _answer(slug):
    exercise = exercise_named(slug)
    return runner.load(exercise.solution)[exercise.target]


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "d", "d_p", "D"),
    [(7, 15, 3, 4, 2), (2, 6, 5, 3, 8), (4, 4, 4, 4, 4)],
)
def test_local_p_agrees_with_the_loops_of_the_reference(n_queries, n_keys, d, d_p, D):
    rng = np.random.RandomState(n_keys)
    scores, h = rng.standard_normal((n_queries, n_keys)), rng.standard_normal((n_queries, d))
    W_p, v_p = rng.standard_normal((d_p, d)), rng.standard_normal(d_p)
    centres, weights = _answer("local-p")(scores, h, W_p, v_p, D)
    p = predicted_centres(h, W_p, v_p, n_keys)
    np.testing.assert_allclose(centres, p)
    np.testing.assert_allclose(weights, local_weights_by_loops(scores, p, D), atol=1e-15)


@pytest.mark.parametrize(
    ("n", "d_model", "d_k", "d_v"), [(6, 3, 5, 4), (1, 2, 3, 4), (3, 3, 3, 3)]
)
def test_self_attention_agrees_with_the_loops_of_the_reference(n, d_model, d_k, d_v):
    rng = np.random.RandomState(n)
    X = rng.standard_normal((2, n, d_model))
    W_q, W_k = rng.standard_normal((2, d_model, d_k))
    W_v = rng.standard_normal((d_model, d_v))
    contexts, weights = _answer("self-attention")(X, W_q, W_k, W_v)
    for i in range(2):
        context, weight = self_attention_by_loops(X[i], W_q, W_k, W_v)
        np.testing.assert_allclose(contexts[i], context, atol=1e-12)
        np.testing.assert_allclose(weights[i], weight, atol=1e-12)
