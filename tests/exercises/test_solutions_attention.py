"""The solutions about attention and heads equal the specification, on inputs of all shapes."""

import numpy as np
import pytest
import torch

from attention_course.exercises import exercise_named
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import load
from attention_course.layers.transformer import multi_head as layers
from attention_course.reference import (
    causal_mask,
    masked_attention_by_loops,
    multi_head_by_loops,
    padding_mask,
    scaled_dot_product_attention,
    window_mask,
)
from attention_course.widgets.sentence_player import translate as player

SLUGS = (
    "scaled-dot-product-attention",
    "multi-head-attention",
    "grouped-query-attention",
    "mask-of-a-batch",
    "window-mask",
    "repair-heads",
    "half-attention",
    "player-step",
)


def solution(slug):
    exercise = exercise_named(slug)
    return load(exercise.solution)[exercise.target]


def bottom_right(n_q, n_k):
    """Compare places one by one; the package's own mask knows no more queries than keys."""
    return np.array([[j - n_k <= i - n_q for j in range(n_k)] for i in range(n_q)])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("sizes", [(5, 7, 3, 4), (7, 5, 3, 2), (4, 4, 4, 4), (1, 6, 2, 3)])
def test_scaled_dot_product_attention_is_the_loop_over_fewer_keys(sizes, batch, causal):
    n_q, n_k, d_k, d_v = sizes
    rng = np.random.default_rng(sum(sizes))
    q, k, v = (rng.standard_normal((*batch, *s)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    mask = rng.random((*batch, n_q, n_k)) < 0.6
    mask[..., -1, :] = False
    came = solution("scaled-dot-product-attention")(q, k, v, mask, causal)
    seen = mask & bottom_right(n_q, n_k) if causal else mask
    for b in np.ndindex(*batch):
        wanted = masked_attention_by_loops(q[b], k[b], v[b], seen[b])
        for mine, theirs in zip(came, wanted, strict=True):
            np.testing.assert_allclose(mine[b], theirs, atol=1e-12)


@pytest.mark.parametrize("size", [1, 20, 100])
def test_attention_in_float16_is_the_reference_of_the_same_numbers(size):
    rng = np.random.default_rng(size)
    q, k, v = (rng.standard_normal(s).astype(np.float16) for s in ((5, 64), (7, 64), (7, 3)))
    q, k = np.float16(size) * q, np.float16(size) * k
    mask = rng.random((5, 7)) < 0.6
    mask[2] = False
    came = solution("half-attention")(q, k, v, mask)
    wanted, _ = scaled_dot_product_attention(*(x.astype(float) for x in (q, k, v)), mask)
    assert came.dtype == np.float16
    assert came[2].tolist() == [0.0] * 3
    np.testing.assert_allclose(came.astype(float), wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(("d_model", "n_heads"), [(12, 3), (9, 3), (5, 1), (4, 4)])
def test_multi_head_attention_is_the_package_layer_with_its_gradients(d_model, n_heads):
    torch.manual_seed(0)
    theirs = layers.MultiHeadAttention(d_model, n_heads).double()
    mine = solution("multi-head-attention")(d_model, n_heads).double()
    mine.load_state_dict(theirs.state_dict())
    x, y = (torch.randn(2, n, d_model).double().requires_grad_() for n in (5, 7))
    mask = torch.rand(2, 1, 5, 7) < 0.5
    mask[0, 0, 2] = False
    results = [module(x, y, mask) for module in (mine, theirs)]
    gradients = [
        torch.autograd.grad(
            output.square().sum() + weights.sin().sum(), [x, y, *module.parameters()]
        )
        for (output, weights), module in zip(results, (mine, theirs), strict=True)
    ]
    for a, b in zip(results[0] + gradients[0], results[1] + gradients[1], strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_groups", [1, 2, 3, 6])
def test_grouped_query_attention_is_torchs_own(n_groups):
    q, k, v = (
        torch.randn(2, *s).double() for s in ((6, 4, 3), (n_groups, 5, 3), (n_groups, 5, 7))
    )
    attend = torch.nn.functional.scaled_dot_product_attention
    wanted = attend(q, k, v, enable_gqa=True)
    context, weights = solution("grouped-query-attention")(q.numpy(), k.numpy(), v.numpy())
    np.testing.assert_allclose(context, wanted.numpy(), atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0)


@pytest.mark.parametrize("window", [None, 1, 2, 9])
@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (3, 7), (1, 4)])
def test_the_mask_of_a_batch_is_made_of_the_packages_three(n_q, n_k, window):
    lengths = np.array([n_k, 2, 0, 1])
    narrow = causal_mask(n_q, n_k) if window is None else window_mask(window, n_q, n_k)
    wanted = padding_mask(lengths, n_k)[:, None, None] & narrow
    came = solution("mask-of-a-batch")(lengths, n_q, n_k, window)
    np.testing.assert_array_equal(came, wanted)


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (3, 7), (1, 4)])
@pytest.mark.parametrize("first", [0, 2, 9])
def test_the_long_mask_is_a_window_and_the_first_tokens_of_the_causal_mask(n_q, n_k, first):
    wanted = window_mask(2, n_q, n_k)
    wanted[:, :first] |= causal_mask(n_q, n_k)[:, :first]
    np.testing.assert_array_equal(solution("window-mask")(n_q, n_k, 2, first), wanted)


@pytest.mark.parametrize("causal", [False, True])
def test_the_repaired_heads_are_the_loop_over_heads(causal):
    rng = np.random.default_rng(0)
    x, matrices = rng.standard_normal((5, 12)), rng.standard_normal((4, 12, 12))
    output, weights = solution("repair-heads")(x, *matrices, 3, causal)
    apart = [W.reshape(12, 3, 4).transpose(1, 0, 2) for W in matrices[:3]]
    mask = causal_mask(5) if causal else None
    wanted = multi_head_by_loops(x, x, *apart, matrices[3], mask)
    np.testing.assert_allclose(output, wanted[0], atol=1e-10)
    np.testing.assert_allclose(weights, wanted[1], atol=1e-10)


def test_the_heads_to_repair_run_and_have_every_shape_right():
    rng = np.random.default_rng(0)
    args = (rng.standard_normal((5, 12)), *rng.standard_normal((4, 12, 12)), 3, True)
    broken = load(exercise_named("repair-heads").stub)["repair_heads"](*args)
    right = solution("repair-heads")(*args)
    assert [x.shape for x in broken] == [x.shape for x in right]
    assert not np.allclose(broken[0], right[0])


PLAYED = {"moves": [], "forbidden": [], "uniform": False, "positions": True}
PLAYED |= {"silent": [], "blade": "zero"}


@pytest.mark.parametrize(
    "cuts",
    [{}, {"forbidden": [1, 3]}, {"moves": [(0, 2)], "forbidden": [2]}, {"silent": [0, 3]}],
    ids=str,
)
def test_the_players_step_is_what_the_player_computes(cuts):
    """Of its trained Transformer, without the biases, which the exercise does without."""
    loaded, cross = player.load("transformer"), "core.decoder.0.cross"
    none = {f"{cross}.W_{part}.bias": np.zeros(128) for part in "qo"}
    tokens = [loaded.french[word] for word in ("je", "vous", "aime", ".")]
    cuts = PLAYED | cuts
    model = player._Transformer(loaded.p | none, tokens, cuts)
    y = np.random.default_rng(0).standard_normal((1, 128))
    gaze = player._gaze(0, len(tokens), cuts)
    silent = tuple(cuts["silent"])
    found, weights, _ = model._look(cross, y, model.memories[0], gaze, silent, np.zeros(1))
    k, v = (x[None] for x in model.memories[0])
    W_q, W_o = (loaded.p[f"{cross}.W_{part}.weight"].T for part in "qo")
    mask = ~np.isin(np.arange(4), cuts["forbidden"])[None]
    moved = np.array([j for _, j in cuts["moves"]] or [-1])
    cut = np.isin(np.arange(player.HEADS), silent)
    mine = solution("player-step")(y, k, v, W_q, W_o, mask, moved, cut)
    np.testing.assert_allclose(mine[0], found, atol=1e-12)
    np.testing.assert_allclose(mine[1][0], weights[:, 0], atol=1e-12)


def test_the_players_step_is_the_loop_over_fewer_words():
    rng = np.random.default_rng(1)
    k, v = rng.standard_normal((3, 2, 5, 4)), rng.standard_normal((3, 2, 5, 6))
    x, W_q, W_o = (rng.standard_normal(s) for s in ((3, 7), (7, 8), (12, 7)))
    mask = np.arange(5) < np.array([5, 2, 0])[:, None]
    cuts = (mask, np.full(3, -1), np.zeros(2, dtype=bool))
    found, weights = solution("player-step")(x, k, v, W_q, W_o, *cuts)
    for b in range(3):
        q = (x[b] @ W_q).reshape(2, 1, 4)
        heads = [
            masked_attention_by_loops(q[h], k[b, h], v[b, h], mask[b : b + 1]) for h in range(2)
        ]
        np.testing.assert_allclose(weights[b], [seen[0] for _, seen in heads], atol=1e-12)
        joined = np.concatenate([context[0] for context, _ in heads])
        np.testing.assert_allclose(found[b], joined @ W_o, atol=1e-12)


def caught(exercise, source, seed):
    """Return whether a wrong answer fails with inputs that nobody has seen."""
    try:
        defined = load(source, exercise.forbidden)
    except RuntimeError:
        return True
    for probe in exercise.probes:
        calls = list(probe.calls(generator(str(seed), probe.name)))
        came = observe(exercise, probe, defined, calls)
        if judge(exercise, probe, right_outcome(exercise, probe, calls), came):
            return True
    return False


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("slug", SLUGS)
def test_wrong_answers_about_attention_fail_with_other_inputs_too(slug, seed):
    exercise = exercise_named(slug)
    missed = [
        w.name for w in exercise.wrong if not caught(exercise, exercise.source_of(w), seed)
    ]
    assert missed == []
    assert not caught(exercise, exercise.solution, seed)


def test_attention_and_heads_have_their_wrong_answers():
    two = [len(exercise_named(slug).wrong) for slug in SLUGS[:2]]
    assert two[0] >= 50
    assert two[1] >= 40
