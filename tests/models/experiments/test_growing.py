"""The model that grows: each stage has the parts that it says, and no others."""

import numpy as np
import pytest
import torch

from attention_course.data.packed import pack_words, unpack_translator
from attention_course.data.tensors import load_checkpoint
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.words import word_text
from attention_course.models import LanguageModel, load_word_model
from attention_course.models.experiments.next_symbol import next_symbol_loss


@pytest.fixture(scope="module")
def text():
    return word_text()


def held_out(model, text, rows=40):
    with torch.no_grad():
        return float(next_symbol_loss(model, text.held_out(rows, 49)))


def test_the_stored_model_is_a_language_model_without_any_change(text):
    """The class of the course, with these sizes, has the same parameters and logits."""
    stored, about = load_word_model(text.symbols)
    plain = LanguageModel(
        3003, np.random.RandomState(1), 128, 4, 512, 4, positions="learned", longest=48
    ).eval()
    rows = torch.from_numpy(text.held_out(2, 48))
    assert not torch.allclose(plain(rows), stored(rows), atol=1e-2)
    plain.load_state_dict(stored.state_dict())
    assert torch.allclose(plain(rows), stored(rows), atol=1e-5)
    assert sum(p.numel() for p in stored.parameters()) == 1_183_872
    assert not stored.training
    assert about["script"].startswith("benchmarks/growing.py")


def test_the_file_holds_each_parameter_once_in_half_precision():
    arrays, _ = load_checkpoint("words")
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float16)}
    assert sum(array.size for array in arrays.values()) == 1_183_872


def test_it_has_learned_words_in_their_order(text):
    """Chance is ln 3003 = 8.0 nats; half of the words the other way round spoil it."""
    model, _ = load_word_model(text.symbols)
    assert held_out(model, text) == pytest.approx(4.02, abs=0.15)
    rows = text.held_out(40, 49)[:, ::-1].copy()
    with torch.no_grad():
        assert float(next_symbol_loss(model, rows)) > 6


def test_another_vocabulary_is_refused():
    with pytest.raises(ValueError, match=r"load_word_model: words must be the 3003 of word_te"):
        load_word_model(Vocabulary("abc"))


def test_the_page_gets_the_same_model_in_eight_bits(text):
    content = pack_words()
    assert len(content) <= 1_800_000
    arrays, about = unpack_translator(content)
    assert about["words"].split("\n") == text.symbols.symbols[3:]
    model, _ = load_word_model(text.symbols)
    before = held_out(model, text)
    state = model.state_dict()
    kept = {k: torch.from_numpy(arrays[k]) for k in state if k in arrays}
    assert {k for k in state if k not in kept} == {
        f"blocks.{i}.attention.positions.table" for i in range(4)
    }
    model.load_state_dict(kept, strict=False)
    model.positions.table.data.copy_(kept["positions.table"])
    assert held_out(model, text) == pytest.approx(before, abs=0.01)
    assert held_out(model, text) != before
