"""Latent, chosen and windowed attention in torch: equal to the reference, and to a cache."""

import numpy as np
import pytest
import torch

from attention_course import layers, reference
from attention_course.layers import LatentAttention, NativeSparseAttention, WindowedAttention
from attention_course.layers.positions import RotaryPositions
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.models.language import LanguageModel, write

HEADS, N_Q, N_K, D_K, D_R, R, D_V = 3, 5, 7, 4, 2, 6, 8


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed + sum(shape)).standard_normal(shape))


def arrays(*tensors: torch.Tensor) -> list[np.ndarray]:
    return [t.detach().numpy() for t in tensors]


def same(ours, wanted) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), wanted, rtol=0, atol=1e-10)


def latent_inputs() -> list[torch.Tensor]:
    queries = draw(2, HEADS, N_Q, D_K), draw(2, HEADS, N_Q, D_R)
    told = draw(2, N_K, R), draw(2, N_K, D_R)
    return [*queries, *told, draw(HEADS, R, D_K), draw(HEADS, R, D_V)]


@pytest.mark.parametrize("name", ["latent_attention", "absorbed_latent_attention"])
@pytest.mark.parametrize("causal", [False, True])
def test_latents(name, causal):
    inputs = latent_inputs()
    mask = reference.causal_mask(N_Q, N_K) if causal else None
    wanted = reference.latent_attention(*arrays(*inputs), mask)
    ours = getattr(layers, name)(*inputs, None if mask is None else torch.from_numpy(mask))
    for found, expected in zip(ours, wanted, strict=True):
        same(found, expected)


@pytest.mark.parametrize(
    ("n_q", "n_k", "size", "chosen", "width"),
    [(9, 14, 4, 2, 3), (11, 11, 3, 1, 5), (1, 13, 2, 3, 1), (7, 7, 9, 4, 2)],
)
def test_chosen_blocks(n_q, n_k, size, chosen, width):
    inputs = [draw(2, 3, n_q, 4), draw(2, 3, n_k, 4), draw(2, 3, n_k, 5), draw(2, 3, n_q, 3)]
    inputs.append(draw(size))
    found = layers.native_sparse_attention(*inputs, chosen, width)
    same(found, reference.native_sparse_attention(*arrays(*inputs), chosen, width))


def test_equal_weights_choose_the_earlier_block():
    weights = np.full((4, 3), 1 / 3)
    found = layers.chosen_mask(torch.from_numpy(weights), 2, 2, 6)
    assert found.tolist() == reference.chosen_mask(weights, 2, 2, 6).tolist()


def new(kind: str):
    torch.manual_seed(0)
    turn = RotaryPositions()
    made = {
        "latent": lambda: LatentAttention(12, 3, 6, 2, turn),
        "sparse": lambda: NativeSparseAttention(12, 3, 3, 2, 2, turn),
        "window": lambda: WindowedAttention(12, 3, 4, turn),
    }
    return made[kind]().double()


def whole(attention, x):
    n = x.shape[1]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    return attention.look(x, attention.remember(x), mask)[0]


def one_by_one(attention, x):
    """Read a position at a time and keep what is remembered in a cache."""
    cache, found = attention.new_cache(1, x.shape[1]), []
    for t in range(x.shape[1]):
        new = attention.remember(x[:, t : t + 1], start=t)
        cache.append(new.k, new.v)
        found.append(attention.look(x[:, t : t + 1], cache, start=t)[0])
    return torch.cat(found, 1)


@pytest.mark.parametrize("kind", ["latent", "sparse", "window"])
def test_a_cache_gives_what_the_whole_text_gives(kind):
    attention, x = new(kind), draw(1, 11, 12)
    same(one_by_one(attention, x), whole(attention, x).detach().numpy())


def test_a_layer_of_latents_absorbed_or_not():
    attention, x = new("latent"), draw(1, 11, 12)
    expanded = whole(attention, x)
    attention.absorbed = True
    same(whole(attention, x), expanded.detach().numpy())


def test_a_cache_of_latents_holds_so_many_numbers():
    cache = new("latent").new_cache(1, 10)
    assert cache.keys.numel() + cache.values.numel() == 10 * (6 + 2)


def test_a_window_is_a_mask():
    attention, x = new("window"), draw(1, 9, 12)
    plain = BlockAttention(12, 3, False, RotaryPositions()).double()
    plain.load_state_dict(attention.state_dict())
    mask = torch.from_numpy(reference.window_mask(4, 9))
    wanted = plain.look(x, plain.remember(x), mask)[0]
    same(whole(attention, x), wanted.detach().numpy())


def test_no_position_sees_what_comes_later():
    for kind in ("latent", "sparse", "window"):
        attention, x = new(kind), draw(1, 11, 12)
        before = whole(attention, x)[:, :6]
        x[:, 6:] += 1
        same(whole(attention, x)[:, :6], before.detach().numpy())


def turned_twice(attention, x):
    attention.positions.turn = lambda x, start=0: RotaryPositions.turn(
        attention.positions, x, 2 * start
    )
    return one_by_one(attention, x)


def padding_seen(attention, x):
    cache = attention.new_cache(1, 2 * x.shape[1])
    cache.append(*attention.remember(x)[:2])
    cache.append(*attention.remember(x)[:2])
    return attention.look(x, cache, start=0)[0]


@pytest.mark.parametrize("wrong", [turned_twice, padding_seen])
def test_a_wrong_cache_is_caught(wrong):
    attention, x = new("latent"), draw(1, 11, 12)
    wanted = whole(attention, x).detach().numpy()
    with pytest.raises(AssertionError):
        same(wrong(attention, x), wanted)


def test_a_language_model_writes_the_same_with_latents_kept():
    model = LanguageModel(9, np.random.RandomState(0), 12, 3, 16, 2)
    for block in model.blocks:
        block.attention = LatentAttention(12, 3, 6, 2, model.positions)
    model.double()
    texts = {
        tuple(write(model, [3, 1, 4], 20, np.random.RandomState(1), keep))
        for keep in ("in place", "joined", "nothing")
    }
    assert len(texts) == 1


X = torch.ones(2, 5, 4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: LatentAttention(6, 3, 0, 2),
            "LatentAttention: r must be a positive whole number",
        ),
        (lambda: WindowedAttention(6, 3, 0), "WindowedAttention: width must be a positive"),
        (
            lambda: NativeSparseAttention(6, 3, 2, 0, 2),
            "NativeSparseAttention: chosen must be a positive",
        ),
        (
            lambda: layers.native_sparse_attention(X, X, X, X[..., :2], torch.ones(2), 1, 1),
            r"native_sparse_attention: gates must be an array with ways = 3",
        ),
        (
            lambda: layers.native_sparse_attention(X, X, X, X[..., :3], torch.ones(0), 1, 1),
            "native_sparse_attention: pool must be an array with",
        ),
        (
            lambda: layers.native_sparse_attention(
                X, X[:, :3], X[:, :3], X[..., :3], torch.ones(2), 1, 1
            ),
            "native_sparse_attention: k must be at least as many keys as queries",
        ),
        (
            lambda: layers.latent_attention(
                *latent_inputs()[:4], torch.ones(HEADS, R + 1, D_K), torch.ones(HEADS, R, D_V)
            ),
            r"latent_attention: c and W_k must agree in the axis r",
        ),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_sparse_attention_takes_no_padding():
    attention = new("sparse")
    seen = attention.remember(draw(1, 4, 12), torch.ones(1, 4, dtype=torch.bool))
    with pytest.raises(ValueError, match="padding must be None"):
        attention.look(draw(1, 4, 12), seen)
