"""Five planted faults: each has its own symptom, and the sound model has none."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.models.experiments.uniform_attention import (
    FAULTS,
    MEASURES,
    find_fault,
)

SOUND = {
    "entropy": 0.98,
    "sums": 0.0,
    "hidden": 0.0,
    "inputs": 0.9,
    "scores": 0.3,
    "gradient": 0.1,
}


@pytest.fixture(scope="module")
def rows():
    return torch.from_numpy(np.random.RandomState(1).randint(3, 30, (8, 33)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_fault_is_found_and_none_where_there_is_none(rows, seed):
    model = m.LanguageModel(30, np.random.RandomState(seed), n_layers=6)
    table = {fault: m.diagnose(m.plant(model, fault), rows) for fault in FAULTS}
    assert {fault: find_fault(row) for fault, row in table.items()} == {f: f for f in FAULTS}
    assert all(row["entropy"] > 0.9 for row in table.values())
    assert all(tuple(row) == MEASURES for row in table.values())


@pytest.mark.parametrize("depth", [1, 2, 3, 8])
@pytest.mark.parametrize("width", [24, 48])
def test_beside_a_twin_faults_are_found_at_other_depths_and_widths(rows, depth, width):
    """Neither depths, widths nor seeds are those that the limits were chosen on."""
    sizes = {"d_model": width, "d_ff": 2 * width, "n_layers": depth}
    for seed in (21, 22):
        model, twin = (
            m.LanguageModel(30, np.random.RandomState(s), **sizes) for s in (seed, seed + 100)
        )
        beside = m.diagnose(twin, rows)
        found = {f: find_fault(m.diagnose(m.plant(model, f), rows), beside) for f in FAULTS}
        # One block's only attention gets the embedding, whatever is missing behind it.
        unseen = {"no residual": "none"} if depth == 1 else {}
        assert found == {f: f for f in FAULTS} | unseen


def test_without_a_twin_two_blocks_hide_that_the_residual_is_missing(rows):
    model = m.LanguageModel(30, np.random.RandomState(21))
    row = m.diagnose(m.plant(model, "no residual"), rows)
    assert find_fault(row) == "none"
    assert find_fault(row, m.diagnose(model, rows)) == "no residual"


def test_planting_leaves_the_model_and_a_sound_plant_changes_nothing(rows):
    model = m.LanguageModel(30, np.random.RandomState(0)).double()
    before = model(rows)
    for fault in FAULTS:
        same = torch.allclose(m.plant(model, fault)(rows), before, atol=1e-10)
        assert same == (fault in ("none", "cut gradient"))
    assert torch.equal(model(rows), before)


def test_a_cut_gradient_reaches_neither_queries_nor_keys_but_values(rows):
    model = m.plant(m.LanguageModel(30, np.random.RandomState(0)), "cut gradient")
    model(rows).square().sum().backward()
    attention = model.blocks[0].attention
    assert attention.W_q.weight.grad is None
    assert attention.W_k.weight.grad is None
    assert attention.W_v.weight.grad.abs().sum() > 0


def test_diagnosing_leaves_no_gradient_and_no_hook(rows):
    model = m.LanguageModel(30, np.random.RandomState(0))
    m.diagnose(model, rows)
    assert all(p.grad is None or not p.grad.any() for p in model.parameters())
    assert not model.blocks[-1]._forward_hooks
    assert not model.blocks[-1].attention.W_q._forward_hooks


def test_sharp_attention_has_a_low_entropy(rows):
    model = m.LanguageModel(30, np.random.RandomState(0))
    with torch.no_grad():
        for block in model.blocks:
            block.attention.W_q.weight *= 30
    assert m.diagnose(model, rows)["entropy"] < 0.6


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, "none"),
        ({"entropy": 0.1}, "none"),
        ({"sums": 0.5}, "wrong axis"),
        ({"hidden": 0.4}, "empty rows"),
        ({"inputs": 0.1}, "no residual"),
        ({"gradient": 0.0}, "cut gradient"),
        ({"scores": 0.001}, "small scores"),
        ({"scores": 0.001, "inputs": 0.0}, "no residual"),
    ],
)
def test_one_symptom_is_one_fault(change, fault):
    assert find_fault(SOUND | change) == fault


def test_a_table_with_a_column_missing_is_refused():
    with pytest.raises(ValueError, match=r"measures must hold \['gradient'\]"):
        find_fault({name: n for name, n in SOUND.items() if name != "gradient"})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, "none"),
        ({"inputs": 0.64}, "none"),
        ({"inputs": 0.62}, "no residual"),
        ({"scores": 0.04}, "none"),
        ({"scores": 0.02}, "small scores"),
        ({"scores": 0.02, "gradient": 0.0}, "cut gradient"),
    ],
)
def test_beside_a_twin_limits_are_shares_of_what_it_has(change, fault):
    assert find_fault(SOUND | change, SOUND) == fault


def test_a_twin_with_a_column_missing_is_refused():
    with pytest.raises(ValueError, match=r"twin must hold \['inputs'\]"):
        find_fault(SOUND, {name: n for name, n in SOUND.items() if name != "inputs"})
