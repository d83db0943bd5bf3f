"""Bahdanau's model as loops: each part against another way to compute it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import additive_scores, softmax
from attention_course.reference.recurrent.bahdanau import (
    GatedUnit,
    _example,
    align_by_loops,
    annotate_by_loops,
    bahdanau_by_loops,
    decoder_step,
    gated_step,
    maxout,
)

WEIGHTS = _example()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@given(st.integers(0, 50), st.integers(1, 6))
def test_the_gated_step_is_the_papers_formula(seed, d):
    draw = np.random.RandomState(seed).standard_normal
    drive, s, U = draw(3 * d), draw(d), draw((3 * d, d))
    z = sigmoid(drive[d : 2 * d] + U[d : 2 * d] @ s)
    r = sigmoid(drive[2 * d :] + U[2 * d :] @ s)
    wanted = (1 - z) * s + z * np.tanh(drive[:d] + U[:d] @ (r * s))
    np.testing.assert_allclose(gated_step(drive, s, U), wanted, atol=1e-12)


def test_a_closed_update_gate_keeps_the_state_and_an_open_one_replaces_it():
    s, U = np.array([0.3, -0.8]), np.zeros((6, 2))
    closed, opened = np.array([9, 9, -99, -99, 0, 0.0]), np.array([9, 9, 99, 99, 0, 0.0])
    np.testing.assert_allclose(gated_step(closed, s, U), s, atol=1e-12)
    np.testing.assert_allclose(gated_step(opened, s, U), np.tanh([9, 9]), atol=1e-12)


def test_a_closed_reset_gate_hides_the_old_state_from_the_candidate():
    draw = np.random.RandomState(0).standard_normal
    drive = np.array([0.1, 0.2, 99, 99, -99, -99])
    U = np.vstack([draw((2, 2)), np.zeros((4, 2))])
    for s in draw((3, 2)):
        np.testing.assert_allclose(gated_step(drive, s, U), np.tanh([0.1, 0.2]), atol=1e-12)


def test_read_backwards_with_the_units_exchanged_the_halves_change_places():
    p, tokens = WEIGHTS, [3, 5, 4, 3]
    h = annotate_by_loops(tokens, p.E_x, p.forward, p.backward)
    turned = annotate_by_loops(tokens[::-1], p.E_x, p.backward, p.forward)
    d = h.shape[1] // 2
    np.testing.assert_allclose(turned[::-1], np.hstack([h[:, d:], h[:, :d]]), atol=1e-14)


def test_the_two_readings_never_meet():
    p, tokens = WEIGHTS, [3, 5, 4, 3]
    other = GatedUnit(*(1.5 * array for array in p.backward))
    a = annotate_by_loops(tokens, p.E_x, p.forward, p.backward)
    b = annotate_by_loops(tokens, p.E_x, p.forward, other)
    d = a.shape[1] // 2
    assert np.array_equal(a[:, :d], b[:, :d])
    assert not np.allclose(a[:, d:], b[:, d:])


def test_the_first_annotation_knows_the_last_word():
    p = WEIGHTS
    a, b = (annotate_by_loops([3, 4, last], p.E_x, p.forward, p.backward) for last in (4, 5))
    assert not np.allclose(a[0], b[0])


@given(st.integers(0, 50), st.integers(1, 5))
def test_alignment_is_the_additive_score_and_a_plain_softmax(seed, n_keys):
    draw = np.random.RandomState(seed).standard_normal
    s, h, W_a, U_a, v_a = draw(3), draw((n_keys, 4)), draw((5, 3)), draw((5, 4)), draw(5)
    context, weights = align_by_loops(s, h, W_a, U_a, v_a)
    wanted = softmax(additive_scores(s[None], h, W_a.T, U_a.T, v_a))[0]
    np.testing.assert_allclose(weights, wanted, atol=1e-12)
    np.testing.assert_allclose(context, wanted @ h, atol=1e-12)


def test_maxout_keeps_the_larger_neighbour():
    assert maxout(np.array([1.0, 2.0, 5.0, 4.0])).tolist() == [2.0, 5.0]


def test_a_symbol_changes_no_logits_before_it_is_fed_in():
    a, _ = bahdanau_by_loops([3, 4, 5], [1, 3, 4], WEIGHTS)
    b, _ = bahdanau_by_loops([3, 4, 5], [1, 3, 6], WEIGHTS)
    assert np.array_equal(a[:2], b[:2])
    assert not np.allclose(a[2], b[2])


def test_a_step_asks_with_the_state_before_it_and_feeds_the_context_twice():
    p, draw = WEIGHTS, np.random.RandomState(0).standard_normal
    s, y, h = draw(5), draw(4), draw((3, 6))
    after, logits, weights = decoder_step(s, y, h, p)
    c = weights @ h
    asked = softmax(additive_scores(s[None], h, p.W_a.T, p.U_a.T, p.v_a))[0]
    np.testing.assert_allclose(weights, asked, atol=1e-12)
    pairs = p.U_o @ s + p.V_o @ y + p.C_o @ c + p.b_o
    best = pairs.reshape(-1, 2).max(axis=1)
    np.testing.assert_allclose(logits, p.W_o @ best + p.b_w, atol=1e-12)
    drive = np.hstack([p.decoder.W, p.C]) @ np.hstack([y, c]) + p.decoder.b
    np.testing.assert_allclose(after, gated_step(drive, s, p.decoder.U), atol=1e-12)


def test_the_first_query_is_made_from_the_backward_state_alone():
    loud = WEIGHTS.W_s * 3
    _, a = bahdanau_by_loops([3, 4], [1], WEIGHTS)
    _, b = bahdanau_by_loops([3, 4], [1], WEIGHTS._replace(W_s=loud))
    assert not np.allclose(a, b)
    h = annotate_by_loops([3, 4], WEIGHTS.E_x, WEIGHTS.forward, WEIGHTS.backward)
    s_0 = np.tanh(WEIGHTS.W_s @ h[0, 3:] + WEIGHTS.b_s)
    _, wanted = align_by_loops(s_0, h, WEIGHTS.W_a, WEIGHTS.U_a, WEIGHTS.v_a)
    np.testing.assert_allclose(a[0], wanted, atol=1e-14)


@pytest.mark.parametrize("name", ["C", "C_o"])
def test_the_context_enters_the_unit_and_the_output_layer(name):
    without = WEIGHTS._replace(**{name: np.zeros_like(getattr(WEIGHTS, name))})
    a, _ = bahdanau_by_loops([3, 4], [1, 3], WEIGHTS)
    b, _ = bahdanau_by_loops([3, 4], [1, 3], without)
    assert not np.allclose(a[1], b[1])
