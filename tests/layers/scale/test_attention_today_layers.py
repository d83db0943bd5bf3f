"""Latent, chosen and windowed attention in torch: equal to the reference, and to a cache."""

import numpy as np
import pytest
import torch

from attention_course import layers, reference
from attention_course.layers import LatentAttention, NativeSparseAttention, WindowedAttention
from attention_course.layers.positions import RotaryPositions
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.models.language import LanguageModel, write


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed + sum(shape)).standard_normal(shape))


def same(ours, wanted) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), wanted, rtol=0, atol=1e-10)


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
    return attention.look(x, attention.keys_and_values(x), mask)[0]


def one_by_one(attention, x):
    """Read a position at a time and keep what is remembered in a cache."""
    cache, found = attention.new_cache(1, x.shape[1]), []
    for t in range(x.shape[1]):
        new = attention.keys_and_values(x[:, t : t + 1], start=t)
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
    wanted = plain.look(x, plain.keys_and_values(x), mask)[0]
    same(whole(attention, x), wanted.detach().numpy())


def test_no_position_sees_what_comes_later():
    for kind in ("latent", "sparse", "window"):
        attention, x = new(kind), draw(1, 11, 12)
        before = whole(attention, x)[:, :6]
        x[:, 6:] += 1
        same(whole(attention, x)[:, :6], before.detach().numpy())


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


def test_sparse_attention_takes_no_padding():
    attention = new("sparse")
    seen = attention.keys_and_values(draw(1, 4, 12), torch.ones(1, 4, dtype=torch.bool))
    with pytest.raises(ValueError, match="padding must be None"):
        attention.look(draw(1, 4, 12), seen)
