"""Checks of softmax, its Jacobian and its entropy. Each takes an implementation."""

import math

import numpy as np
import torch
from checks import checks_of, close, draws, holds_for, keeps_the_dtype, matrices
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@holds_for(matrices())
def rows_sum_to_one(softmax, x):
    p = softmax(x)
    assert p.shape == x.shape
    assert np.all(p >= 0)
    close(p.sum(-1), np.ones(len(x)))


@holds_for(matrices())
def the_axis_is_the_one_named(softmax, x):
    close(softmax(x, axis=0), softmax(x.T).T)


@holds_for(matrices(limit=5.0))
def ratios_are_powers_of_e(softmax, x):
    p = softmax(x)
    for row, weights in zip(x, p, strict=True):
        for score, weight in zip(row, weights, strict=True):
            assert math.isclose(weight / weights[0], math.exp(score - row[0]), rel_tol=1e-9)


def a_large_score_does_not_overflow(softmax):
    with np.errstate(all="ignore"):
        close(softmax(np.array([1000.0, 1000.0, -1000.0])), [0.5, 0.5, 0.0])


def torch_agrees(softmax):
    x = draws(0, (2, 3, 5))[0] * 4
    for axis in (0, 1, 2, -1):
        close(softmax(x, axis=axis), torch.softmax(torch.from_numpy(x), axis).numpy())


@holds_for(matrices(), st.data())
def a_masked_entry_weighs_exactly_nothing(softmax, x, data):
    mask = data.draw(hnp.arrays(np.bool_, x.shape))
    assert np.all(softmax(x, mask=mask)[~mask] == 0)


@holds_for(matrices(), st.data())
def the_others_share_the_whole(softmax, x, data):
    """Masking is leaving out: the same as a softmax of the entries that are left."""
    mask = data.draw(hnp.arrays(np.bool_, x.shape))
    p = softmax(x, mask=mask)
    for row, weights, may in zip(x, p, mask, strict=True):
        if may.any():
            close(weights[may], softmax(row[may]))


def a_fully_masked_row_is_zeros(softmax):
    with np.errstate(all="ignore"):
        p = softmax(np.ones((2, 3)), mask=np.array([[True] * 3, [False] * 3]))
    close(p, [[1 / 3] * 3, [0.0] * 3])


def the_dtype_is_kept(softmax):
    keeps_the_dtype(softmax, np.zeros(3))
    keeps_the_dtype(softmax, np.zeros(3), mask=np.array([True, False, True]))


def the_input_is_left_alone(softmax):
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    softmax(x, mask=np.array([[True, False], [True, True]]))
    close(x, [[1.0, 2.0], [3.0, 4.0]], 0)


def _weights(limit: float = 30.0, columns=(1, 6)) -> st.SearchStrategy:
    return matrices(limit, columns=columns).map(
        lambda x: torch.softmax(torch.from_numpy(x), -1).numpy()
    )


@holds_for(_weights())
def jacobian_rows_sum_to_zero(jacobian, p):
    close(jacobian(p).sum(-1), np.zeros(p.shape))


@holds_for(_weights())
def jacobian_norm_stays_within_a_half(jacobian, p):
    assert np.linalg.norm(jacobian(p), ord=2, axis=(-2, -1)).max() <= 0.5 + 1e-12


def jacobian_equals_autograd(jacobian):
    x = draws(1, (5,))[0] * 2
    wanted = torch.autograd.functional.jacobian(
        lambda s: torch.softmax(s, 0), torch.from_numpy(x)
    )
    close(jacobian(torch.softmax(torch.from_numpy(x), 0).numpy()), wanted.numpy())


def jacobian_equals_finite_differences(jacobian):
    x, step = torch.from_numpy(draws(2, (4,))[0]), 1e-5
    columns = [
        (torch.softmax(x + step * e, 0) - torch.softmax(x - step * e, 0)) / (2 * step)
        for e in torch.eye(4, dtype=x.dtype)
    ]
    close(jacobian(torch.softmax(x, 0).numpy()), torch.stack(columns, -1).numpy(), 1e-9)


def jacobian_keeps_the_dtype(jacobian):
    keeps_the_dtype(jacobian, np.full(4, 0.25))


@holds_for(_weights())
def entropy_lies_between_zero_and_log_n(entropy, p):
    H = entropy(p)
    assert H.shape == p.shape[:-1]
    assert np.all(H >= 0)
    assert H.max() <= math.log(p.shape[-1]) + 1e-12


def entropy_of_one_choice_is_exactly_zero(entropy):
    with np.errstate(all="ignore"):
        H = np.asarray(entropy(np.array([0.0, 1.0, 0.0])))
    assert H == 0
    assert not np.signbit(H)


@holds_for(_weights(limit=5.0, columns=(2, 6)))
def entropy_equals_torch(entropy, p):
    wanted = torch.distributions.Categorical(torch.from_numpy(p)).entropy().numpy()
    close(entropy(p), wanted, 1e-9)


def entropy_keeps_the_dtype(entropy):
    keeps_the_dtype(entropy, np.full((2, 4), 0.25))


SOFTMAX = checks_of("softmax", globals())
JACOBIAN = checks_of("jacobian", globals())
ENTROPY = checks_of("entropy", globals())
