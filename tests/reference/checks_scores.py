"""Checks of the further score functions, each by loops over single numbers."""

import math

import numpy as np
from checks import checks_of, close, draws

# batch, queries, keys, query width, key width, hidden width
SIZES = ((2, 5, 3, 4, 6, 7), (3,) * 6)


def each(q, k, score):
    """Call ``score`` on every pair of a query and a key, one at a time."""
    return np.array(
        [
            [[score(i, q_i, k_j) for k_j in k[b]] for i, q_i in enumerate(q[b])]
            for b in range(len(q))
        ]
    )


def pair(seed, sizes, same_width=False):
    """Draw queries and keys."""
    batch, queries, keys, d_q, d_key, _ = sizes
    return draws(seed, (batch, queries, d_q), (batch, keys, d_q if same_width else d_key))


# General, concat, location.


def general_is_a_double_sum(general_scores):
    for sizes in SIZES:
        q, k = pair(0, sizes)
        (W,) = draws(1, (q.shape[-1], k.shape[-1]))

        def score(_, q_i, k_j, W=W):
            return math.fsum(
                q_i[a] * W[a, b] * k_j[b] for a in range(len(q_i)) for b in range(len(k_j))
            )

        close(general_scores(q, k, W), each(q, k, score))


def concat_is_a_network_on_the_joined_pair(concat_scores):
    for sizes in SIZES:
        q, k = pair(0, sizes)
        W, w_v = draws(1, (q.shape[-1] + k.shape[-1], sizes[-1]), (sizes[-1],))

        def score(_, q_i, k_j, W=W, w_v=w_v):
            joined = [*q_i, *k_j]
            hidden = [
                math.tanh(math.fsum(x * W[r, c] for r, x in enumerate(joined)))
                for c in range(len(w_v))
            ]
            return math.fsum(v * h for v, h in zip(w_v, hidden, strict=True))

        close(concat_scores(q, k, W, w_v), each(q, k, score))


def location_reads_one_column_a_place(location_scores):
    for sizes in SIZES:
        q, k = pair(0, sizes)
        (W,) = draws(1, (q.shape[-1], 9))
        wanted = np.stack([np.stack([q @ W[:, j] for j in range(k.shape[1])], -1)])[0]
        close(location_scores(q, k, W), wanted)


def places_beyond_the_last_column_weigh_nothing(location_scores):
    q, k = pair(0, SIZES[0])
    (W,) = draws(1, (q.shape[-1], 2))
    scores = location_scores(q, k, W)
    close(scores[..., :2], q @ W)
    assert np.isneginf(scores[..., 2:]).all()


# Cosine.


def cosine_is_the_dot_product_over_both_lengths(cosine_scores):
    for sizes in SIZES:
        q, k = pair(0, sizes, same_width=True)
        beta = 0.5 + np.arange(q[..., 0].size).reshape(q.shape[:-1])
        for strength in (2.5, beta):

            def score(i, q_i, k_j):
                products = math.fsum(a * b for a, b in zip(q_i, k_j, strict=True))
                return products / math.hypot(*q_i) / math.hypot(*k_j)

            close(
                cosine_scores(q, k, strength), each(q, k, score) * np.array(strength)[..., None]
            )


def nothing_has_no_direction(cosine_scores):
    q, k = pair(0, SIZES[0], same_width=True)
    k[:, 1] = 0.0
    assert np.all(cosine_scores(q, k)[..., 1] == 0)


# The kernel.


def _phi(x):
    return x + 1 if x > 0 else math.exp(x)


def the_kernel_is_a_sum_of_products_of_features(kernel_scores):
    for sizes in SIZES:
        q, k = pair(0, sizes, same_width=True)

        def score(_, q_i, k_j):
            return math.log(math.fsum(_phi(a) * _phi(b) for a, b in zip(q_i, k_j, strict=True)))

        close(kernel_scores(3 * q, k), each(3 * q, k, score))


def a_very_negative_feature_is_still_positive(kernel_scores):
    close(kernel_scores(np.full((1, 2), -60.0), np.zeros((1, 2))), [[math.log(2.0) - 60.0]])


def contexts_are_sums_over_pairs(kernel_attention):
    for sizes in SIZES:
        q, k = pair(0, sizes, same_width=True)
        (v,) = draws(2, (*k.shape[:-1], 8))
        products = each(
            q,
            k,
            lambda _, q_i, k_j: sum(_phi(a) * _phi(b) for a, b in zip(q_i, k_j, strict=True)),
        )
        weights = products / products.sum(-1, keepdims=True)
        close(kernel_attention(q, k, v), weights @ v)


GENERAL = checks_of("general_scores", globals())
CONCAT = checks_of("concat_scores", globals())
LOCATION = checks_of("location_scores", globals())
COSINE = checks_of("cosine_scores", globals())
KERNEL = checks_of("kernel_scores", globals())
LINEAR = checks_of("kernel_attention", globals())
