"""The solutions about positions, caches and blocks equal the package's reference."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import load
from attention_course.reference import scaled_dot_product_attention
from attention_course.reference.masks import causal_mask
from attention_course.reference.positions import (
    rotate_by_loops,
    sinusoidal_positions,
)
from attention_course.reference.transformer.transformer_block import (
    Block,
    Heads,
    Norm,
    block_by_loops,
)

SLUGS = ("sinusoidal-positions", "rotary-positions", "kv-cache", "encoder-block")


def solution(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize(("n", "d", "offset"), [(5, 8, 0), (6, 6, 0), (3, 10, 7), (1, 2, 40)])
def test_the_table_is_a_piece_of_the_reference(n, d, offset):
    whole = sinusoidal_positions(offset + n, d)
    assert np.allclose(solution("sinusoidal-positions")(n, d, offset), whole[offset:])


@pytest.mark.parametrize(("n", "d", "offset"), [(5, 8, 0), (4, 4, 0), (2, 6, 11)])
def test_rotary_scores_are_those_of_vectors_turned_by_loops(rng, n, d, offset):
    q, k = rng.standard_normal((n, d)), rng.standard_normal((7, d))
    v = rng.standard_normal((7, 3))
    keys, scores, context = solution("rotary-positions")(q, k, v, offset)
    q, k = rotate_by_loops(q, offset), rotate_by_loops(k)
    assert np.allclose(keys, k)
    assert np.allclose(scores, q @ k.T / np.sqrt(d))
    assert np.allclose(context, scaled_dot_product_attention(q, k, v)[0])


def test_rotary_with_heads_does_for_each_what_it_does_for_one(rng):
    q, k, v = (rng.standard_normal((2, 3, 5, d)) for d in (4, 4, 7))
    together = solution("rotary-positions")(q, k, v, 2)
    for b in range(2):
        for h in range(3):
            alone = solution("rotary-positions")(q[b, h], k[b, h], v[b, h], 2)
            for one, all_ in zip(alone, together, strict=True):
                assert np.allclose(one, all_[b, h])


@pytest.mark.parametrize("pieces", [(1,) * 6, (6,), (3, 1, 2), (2, 4)])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_the_steps_of_a_cache_add_up_to_causal_attention(rng, pieces, batch):
    q, k = rng.standard_normal((2, *batch, 6, 4))
    v = rng.standard_normal((*batch, 6, 5))
    whole, all_weights = scaled_dot_product_attention(q, k, v, causal_mask(6))
    cache, at = solution("kv-cache")(), 0
    for m in pieces:
        piece = slice(at, at + m)
        weights, context = cache.step(*(x[..., piece, :] for x in (q, k, v)))
        at += m
        assert np.allclose(weights, all_weights[..., piece, :at])
        assert np.allclose(context, whole[..., piece, :])
        assert cache.length == at


@pytest.mark.parametrize(("n", "d", "d_ff"), [(5, 6, 9), (4, 4, 4), (1, 3, 8)])
def test_the_encoder_block_equals_the_block_by_loops(rng, n, d, d_ff):
    W = [rng.standard_normal((d, d)) for _ in range(4)]
    W_1, W_2 = rng.standard_normal((d, d_ff)), rng.standard_normal((d_ff, d))
    b_1, b_2 = rng.standard_normal(d_ff), rng.standard_normal(d)
    norms = [Norm(*rng.standard_normal((2, d))) for _ in range(2)]
    x = rng.standard_normal((n, d))
    p = dict(zip(("W_q", "W_k", "W_v", "W_o"), W, strict=True))
    p |= {"W_1": W_1, "W_2": W_2, "b_1": b_1, "b_2": b_2}
    for i, norm in enumerate(norms, 1):
        p |= {f"gain_{i}": norm.gain, f"shift_{i}": norm.shift}
    heads = Heads(1, W, [np.zeros(d)] * 4)
    block = Block(heads, None, (W_1, W_2), (b_1, b_2), norms, norm_first=True)
    assert np.allclose(solution("encoder-block")(x, p), block_by_loops(x, block))


def holds(exercise, defined, seed):
    """Return whether an answer holds every property on inputs that nobody has seen."""
    for probe in exercise.probes:
        calls = list(probe.calls(generator(str(seed), probe.name)))
        expected = right_outcome(exercise, probe, calls)
        if judge(exercise, probe, expected, observe(exercise, probe, defined, calls)):
            return False
    return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slug", SLUGS)
def test_other_inputs_judge_every_answer_in_the_same_way(slug, seed):
    exercise = exercise_named(slug)
    passed = [w.name for w in exercise.wrong if holds(exercise, _load(exercise, w), seed)]
    failed = [o.name for o in exercise.right if not holds(exercise, _load(exercise, o), seed)]
    assert (passed, failed) == ([], [])


def _load(exercise, answer):
    return load(exercise.source_of(answer))
