"""Recall over a distance, as recorded: its settings, its first steps, and what it shows."""

import long_recall
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart

from attention_course.measure import recorded

RESULT, SOURCE = recorded("long_recall")
ROWS = RESULT["models"]


def test_the_record_is_of_the_scripts_settings():
    assert SOURCE["seeds"] == list(long_recall.SEEDS)
    assert SOURCE["steps"] == long_recall.STEPS
    assert (SOURCE["n"], SOURCE["batch"]) == (long_recall.N, long_recall.BATCH)
    assert (SOURCE["window"], SOURCE["block"]) == (long_recall.WIDTH, long_recall.BLOCK)
    assert RESULT["edges"] == list(long_recall.EDGES)
    assert {name: (row["kinds"], row["d"]) for name, row in ROWS.items()} == long_recall.MODELS
    for row in ROWS.values():
        assert [run["seed"] for run in row["runs"]] == list(long_recall.SEEDS)
        assert row["lr"] == max(long_recall.RATES, key=lambda lr: row["tuning"][str(lr)])


@pytest.mark.parametrize("name", ROWS)
def test_its_first_steps_come_again(name):
    again = long_recall.run(name, 1, ROWS[name]["lr"], steps=3)["first_losses"]
    assert_same_steps(again, ROWS[name]["runs"][1]["first_losses"])


def test_seeds_are_told_apart():
    assert_told_apart([run["first_losses"] for run in ROWS["full"]["runs"]])


def test_what_the_page_says_of_it():
    right = {n: np.array([run["right"] for run in row["runs"]]) for n, row in ROWS.items()}
    assert right["full"].min() > 0.99
    assert right["window and full"].min() > 0.99
    assert right["linear, twice the width"].min() > 0.99
    for name in ("window", "two windows", "window and linear"):
        assert right[name][:, :2].min() > 0.99
        assert right[name][:, 2:].max() < 0.15
    assert right["linear, half the width"].mean() < right["linear"].mean() - 0.15
