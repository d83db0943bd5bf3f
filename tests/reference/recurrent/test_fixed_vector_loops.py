"""The GRU and the fixed-vector model as loops, against torch and against what must hold."""

import numpy as np
import pytest
import torch

from attention_course.reference import (
    decode_by_loops,
    encode_by_loops,
    gru_step,
    write_by_loops,
)

D, INPUTS, SYMBOLS = 3, 5, 7


def arrays(*shapes, seed=0):
    rng = np.random.RandomState(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def gru(seed=0):
    return arrays((3 * D, INPUTS), (3 * D, D), (3 * D,), (3 * D,), seed=seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_that_of_torch(seed):
    cell = torch.nn.GRUCell(INPUTS, D, dtype=torch.float64)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weights = gru(seed)
    cell.load_state_dict({n: torch.from_numpy(w) for n, w in zip(names, weights, strict=True)})
    x, h = arrays(INPUTS, D, seed=seed + 50)
    with torch.no_grad():
        theirs = cell(torch.from_numpy(x)[None], torch.from_numpy(h)[None])[0].numpy()
    assert np.abs(gru_step(x, h, *weights) - theirs).max() < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_its_formula_one_number_at_a_time(seed):
    W_x, W_h, b_x, b_h = gru(seed)
    x, h = arrays(INPUTS, D, seed=seed + 50)

    def part(k, i, with_reset=1.0):
        row = k * D + i
        from_x = sum(W_x[row, j] * x[j] for j in range(INPUTS)) + b_x[row]
        return from_x + with_reset * (sum(W_h[row, j] * h[j] for j in range(D)) + b_h[row])

    for i, ours in enumerate(gru_step(x, h, W_x, W_h, b_x, b_h)):
        r, z = (1 / (1 + np.exp(-part(k, i))) for k in (0, 1))
        assert abs(ours - (1 - z) * np.tanh(part(2, i, r)) - z * h[i]) < 1e-12


def test_an_open_update_gate_keeps_the_state():
    x, h = arrays(INPUTS, D)
    W_x, W_h, b_x, b_h = gru()
    b_x[D : 2 * D] = 1e3
    assert np.array_equal(gru_step(x, h, W_x, W_h, b_x, b_h), h)


def test_a_step_does_not_change_its_arguments():
    x, h = arrays(INPUTS, D)
    kept = h.copy()
    gru_step(x, h, *gru())
    assert np.array_equal(h, kept)


def test_the_vector_is_as_wide_for_a_long_sequence_as_for_a_short_one():
    (embedding,) = arrays((SYMBOLS, INPUTS))
    short = encode_by_loops([1], embedding, gru())
    long = encode_by_loops([1, 2, 3, 4, 5, 6] * 5, embedding, gru())
    assert short.shape == long.shape == (D,)


def test_the_order_of_the_symbols_matters():
    (embedding,) = arrays((SYMBOLS, INPUTS))
    there, back = (encode_by_loops(s, embedding, gru()) for s in ([1, 2, 3], [3, 2, 1]))
    assert np.abs(there - back).max() > 1e-3


def decoder(seed=3):
    embedding, W_out, b_out = arrays((SYMBOLS, INPUTS), (SYMBOLS, D), (SYMBOLS,), seed=seed)
    return embedding, gru(seed), W_out, b_out


def test_a_step_of_the_decoder_depends_on_the_vector_and_on_the_past_only():
    context, other = arrays(D, D)
    a = decode_by_loops(context, [1, 4, 5], *decoder())
    b = decode_by_loops(context, [1, 4, 6], *decoder())
    c = decode_by_loops(other, [1, 4, 5], *decoder())
    assert np.array_equal(a[:2], b[:2])
    assert np.abs(a[2] - b[2]).max() > 1e-3
    assert np.abs(a - c).min(axis=1).max() > 0


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_the_likeliest_symbol_of_every_step(seed):
    (context,) = arrays(D, seed=seed)
    embedding, cell, W_out, b_out = decoder(seed)
    written = write_by_loops(context, embedding, cell, W_out, b_out, longest=9)
    fed_in = [1, *written[:-1]]
    logits = decode_by_loops(context, fed_in, embedding, cell, W_out, b_out)
    assert written == logits.argmax(axis=1).tolist()
    assert written[-1] == 2 or len(written) == 9
    assert 2 not in written[:-1]


def test_writing_ends_with_the_end_mark_or_when_it_is_cut_off():
    (context,) = arrays(D)
    embedding, cell, W_out, b_out = decoder()
    never, at_once = b_out.copy(), b_out.copy()
    never[2], at_once[2] = -1e3, 1e3
    assert write_by_loops(context, embedding, cell, W_out, at_once) == [2]
    assert len(write_by_loops(context, embedding, cell, W_out, never, longest=7)) == 7
    assert len(write_by_loops(context, embedding, cell, W_out, at_once, end=0, longest=5)) == 5
