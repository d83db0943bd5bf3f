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
    kinds = ("full", "latent")  # a window changes the first losses too little
    assert_told_apart([RUNS["copying"][name][0]["first_losses"] for name in kinds])


def test_what_the_page_says_of_it():
    far = {
        n: [x for run in each for x in run["found"][1:]] for n, each in RUNS["recall"].items()
    }
    assert min(far["full"]) > 0.97
    assert max(far["window, full"]) < 0.12
    assert max(far["sparse"]) < 0.2
    copied = {n: [run["found"][0] for run in each] for n, each in RUNS["copying"].items()}
    assert min(*copied["full"], *copied["window, full"]) > 0.99
    assert max(*copied["latent"], *copied["full, window"]) < 0.4
    text = {n: each[0]["found"][0] for n, each in RUNS["text"].items()}
    assert text["window, full"] < text["full"] - 0.03 < text["latent"] - 0.1
