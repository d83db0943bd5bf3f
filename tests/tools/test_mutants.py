"""An answer is run once, and again as soon as anything that decides about it changes."""

import mutants
import pytest

from attention_course.exercises import exercise_named

HOME = "src/attention_course/exercises"
DECIDING = (
    "tools/mutants.py",
    f"{HOME}/runner.py",
    f"{HOME}/bank/common.toml",
    f"{HOME}/bank/four-steps/statement.md",
    "src/attention_course/reference/softmax.py",
)
IDLE = ("README.md", f"{HOME}/bank/kv-cache/probes.py")


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A store with nothing in it, and a process that remembers nothing."""
    monkeypatch.setattr(mutants, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(mutants, "_REPORTS", {})
    return tmp_path / "kept"


def test_what_is_found_of_an_answer_is_the_same_from_the_store(fresh, monkeypatch):
    exercise = exercise_named("four-steps")
    sources = [exercise.solution, *map(exercise.source_of, exercise.wrong)]
    first = [mutants.report_on(exercise, source) for source in sources]
    monkeypatch.setattr(mutants, "_REPORTS", {})
    monkeypatch.setattr(mutants, "examine_source", None)  # it cannot be run again
    again = [mutants.report_on(exercise, source) for source in sources]
    assert [r.points for r in first] == [r.points for r in again]
    assert [[f.complaint for f in r.failed] for r in first] == [
        [f.complaint for f in r.failed] for r in again
    ]
    assert first[0].right
    assert not any(report.right for report in again[1:])


def test_a_verdict_of_older_files_is_not_believed(fresh, monkeypatch):
    exercise = exercise_named("four-steps")
    monkeypatch.setattr(mutants, "run_by", lambda slug: "old")
    mutants.report_on(exercise, exercise.stub)
    monkeypatch.setattr(mutants, "_REPORTS", {})
    monkeypatch.setattr(mutants, "run_by", lambda slug: "new")
    monkeypatch.setattr(mutants, "examine_source", None)
    with pytest.raises(TypeError, match="not callable"):
        mutants.report_on(exercise, exercise.stub)


def test_the_files_that_decide_change_the_hash_and_those_of_other_exercises_do_not(tmp_path):
    for name in (*DECIDING, *IDLE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    changed = []
    for name in (*DECIDING, *IDLE):
        before = mutants._hash(tmp_path, "four-steps")
        (tmp_path / name).write_text("# changed\n", encoding="utf-8")
        changed += [name] * (mutants._hash(tmp_path, "four-steps") != before)
    assert changed == [*DECIDING]
    assert mutants.run_by("four-steps") != mutants.run_by("kv-cache")
