"""Vocabularies, padding and batches."""

import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_course.data import LengthBatches, Vocabulary, pad

SEQUENCES = st.lists(st.lists(st.integers(3, 28), min_size=1, max_size=7), min_size=1)


@given(st.text("robe", max_size=9))
def test_decoding_undoes_encoding(text):
    letters = Vocabulary("robe")
    assert letters.decode(letters.encode(text)) == list(text)


def test_decoding_stops_at_the_end_mark_and_skips_padding():
    letters = Vocabulary("robe")
    assert letters.decode([1, 3, 0, 4, 2, 5, 6]) == ["b", "e"]


def test_an_unknown_symbol_is_named():
    with pytest.raises(ValueError, match=r"Vocabulary.encode: symbols must be .* got 'x'"):
        Vocabulary("robe").encode("box")


def test_a_vocabulary_needs_symbols():
    with pytest.raises(ValueError, match="Vocabulary: symbols must be at least one"):
        Vocabulary("")


@given(SEQUENCES)
def test_padding_keeps_every_symbol_and_adds_only_zeros(sequences):
    rows, lengths = pad(sequences)
    assert rows.shape == (len(sequences), max(map(len, sequences)))
    for row, length, sequence in zip(rows, lengths, sequences, strict=True):
        assert row[:length].tolist() == sequence
        assert not row[length:].any()


@pytest.mark.parametrize("sequences", [[], [[3], []]])
def test_padding_refuses_what_has_no_symbols(sequences):
    with pytest.raises(ValueError, match="pad: sequences must be one or more, none empty"):
        pad(sequences)


def examples(count=40):
    sources = [[3 + i % 5] * (1 + i % 10) for i in range(count)]
    return sources, [[3 + len(source)] for source in sources]


def test_a_batch_holds_matching_pairs_and_closes_every_target():
    batch = LengthBatches(*examples(), size=6).draw(np.random.RandomState(0))
    assert batch.source.shape[0] == 6
    for length, target in zip(batch.source_lengths, batch.target, strict=True):
        assert target.tolist() == [3 + length, 2]


def test_a_batch_has_sources_of_similar_length():
    batches = LengthBatches(*examples(), size=4, spread=1)
    for seed in range(20):
        lengths = batches.draw(np.random.RandomState(seed)).source_lengths
        assert lengths.max() - lengths.min() <= 1


def test_every_example_comes_up_about_equally_often():
    batches = LengthBatches([[3 + i] for i in range(20)], [[3]] * 20, size=2, spread=3)
    rng, seen = np.random.RandomState(0), collections.Counter()
    for _ in range(4000):
        seen.update(batches.draw(rng).source[:, 0].tolist())
    assert len(seen) == 20
    assert max(seen.values()) < 1.3 * min(seen.values())


def test_batches_refuse_sources_without_targets():
    with pytest.raises(ValueError, match="LengthBatches: sources and targets must be as many"):
        LengthBatches([[3], [4]], [[3]], size=1)
