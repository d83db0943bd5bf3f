"""The LSTMN as loops: the LSTM inside it, wrong versions that must differ, bad input."""

import numpy as np
import pytest
import torch

from attention_course.reference import additive_scores, softmax
from attention_course.reference.recurrent.lstm import lstm_gates
from attention_course.reference.recurrent.lstmn import (
    LSTMNWeights,
    _example,
    lstmn_by_loops,
    lstmn_look,
    lstmn_step,
)

WEIGHTS = _example()
INPUTS = list(np.random.RandomState(7).standard_normal((6, 3)))


def reread(itself=False, asked="summary", cells="mixed", gates="summary", tapes="both", flat=0):
    """Compute the states again, by matrices, with one thing or another done wrongly."""
    p = WEIGHTS
    summary = cell = h = np.zeros(2)
    H, C = [], []
    for x in INPUTS:
        if H:
            seen_h = [*H, H[-1]] if itself else H
            seen_c = [*C, C[-1]] if itself else C
            memory = summary if asked == "summary" else H[-1]
            query = np.concatenate([x, memory])[None]
            W_q = np.vstack([p.W_x.T, p.W_summary.T])
            keys = np.stack(seen_c if tapes == "cells scored" else seen_h)
            scores = additive_scores(query, keys, W_q, p.W_h.T, p.v)
            s = np.full(len(keys), 1 / len(keys)) if flat else softmax(scores)[0]
            summary = s @ np.stack(seen_h)
            cell = s @ np.stack(seen_c) if cells == "mixed" else C[-1]
        h = summary if gates == "summary" or not H else H[-1]
        i, f, g, o = np.split(p.W @ np.concatenate([h, x]) + p.b, 4)
        sigmoid = [1 / (1 + np.exp(-gate)) for gate in (i, f, o)]
        C.append(sigmoid[1] * cell + sigmoid[0] * np.tanh(g))
        H.append(sigmoid[2] * np.tanh(C[-1]))
    return np.stack(H)


def test_the_loops_are_the_same_layer_written_with_matrices():
    assert np.abs(reread() - lstmn_by_loops(INPUTS, WEIGHTS)[0]).max() < 1e-12


@pytest.mark.parametrize(
    "wrong",
    [
        {"itself": True},
        {"asked": "last state"},
        {"cells": "last"},
        {"gates": "last state"},
        {"tapes": "cells scored"},
        {"flat": 1},
    ],
    ids=str,
)
def test_a_wrong_version_is_seen(wrong):
    assert np.abs(reread(**wrong) - lstmn_by_loops(INPUTS, WEIGHTS)[0]).max() > 1e-4


def test_the_weights_are_a_triangle_without_its_diagonal():
    _, s = lstmn_by_loops(INPUTS, WEIGHTS)
    assert np.array_equal(s, np.tril(s, -1))
    np.testing.assert_allclose(s.sum(axis=1), [0, 1, 1, 1, 1, 1], atol=1e-12)
    assert (s[np.tril_indices(6, -1)] > 0).all()


def test_an_input_changes_nothing_before_itself():
    changed = [*INPUTS[:3], INPUTS[3] + 1, *INPUTS[4:]]
    (a, s), (b, r) = (lstmn_by_loops(rows, WEIGHTS) for rows in (INPUTS, changed))
    assert np.array_equal(a[:3], b[:3])
    assert np.array_equal(s[:3], r[:3])
    assert (np.abs(a - b)[3:].max(axis=1) > 1e-6).all()


def test_both_tapes_are_mixed_with_one_set_of_weights():
    draw = np.random.RandomState(0).standard_normal
    H, C = list(draw((4, 2))), list(draw((4, 2)))
    h, c, s = lstmn_look(draw(3), draw(2), H, C, WEIGHTS)
    np.testing.assert_allclose(h, s @ np.stack(H), atol=1e-14)
    np.testing.assert_allclose(c, s @ np.stack(C), atol=1e-14)


def test_two_steps_are_those_of_torchs_lstm_whatever_the_scores_are():
    lstm = torch.nn.LSTM(3, 2, batch_first=True, dtype=torch.double)
    W = torch.from_numpy(WEIGHTS.W)
    arrays = W[:, 2:], W[:, :2], torch.from_numpy(WEIGHTS.b), torch.zeros(8).double()
    for parameter, array in zip(lstm.parameters(), arrays, strict=True):
        parameter.data = array
    with torch.no_grad():
        theirs = lstm(torch.from_numpy(np.stack(INPUTS))[None])[0][0].numpy()
    ours, _ = lstmn_by_loops(INPUTS, WEIGHTS)
    assert np.abs(ours[:2] - theirs[:2]).max() < 1e-12
    assert np.abs(ours[2:] - theirs[2:]).max() > 1e-3


def test_a_first_step_is_that_of_an_lstm_at_rest():
    x = np.ones(3)
    h, c, summary, s = lstmn_step(x, np.zeros(2), [], [], WEIGHTS)
    wanted = lstm_gates(WEIGHTS.W[:, 2:] @ x + WEIGHTS.b, np.zeros(2))
    np.testing.assert_allclose(np.array([h, c]), wanted, atol=1e-14)
    assert not summary.any()
    assert len(s) == 0
