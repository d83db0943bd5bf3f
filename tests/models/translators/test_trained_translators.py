"""The two translators, and the counterpart of equal size."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.parallel import TranslationTask
from attention_course.data.vocabulary import Vocabulary
from attention_course.models.translators.trained import (
    TRANSLATORS,
    new_translator,
    state_arrays,
)


def weights(model):
    return sum(p.numel() for p in model.parameters())


def task(french=4503, english=3003):
    words = [[f"w{i:04}" for i in range(n - 3)] for n in (french, english)]
    return TranslationTask([], [], *map(Vocabulary, words))


@pytest.mark.parametrize("decoder", [8, 64, 96])
def test_the_twin_is_as_large_as_one_step_of_width_allows(decoder):
    model = m.BahdanauSeq2Seq(20, 15, np.random.RandomState(0), 8, 8, decoder, 16, 8)
    twin = m.fixed_twin(model, np.random.RandomState(0))
    width = twin.W_s.out_features
    sizes = {"embedding": 8, "encoder": 8, "maxout": 8}
    for other in (width - 1, width + 1):
        rival = m.FixedContextSeq2Seq(20, 15, np.random.RandomState(0), decoder=other, **sizes)
        assert abs(weights(twin) - weights(model)) <= abs(weights(rival) - weights(model))
    assert twin.attention is None


def test_the_twin_draws_once_from_its_generator():
    model = m.BahdanauSeq2Seq(9, 9, np.random.RandomState(0), 4, 4, 4, 4, 4)
    rng, other = np.random.RandomState(1), np.random.RandomState(1)
    m.fixed_twin(model, rng)
    m.BahdanauSeq2Seq(9, 9, other, 4, 4, 4, 4, 4)
    assert rng.randint(1000) == other.randint(1000)


def test_both_translators_are_equally_large():
    sizes = [
        weights(new_translator(name, task(), np.random.RandomState(0))) for name in TRANSLATORS
    ]
    assert max(sizes) / min(sizes) < 1.001
    assert 2 * max(sizes) < 4_000_000


def test_half_precision_is_what_is_shipped():
    arrays = state_arrays(new_translator("fixed", task(9, 8), np.random.RandomState(0)))
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float16)}
    assert set(arrays) == set(
        new_translator("fixed", task(9, 8), np.random.RandomState(1)).state_dict()
    )


def test_an_unknown_translator_is_refused():
    with pytest.raises(ValueError, match="new_translator: name must be one of"):
        new_translator("google", task(), np.random.RandomState(0))


def test_a_translator_takes_the_tasks_words():
    small = task(9, 8)
    model = new_translator("attention", small, np.random.RandomState(0))
    numbers = torch.tensor([small.french.encode(["w0001", "w0003"])])
    assert model.generate(numbers, torch.tensor([2]), longest=3).max() < 8
