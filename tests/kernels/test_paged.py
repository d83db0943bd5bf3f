"""A cache in pages: attention is that of a cache in one piece, and no block is lost."""

import numpy as np
import pytest
import torch

from attention_course.kernels.paged import BlockAllocator, PagedCache, paged_attention
from attention_course.reference import scaled_dot_product_attention


def draw(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def new(n_blocks=12, block_size=4):
    return PagedCache(n_blocks, block_size, 2, 5, 3, dtype=torch.float64)


def attend_in_one_piece(q, k, v):
    k, v = (np.repeat(x.numpy(), len(q) // 2, axis=0) for x in (k, v))
    return scaled_dot_product_attention(q.numpy(), k, v)[0]


def consistent(cache):
    """Each block is used as often as tables name it, and the others are free."""
    named = np.bincount(
        [b for table in cache.tables.values() for b in table], minlength=len(cache.blocks.users)
    )
    assert named.tolist() == cache.blocks.users
    assert cache.blocks.n_free == (named == 0).sum()
    assert {*cache.blocks._free} == {*np.flatnonzero(named == 0).tolist()}
    for text, table in cache.tables.items():
        assert len(table) == -(-cache.lengths[text] // cache.block_size)


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("heads", [2, 6])
def test_attention_through_the_table_is_that_over_one_piece(n, heads):
    cache, k, v = new(), draw(2, n, 5), draw(2, n, 3, seed=1)
    other = cache.start()
    text = cache.start()
    for t in range(n):  # two texts in turn: their blocks lie between one another
        cache.append(text, k[:, t : t + 1], v[:, t : t + 1])
        cache.append(other, -k[:, t : t + 1], -v[:, t : t + 1])
    q = draw(heads, 1, 5, seed=2)
    np.testing.assert_allclose(
        paged_attention(q, cache, text), attend_in_one_piece(q, k, v), atol=1e-12
    )
    np.testing.assert_allclose(
        paged_attention(q, cache, other), attend_in_one_piece(q, -k, -v), atol=1e-12
    )
    consistent(cache)


@pytest.mark.parametrize("shared", [3, 4, 6, 8])
def test_texts_that_share_a_beginning_go_on_apart(shared):
    cache = new()
    k, v = draw(2, shared, 5), draw(2, shared, 3, seed=1)
    first = cache.start()
    cache.append(first, k, v)
    before = cache.taken
    second = cache.fork(first)
    assert cache.taken == before  # nothing is copied yet
    tails = [(draw(2, 3, 5, seed=s), draw(2, 3, 3, seed=s + 9)) for s in (3, 4)]
    for text, tail in zip((first, second), tails, strict=True):
        cache.append(text, *tail)
        consistent(cache)
    q = draw(4, 1, 5, seed=2)
    for text, tail in zip((first, second), tails, strict=True):
        wanted = attend_in_one_piece(q, torch.cat([k, tail[0]], 1), torch.cat([v, tail[1]], 1))
        np.testing.assert_allclose(paged_attention(q, cache, text), wanted, atol=1e-12)
    whole = shared // 4  # blocks that stay shared
    assert cache.tables[first][:whole] == cache.tables[second][:whole]
    assert not {*cache.tables[first][whole:]} & {*cache.tables[second][whole:]}


def test_a_freed_text_gives_back_what_nobody_else_reads():
    cache = new()
    first = cache.start()
    cache.append(first, draw(2, 6, 5), draw(2, 6, 3))
    second = cache.fork(first)
    cache.append(second, draw(2, 3, 5), draw(2, 3, 3))
    cache.free(first)
    consistent(cache)
    assert cache.taken == 12
    cache.free(second)
    consistent(cache)
    assert cache.taken == 0


def test_any_story_of_texts_loses_no_block():
    rng, cache = np.random.RandomState(0), new(40, 3)
    pieces = {}
    for _ in range(300):
        what, known = rng.randint(4), [*cache.tables]
        text = known[rng.randint(len(known))] if known else None
        if text is None or (what == 0 and len(known) < 5):
            pieces[cache.start()] = []
        elif what == 1 and len(known) < 5:
            pieces[cache.fork(text)] = [*pieces[text]]
        elif what == 2 and len(known) > 1 and rng.rand() < 0.5:
            cache.free(text)
            del pieces[text]
        elif cache.lengths[text] < 20:
            k, v = draw(2, 2, 5, seed=rng.randint(999)), draw(2, 2, 3, seed=rng.randint(999))
            cache.append(text, k, v)
            pieces[text].append((k, v))
        consistent(cache)
    q = draw(4, 1, 5, seed=2)
    assert any(map(len, pieces.values()))
    for text, parts in pieces.items():
        if parts:
            k, v = (torch.cat(x, 1) for x in zip(*parts, strict=True))
            got = paged_attention(q, cache, text)
            np.testing.assert_allclose(got, attend_in_one_piece(q, k, v), atol=1e-12)


def test_no_free_block_is_said_and_a_block_is_released_once():
    blocks = BlockAllocator(1)
    block = blocks.take()
    with pytest.raises(ValueError, match="expected a free block, got 1 in use"):
        blocks.take()
    blocks.release(block)
    for wrong in (blocks.release, blocks.share):
        with pytest.raises(ValueError, match="expected a block in use, got 0"):
            wrong(block)
    with pytest.raises(ValueError, match="expected a block in use, got 7"):
        blocks.share(7)


def test_what_does_not_fit_is_refused():
    cache = new()
    text = cache.start()
    with pytest.raises(
        ValueError, match="paged_attention: text must be one that holds a position, got 0"
    ):
        paged_attention(draw(2, 1, 5), cache, text)
    with pytest.raises(ValueError, match="text must be one of \\[0\\], got 3"):
        cache.append(3, draw(2, 1, 5), draw(2, 1, 3))
    for k, v in ((draw(3, 1, 5), draw(2, 1, 3)), (draw(2, 1, 5), draw(2, 2, 3))):
        with pytest.raises(ValueError, match=r"PagedCache.append: [kv] must be"):
            cache.append(text, k, v)
    cache.append(text, draw(2, 1, 5), draw(2, 1, 3))
    for q in (draw(3, 1, 5), draw(2, 1, 4)):
        with pytest.raises(ValueError, match="paged_attention: q must be"):
            paged_attention(q, cache, text)
    with pytest.raises(ValueError, match="block_size"):
        PagedCache(4, 0, 2, 5)
