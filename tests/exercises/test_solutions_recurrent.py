"""The solutions of the recurrent exercises agree with the course's loops and with torch."""

import numpy as np
import pytest
import torch

from attention_course.exercises import examine_source, exercise_named
from attention_course.exercises.runner import load
from attention_course.reference import cosine_scores, softmax
from attention_course.reference.recurrent.bahdanau import align_by_loops, gated_step
from attention_course.reference.recurrent.luong import attentional_vector, scores_by_loops
from attention_course.reference.recurrent.memory import tanh_recurrence


def solution_of(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


@pytest.fixture
def rng():
    return np.random.RandomState(3)


@pytest.mark.parametrize("sizes", [(2, 5, 3, 4, 6), (4, 4, 4, 4, 4)])
def test_additive_attention_is_the_alignment_by_loops_of_each_sentence(rng, sizes):
    batch, n_x, d_s, d_h, d_a = sizes
    draw = rng.standard_normal
    s, h = draw((batch, d_s)), draw((batch, n_x, d_h))
    W_a, U_a, v_a = draw((d_a, d_s)), draw((d_a, d_h)), draw(d_a)
    lengths = rng.randint(1, n_x + 1, batch)
    mask = np.arange(n_x) < lengths[:, None]
    context, weights = solution_of("additive-attention")(s, h, W_a, U_a, v_a, mask)
    for b, n in enumerate(lengths):
        c, alpha = align_by_loops(s[b], h[b, :n], W_a, U_a, v_a)
        np.testing.assert_allclose(context[b], c, atol=1e-12)
        np.testing.assert_allclose(weights[b, :n], alpha, atol=1e-12)
        assert not weights[b, n:].any()


@pytest.mark.parametrize("sizes", [(6, 3, 2, 4, 5), (4, 4, 4, 4, 4)])
def test_a_bahdanau_step_is_the_alignment_and_the_gated_unit_by_loops(rng, sizes):
    n_x, d, d_y, d_h, d_a = sizes
    draw = rng.standard_normal
    s, y, h = draw(d), draw(d_y), draw((n_x, d_h))
    look = draw((d_a, d)), draw((d_a, d_h)), draw(d_a)
    W, C, b, U = draw((3 * d, d_y)), draw((3 * d, d_h)), draw(3 * d), draw((3 * d, d))
    new, context, weights = solution_of("bahdanau-step")(s, y, h, *look, W, C, b, U)
    c, alpha = align_by_loops(s, h, *look)
    np.testing.assert_allclose(weights, alpha, atol=1e-12)
    np.testing.assert_allclose(context, c, atol=1e-12)
    np.testing.assert_allclose(new, gated_step(W @ y + C @ c + b, s, U), atol=1e-12)


@pytest.mark.parametrize("score", ["dot", "general", "concat", "location"])
@pytest.mark.parametrize("n_x", [2, 5, 7])
def test_luong_scores_are_those_of_the_loops(rng, score, n_x):
    d = 5
    draw = rng.standard_normal
    h_t, states = draw((3, d)), draw((3, n_x, d))
    arrays = {
        "dot": (),
        "general": (draw((d, d)),),
        "concat": (draw((4, 2 * d)), draw(4)),
        "location": (draw((5, d)),),
    }[score]
    came = solution_of("luong-scores")(h_t, states, score, *arrays)
    right = [scores_by_loops(h, s, score, *arrays) for h, s in zip(h_t, states, strict=True)]
    np.testing.assert_allclose(came, right, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_the_stable_softmax_is_the_courses_own(rng, axis):
    x = 900 * rng.standard_normal((3, 4, 5))
    mask = rng.random_sample((3, 4, 5)) < 0.5
    mask[0], mask[:, 1], mask[:, :, 2] = False, False, False
    came = solution_of("stable-softmax")(x, axis=axis, mask=mask)
    np.testing.assert_allclose(came, softmax(x, axis=axis, mask=mask), atol=1e-12)


def test_the_padded_encoder_is_torchs_network_on_packed_sentences(rng):
    draw, lengths = rng.standard_normal, np.array([5, 2, 3])
    x = draw((3, 5, 2))
    W_x, W_h, b = draw((4, 2)), draw((4, 4)), draw(4)
    cell = torch.nn.RNN(2, 4, batch_first=True).double()
    parameters = cell.weight_ih_l0, cell.weight_hh_l0, cell.bias_ih_l0, cell.bias_hh_l0
    with torch.no_grad():
        for parameter, array in zip(parameters, (W_x, W_h, b, 0 * b), strict=True):
            parameter.copy_(torch.from_numpy(array))
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            torch.from_numpy(x), torch.from_numpy(lengths), True, enforce_sorted=False
        )
        states, last = cell(packed)
        states, _ = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
    ours, ours_last = solution_of("encode-padded")(x, lengths, W_x, W_h, b)
    np.testing.assert_allclose(ours, states.numpy(), atol=1e-12)
    np.testing.assert_allclose(ours_last, last[0].numpy(), atol=1e-12)


@pytest.mark.parametrize("sizes", [(6, 2, 3), (4, 4, 4)])
def test_the_gradient_through_time_is_that_of_torch(rng, sizes):
    n, d_x, d = sizes
    draw = rng.standard_normal
    x, W, U = draw((n, d_x)), draw((d, d)), draw((d, d_x))
    norms, jacobian = solution_of("gradient-through-time")(x, W, U)
    states = tanh_recurrence(x, W, U)

    def last_of(h, t):
        for x_t in x[t + 1 :]:
            h = torch.tanh(torch.from_numpy(W) @ h + torch.from_numpy(U @ x_t))
        return h

    jacobians = [
        torch.autograd.functional.jacobian(
            lambda h, t=t: last_of(h, t) + 0 * h, torch.from_numpy(states[t])
        ).numpy()
        for t in range(n)
    ]
    np.testing.assert_allclose(jacobian, jacobians[0], atol=1e-12)
    np.testing.assert_allclose(norms, [np.linalg.norm(J, 2) for J in jacobians], atol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 3, 5, 4, 6, 7, 8), (3, 3, 3, 3, 3, 3, 3)])
def test_the_repaired_attention_is_the_alignment_by_loops_of_each_query(rng, sizes):
    batch, n_q, n_k, d_q, d_k, d_v, d_a = sizes
    draw = rng.standard_normal
    q, k, v = draw((batch, n_q, d_q)), draw((batch, n_k, d_k)), draw((batch, n_k, d_v))
    W_q, W_k, w_v = draw((d_q, d_a)), draw((d_k, d_a)), draw(d_a)
    mask = np.arange(n_k) < rng.randint(1, n_k + 1, batch)[:, None]
    context, weights = solution_of("repair-additive")(q, k, v, W_q, W_k, w_v, mask)
    for b, i in np.ndindex(batch, n_q):
        alpha = np.zeros(n_k)
        alpha[mask[b]] = align_by_loops(q[b, i], k[b, mask[b]], W_q.T, W_k.T, w_v)[1]
        np.testing.assert_allclose(weights[b, i], alpha, atol=1e-12)
        np.testing.assert_allclose(context[b, i], alpha @ v[b], atol=1e-12)


def test_the_four_steps_are_the_softmax_of_the_dot_products(rng):
    q, k, v = rng.standard_normal(3), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    weights, context = solution_of("four-steps")(q, k, v)
    np.testing.assert_allclose(weights, softmax(k @ q), atol=1e-12)
    np.testing.assert_allclose(context, softmax(k @ q) @ v, atol=1e-12)


@pytest.mark.parametrize("sizes", [(3, 6, 2, 4, 5), (4, 4, 4, 4, 4)])
def test_input_feeding_is_the_loops_one_step_after_the_other(rng, sizes):
    n_y, n_x, d_y, d, d_out = sizes
    draw = rng.standard_normal
    y, states, h = draw((n_y, d_y)), draw((n_x, d)), draw(d)
    W, U, W_c = draw((d, d_y + d_out)), draw((d, d)), draw((d_out, 2 * d))
    vectors, weights = solution_of("input-feeding")(y, states, h, W, U, W_c)
    fed = np.zeros(d_out)
    for t in range(n_y):
        h = np.tanh(W[:, :d_y] @ y[t] + W[:, d_y:] @ fed + U @ h)
        alpha = softmax(scores_by_loops(h, states, "dot"))
        fed = attentional_vector(alpha @ states, h, W_c)
        np.testing.assert_allclose(weights[t], alpha, atol=1e-12)
        np.testing.assert_allclose(vectors[t], fed, atol=1e-12)


def test_attention_by_direction_is_the_softmax_of_the_courses_cosines(rng):
    draw = rng.standard_normal
    q, k, v, beta = draw((3, 4)), draw((5, 4)), draw((5, 2)), rng.random_sample(3) + 1
    k[2] = 0
    context, weights = solution_of("cosine-attention")(q, k, v, beta)
    right = softmax(cosine_scores(q, k, beta))
    np.testing.assert_allclose(weights, right, atol=1e-12)
    np.testing.assert_allclose(context, right @ v, atol=1e-12)


def test_the_attention_to_be_repaired_runs_everywhere_with_the_right_shapes_and_earns_nothing():
    exercise = exercise_named("repair-additive")
    report = examine_source(exercise, "\n".join([*exercise.imports, exercise.stub]))
    assert report.points == 0
    for finding in report.findings:
        assert not finding.outcome.error
        assert "shape" not in finding.complaint
