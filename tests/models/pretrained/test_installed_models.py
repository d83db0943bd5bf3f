"""The pretrained models themselves: parity with torch's own layers, and what was recorded."""

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import independent
import numpy as np
import pytest
import real_model as script
import torch

from attention_course import models as m
from attention_course.data.halves import unpack_halves
from attention_course.data.reactions import REACTIONS
from attention_course.data.syntax import RELATIONS
from attention_course.data.tensors import read_tensors
from attention_course.measure import recorded
from attention_course.models.pretrained.files import SOURCES
from attention_course.models.pretrained.formats import read_gguf

pytestmark = pytest.mark.pretrained
TOLD = json.loads(Path(__file__).with_name("tokens.json").read_text(encoding="utf-8"))
needs_smollm2 = pytest.mark.skipif(
    not find_spec(SOURCES["SmolLM2"].module), reason="make models SMOLLM=1 installs SmolLM2"
)


def is_near(x, wanted, bound):
    """Say that no number differs by more; and that the bound is far below the numbers."""
    assert float((x - wanted).abs().max()) < bound
    assert float(wanted.abs().max()) > 100 * bound


@pytest.mark.parametrize("text", TOLD["texts"])
def test_minilm_is_torchs_own_layers(text):
    model, cut = m.load_minilm()
    tokens = torch.tensor(cut(text))
    arrays, _ = read_tensors(m.find_model("MiniLM").read_bytes())
    names = independent.BERT_NAMES
    layers = [
        independent.encoder_layer(arrays, f"encoder.layer.{n}.", names, 12) for n in range(6)
    ]
    x, weights = independent.bert(arrays, tokens, layers)
    is_near(model(tokens).x, x, 1e-4)
    is_near(model(tokens).weights, weights, 1e-5)


@pytest.mark.parametrize("reaction", REACTIONS[:3], ids=lambda r: r.name)
def test_rxnmapper_is_torchs_own_layers(reaction):
    model, cut = m.load_rxnmapper()
    tokens = torch.tensor(cut(reaction.smiles))
    stored = torch.load(m.find_model("RXNMapper"), map_location="cpu", weights_only=True)
    arrays = {name: x.numpy() for name, x in stored.items()}
    stem = "albert.encoder.albert_layer_groups.0.albert_layers.0."
    layer = independent.encoder_layer(arrays, stem, independent.ALBERT_NAMES, 8)
    x, weights = independent.bert(arrays, tokens, [layer] * 12, "albert.")
    is_near(model(tokens).x, x, 1e-4)
    is_near(model(tokens).weights, weights, 1e-5)
    assert 2 not in [cut.numbers.get(piece, 2) for piece in cut.pieces(reaction.smiles)]


@needs_smollm2
def test_smollm2_is_torchs_own_functions_and_its_cache_changes_nothing():
    model, cut = m.load_smollm2()
    tokens = torch.tensor(cut(TOLD["texts"][0]))
    arrays = {n: torch.tensor(x) for n, x in read_gguf(m.find_model("SmolLM2"))[1].items()}
    wanted = independent.llama(arrays, tokens, 9, 3, 1e5)
    is_near(m.read_tokens(model, tokens).logits, wanted, 2e-3)
    prompt = cut("The capital of France is")
    written = [
        cut.text(m.write(model, prompt, 2, np.random.RandomState(0), keep, 0.01))
        for keep in ("in place", "joined", "nothing")
    ]
    assert written == [" Paris."] * 3


def test_words_are_cut_as_the_models_own_files_say():
    _, cut = m.load_minilm()
    assert [cut(text) for text in TOLD["texts"]] == TOLD["wordpiece"]


@needs_smollm2
def test_bytes_are_joined_and_bits_read_as_other_programs_do():
    _, cut = m.load_smollm2()
    assert [cut(text) for text in TOLD["texts"]] == TOLD["byte pairs"]
    assert [cut.text(numbers) for numbers in TOLD["byte pairs"]] == TOLD["texts"]
    arrays = read_gguf(m.find_model("SmolLM2"))[1]
    sums = {
        name: hashlib.sha256(np.ascontiguousarray(arrays[name]).tobytes()).hexdigest()
        for name in TOLD["dequantised"]
    }
    assert sums == TOLD["dequantised"]


def test_the_stored_maps_are_what_minilm_gives():
    model, cut = m.load_minilm()
    for stored in recorded("real_model_minilm")[0]["sentences"]:
        seen = model(torch.tensor(cut(stored["text"])))
        assert cut.pieces(stored["text"]) == stored["pieces"]
        weights = unpack_halves(stored["weights"])
        np.testing.assert_allclose(seen.weights.numpy(), weights, atol=1e-3)
        other = np.roll(weights, 1, axis=1)
        assert np.abs(seen.weights.numpy() - other).max() > 0.1


def test_swings_and_the_first_interventions_come_again():
    reader = script.Reader(*m.load_minilm())
    result, _ = recorded("real_model_minilm")
    swings = script.all_swings(reader)
    assert swings.shape == (100, 6, 12)
    np.testing.assert_allclose(swings, unpack_halves(result["swings"]), atol=5e-3)
    shuffled = script.shuffled_swings(reader, 0)
    stored = unpack_halves(result["shuffled"][0]["swings"])
    np.testing.assert_allclose(shuffled, stored, atol=5e-3)
    effect = script.Effect(reader)
    stored = unpack_halves(result["interventions"]["resolved"]["plain"])
    np.testing.assert_allclose(effect.plain, stored, atol=3e-4)
    together = script.without(reader, effect, result["together"]["heads"])["resolved"]
    stored = unpack_halves(result["together"]["resolved"])
    np.testing.assert_allclose(unpack_halves(together), stored, atol=3e-4)


def test_an_effect_reads_many_sentences_as_the_encoder_reads_one():
    model, cut = m.load_minilm()
    pair = script.MINIMAL_PAIRS[0]
    effect = script.Effect(script.Reader(model, cut), [pair])
    leaning = []
    for text, alone in zip(pair.sentences, effect.sentences, strict=True):
        seen = model(torch.tensor(cut(text)))
        np.testing.assert_allclose(m.sentence_vector(seen), alone, atol=1e-5)
        rows = torch.nn.functional.normalize(seen.x, dim=1)
        it, a, b = (rows[cut.pieces(text).index(word)] for word in ("it", *pair.nouns))
        leaning.append(float(it @ a - it @ b))
    assert effect.plain[0] == pytest.approx(leaning[0] - leaning[1], abs=1e-5)


def test_a_control_is_of_as_many_other_heads_of_the_same_layers():
    chosen = [tuple(head) for head in recorded("real_model_minilm")[0]["together"]["heads"]]
    for control in recorded("real_model_minilm")[0]["as many others"]:
        drawn = [tuple(head) for head in control["heads"]]
        assert not {*drawn} & {*chosen}
        assert len({*drawn}) == len(chosen)
        assert [layer for layer, _ in drawn] == [layer for layer, _ in chosen]


def test_grammar_is_found_again_and_no_partner_is_cut_into_pieces():
    reader = script.Reader(*m.load_minilm())
    result, _ = recorded("real_model_syntax")
    assert [*result] == sorted(RELATIONS)
    for relation, stored in result.items():
        right, steps = script.pointed(reader, relation)
        assert steps.tolist() == stored["steps"]
        # A near tie may turn with other arithmetic.
        assert (right != unpack_halves(stored["right"])).mean() < 0.005
        assert (right[:, 3, 1] != unpack_halves(stored["right"])[:, 3, 2]).any()


def test_atoms_are_mapped_again():
    result, _ = recorded("real_model_rxnmapper")
    np.testing.assert_allclose(script.mapped(*m.load_rxnmapper()), result["right"], atol=0.012)


@needs_smollm2
def test_the_scores_of_smollm2_come_again():
    model, _ = m.load_smollm2()
    result, _ = recorded("real_model_smollm2")
    weights = [
        m.read_tokens(model, script.repeated(n)).weights.numpy() for n in range(script.REPEATS)
    ]
    again = np.mean([script.induction_scores(w, script.RANDOM_TOKENS) for w in weights], axis=0)
    np.testing.assert_allclose(again, result["induction"], atol=2e-3)
    losses = script.Losses(model, [])
    again = losses.copies(result["best together"]["heads"])
    assert again == pytest.approx(result["best together"]["copy"], abs=0.02)
