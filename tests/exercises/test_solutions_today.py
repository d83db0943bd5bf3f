"""The solutions about latents, caches, chosen blocks and caps equal the package's reference."""

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
    q, q_rotated, c, k_rotated, W_k, W_v = (rng.standard_normal(s) for s in shapes)
    asked, found = solution("absorbed-latents")(q, q_rotated, c, k_rotated, W_k, W_v)
    queries = q[:, None], q_rotated[:, None]
    wanted, _ = right.absorbed_latent_attention(*queries, c, k_rotated, W_k, W_v)
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


@pytest.mark.parametrize(("n_q", "n_k", "cap"), [(5, 5, 0.5), (3, 8, 2.0), (4, 6, 1e9)])
def test_capped_attention_is_causal_attention_over_capped_scores(n_q, n_k, cap):
    rng = np.random.default_rng(n_k)
    q, k, v = (rng.standard_normal(s) for s in ((n_q, 3), (n_k, 3), (n_k, 2)))
    context, weights = solution("soft-cap")(q, k, v, cap)
    mask = right.causal_mask(n_q, n_k)
    wanted = right.softmax(right.soft_cap(right.scaled_dot_scores(q, k), cap), mask=mask)
    assert np.allclose(weights, wanted, atol=1e-12)
    assert np.allclose(context, wanted @ v, atol=1e-12)
    plain, _ = right.scaled_dot_product_attention(q, k, v, mask)
    assert np.allclose(context, plain) == (cap > 100)
