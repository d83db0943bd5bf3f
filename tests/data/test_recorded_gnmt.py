"""What the GNMT chapter draws was measured by the scripts, whose first steps reproduce."""

import gnmt
import lstmn
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded


@pytest.mark.parametrize("task", ["depth", "rates"])
def test_the_record_is_of_the_scripts_settings(task):
    runs, source = recorded(f"gnmt_{task}")
    assert source["settings"] == gnmt.BASE
    assert source["script"] == f"benchmarks/gnmt.py {task}"
    keys = ("depth", "residual", "lr")
    planned = [tuple((gnmt.BASE | plan)[k] for k in keys) for plan in gnmt.PLANS[task]]
    seen = sorted((*(run[k] for k in keys), run["seed"]) for run in runs)
    assert seen == sorted((*plan, seed) for plan in planned for seed in gnmt.SEEDS)


def test_at_one_depth_plain_and_residual_have_the_same_size():
    sizes = {}
    for run in recorded("gnmt_depth")[0]:
        sizes.setdefault(run["depth"], set()).add(run["weights"])
    assert all(len(found) == 1 for found in sizes.values())


@pytest.mark.parametrize("residual", [True, False])
def test_the_first_steps_of_the_deep_runs_reproduce(residual):
    setting = gnmt.BASE | {"depth": 8, "residual": residual, "steps": 3}
    again = gnmt.run(setting, 0, measure=False)["first_losses"]
    stored = the_run("gnmt_depth", depth=8, residual=residual, seed=0)["first_losses"]
    assert_same_steps(again, stored)


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("gnmt_depth")[0] if r["depth"] == 8 and r["residual"]]
    assert_told_apart([run["first_losses"] for run in runs])


def test_the_readers_record_is_of_the_scripts_settings():
    runs, source = recorded("lstmn")
    assert source["settings"] == lstmn.SETTINGS
    seen = sorted((run["task"], run["kind"], run["seed"]) for run in runs)
    kinds = [(t, k, s) for t in lstmn.SETTINGS for k in lstmn.KINDS for s in lstmn.SEEDS]
    assert seen == sorted(kinds)
    sizes = {run["weights"] for run in runs if run["task"] == "repeat"}
    assert max(sizes) / min(sizes) < 1.01


@pytest.mark.parametrize("kind", ["lstm", "lstmn", "head"])
@pytest.mark.parametrize("task", ["repeat", "verses"])
def test_the_first_steps_of_the_readers_reproduce(task, kind):
    setting = lstmn.SETTINGS[task] | {"steps": 3}
    again = lstmn.run(task, setting, kind, 0, measure=False)["first_losses"]
    assert_same_steps(again, the_run("lstmn", task=task, kind=kind, seed=0)["first_losses"])


def exact_at_the_end(depth, residual):
    runs = recorded("gnmt_depth")[0]
    found = [r for r in runs if (r["depth"], r["residual"]) == (depth, residual)]
    return [1 - run["validation"][-1][1] for run in found]


def test_what_the_chapter_says_about_depth_holds_with_every_seed():
    assert min(exact_at_the_end(4, True) + exact_at_the_end(8, True)) > 0.95
    for depth in (4, 6, 8):
        assert max(exact_at_the_end(depth, False)) < 0.05
    assert max(1 - run["validation"][-1][1] for run in recorded("gnmt_rates")[0]) < 0.5


def test_what_the_chapter_says_about_the_readers_holds_with_every_seed():
    ends = {}
    for run in recorded("lstmn")[0]:
        ends.setdefault((run["task"], run["kind"]), []).append(run["validation"][-1][1])
    assert max(ends["repeat", "head"]) < min(ends["repeat", "lstm"] + ends["repeat", "lstmn"])
    assert abs(np.mean(ends["verses", "lstm"]) - np.mean(ends["verses", "lstmn"])) < 0.15
