"""Luong's model as loops: each part against another way to compute it."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference import (
    concat_scores,
    dot_scores,
    general_scores,
    location_scores,
    softmax,
)
from attention_course.reference.recurrent.luong import (
    _example,
    attentional_vector,
    luong_by_loops,
    luong_encode_by_loops,
    luong_step,
    scores_by_loops,
    step_through,
)

WEIGHTS = _example()


@given(st.integers(0, 50), st.integers(1, 6))
def test_the_four_scores_are_the_matrix_ones(seed, n_keys):
    draw = np.random.RandomState(seed).standard_normal
    h, states, W, C, v, L = draw(3), draw((n_keys, 3)), draw((3, 3)), draw((5, 6)), draw(5), 4
    places = draw((L, 3))
    pairs = [
        (("dot",), dot_scores(h[None], states)),
        (("general", W), general_scores(h[None], states, W)),
        (("concat", C, v), concat_scores(h[None], states, C.T, v)),
        (("location", places), location_scores(h[None], states, places.T)),
    ]
    for given_score, wanted in pairs:
        found = scores_by_loops(h, states, *given_score)
        np.testing.assert_allclose(found, wanted[0], atol=1e-12, err_msg=given_score[0])


def test_general_with_the_identity_is_dot_and_need_not_be_symmetric():
    draw = np.random.RandomState(0).standard_normal
    h, s, W = draw(3), draw((1, 3)), draw((3, 3))
    np.testing.assert_allclose(
        scores_by_loops(h, s, "general", np.eye(3)), scores_by_loops(h, s, "dot")
    )
    one, other = (scores_by_loops(a, b[None], "general", W) for a, b in ((h, s[0]), (s[0], h)))
    assert not np.allclose(one, other)


def test_location_is_deaf_to_what_the_source_says():
    draw = np.random.RandomState(0).standard_normal
    h, W = draw(3), draw((4, 3))
    a, b = (scores_by_loops(h, draw((6, 3)), "location", W) for _ in range(2))
    assert np.array_equal(a, b)
    assert np.isneginf(a[4:]).all()


def test_the_stack_is_torchs_own():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        lstm = torch.nn.LSTM(2, 3, 3, batch_first=True).double()
    layers = [tuple(w.detach().numpy() for w in layer) for layer in lstm.all_weights]
    tokens = [0, 2, 1, 2]
    top, last = luong_encode_by_loops(tokens, WEIGHTS.E_x, layers)
    states, (h, m) = lstm(torch.tensor(WEIGHTS.E_x[tokens])[None])
    np.testing.assert_allclose(top, states[0].detach().numpy(), atol=1e-14)
    np.testing.assert_allclose([s[0] for s in last], h[:, 0].detach().numpy(), atol=1e-14)
    np.testing.assert_allclose([s[1] for s in last], m[:, 0].detach().numpy(), atol=1e-14)


def test_the_attentional_vector_is_the_papers_formula():
    draw = np.random.RandomState(0).standard_normal
    c, h, W_c = draw(2), draw(3), draw((4, 5))
    wanted = np.tanh(W_c[:, :2] @ c + W_c[:, 2:] @ h)
    np.testing.assert_allclose(attentional_vector(c, h, W_c), wanted, atol=1e-14)


def test_step_by_step_it_is_the_whole_model():
    memory, states = luong_encode_by_loops([3, 4, 5], WEIGHTS.E_x, WEIGHTS.encoder)
    logits, alignments = luong_by_loops([3, 4, 5], [1, 3, 5], WEIGHTS)
    fed = np.zeros(3)
    for token, out, row in zip([1, 3, 5], logits, alignments, strict=True):
        found, a, fed, states = luong_step(WEIGHTS.E_y[token], fed, states, memory, WEIGHTS)
        np.testing.assert_allclose(found, out, atol=1e-14)
        np.testing.assert_allclose(a, row, atol=1e-14)


def by_hand(source, target, p):
    """The order of the paper: state, scores, weights, context, attentional vector, logits."""
    memory, states = luong_encode_by_loops(source, p.E_x, p.encoder)
    fed, logits, rows = np.zeros(3), [], []
    for token in target:
        states = step_through(np.concatenate([p.E_y[token], fed]), states, p.decoder)
        h = states[-1][0]
        a = softmax(memory @ (p.W_a.T @ h))
        fed = np.tanh(p.W_c @ np.concatenate([a @ memory, h]))
        logits.append(p.W_s @ fed)
        rows.append(a)
    return np.array(logits), np.array(rows)


def test_the_whole_model_is_the_papers_equations_in_their_order():
    for source, target in (([3, 4, 5, 3], [1, 3, 6]), ([2], [1])):
        found, wanted = (f(source, target, WEIGHTS) for f in (luong_by_loops, by_hand))
        np.testing.assert_allclose(found[0], wanted[0], atol=1e-12)
        np.testing.assert_allclose(found[1], wanted[1], atol=1e-12)


def test_the_query_is_the_state_that_has_read_the_last_symbol():
    _, a = luong_by_loops([3, 4, 5], [1, 3], WEIGHTS)
    _, b = luong_by_loops([3, 4, 5], [1, 4], WEIGHTS)
    assert not np.allclose(a[1], b[1])
    before = WEIGHTS._replace(query="step before")
    _, a = luong_by_loops([3, 4, 5], [1, 3], before)
    _, b = luong_by_loops([3, 4, 5], [1, 4], before)
    assert np.array_equal(a[1], b[1])


def test_without_feeding_the_decoders_states_do_not_know_the_source_was_looked_at():
    quiet = WEIGHTS._replace(
        feeding=False, decoder=[(WEIGHTS.decoder[0][0][:, :4], *WEIGHTS.decoder[0][1:]),
                                WEIGHTS.decoder[1]]
    )  # fmt: skip
    for other in (WEIGHTS.W_c * 2, None):
        a, b = (
            luong_by_loops([3, 4], [1, 3, 5], p)[1] for p in (quiet, quiet._replace(W_c=other))
        )
        assert np.array_equal(a, b)
    a, b = (
        luong_by_loops([3, 4], [1, 3, 5], p)[1]
        for p in (WEIGHTS, WEIGHTS._replace(W_c=WEIGHTS.W_c * 2))
    )
    assert np.array_equal(a[0], b[0])
    assert not np.allclose(a[1], b[1])


def test_a_local_window_leaves_the_rest_of_the_source_out():
    near = WEIGHTS._replace(scope="local-m", D=1)
    _, a = luong_by_loops([3, 4, 5, 3, 2], [1, 3, 5], near)
    assert (a > 0).astype(int).tolist() == [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0]]
    np.testing.assert_allclose(a.sum(1), 1)
