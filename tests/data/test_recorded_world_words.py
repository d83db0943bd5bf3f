"""The language model of the small world: its weights do what the record says."""

import random

import numpy as np
import pytest
import world_words as script
from records import assert_same_steps, assert_told_apart
from shared import learn
from world_words import BLADES, CHANGES, losses

from attention_course.data.packed import pack_words
from attention_course.data.tensors import load_checkpoint
from attention_course.data.world import Beginning, Pair, next_words, write
from attention_course.measure import recorded
from attention_course.models.cuts import part_names
from attention_course.widgets.living_sentence.read import numbers_of, reading_of, surprise


def test_the_weights_of_the_page_have_the_recorded_loss_near_the_floor():
    result, about = recorded("world_words")
    tests = script.sentences(script.SEED + 1, script.TEST)
    tests = [words for words in tests if len(words) <= script.LONGEST]
    rows = [numbers_of([*words]) for words in tests]
    lost = [surprise(reading_of(row).logits, row) for row in rows]
    assert np.concatenate(lost).mean() == pytest.approx(result["loss"], abs=1e-4)
    assert sum(map(len, lost)) == result["words"]
    assert 0 < result["loss"] - result["floor"] < 0.1
    assert result["bytes"] == len(pack_words())
    assert about["settings"]["steps"] == script.STEPS
    assert about["settings"].items() >= script.SIZES.items()


@pytest.mark.slow
def test_its_first_steps_come_again_and_no_other_seeds():
    draw = script.windows(script.sentences(script.SEED, script.WRITTEN))
    setting = {"steps": 3, "lr": script.rate}
    losses = []
    for seed in (script.SEED, script.SEED + 1):
        model, rng = script.new_model(seed)
        losses.append(learn(model, draw, script.loss_of, rng, setting)[1]["first_losses"])
    assert_same_steps(losses[0], recorded("world_words")[0]["first_losses"])
    assert_told_apart(losses)


def test_the_floor_is_what_the_grammar_says_of_whole_sentences():
    """Word by word it is as much as the sentence at once, less its first word."""
    words = ("the", "boy", "sleeps", ".")
    whole = Beginning(words, "english").probability() / next_words([], "english")["the"]
    assert script.floor([words]) == pytest.approx(-np.log(whole) / 3, rel=1e-9)


def test_every_cut_of_the_world_is_recorded_and_a_sample_costs_what_it_says():
    """On a fifth of the sentences the dear cuts are as dear, and in the same order."""
    result, about = recorded("world_cuts")
    assert about["sentences"] == script.CUT
    assert {*result["seeds"]} == {str(seed) for seed in script.SEEDS[1:]}
    model = script.read_back(load_checkpoint("small_world/words")[0])
    parts = {*part_names(model), "attention-all", *CHANGES}
    assert {*result["cuts"]} == parts | {g for g in result["together"].values() if " " in g}
    rows = script.encoded(script.sentences(script.SEED + 2, script.CUT // 5))
    guessed, before = sum(len(row) - 1 for row in rows), losses(model, rows)
    assert before.sum() / guessed == pytest.approx(result["loss"], abs=0.1)
    for name in ("head-2-4", "head-4-3", "attention-2", "uniform-all", "mask"):
        cost = (losses(model, rows, name) - before).sum() / guessed
        assert cost == pytest.approx(result["cuts"][name]["cost"], rel=0.25, abs=0.01)
    for cut in result["cuts"].values():
        for found in (cut, *(cut[b] for b in BLADES[1:] if b in cut)):
            assert found["low"] < found["cost"] < found["high"]


def test_no_two_cuts_are_alike():
    model = script.read_back(load_checkpoint("small_world/words")[0])
    rows = script.encoded(script.sentences(script.SEED + 2, 3))
    names = ("", *part_names(model), "attention-all", *CHANGES)
    lost = {name: losses(model, rows, name).round(4) for name in names}
    assert len({tuple(row) for row in lost.values()}) == len(lost) == 44


def test_by_another_sentence_a_cut_costs_nothing_where_it_is_the_same():
    model = script.read_back(load_checkpoint("small_world/words")[0])
    every = script.encoded(script.sentences(script.SEED + 2, 9))
    rows, before = every[:3], losses(model, every[:3])
    assert losses(model, rows, "attention-all", rows) == pytest.approx(before, rel=1e-5)
    partners = script.partners(rows, every[3:])
    assert [len(row) for row in partners] == [len(row) for row in rows]
    other = losses(model, rows, "attention-all", partners)
    assert (abs(other - before) > 1e-2).all()


def test_heads_find_in_a_sample_what_was_recorded():
    rng = random.Random(script.SEED + 2)
    pairs = [Pair(write(rng)) for _ in range(script.CUT // 5)]
    model = script.read_back(load_checkpoint("small_world/words")[0])
    found, whole = script.functions(model, pairs), recorded("world_cuts")[0]["functions"]
    for kind, each in found.items():
        assert each["chance"] == pytest.approx(whole[kind]["chance"], abs=0.03)
        for head, (most, weight) in each["heads"].items():
            assert (most, weight) == pytest.approx(whole[kind]["heads"][head], abs=0.12)
    assert script.together(whole) == recorded("world_cuts")[0]["together"]


@pytest.mark.slow
def test_the_two_other_models_began_as_recorded_and_as_no_other():
    seeds = recorded("world_cuts")[0]["seeds"]
    draw = script.windows(script.sentences(script.SEED, script.WRITTEN))
    losses_of = []
    for seed in (1, 2):
        model, rng = script.new_model(seed)
        setting = {"steps": 3, "lr": script.rate}
        first = learn(model, draw, script.loss_of, rng, setting)[1]["first_losses"]
        assert_same_steps(first, seeds[str(seed)]["first_losses"])
        losses_of.append(first)
    assert_told_apart(losses_of)


def test_the_sentences_add_up_to_what_is_recorded_of_all_of_them():
    each, whole = recorded("world_sentences")[0], recorded("world_cuts")[0]

    def row(text: str) -> np.ndarray:
        numbers = np.array(text.split(), float)
        assert len(numbers) == script.CUT
        return numbers

    guessed = row(each["guessed"]).sum()
    assert guessed == whole["words"]
    for name, costs in each["costs"].items():
        assert row(costs).sum() / guessed == pytest.approx(
            whole["cuts"][name]["cost"], abs=1e-4
        )
    assert {*each["functions"]} == {*whole["functions"]}
    for kind, rows in each["functions"].items():
        words = row(rows["words"]).sum()
        assert words == whole["functions"][kind]["words"]
        for head, (most, _) in whole["functions"][kind]["heads"].items():
            assert row(rows[head]).sum() / words == pytest.approx(most, abs=1e-4)
