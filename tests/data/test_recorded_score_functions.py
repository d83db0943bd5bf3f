"""What the chapter on score functions draws was measured by the scripts as they stand."""

import subprocess
import sys
from pathlib import Path

import pytest
import score_costs as costs
import score_functions as functions
from records import assert_same_steps, assert_told_apart

from attention_course.layers.recurrent.score_table import SCORE_NAMES
from attention_course.measure import recorded
from attention_course.measure.saved_bytes import saved_bytes


def test_the_records_are_of_the_scripts_settings():
    for task, setting in (("lookup", functions.LOOKUP), ("dates", functions.DATES)):
        rows, source = recorded(f"score_functions_{task}")
        assert source["settings"] == setting
        assert source["script"] == f"benchmarks/score_functions.py {task}"
        widths, names = setting.get("widths", [None]), setting.get("scores", SCORE_NAMES)
        seen = sorted((row["score"], row.get("d") or 0) for row in rows)
        assert seen == sorted((name, d or 0) for name in names for d in widths)
        assert {len(row["accuracy"]) for row in rows} == {len(setting["seeds"])}
        assert len(setting["seeds"]) >= 3
        assert not set(setting["seeds"]) & set(setting["tuning_seeds"])


def test_the_rate_is_the_best_of_those_tried():
    for task, setting in (("lookup", functions.LOOKUP), ("dates", functions.DATES)):
        for row in recorded(f"score_functions_{task}")[0]:
            assert sorted(map(float, row["tuning"])) == sorted(setting["rates"])
            assert row["lr"] == float(max(row["tuning"], key=lambda r: tuple(row["tuning"][r])))


@pytest.mark.parametrize("name", SCORE_NAMES)
def test_the_first_steps_of_the_look_up_reproduce(name):
    for row in recorded("score_functions_lookup")[0]:
        if row["score"] == name:
            _, history = functions.learn_lookup(name, row["d"], 0, row["lr"], 3)
            assert_same_steps(history.losses, row["first_losses"][0])
            assert_told_apart([history.losses, row["first_losses"][1]])


@pytest.mark.parametrize("name", ["dot", "concat"])
def test_the_first_steps_of_the_dates_reproduce(name):
    row = next(r for r in recorded("score_functions_dates")[0] if r["score"] == name)
    setting = functions.DATES | {"steps": 3}
    _, history = functions.learn_dates(name, 0, row["lr"], setting)
    assert_same_steps(history.losses, row["first_losses"][0])
    assert_told_apart([history.losses, row["first_losses"][1]])


def test_the_costs_are_of_the_scripts_sizes():
    rows, source = recorded("score_costs")
    assert source["sizes"] == [list(size) for size in costs.SIZES]
    assert source["rounds"] == costs.ROUNDS
    seen = [(row["n"], row["d"], row["score"]) for row in rows]
    assert seen == [(n, d, name) for n, d in costs.SIZES for name in SCORE_NAMES]


def test_bytes_and_weights_counted_again_are_the_recorded_ones():
    for n, d in costs.SIZES:
        scores, q, k, _ = costs.prepare(n, d)
        q, k = q.requires_grad_(), k.requires_grad_()
        for row in recorded("score_costs")[0]:
            if (row["n"], row["d"]) == (n, d):
                score = scores[row["score"]]
                again = saved_bytes(score, q, k, parameters=score.parameters())
                # Of the others torch decides what it keeps: much the same, not the same.
                exact = row["score"] not in ("cosine", "cosine, strength 1", "kernel")
                assert again == pytest.approx(row["saved_bytes"], rel=0 if exact else 0.5)
                assert sum(p.numel() for p in score.parameters()) == row["weights"]


def test_the_process_grew_by_what_was_counted_where_it_is_large():
    for row in recorded("score_costs")[0]:
        if row["saved_bytes"] > 30 * 2**20:
            assert 0.9 * row["saved_bytes"] < row["rise_bytes"] < 6 * row["saved_bytes"]


def test_the_baseline_is_one_and_quartiles_are_in_order():
    for row in recorded("score_costs")[0]:
        low, middle, high = row["times_dot"]
        assert low <= middle <= high
        if row["score"] == "dot":
            assert (low, middle, high) == (1.0, 1.0, 1.0)


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="needs Linux's own accounting"
)
def test_what_the_process_uses_is_read_and_its_peak_forgotten():
    # In a process of its own: one that has run other tests may hold memory to use again.
    program = (
        "import score_costs as costs; scores, *x = costs.prepare(256, 64); "
        "rises = [costs.rise(scores[name], *x) for name in ('additive', 'dot')]; "
        "print(costs.status('VmRSS'), *rises)"
    )
    folder = Path(costs.__file__).parent
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    used, additive, dot = map(int, ran.stdout.split())
    assert used > 20 * 2**20
    assert additive > 16 * 2**20
    assert dot < 8 * 2**20
