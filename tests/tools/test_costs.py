"""CPU seconds are counted by file, with all processes; the longest file comes first."""

import json
import subprocess
import sys
import time
from types import SimpleNamespace

import costs
import count_costs
import pytest

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"
TESTS = {
    "test_itself": "import time\ndef test_it():\n    end = time.process_time() + 0.5\n"
    "    while time.process_time() < end: pass\n",
    "test_child": "import subprocess, sys\ndef test_it():\n"
    f"    subprocess.run([sys.executable, '-c', {BURN.format(seconds=0.6)!r}], check=True)\n",
    "test_idle": "import time\ndef test_it(): time.sleep(0.5)\n",
}


def test_a_child_counts_while_it_runs_and_after_it_ended():
    before = count_costs.cpu_seconds()
    child = subprocess.Popen(
        [sys.executable, "-c", BURN.format(seconds=0.5) + "input()"], stdin=subprocess.PIPE
    )
    until = time.monotonic() + 60
    while count_costs.cpu_seconds() - before < 0.4 and time.monotonic() < until:
        time.sleep(0.05)
    running = count_costs.cpu_seconds() - before
    child.communicate(b"\n")
    assert running >= 0.4
    assert count_costs.cpu_seconds() - before >= 0.4


def test_every_file_is_charged_with_what_it_took(pytester, monkeypatch):
    monkeypatch.setenv(costs.VARIABLE, str(pytester.path / "found.json"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest('pytest_plugins = ["count_costs"]')
    pytester.makepyfile(**TESTS)
    pytester.runpytest_inprocess("-q").assert_outcomes(passed=3)
    found = json.loads((pytester.path / "found.json").read_text())
    assert found["test_itself.py"] >= 0.5
    assert found["test_child.py"] >= 0.6
    assert found["test_idle.py"] < 0.4


def test_the_longest_file_comes_first_and_a_file_stays_together_and_in_order():
    names = ["short::1", "long::1", "short::2", "new::1", "long::2"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    found = count_costs.longest_first(items, {"short": 1.0, "long": 60.0})
    wanted = ["long::1", "long::2", "new::1", "short::1", "short::2"]
    assert [item.nodeid for item in found] == wanted


def test_a_file_that_two_phases_run_is_added_up():
    phases = {
        "unit": {"files": {"a": 1.0, costs.AROUND: 9.0}},
        "browser": {"files": {"a": 2.0}},
    }
    assert costs.of_files(phases) == {"a": 3.0}


def test_most_files_are_on_record():
    """A new one need not be at once."""
    present = costs.there()
    newer = present - costs.of_files(costs.recorded()).keys()
    assert {"tests/tools/test_costs.py", "book/index.ipynb"} <= present
    assert len(newer) <= costs.NEWER * len(present), "run python tools/costs.py"


def test_what_earlier_runs_kept_is_thrown_away_first(tmp_path, monkeypatch):
    (tmp_path / "Makefile").write_text("phase:\n\t@test ! -e .make/answers\n")
    (tmp_path / ".make/answers").mkdir(parents=True)
    monkeypatch.setattr(costs, "ROOT", tmp_path)
    assert [name for name, _, _ in costs.measure(("phase",))] == ["phase"]


@pytest.mark.parametrize("code", [0, 1])
def test_a_phase_that_is_red_is_not_recorded(tmp_path, monkeypatch, code):
    (tmp_path / "Makefile").write_text(f"phase:\n\t@exit {code}\n")
    monkeypatch.setattr(costs, "ROOT", tmp_path)
    if code:
        with pytest.raises(SystemExit, match="phase must be green to be measured"):
            list(costs.measure(("phase",)))
    else:
        assert [name for name, _, _ in costs.measure(("phase",))] == ["phase"]
