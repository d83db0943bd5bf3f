"""The solutions about pictures equal the specification, on sizes that all differ."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load
from attention_course.reference import matching_cost


@pytest.mark.parametrize("sizes", [(3, 5, 6), (1, 2, 3), (4, 4, 4), (7, 3, 2)])
def test_a_matching_costs_what_the_reference_says(sizes):
    n_objects, n_queries, n_classes = sizes
    rng = np.random.default_rng(sum(sizes))
    drawn = (
        rng.dirichlet(np.ones(n_classes), size=n_queries),
        rng.random((n_queries, 4)),
        rng.integers(n_classes, size=n_objects),
        rng.random((n_objects, 4)),
    )
    exercise = exercise_named("matching-cost")
    came = load(exercise.solution)[exercise.target](*drawn)
    np.testing.assert_allclose(came, matching_cost(*drawn), atol=1e-12)
