"""What recurrences and steadied softmax cost, as recorded: settings, first steps, findings."""

import linear_attention_today as script
import pytest
from records import assert_same_steps, assert_told_apart

from attention_course.measure import recorded

RESULT, SOURCE = recorded("linear_attention_today")
RUNS = RESULT["runs"]
PAIRS = [(task, name) for task, models in RUNS.items() for name in models]


def test_the_record_is_of_the_scripts_settings():
    assert SOURCE["seeds"] == list(script.SEEDS)
    assert SOURCE["steps"] == script.STEPS
    assert SOURCE["peaks"] == script.PEAKS
    assert SOURCE["steady"] == script.STEADY
    assert RESULT["edges"] == list(script.EDGES)
    for task, name in PAIRS:
        seeds = [run["seed"] for run in RUNS[task][name]]
        assert seeds == list(script.SEEDS)[: len(seeds)]


@pytest.mark.parametrize(("task", "name"), PAIRS)
def test_its_first_steps_come_again(task, name):
    stored = RUNS[task][name][-1]
    again = script.run(task, name, stored["seed"], steps=3)["first_losses"]
    assert_same_steps(again, stored["first_losses"])


def test_seeds_and_models_are_told_apart():
    assert_told_apart([run["first_losses"] for run in RUNS["rewriting"]["delta"]])
    kinds = ("full", "linear", "delta")
    assert_told_apart([RUNS["rewriting"][name][0]["first_losses"] for name in kinds])


def test_what_the_page_says_of_it():
    often = {n: [run["found"][-1] for run in each] for n, each in RUNS["rewriting"].items()}
    assert max(often["linear"]) < 0.7 < min(often["decay"]) < min(often["delta"])
    assert max(often["full"]) < 0.96 < min(often["gated delta"])
    far = {n: [run["found"][-1] for run in each] for n, each in RUNS["recall"].items()}
    assert max(*far["delta"], *far["gated delta"]) < min(far["linear"]) < 0.3
    largest = {n: [run["found"][1] for run in each] for n, each in RUNS["high"].items()}
    assert min(largest["plain"]) > 1000
    assert max(largest["qk-norm"]) < 25
