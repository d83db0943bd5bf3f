"""What today's changes cost on three tasks, as recorded: settings, first steps, findings."""

import attention_today
import pytest
from records import assert_same_steps, assert_told_apart

from attention_course.measure import recorded

RESULT, SOURCE = recorded("attention_today")
RUNS = RESULT["runs"]
PAIRS = [(task, name) for task, models in RUNS.items() for name in models]


def test_the_record_is_of_the_scripts_settings():
    assert SOURCE["seeds"] == list(attention_today.SEEDS)
    assert SOURCE["steps"] == attention_today.STEPS
    assert SOURCE["peaks"] == attention_today.PEAKS
    assert SOURCE["rows"] == attention_today.ROWS
    assert SOURCE["models"] == attention_today.MODELS
    assert RESULT["edges"] == list(attention_today.EDGES)
    for task, name in PAIRS:
        seeds = [run["seed"] for run in RUNS[task][name]]
        assert seeds == list(attention_today.SEEDS)[: len(seeds)]


@pytest.mark.parametrize(("task", "name"), PAIRS)
def test_its_first_steps_come_again(task, name):
    stored = RUNS[task][name][-1]
    again = attention_today.run(task, name, stored["seed"], steps=3)["first_losses"]
    assert_same_steps(again, stored["first_losses"])


def test_seeds_and_models_are_told_apart():
    assert_told_apart([run["first_losses"] for run in RUNS["copying"]["full"]])
    assert_told_apart([models[0]["first_losses"] for models in RUNS["copying"].values()])
