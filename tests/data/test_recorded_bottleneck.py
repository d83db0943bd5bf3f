"""What the bottleneck chapter draws was measured by the script that lies in the repository."""

from collections import Counter

import bottleneck as script
import numpy as np
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models import FixedVectorSeq2Seq, sequence_loss
from attention_course.training import fit


def test_the_spelling_record_is_of_the_scripts_settings():
    _, source = recorded("bottleneck_spelling")
    assert source["settings"] == script.SPELLING
    assert source["script"] == "benchmarks/bottleneck.py spelling"


def test_the_reversal_record_is_of_the_scripts_settings():
    _, source = recorded("bottleneck_reversal")
    assert source["settings"] == script.REVERSAL
    assert source["script"] == "benchmarks/bottleneck.py reversal"


def test_every_setting_has_at_least_three_seeds():
    runs, _ = recorded("bottleneck_spelling")
    seen = Counter((run["width"], run["reversed_source"]) for run in runs)
    assert set(seen) == {(64, False), (128, False), (256, False), (128, True)}
    assert min(seen.values()) >= 3
    runs, _ = recorded("bottleneck_reversal")
    assert min(Counter(run["width"] for run in runs).values()) >= 3


def test_no_seed_is_counted_twice():
    for name in ("bottleneck_spelling", "bottleneck_reversal"):
        runs, source = recorded(name)
        seen = Counter((run["width"], run.get("reversed_source"), run["seed"]) for run in runs)
        assert max(seen.values()) == 1
        assert {run["seed"] for run in runs} == set(source["seeds"])


def test_every_run_measured_the_same_lengths():
    runs, _ = recorded("bottleneck_spelling")
    assert len({tuple(run["by_length"]) for run in runs}) == 1
    runs, _ = recorded("bottleneck_reversal")
    assert {tuple(run["exact"]) for run in runs} == {tuple(str(n) for n in range(2, 17, 2))}


def first_losses(seed, width):
    rng = np.random.RandomState(seed)
    model = FixedVectorSeq2Seq(29, 29, width, rng)
    setting = {"steps": 3, "lr": script.LONGER["lr"], "progress": False}
    return fit(model, script.draw_reversal, sequence_loss, rng, **setting).losses


def test_the_longer_runs_begin_as_the_script_does():
    again = {run: first_losses(*run) for run in ((1, 32), (2, 32))}
    for (seed, width), losses in again.items():
        stored = the_run("bottleneck_longer", seed=seed, width=width)["first_losses"]
        assert_same_steps(losses, stored)
    assert_told_apart([*again.values()])


def test_the_longer_runs_are_those_of_the_settings_and_pass_the_shorter_ones_on_their_way():
    runs, source = recorded("bottleneck_longer")
    assert source["settings"] == script.LONGER
    assert source["script"] == "benchmarks/bottleneck.py longer"
    assert [[run["seed"], run["width"]] for run in runs] == script.LONGER["runs"]
    every, steps = script.LONGER["every"], script.LONGER["steps"]
    for run in runs:
        assert [*map(int, run["exact"])] == [*range(every, steps + 1, every)]
        shorter = the_run("bottleneck_reversal", seed=run["seed"], width=run["width"])
        assert run["exact"][str(script.REVERSAL["steps"])] == shorter["exact"]


def test_the_batches_of_the_control_are_strings_and_their_reversals():
    batch = script.reversal_batch(3, 5, np.random.RandomState(0))
    assert np.array_equal(batch.target[:, :5], batch.source[:, ::-1])
    assert (batch.target[:, 5] == 2).all()
    assert batch.target_lengths.tolist() == [6, 6, 6]
