"""The pretrained model writes what its original wrote."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_course.data.vocabulary import END
from attention_course.models import load_g2p_en, translate
from attention_course.reference import decode_by_loops, encode_by_loops

# Written once by the original's own NumPy code with its float32 weights.
RECORDED = Path(__file__).with_name("g2p_en_float32_outputs.json")


@pytest.fixture(scope="module")
def loaded():
    return load_g2p_en(torch.float64)


def arrays(gru):
    return [p.detach().numpy() for p in gru.parameters()]


def test_every_recorded_word_is_written_as_by_the_original():
    model, letters, phonemes = load_g2p_en()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    sources = [[*letters.encode(word), END] for word in recorded]
    written = translate(model, sources, phonemes, longest=20)  # the original stops there
    assert len(recorded) == 367
    assert [" ".join(w) for w in written] == list(recorded.values())


def test_the_loaded_model_is_the_one_of_the_loops(loaded):
    model, letters, _ = loaded
    source = [*letters.encode("robe"), END]
    c = encode_by_loops(
        source, model.source_embedding.weight.detach().numpy(), arrays(model.encoder)
    )
    with torch.no_grad():
        context = model.encode(torch.tensor([source]), torch.tensor([5]))
        logits = model.decode(context, torch.tensor([[1]]))[0, 0].numpy()
    rows = decode_by_loops(
        c,
        [1],
        model.target_embedding.weight.detach().numpy(),
        arrays(model.decoder),
        model.output.weight.detach().numpy(),
        model.output.bias.detach().numpy(),
    )
    assert np.abs(context[0].numpy() - c).max() < 1e-10
    assert np.abs(logits - rows[0]).max() < 1e-10


def test_the_fixed_vector_holds_256_numbers_and_the_file_is_small(loaded):
    assert loaded[0].width == 256
    assert sum(p.numel() for p in loaded[0].parameters()) == 834_377


def test_a_wrong_weight_would_be_noticed(loaded):
    model, letters, phonemes = load_g2p_en()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    with torch.no_grad():
        model.decoder.weight_hh_l0.mul_(1.05)
    sources = [[*letters.encode(word), END] for word in recorded]
    written = translate(model, sources, phonemes, longest=20)
    assert [" ".join(w) for w in written] != list(recorded.values())
