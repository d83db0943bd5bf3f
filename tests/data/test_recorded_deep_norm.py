"""The record of ``benchmarks/deep_norm.py`` is of its settings, and says what it is for."""

import deep_norm
import numpy as np
from records import assert_same_steps, assert_told_apart

from attention_course.data.characters import character_text
from attention_course.measure import recorded


def test_the_record_is_of_the_scripts_settings():
    by_order, about = recorded("deep_norm")
    settings = (deep_norm.DEPTH, deep_norm.STEPS, deep_norm.RISE, deep_norm.RATE)
    assert (about["depth"], about["steps"], about["rise"], about["rate"]) == settings
    for runs in (runs for rises in by_order.values() for runs in rises.values()):
        assert len(runs) == len(about["seeds"])
        assert all(len(run["gradients"]) == deep_norm.DEPTH for run in runs)


def test_the_first_steps_come_again():
    text, by_order = character_text(), recorded("deep_norm")[0]
    again = {order: deep_norm.run(text, order, 0, 0, steps=3) for order in deep_norm.ORDERS}
    for order, run in again.items():
        stored = by_order[order]["none"][0]
        assert_same_steps(run["first_losses"], stored["first_losses"])
        np.testing.assert_allclose(run["gradients"], stored["gradients"], rtol=0.01)
    assert_told_apart([run["first_losses"] for run in again.values()])


def test_after_without_warm_up_is_the_only_one_that_fails():
    by_order = recorded("deep_norm")[0]
    last = {
        (order, rise): [run["losses"][-1] for run in runs]
        for order, rises in by_order.items()
        for rise, runs in rises.items()
    }
    failed = last.pop(("after", "none"))
    assert all(max(losses) + 0.3 < min(failed) for losses in last.values())


def test_the_last_blocks_gradient_is_the_larger_one_after():
    by_order = recorded("deep_norm")[0]
    ends = {
        order: [run["gradients"][-1] for run in rises["none"]]
        for order, rises in by_order.items()
    }
    assert 2 * max(ends["before"]) < min(ends["after"])
