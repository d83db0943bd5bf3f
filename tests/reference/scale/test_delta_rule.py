"""The gated delta rule against sums written out, its chunks, and what has to hold of it."""

import numpy as np
import pytest
from checks import close, draws

from attention_course import reference as right

N, D_K, D_V = 11, 4, 3


def inputs(seed: int, batch: tuple[int, ...] = (2,), n: int = N) -> list[np.ndarray]:
    q, k, v, beta, decay = draws(
        seed, (*batch, n, D_K), (*batch, n, D_K), (*batch, n, D_V), (*batch, n), (*batch, n)
    )
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return [q, k, v, 1 / (1 + np.exp(-beta)), 1 / (1 + np.exp(-decay - 1))]


def by_loops(q, k, v, beta, decay, erase=True):
    """Go through rows and steps one by one, with S as a table of plain numbers."""
    found = np.zeros((*q.shape[:-1], v.shape[-1]))
    for b in range(len(q)):
        S = [[0.0] * v.shape[-1] for _ in range(q.shape[-1])]
        for t in range(q.shape[-2]):
            for j in range(v.shape[-1]):
                past = [decay[b, t] * S[i][j] for i in range(q.shape[-1])]
                held = sum(k[b, t, i] * past[i] for i in range(q.shape[-1])) if erase else 0.0
                for i in range(q.shape[-1]):
                    write = beta[b, t] * k[b, t, i] * (v[b, t, j] - held)
                    S[i][j] = past[i] + write
                    found[b, t, j] += q[b, t, i] * S[i][j]
    return found


def is_the_loops(rule) -> None:
    for seed, erase in ((0, True), (1, False)):
        given = inputs(seed)
        close(rule(*given, erase), by_loops(*given, erase), 1e-10)
    given = inputs(2, (2, 3))
    alone = [x[1, 2][None] for x in given]
    close(rule(*given)[1, 2], by_loops(*alone)[0], 1e-10)


def chunks_of(size):
    return lambda *given: right.gated_delta_in_chunks(*given, size=size)


def test_a_step_at_a_time():
    is_the_loops(right.gated_delta_rule)


@pytest.mark.parametrize("size", [1, 3, 4, N, 32])
def test_chunks_are_the_recurrence(size):
    is_the_loops(chunks_of(size))


def test_a_long_text_is_the_recurrence_too():
    given = inputs(3, (), 300)
    close(right.gated_delta_in_chunks(*given), right.gated_delta_rule(*given), 1e-10)


def test_a_write_with_beta_one_replaces_what_its_key_held():
    _, k, v, _, _ = inputs(4)
    k[:, -1] = k[:, 2]  # the same key comes again
    one = np.ones(k.shape[:-1])
    found = right.gated_delta_rule(k, k, v, one, one)
    close(found[:, -1], v[:, -1], 1e-12)
    added = right.gated_delta_rule(k, k, v, one, one, erase=False)
    assert np.abs(added[:, -1] - v[:, -1]).max() > 0.1


def test_without_erasing_it_is_causal_attention_without_a_softmax():
    q, k, v, beta, _ = inputs(5)
    scores = np.tril(q @ np.swapaxes(k, -1, -2))
    wanted = scores @ (beta[..., None] * v)
    close(right.gated_delta_rule(q, k, v, beta, np.ones_like(beta), False), wanted, 1e-10)


def test_orthogonal_keys_need_no_erasing():
    v, k = inputs(6, (), D_K)[2], np.eye(D_K)
    one = np.ones(D_K)
    given = k, k, v, one, one
    close(right.gated_delta_rule(*given), right.gated_delta_rule(*given, False), 1e-12)


def erased_before_the_decay(q, k, v, beta, decay, erase=True):
    """The value is compared with what was held before anything was forgotten."""
    S = np.zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]))
    found = []
    for t in range(q.shape[-2]):
        held = k[..., t, None, :] @ S if erase else 0.0
        S = decay[..., t, None, None] * S
        new = v[..., t, None, :] - held
        S = S + beta[..., t, None, None] * k[..., t, :, None] * new
        found.append(q[..., t, None, :] @ S)
    return np.concatenate(found, axis=-2)


def read_before_the_write(q, k, v, beta, decay, erase=True):
    found = right.gated_delta_rule(q, k, v, beta, decay, erase)
    own = beta * (q * k).sum(-1)
    return found - own[..., None] * v


def beta_on_the_value_alone(q, k, v, beta, decay, erase=True):
    S = np.zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]))
    found = []
    for t in range(q.shape[-2]):
        S = decay[..., t, None, None] * S
        held = k[..., t, None, :] @ S if erase else 0.0
        new = beta[..., t, None, None] * v[..., t, None, :] - held
        S = S + k[..., t, :, None] * new
        found.append(q[..., t, None, :] @ S)
    return np.concatenate(found, axis=-2)


def always_erased(q, k, v, beta, decay, erase=True):
    return right.gated_delta_rule(q, k, v, beta, decay, True)


def each_chunk_begins_anew(q, k, v, beta, decay, erase=True):
    pieces = [
        right.gated_delta_rule(*(x[:, i : i + 4] for x in (q, k, v, beta, decay)), erase)
        for i in range(0, q.shape[-2], 4)
    ]
    return np.concatenate(pieces, axis=1)


@pytest.mark.parametrize(
    "wrong",
    [
        erased_before_the_decay,
        read_before_the_write,
        beta_on_the_value_alone,
        always_erased,
        each_chunk_begins_anew,
    ],
)
def test_a_wrong_rule_is_caught(wrong):
    with pytest.raises(AssertionError):
        is_the_loops(wrong)


@pytest.mark.parametrize("bad", [0.0, 1.5, np.nan])
def test_a_decay_is_above_zero_and_at_most_one(bad):
    given = inputs(7)
    given[-1][0, 3] = bad
    for rule in (right.gated_delta_rule, right.gated_delta_in_chunks):
        with pytest.raises(ValueError, match="decay must be above 0 and at most 1"):
            rule(*given)


def test_a_norm_of_the_root_mean_square():
    x, gain = draws(8, (2, 5, 6), (6,))
    found = right.rms_norm(x, gain)
    for row, told in zip(x.reshape(-1, 6), found.reshape(-1, 6), strict=True):
        close(told, gain * row / (sum(a * a for a in row) / 6 + 1e-6) ** 0.5, 1e-12)
    assert np.abs(right.rms_norm(x - x.mean(-1, keepdims=True), gain) - found).max() > 0.01


def test_a_cap_keeps_order_and_small_scores():
    x = np.sort(draws(9, (40,))[0]) * 3
    found = right.soft_cap(x, 5.0)
    close(found, [5 * (1 - 2 / (np.exp(2 * a / 5) + 1)) for a in x], 1e-12)
    assert np.all(np.diff(found) > 0)
    assert np.abs(found).max() < 5
    close(right.soft_cap(0.01 * x, 50.0), 0.01 * x, 1e-7)
