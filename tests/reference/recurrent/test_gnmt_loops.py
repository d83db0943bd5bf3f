"""GNMT as loops: a second way to write it, wrong wirings that must differ, bad input."""

import numpy as np
import pytest
import torch

from attention_course.reference import additive_scores, softmax
from attention_course.reference.recurrent.gnmt import (
    _example,
    gnmt_by_loops,
    gnmt_encode_by_loops,
    gnmt_step,
    run_by_loops,
)

SOURCE, FED = [0, 2, 1, 1], [1, 3, 0]
WEIGHTS = _example()


def torch_lstm(arrays):
    """Return a function that runs torch's own LSTM with these arrays."""
    W_x, W_h, _, _ = arrays
    lstm = torch.nn.LSTM(W_x.shape[1], W_h.shape[1], batch_first=True, dtype=torch.double)
    for parameter, array in zip(lstm.parameters(), arrays, strict=True):
        parameter.data = torch.from_numpy(array)

    def run(rows):
        with torch.no_grad():
            return lstm(torch.from_numpy(np.stack(rows))[None])[0][0].numpy()

    return run


def wired(
    p=WEIGHTS,
    asks=0,
    hears=range(9),
    first=3,
    now=False,
    top="x",
    added="x",
    turned=True,
    bottom="both",
):
    """Compute the logits again, by matrices, with one thing or another wired wrongly."""
    embedded = [p.E_x[token] for token in SOURCE]
    ahead = torch_lstm(p.forward)(embedded)
    back = torch_lstm(p.backward)(embedded[::-1] if bottom == "both" else embedded)
    x = np.hstack([ahead, back[::-1] if turned and bottom == "both" else back])
    for layer, lstm in enumerate(p.encoder, start=2):
        m = torch_lstm(lstm)(x)
        x = m + x if layer >= max(first, 3) else m
    keys, d = x, p.W_o.shape[1]
    state, logits = [(np.zeros(d), np.zeros(d))] * len(p.decoder), []
    for token in FED:

        def context(query):
            scores = additive_scores(query[None], keys, p.W_a.T, p.U_a.T, p.v_a)
            return softmax(scores)[0] @ keys

        a, x, below, after = context(state[asks][0]), p.E_y[token], None, []
        for layer, lstm in enumerate(p.decoder):
            heard = a if layer in hears else np.zeros(d)
            W_x, W_h, b_x, b_h = lstm
            drive = W_x @ np.concatenate([x, heard]) + b_x + W_h @ state[layer][0] + b_h
            i, f, g, o = np.split(drive, 4)
            sigmoid = [1 / (1 + np.exp(-gate)) for gate in (i, f, o)]
            c = sigmoid[1] * state[layer][1] + sigmoid[0] * np.tanh(g)
            m = sigmoid[2] * np.tanh(c)
            after.append((m, c))
            x, below = (m + (x if added == "x" else below) if layer + 1 >= first else m), m
            if now and layer == 0:
                a = context(m)
        state = after
        logits.append(p.W_o @ (x if top == "x" else m) + p.b_o)
    return np.stack(logits)


def test_the_loops_are_the_same_model_written_with_matrices():
    logits, _ = gnmt_by_loops(SOURCE, FED, WEIGHTS)
    assert np.abs(wired() - logits).max() < 1e-10


@pytest.mark.parametrize(
    "wrong",
    [
        {"asks": 2},
        {"asks": 1},
        {"now": True},
        {"hears": (0,)},
        {"hears": (1, 2)},
        {"hears": (0, 2)},
        {"first": 2},
        {"first": 9},
        {"top": "m"},
        {"added": "m", "p": WEIGHTS._replace(decoder=(*WEIGHTS.decoder, WEIGHTS.decoder[1]))},
        {"turned": False},
        {"bottom": "twice forward"},
    ],
    ids=str,
)
def test_a_wrong_wiring_is_seen(wrong):
    right, _ = gnmt_by_loops(SOURCE, FED, wrong.get("p", WEIGHTS))
    assert np.abs(wired(**wrong) - right).max() > 1e-4


def test_one_layer_is_torchs_lstm():
    rows = list(np.random.RandomState(0).standard_normal((5, 4)))
    ours = run_by_loops(rows, WEIGHTS.encoder[0])
    assert np.abs(np.stack(ours) - torch_lstm(WEIGHTS.encoder[0])(rows)).max() < 1e-12


def test_silent_layers_let_their_input_through():
    def silent(lstm):
        return tuple(np.zeros_like(array) for array in lstm)

    first, second = WEIGHTS.encoder
    quiet = WEIGHTS._replace(encoder=(first, silent(second), silent(second)))
    short = WEIGHTS._replace(encoder=(first,))
    assert np.array_equal(
        gnmt_encode_by_loops(SOURCE, quiet), gnmt_encode_by_loops(SOURCE, short)
    )
    plain = quiet._replace(residual=False)
    assert np.array_equal(gnmt_encode_by_loops(SOURCE, plain), np.zeros((4, 2)))


def test_the_bottom_of_the_encoder_reads_both_ways_and_the_rest_does_not():
    last = [*SOURCE[:-1], 0]
    assert (
        np.abs(gnmt_encode_by_loops(SOURCE, WEIGHTS) - gnmt_encode_by_loops(last, WEIGHTS))[
            0
        ].max()
        > 1e-6
    )
    deaf = WEIGHTS._replace(backward=tuple(np.zeros_like(a) for a in WEIGHTS.backward))
    ahead, other = gnmt_encode_by_loops(SOURCE, deaf), gnmt_encode_by_loops(last, deaf)
    assert np.array_equal(ahead[:-1], other[:-1])


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_each_decoder_layer_hears_the_context_by_itself(kept):
    decoder = []
    for layer, (W_x, *others) in enumerate(WEIGHTS.decoder):
        cut = W_x.copy()
        cut[:, -2:] *= layer == kept
        decoder.append((cut, *others))
    p = WEIGHTS._replace(decoder=decoder)
    h, start = gnmt_encode_by_loops(SOURCE, p), [(np.zeros(2), np.zeros(2))] * 3
    a, b = (gnmt_step(p.E_y[1], start, keys, p)[0] for keys in (h, h + 1))
    assert np.abs(a - b).max() > 1e-4


def test_the_query_is_the_bottom_layers_old_output_and_no_other():
    p = WEIGHTS
    h, draw = gnmt_encode_by_loops(SOURCE, p), np.random.RandomState(1).standard_normal
    states = [(draw(2), draw(2)) for _ in range(3)]
    usual = gnmt_step(p.E_y[1], states, h, p)[2]
    for layer, part in [(0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]:
        pair = (draw(2), states[layer][1]) if part == 0 else (states[layer][0], draw(2))
        other = [*states[:layer], pair, *states[layer + 1 :]]
        assert np.array_equal(gnmt_step(p.E_y[1], other, h, p)[2], usual)
    other = [(draw(2), states[0][1]), *states[1:]]
    assert np.abs(gnmt_step(p.E_y[1], other, h, p)[2] - usual).max() > 1e-4
    assert np.array_equal(gnmt_step(p.E_y[2], states, h, p)[2], usual)
