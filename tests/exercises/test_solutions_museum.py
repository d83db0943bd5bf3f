"""The mended functions of the museum equal the specification, on sizes that all differ."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named
from attention_course.exercises.runner import load
from attention_course.reference import alibi_by_loops, scaled_dot_product_attention, softmax


def answer(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.mark.parametrize(("n", "d_k", "n_heads"), [(5, 2, 3), (1, 4, 2), (6, 3, 1)])
def test_a_padded_batch_is_attended_head_by_head(n, d_k, n_heads):
    lengths = np.array([n, n // 2, 0, max(n - 1, 1)])
    x = np.random.default_rng(n).standard_normal((4, n, n_heads * d_k))
    came = answer("mend-padding")(x, lengths, n_heads)
    for head in np.split(np.arange(n_heads * d_k), n_heads):
        own, real = x[..., head], np.arange(n) < lengths[:, None]
        mask = np.broadcast_to(real[:, None], (4, n, n))
        context, _ = scaled_dot_product_attention(own, own, own, mask)
        np.testing.assert_allclose(came[..., head], context, atol=1e-12)


@pytest.mark.parametrize("p", [0.0, 0.3])
def test_dropout_leaves_the_reference_in_evaluation_and_on_average(p):
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape) for shape in ((3, 5), (4, 5), (4, 2)))
    may, dropped = np.tri(3, 4, 1, dtype=bool), answer("mend-dropout")
    right, weights = scaled_dot_product_attention(q, k, v, may)
    kept = rng.random((3, 4)) >= p
    np.testing.assert_allclose(dropped(q, k, v, may, kept, p), right, atol=1e-12)
    expected = (weights * kept / (1 - p)) @ v
    np.testing.assert_allclose(dropped(q, k, v, may, kept, p, True), expected, atol=1e-12)


@pytest.mark.parametrize(("kept", "new"), [(0, 5), (4, 1), (3, 4)])
def test_new_words_beside_kept_keys_equal_all_at_once(kept, new):
    rng, n = np.random.default_rng(2), kept + new
    q, k, v = (rng.standard_normal((n, d)) for d in (6, 6, 3))
    scores = q @ k.T / np.sqrt(6) + alibi_by_loops(n, n, 1)[0]
    right = softmax(scores, mask=np.tri(n, dtype=bool)) @ v
    slope = 2.0**-8
    parts = (q[kept:], k[kept:], v[kept:], k[:kept], v[:kept], slope)
    context, keys, values = answer("mend-cache")(*parts)
    np.testing.assert_allclose(context, right[kept:], atol=1e-12)
    np.testing.assert_array_equal(keys, k)
    np.testing.assert_array_equal(values, v)
