"""The solutions about local, hard, recurrent and self-attention agree with the package."""

import numpy as np
import pytest

from attention_course.exercises import exercise_named, runner
from attention_course.reference.recurrent.gnmt import GNMTWeights, gnmt_step
from attention_course.reference.recurrent.hard import reinforce_gradients
from attention_course.reference.recurrent.local import local_weights_by_loops, predicted_centres
from attention_course.reference.recurrent.lstm import lstm_gates
from attention_course.reference.recurrent.lstmn import LSTMNWeights, lstmn_look
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.self_attention import self_attention_by_loops


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


@pytest.mark.parametrize(("n_rows", "n_keys", "n_samples"), [(3, 5, 11), (1, 2, 4), (4, 4, 4)])
def test_reinforce_agrees_with_the_mean_of_the_estimates_of_the_reference(
    n_rows, n_keys, n_samples
):
    rng = np.random.RandomState(n_samples)
    scores = rng.standard_normal((n_rows, n_keys))
    choices = rng.randint(n_keys, size=(n_rows, n_samples))
    rewards, baseline = rng.standard_normal((n_rows, n_samples)), rng.standard_normal(n_rows)
    gradients = _answer("reinforce-gradient")(scores, choices, rewards, baseline)
    for i in range(n_rows):
        each = reinforce_gradients(softmax(scores[i]), choices[i], rewards[i], baseline[i])
        np.testing.assert_allclose(gradients[i], each.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize(("past", "inputs", "d", "d_a"), [(5, 3, 2, 4), (0, 2, 3, 4), (4,) * 4])
def test_a_step_over_the_tape_agrees_with_the_loops_of_the_reference(past, inputs, d, d_a):
    draw = np.random.RandomState(past).standard_normal
    scoring = draw((d_a, d)), draw((d_a, inputs)), draw((d_a, d)), draw(d_a)
    weights = LSTMNWeights(*scoring, draw((4 * d, d + inputs)), draw(4 * d))
    x, summary, hidden, memory = draw(inputs), draw(d), draw((past, d)), draw((past, d))
    came = _answer("lstmn-step")(x, summary, hidden, memory, *weights)
    h_mix, c_mix, s = lstmn_look(x, summary, list(hidden), list(memory), weights)
    h, c = lstm_gates(weights.W @ np.concatenate([h_mix, x]) + weights.b, c_mix)
    for ours, theirs in zip(came, (h, c, h_mix, s), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("layers", [1, 2, 3, 6])
def test_a_column_of_gnmt_agrees_with_the_loops_of_the_reference(layers):
    draw = np.random.RandomState(layers).standard_normal
    d, d_s, d_a, source, symbols = 3, 4, 5, 6, 7
    W, b = draw((layers, 4 * d, 2 * d + d_s)), draw((layers, 4 * d))
    W_a, U_a, v_a = draw((d_a, d)), draw((d_a, d_s)), draw(d_a)
    split, none = d + d_s, np.zeros(4 * d)
    stack = [(W[n][:, :split], W[n][:, split:], b[n], none) for n in range(layers)]
    W_o, b_o = draw((symbols, d)), draw(symbols)
    unused = {"E_x": W_o, "E_y": W_o, "forward": None, "backward": None, "encoder": ()}
    weights = GNMTWeights(W_a=W_a, U_a=U_a, v_a=v_a, decoder=stack, W_o=W_o, b_o=b_o, **unused)
    y, m, c, annotations = draw(d), draw((layers, d)), draw((layers, d)), draw((source, d_s))
    logits, after, p = gnmt_step(y, list(zip(m, c, strict=True)), annotations, weights)
    output, new_m, new_c, came = _answer("gnmt-column")(
        y, m, c, annotations, W_a, U_a, v_a, W, b
    )
    np.testing.assert_allclose(W_o @ output + b_o, logits, atol=1e-12)
    np.testing.assert_allclose(new_m, [pair[0] for pair in after], atol=1e-12)
    np.testing.assert_allclose(new_c, [pair[1] for pair in after], atol=1e-12)
    np.testing.assert_allclose(came, p, atol=1e-12)
