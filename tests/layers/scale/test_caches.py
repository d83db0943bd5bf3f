"""What a decoder keeps: a cache holds what came, in order; a ring the last of it."""

import numpy as np
import pytest
import torch

from attention_course.layers import KVCache, WindowCache
from attention_course.layers.transformer.cross_attention import extend
from attention_course.layers.transformer.transformer_block import TransformerBlock
from attention_course.models.language import LanguageModel, write
from attention_course.reference import kv_cache_bytes, scaled_dot_product_attention


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def filled(cache, k, v, pieces):
    at = 0
    for n in pieces:
        cache.append(k[:, :, at : at + n], v[:, :, at : at + n])
        at += n
    return cache


@pytest.mark.parametrize("pieces", [(11,), (1,) * 11, (4, 1, 6)])
def test_a_cache_holds_what_came_in_the_order_in_which_it_came(pieces):
    k, v = draw(2, 3, 11, 5), draw(2, 3, 11, 7, seed=1)
    cache = filled(KVCache(2, 3, 13, 5, 7, dtype=torch.float64), k, v, pieces)
    assert cache.length == 11
    assert torch.equal(cache.k, k)
    assert torch.equal(cache.v, v)


def test_a_cache_takes_its_memory_once_and_gives_views():
    cache = KVCache(2, 3, 13, 5, 7)
    before = cache.keys.data_ptr(), cache.values.data_ptr()
    cache.append(torch.ones(2, 3, 4, 5), torch.ones(2, 3, 4, 7))
    assert (cache.k.data_ptr(), cache.v.data_ptr()) == before
    assert cache.k.shape == (2, 3, 4, 5)


def test_a_cache_is_as_large_as_the_formula_says():
    cache = KVCache(1, 3, 13, 5, 7, dtype=torch.bfloat16)
    held = cache.keys.nbytes + cache.values.nbytes
    assert held == kv_cache_bytes(13, 1, 3, 5, 7, bytes_per_number=2)


@pytest.mark.parametrize("window", [1, 4, 6])
def test_a_ring_attends_as_a_mask_of_the_last_positions_would(window):
    k, v, q = draw(2, 3, 11, 5), draw(2, 3, 11, 7, seed=1), draw(2, 3, 11, 5, seed=2)
    ring = WindowCache(2, 3, window, 5, 7, dtype=torch.float64)
    here = np.arange(11)
    seen = (here[None] <= here[:, None]) & (here[None] > here[:, None] - window)
    wanted, _ = scaled_dot_product_attention(*(x.numpy() for x in (q, k, v)), seen)
    for t in range(11):
        ring.append(k[:, :, t : t + 1], v[:, :, t : t + 1])
        assert ring.k.shape[2] == min(t + 1, window)
        asked = (x.numpy() for x in (q[:, :, t : t + 1], ring.k, ring.v))
        got, _ = scaled_dot_product_attention(*asked)
        np.testing.assert_allclose(got, wanted[:, :, t : t + 1], atol=1e-12)
    assert ring.length == 11


@pytest.mark.parametrize("n", [0, 2, 3, 8])
def test_a_ring_refuses_what_it_could_not_show_to_each_query(n):
    ring = WindowCache(1, 1, 5, 2)
    ring.append(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2))
    with pytest.raises(
        ValueError, match=f"WindowCache: k must be an array with new = 1, got .* {n}, 2"
    ):
        ring.append(torch.zeros(1, 1, n, 2), torch.zeros(1, 1, n, 2))
    assert ring.length == 1
    assert ring.k.sum() == 2


BAD = [
    (lambda: KVCache(1, 2, 0, 4), "KVCache: room must be a positive whole number, got 0"),
    (
        lambda: WindowCache(1, True, 3, 4),
        "n_kv_heads must be a positive whole number, got True",
    ),
    (lambda: WindowCache(1, 2, -1, 4), "WindowCache: room must be a positive"),
]


@pytest.mark.parametrize(("make", "says"), BAD)
def test_a_cache_of_no_size_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize("kind", [KVCache, WindowCache])
@pytest.mark.parametrize(
    ("k", "v", "says"),
    [
        (torch.ones(1, 3, 1, 4), torch.ones(1, 2, 1, 4), "agree in the axis kv_heads"),
        (torch.ones(1, 2, 1, 5), torch.ones(1, 2, 1, 4), "k must be an array with d_k = 4"),
        (
            torch.ones(1, 2, 1, 4),
            torch.ones(1, 2, 1, 4).double(),
            "v must be in the cache's format, torch.float32",
        ),
        (torch.ones(1, 2, 2, 4), torch.ones(1, 2, 1, 4), "k and v must agree in the axis new"),
        (torch.ones(1, 2, 1, 4), None, "v must be"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_kept(kind, k, v, says):
    cache = kind(1, 2, 3, 4)
    with pytest.raises(ValueError, match=f"{kind.__name__}: .*{says}"):
        cache.append(k, v)
    assert cache.length == 0


def test_a_full_cache_says_how_much_it_holds():
    cache = KVCache(1, 2, 3, 4)
    with pytest.raises(ValueError, match="must fit into 3 positions, got 5"):
        cache.append(torch.ones(1, 2, 5, 4), torch.ones(1, 2, 5, 4))


def test_a_block_gives_the_same_with_joined_memory_and_with_a_cache():
    torch.manual_seed(0)
    block = TransformerBlock(6, 3, 8, norm_first=True).double()
    x, joined, cache = draw(2, 5, 6), None, KVCache(2, 3, 5, 2, dtype=torch.float64)
    with torch.no_grad():
        for i in range(5):
            a, joined, _ = block(x[:, i : i + 1], kept=joined)
            b, kept, _ = block(x[:, i : i + 1], kept=cache)
            assert kept is cache
            torch.testing.assert_close(a, b)
    torch.testing.assert_close(cache.k, joined.k)


def test_a_block_keeps_no_padding_in_a_cache():
    block, cache = TransformerBlock(6, 3, 8), KVCache(2, 3, 5, 2)
    with pytest.raises(ValueError, match="TransformerBlock: padding must be None"):
        block(torch.ones(2, 1, 6), padding=torch.ones(2, 1, dtype=torch.bool), kept=cache)


@pytest.mark.parametrize("positions", ["rotary", "learned", "alibi", "none"])
def test_a_model_writes_the_same_whatever_it_keeps(positions):
    rng = np.random.RandomState(3)
    model = LanguageModel(40, rng, 12, 3, 20, 2, positions=positions).double()
    texts = {
        keep: write(model, [3, 8, 5], 30, np.random.RandomState(1), keep, temperature=3.0)
        for keep in ("in place", "joined", "nothing")
    }
    assert len({tuple(text) for text in texts.values()}) == 1
    assert len(set(texts["nothing"])) > 8  # a text of one symbol would prove nothing


def test_the_logits_of_the_last_position_are_those_of_all():
    model = LanguageModel(40, np.random.RandomState(3), 12, 3, 20, 2).double()
    symbols = torch.tensor([[3, 8, 5, 6]])
    with torch.no_grad():
        every, last = model.step(symbols)[0], model.step(symbols, only_last=True)[0]
    assert last.shape == (1, 1, 40)
    torch.testing.assert_close(last[:, 0], every[:, -1])


@pytest.mark.parametrize(
    ("prompt", "keep", "temperature"),
    [([], "joined", 1.0), ([3], "all", 1.0), ([3], "joined", 0.0)],
)
def test_writing_refuses_what_it_cannot_do(prompt, keep, temperature):
    model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    with pytest.raises(ValueError, match="write: prompt must not be empty"):
        write(model, prompt, 2, np.random.RandomState(0), keep, temperature)


def test_joining_makes_new_memory_each_time():
    torch.manual_seed(0)
    block = TransformerBlock(6, 3, 8)
    one = block.attention.keys_and_values(torch.ones(1, 1, 6))
    both = extend(one, one)
    assert both.k.data_ptr() != one.k.data_ptr()
