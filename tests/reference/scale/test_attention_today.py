"""Latents, chosen blocks and mixed windows against loops over heads, queries and keys."""

import numpy as np
import pytest
from checks import close, draws

from attention_course import reference as right

HEADS, N_Q, N_K, D_K, D_R, R, D_V = 3, 5, 7, 4, 2, 6, 8


def latent_inputs(seed: int, batch: tuple[int, ...] = ()) -> list[np.ndarray]:
    """Queries, their turned part, latents, turned keys and the two stacks of matrices."""
    return draws(
        seed,
        (*batch, HEADS, N_Q, D_K),
        (*batch, HEADS, N_Q, D_R),
        (*batch, N_K, R),
        (*batch, N_K, D_R),
        (HEADS, R, D_K),
        (HEADS, R, D_V),
    )


def latent_by_loops(q, q_rotated, c, k_rotated, W_k, W_v, mask=None):
    """Make each key and value by itself, a head, a query and a key at a time."""
    contexts = np.zeros((HEADS, N_Q, D_V))
    weights = np.zeros((HEADS, N_Q, N_K))
    for h in range(HEADS):
        for i in range(N_Q):
            seen = [j for j in range(N_K) if mask is None or mask[i, j]]
            scores = [
                (q[h, i] @ (c[j] @ W_k[h]) + q_rotated[h, i] @ k_rotated[j])
                / (D_K + D_R) ** 0.5
                for j in seen
            ]
            exps = np.exp(scores)
            for j, share in zip(seen, exps / exps.sum(), strict=True):
                weights[h, i, j] = share
                contexts[h, i] += share * (c[j] @ W_v[h])
    return contexts, weights


def latents_are_loops(attend) -> None:
    for seed, mask in ((0, None), (1, right.causal_mask(N_Q, N_K))):
        inputs = latent_inputs(seed)
        for found, wanted in zip(
            attend(*inputs, mask), latent_by_loops(*inputs, mask), strict=True
        ):
            close(found, wanted, 1e-10)
    inputs = latent_inputs(2, (2,))
    for b in range(2):
        alone = [x[b] for x in inputs[:4]]
        close(attend(*inputs)[0][b], latent_by_loops(*alone, *inputs[4:])[0], 1e-10)


def sparse_inputs(seed: int, n_q: int, n_k: int, size: int) -> list[np.ndarray]:
    q, k, v, gates, pool = draws(
        seed, (2, n_q, 4), (2, n_k, 4), (2, n_k, 3), (2, n_q, 3), (size,)
    )
    return [q, k, v, gates, pool]


def sparse_by_loops(q, k, v, gates, pool, chosen, width):
    """Go through queries one by one; each collects its summaries, its blocks and its window."""
    size, past = len(pool), k.shape[-2] - q.shape[-2]
    found = np.zeros((*q.shape[:-1], v.shape[-1]))
    for b in range(len(q)):
        for row in range(q.shape[-2]):
            i = past + row
            earlier = range(i // size)
            cut = [slice(m * size, (m + 1) * size) for m in earlier]
            short_k = [pool @ k[b, part] for part in cut]
            short_v = [pool @ v[b, part] for part in cut]
            shares = one_query(q[b, row], short_k)
            order = sorted(earlier, key=lambda m: (-shares[m], m))
            blocks = {i // size, *order[: chosen - 1]}
            full = [j for j in range(i + 1) if j // size in blocks]
            near = [j for j in range(i + 1) if j > i - width]
            parts = [sum(s * x for s, x in zip(shares, short_v, strict=True))]
            for keys in (full, near):
                shares = one_query(q[b, row], [k[b, j] for j in keys])
                parts.append(sum(s * v[b, j] for s, j in zip(shares, keys, strict=True)))
            found[b, row] = sum(g * part for g, part in zip(gates[b, row], parts, strict=True))
    return found


def one_query(q, keys):
    exps = np.exp([q @ k / len(q) ** 0.5 for k in keys])
    return exps / exps.sum() if len(keys) else []


SPARSE = [
    (9, 14, 4, 2, 3),
    (11, 11, 3, 1, 5),
    (1, 13, 2, 3, 1),
    (7, 7, 9, 4, 2),
    (12, 12, 3, 9, 1),
]


def chosen_blocks_are_loops(attend) -> None:
    for n_q, n_k, size, chosen, width in SPARSE:
        inputs = sparse_inputs(n_k, n_q, n_k, size)
        found = attend(*inputs, chosen, width)
        close(found, sparse_by_loops(*inputs, chosen, width), 1e-10)


def caches_are_sums(count) -> None:
    for n in (1, 5, 9):
        for windows in ([4], [None], [4, None, 7], [2, 2, 2]):
            kept = 0
            for w in windows:
                for i in range(n):
                    kept += w is None or i >= n - w
            assert count(n, windows, 6, 2) == 12 * kept


def reach_is_followed(reach) -> None:
    for windows in ([3], [3, 2], [None, 2], [2, None], [2, 3, 4]):
        n = 9
        seen = [{i} for i in range(n)]
        for w in windows:
            low = [0 if w is None else max(0, i - w + 1) for i in range(n)]
            seen = [set().union(*seen[low[i] : i + 1]) for i in range(n)]
        wanted = [[j in seen[i] for j in range(n)] for i in range(n)]
        assert reach(n, windows).tolist() == wanted


CHECKS = {
    "latent_attention": latents_are_loops,
    "absorbed_latent_attention": latents_are_loops,
    "native_sparse_attention": chosen_blocks_are_loops,
    "stack_cache_bytes": caches_are_sums,
    "stack_reach": reach_is_followed,
}


@pytest.mark.parametrize("name", CHECKS)
def test_it_equals_its_loop(name):
    CHECKS[name](getattr(right, name))


def test_latents_are_attention_with_keys_of_two_parts():
    q, q_rotated, c, k_rotated, W_k, W_v = latent_inputs(3)
    k = np.concatenate([c @ W_k, np.repeat(k_rotated[None], HEADS, 0)], -1)
    whole = right.scaled_dot_product_attention(np.concatenate([q, q_rotated], -1), k, c @ W_v)
    for found, wanted in zip(
        right.absorbed_latent_attention(q, q_rotated, c, k_rotated, W_k, W_v),
        whole,
        strict=True,
    ):
        close(found, wanted, 1e-10)


def test_a_latent_as_wide_as_the_input_loses_nothing():
    """With c = x and nothing turned it is multi-head attention itself."""
    q, _, x, _, W_k, W_v = latent_inputs(4)
    none = np.zeros((HEADS, N_Q, D_R)), np.zeros((N_K, D_R))
    found, _ = right.latent_attention(q, none[0], x, none[1], W_k, W_v)
    scale = (D_K + D_R) ** -0.5
    wanted, _ = right.scaled_dot_product_attention(q, x @ W_k, x @ W_v, scale=scale)
    close(found, wanted)


def test_with_every_block_chosen_and_one_gate_open_it_is_full_attention():
    q, k, v, gates, pool = sparse_inputs(5, 10, 10, 3)
    gates[...] = [0.0, 1.0, 0.0]
    found = right.native_sparse_attention(q, k, v, gates, pool, chosen=4, width=1)
    close(found, right.scaled_dot_product_attention(q, k, v, right.causal_mask(10))[0])


def test_the_window_alone_is_a_sliding_window():
    q, k, v, gates, pool = sparse_inputs(6, 8, 10, 3)
    gates[...] = [0.0, 0.0, 1.0]
    found = right.native_sparse_attention(q, k, v, gates, pool, chosen=1, width=4)
    close(found, right.sliding_window_attention(q, k, v, 4))


def test_equal_weights_choose_the_earlier_block():
    weights = np.full((1, 4), 0.25)
    assert right.chosen_mask(weights, 2, 2, 7)[0].tolist() == [True] * 2 + [False] * 4 + [True]


def test_one_mask_for_all_layers_is_the_receptive_field():
    for layers in (1, 3):
        wanted = right.receptive_field(right.window_mask(3, 12), layers)
        np.testing.assert_array_equal(right.stack_reach(12, [3] * layers), wanted)


def scale_of_one_part(q, q_rotated, *rest):
    factor = ((D_K + D_R) / D_K) ** 0.5
    return right.latent_attention(factor * q, factor * q_rotated, *rest)


def turned_part_forgotten(q, q_rotated, *rest):
    return right.latent_attention(q, 0 * q_rotated, *rest)


def one_matrix_for_all_heads(q, q_rotated, c, k_rotated, W_k, W_v, mask=None):
    W_k = np.repeat(W_k[:1], HEADS, 0)
    return right.latent_attention(q, q_rotated, c, k_rotated, W_k, W_v, mask)


def values_left_in_the_latent(q, q_rotated, c, k_rotated, W_k, W_v, mask=None):
    _, weights = right.latent_attention(q, q_rotated, c, k_rotated, W_k, W_v, mask)
    return (weights @ c[..., None, :, :])[..., : W_v.shape[-1]], weights


def absorbed_into_the_wrong_side(q, q_rotated, c, k_rotated, W_k, W_v, mask=None):
    turned = np.linalg.qr(W_k)[0]
    return right.absorbed_latent_attention(q, q_rotated, c, k_rotated, turned, W_v, mask)


def mask_forgotten(q, q_rotated, c, k_rotated, W_k, W_v, mask=None):
    return right.absorbed_latent_attention(q, q_rotated, c, k_rotated, W_k, W_v)


def its_own_block_summed_too(q, k, v, gates, pool, chosen, width):
    found = right.native_sparse_attention(q, k, v, gates, pool, chosen, width)
    return found + 1e-3 * gates[..., :1]


def mean_in_the_place_of_the_pool(q, k, v, gates, pool, chosen, width):
    mean = np.full(len(pool), 1 / len(pool))
    return right.native_sparse_attention(q, k, v, gates, mean, chosen, width)


def one_block_too_many(q, k, v, gates, pool, chosen, width):
    return right.native_sparse_attention(q, k, v, gates, pool, chosen + 1, width)


def window_one_too_wide(q, k, v, gates, pool, chosen, width):
    return right.native_sparse_attention(q, k, v, gates, pool, chosen, width + 1)


def gates_that_sum_to_one(q, k, v, gates, pool, chosen, width):
    gates = right.softmax(gates, axis=-1)
    return right.native_sparse_attention(q, k, v, gates, pool, chosen, width)


def gates_in_another_order(q, k, v, gates, pool, chosen, width):
    return right.native_sparse_attention(q, k, v, gates[..., ::-1].copy(), pool, chosen, width)


def summaries_that_look_away(q, k, v, gates, pool, chosen, width):
    return right.native_sparse_attention(q, k, v, gates, -pool, chosen, width)


def queries_beside_the_first_keys(q, k, v, gates, pool, chosen, width):
    n = q.shape[-2]
    return right.native_sparse_attention(
        q, k[..., :n, :], v[..., :n, :], gates, pool, chosen, width
    )


def windows_that_never_end(n, windows, numbers, each=2):
    return right.stack_cache_bytes(n, [None] * len(windows), numbers, each)


def every_layer_like_the_first(n, windows, numbers, each=2):
    return right.stack_cache_bytes(n, [windows[0]] * len(windows), numbers, each)


def windows_that_are_always_full(n, windows, numbers, each=2):
    return numbers * each * sum(w or n for w in windows)


def the_widest_layer_alone(n, windows):
    return right.stack_reach(n, [None if None in windows else max(windows)])


def a_window_more_than_its_width(n, windows):
    return right.stack_reach(n, [w and w + 1 for w in windows])


WRONG = {
    "latent_attention": [
        scale_of_one_part,
        turned_part_forgotten,
        one_matrix_for_all_heads,
        values_left_in_the_latent,
        absorbed_into_the_wrong_side,
        mask_forgotten,
    ],
    "native_sparse_attention": [
        its_own_block_summed_too,
        mean_in_the_place_of_the_pool,
        one_block_too_many,
        window_one_too_wide,
        gates_that_sum_to_one,
        gates_in_another_order,
        summaries_that_look_away,
        queries_beside_the_first_keys,
    ],
    "stack_cache_bytes": [
        windows_that_never_end,
        every_layer_like_the_first,
        windows_that_are_always_full,
    ],
    "stack_reach": [the_widest_layer_alone, a_window_more_than_its_width],
}


@pytest.mark.parametrize(
    ("name", "wrong"), [(name, wrong) for name, row in WRONG.items() for wrong in row]
)
def test_a_wrong_version_is_caught(name, wrong):
    with pytest.raises(AssertionError):
        CHECKS[name](wrong)


@pytest.mark.parametrize(
    "windows", [[], [0], [2.5], [True], [None, -1], None, "ab"], ids=lambda w: repr(w)
)
def test_windows_that_are_none_are_refused(windows):
    for call in (
        lambda: right.stack_reach(4, windows),
        lambda: right.stack_cache_bytes(4, windows, 1),
    ):
        with pytest.raises(ValueError, match="windows must be a list of positive whole"):
            call()
