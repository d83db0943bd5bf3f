"""The model that grows: each stage has the parts that it says, and no others."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.packed import pack_words, unpack_translator
from attention_course.data.tensors import load_checkpoint
from attention_course.data.words import word_text
from attention_course.models.experiments.growing import STAGES, FixedAttention

N, D, LONGEST = 30, 8, 12


def grown(name, seed=0):
    model = m.growing_model(STAGES[name], N, np.random.RandomState(seed), D, LONGEST)
    return model.double().eval()


def words(*shape):
    return torch.from_numpy(np.random.RandomState(1).randint(3, N, shape))


def sizes(stage):
    """The parameters that a stage says it has, counted by hand."""
    square, norm, inner = D * D + D, 2 * D, 4 * D
    attention = {"nothing": 0, "weights": 4}.get(stage.look, 2) * square
    feed_forward = (D * inner + inner + inner * D + D) * stage.feed_forward
    norms = norm * stage.norm * (1 + stage.feed_forward)
    positions = LONGEST * D if stage.positions == "learned" else 0
    return (
        N * D
        + positions
        + stage.blocks * (attention + feed_forward + norms)
        + norm * stage.norm
    )


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_has_the_parameters_of_its_parts_and_no_others(name):
    assert sum(p.numel() for p in grown(name).parameters()) == sizes(STAGES[name])


@pytest.mark.parametrize("name", STAGES)
def test_only_the_first_two_stages_see_one_word_alone(name):
    model, rows = grown(name), words(1, 9)
    alone = model(rows[:, 8:])[0, -1]
    same = torch.allclose(model(rows)[0, -1], alone, atol=1e-10)
    assert same == (name in ("one word", "two matrices"))


@pytest.mark.parametrize("name", STAGES)
def test_the_same_word_at_two_places_is_told_apart_by_positions_alone(name):
    found = grown(name)(torch.full((1, 6), 7))[0]
    alike = torch.allclose(found, found[:1].expand_as(found), atol=1e-10)
    assert alike == (STAGES[name].positions == "none")


def test_the_mean_is_the_mean_of_all_words_so_far_by_a_loop():
    attention = FixedAttention(D, "mean").double()
    x = torch.from_numpy(np.random.RandomState(2).standard_normal((2, 7, D)))
    found, weights = attention.look(x, attention.keys_and_values(x))
    for row in range(2):
        for t in range(7):
            past = sum(attention.W_v(x[row, j]) for j in range(t + 1)) / (t + 1)
            assert torch.allclose(found[row, t], attention.W_o(past), atol=1e-10)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 1, 7).double())
    late = attention.look(x[:, 4:], attention.keys_and_values(x), start=4)[0]
    assert torch.allclose(late, found[:, 4:], atol=1e-12)
    of_all = attention.W_o(attention.W_v(x).mean(1, keepdim=True)).expand_as(found)
    assert not torch.allclose(found, of_all, atol=1e-3)


def test_four_fixed_places_are_looked_at_by_a_head_each_by_a_loop():
    attention = FixedAttention(D, "four places").double()
    x = torch.from_numpy(np.random.RandomState(2).standard_normal((1, 6, D)))
    v = attention.W_v(x)[0].reshape(6, 4, 2)
    found, _ = attention.look(x, attention.keys_and_values(x))
    for t in range(6):
        heads = [v[t, 0], v[max(t - 1, 0), 1], v[max(t - 2, 0), 2], v[: t + 1, 3].mean(0)]
        assert torch.allclose(found[0, t], attention.W_o(torch.cat(heads)), atol=1e-12)
    late = attention.look(x[:, 4:], attention.keys_and_values(x), start=4)[0]
    assert torch.allclose(late, found[:, 4:], atol=1e-12)


def test_two_matrices_are_those_two_and_the_word_itself():
    model, rows = grown("two matrices"), words(2, 5)
    x = model.E(rows) * D**0.5
    block = model.blocks[0]
    x = x + block.attention.W_o(block.attention.W_v(block.norms[0](x)))
    assert torch.allclose(model(rows), model.end(x) @ model.E.weight.T, atol=1e-10)


def test_the_largest_stage_is_the_language_model_itself():
    plain = m.LanguageModel(N, np.random.RandomState(0), D, 4, 4 * D, 2, "learned", LONGEST)
    rows = words(2, 9)
    assert torch.equal(grown("second block")(rows), plain.double()(rows))
    for name in STAGES:
        if name != "second block":
            assert not torch.allclose(grown(name)(rows), plain(rows), atol=1e-3), name


@pytest.mark.parametrize("name", ["no residual", "no normalisation", "second block"])
def test_a_part_replaces_or_is_added_and_is_normalised_or_not_by_hand(name):
    model, rows, stage = grown(name), words(2, 9), STAGES[name]
    mask = torch.ones(9, 9, dtype=torch.bool).tril()
    x = model.positions.add(model.E(rows) * D**0.5)
    for block in model.blocks:
        for part in (lambda z, b=block: b.attention(z, mask=mask)[0], block.feed_forward):
            z = torch.nn.functional.layer_norm(x, (D,)) if stage.norm else x
            x = part(z) + (x if stage.residual else 0)
    x = torch.nn.functional.layer_norm(x, (D,)) if stage.norm else x
    assert torch.allclose(model(rows), x @ model.E.weight.T, atol=1e-10)


@pytest.fixture(scope="module")
def text():
    return word_text()


def held_out(model, text, rows=40):
    with torch.no_grad():
        return float(m.next_symbol_loss(model, text.held_out(rows, 49)))


def test_the_stored_model_is_a_language_model_without_any_change(text):
    """The class of the course, with these sizes, has the same parameters and logits."""
    stored, about = m.load_word_model(text.symbols)
    plain = m.LanguageModel(
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
    model, _ = m.load_word_model(text.symbols)
    assert held_out(model, text) == pytest.approx(4.02, abs=0.15)
    rows = text.held_out(40, 49)[:, ::-1].copy()
    with torch.no_grad():
        assert float(m.next_symbol_loss(model, rows)) > 6


def test_the_page_gets_the_same_model_in_eight_bits(text):
    content = pack_words()
    assert len(content) <= 1_800_000
    arrays, about = unpack_translator(content)
    assert about["words"].split("\n") == text.symbols.symbols[3:]
    model, _ = m.load_word_model(text.symbols)
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
