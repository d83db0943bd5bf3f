"""The solutions about latents, mixed caches and chosen blocks equal the package's reference."""

import numpy as np
import pytest

from attention_course import reference as right
from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load


def solution(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


def test_one_query_a_head_is_absorbed_attention():
    rng = np.random.default_rng(3)
    shapes = (4, 5), (4, 2), (9, 6), (9, 2), (4, 6, 5), (4, 6, 3)
    q, q_turned, c, k_turned, W_k, W_v = (rng.standard_normal(s) for s in shapes)
    asked, found = solution("absorbed-latents")(q, q_turned, c, k_turned, W_k, W_v)
    queries = q[:, None], q_turned[:, None]
    wanted, _ = right.absorbed_latent_attention(*queries, c, k_turned, W_k, W_v)
    assert np.allclose(found, wanted[:, 0])
    assert np.allclose(asked @ c.T, np.stack([q[h] @ (c @ W_k[h]).T for h in range(4)]))


def test_each_texts_cache_is_that_of_the_stack():
    windows, numbers = np.array([4, 0, 9]), np.array([8, 8, 8])
    found = solution("mixed-cache")(np.array([3, 7, 50]), windows, numbers)
    wanted = [right.stack_cache_bytes(n, [4, None, 9], 8) for n in (3, 7, 50)]
    assert found.tolist() == wanted


@pytest.mark.parametrize(("n_q", "n_k", "size", "chosen"), [(12, 12, 3, 2), (4, 17, 4, 3)])
def test_chosen_blocks_are_those_of_the_mask(n_q, n_k, size, chosen):
    rng = np.random.default_rng(n_k)
    q, k = rng.standard_normal((n_q, 5)), rng.standard_normal((n_k, 5))
    found = solution("chosen-blocks")(q, k, size, chosen)
    means = right.summaries(k, np.full(size, 1 / size))
    mask = right.chosen_mask(q @ means.T, size, chosen, n_k)
    past = right.causal_mask(n_q, n_k)
    assert (np.repeat(found, size, axis=1)[:, :n_k] & past).tolist() == mask.tolist()
