"""What right and wrong backward passes come to was measured by the script that says so."""

import own_backward
import pytest

from attention_course.measure import recorded

LOSSES, ABOUT = recorded("own_backward")


def test_every_function_has_a_run_of_each_seed_with_the_scripts_settings():
    assert ABOUT["seeds"] == [*own_backward.SEEDS]
    assert ABOUT["settings"] == {
        "steps": own_backward.STEPS,
        "every": own_backward.EVERY,
    }
    assert {*LOSSES} == {own_backward.RIGHT, *own_backward.MISTAKES}
    for runs in LOSSES.values():
        shape = own_backward.STEPS // own_backward.EVERY
        assert [*map(len, runs)] == [shape] * len(own_backward.SEEDS)


@pytest.mark.parametrize("name", [own_backward.RIGHT, own_backward.MISTAKES[1]])
def test_its_first_steps_come_again(name):
    again = own_backward.run(name, "seed", 0, own_backward.EVERY)
    assert again == pytest.approx(LOSSES[name][0][:1], abs=2e-3)
