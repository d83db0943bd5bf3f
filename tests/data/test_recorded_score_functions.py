"""What the chapter on score functions draws was measured by the scripts as they stand."""

import pytest
import score_functions as functions
from records import assert_same_steps, assert_told_apart

from attention_course.layers.recurrent.score_table import SCORE_NAMES
from attention_course.measure import recorded


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
