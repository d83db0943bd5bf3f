"""The solutions about local, hard, recurrent and self-attention agree with the package."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named, runner
from attention_course.reference.local import local_weights_by_loops, predicted_centres


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
