"""The record of pooled heads: of the script's settings, its first steps, what the page says."""

import copy

import numpy as np
import pytest
import shared_keys as script
from records import assert_same_steps, assert_told_apart

from attention_course.data.characters import character_text
from attention_course.measure import recorded
from attention_course.models.language import LanguageModel

RUNS = recorded("shared_keys")[0]


def found(kv_heads, how):
    return [r for r in RUNS if (r["kv_heads"], r["how"]) == (kv_heads, how)]


def ends(kv_heads, how, at=-1):
    return np.array([run["path"][at][1] for run in found(kv_heads, how)])


def test_it_is_of_the_scripts_settings():
    about = recorded("shared_keys")[1]
    assert about["settings"] == script.SETTING
    assert about["seeds"] == list(script.SEEDS)
    assert {run["seed"] for run in found(1, "mean")} == {*script.SEEDS}
    for how in script.WAYS:
        assert found(2, how)[0]["path"][-1][0] == script.SETTING["steps"] // 10


@pytest.mark.parametrize("left", [8, 2])
def test_its_first_steps_come_again(left):
    text, how = character_text(), "trained" if left == 8 else "from the beginning"
    model = LanguageModel(len(text.symbols), np.random.RandomState(1), n_heads=8)
    if left == 2:
        model = script.with_fewer(copy.deepcopy(model), 2, "first", 1)
    again = script.train(model, text, 1, 0, 3, script.SETTING, 3)
    assert_same_steps(again["first_losses"], found(left, how)[1]["first_losses"])


def test_another_seed_would_not_pass_for_it():
    assert_told_apart([run["first_losses"] for run in found(8, "trained")])


def test_it_says_what_the_chapter_says():
    own, few = ends(8, "as it was"), ends(2, "from the beginning")
    for left in script.LEFT:
        mean, first, new = (ends(left, how) for how in script.WAYS)
        assert ends(left, "mean", 0).min() > 2.6
        assert max(mean.max(), first.max()) < new.min()
        assert mean.min() > own.max() + 0.3
    assert (few - own).mean() < 0.05
