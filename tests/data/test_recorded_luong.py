"""What the Luong chapter draws was measured by the script, whose first steps reproduce."""

import luong_choices as script
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded

TASKS = pytest.mark.parametrize("task", ["reverse", "dates"])


def alone(task):
    return [run for run in recorded(f"luong_{task}")[0] if run["choice"] != "eight together"]


@TASKS
def test_the_record_is_of_the_scripts_settings(task):
    _, source = recorded(f"luong_{task}")
    assert source["settings"] == script.SETTINGS[task]
    assert source["script"] == f"benchmarks/luong_choices.py {task}"
    seen = {(run["choice"], run["seed"]) for run in alone(task)}
    choices = script.SETTINGS[task]["choices"]
    assert seen == {(choice, seed) for choice in choices for seed in script.SEEDS}
    assert len(seen) == len(alone(task))


@TASKS
def test_all_models_have_the_same_size(task):
    sizes = {run["weights"] for run in alone(task)}
    assert max(sizes) / min(sizes) < 1.04


def test_eight_models_write_together_and_all_are_the_papers():
    assert len(script.TOGETHER) == 8
    assert not {"query: step before", "Bahdanau"} & set(script.TOGETHER)
    found = [r for r in recorded("luong_reverse")[0] if r["choice"] == "eight together"]
    for run in found:
        members = [
            r["weights"]
            for r in alone("reverse")
            if r["seed"] == run["seed"] and r["choice"] in script.TOGETHER
        ]
        assert run["weights"] == sum(members)
    assert [run["seed"] for run in found] == list(script.SEEDS)


@pytest.mark.parametrize(
    ("task", "choice"),
    [("reverse", "as in the paper"), ("reverse", "local-p"), ("dates", "Bahdanau")],
)
def test_the_first_steps_reproduce(task, choice):
    setting = script.SETTINGS[task] | {"steps": 3}
    again = script.run(task, setting, 0, measure=False, only=choice)[0]["first_losses"]
    assert_same_steps(again, the_run(f"luong_{task}", choice=choice, seed=0)["first_losses"])


def test_another_seed_or_choice_would_not_pass_for_the_recorded_one():
    keys = (("as in the paper", 0), ("as in the paper", 1), ("local-p", 0))
    runs = [the_run("luong_reverse", choice=choice, seed=seed) for choice, seed in keys]
    assert_told_apart([run["first_losses"] for run in runs])


@TASKS
def test_no_tested_text_was_trained_on(task):
    _, _, train, tests = script.data(task, script.SETTINGS[task], 0)
    known = {text for text, _ in train}
    for pairs in tests.values():
        assert not known & {text for text, _ in pairs}


def test_the_longer_strings_are_longer_than_all_in_training():
    _, _, train, tests = script.data("reverse", script.SETTINGS["reverse"], 0)
    assert max(len(text) for text, _ in train) < min(len(text) for text, _ in tests["longer"])
